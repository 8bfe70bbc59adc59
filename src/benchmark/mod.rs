//! In: optimizers and problems without a simulator. Out: the outcomes of trials, in a file that a second call
//! continues.
//! Must not know: MuJoCo, policies, pictures, the terminal.
//!
//! [`functions`] has the paper's ten functions, [`instance`] moves and rotates them, [`rover`] plans a path, and
//! [`paper`] holds the published numbers. A [`Trial`] is one contestant on one problem from one seed.

mod contestant;
pub mod functions;
pub mod instance;
pub mod outcome;
pub mod paper;
mod problem;
mod results;
pub mod rover;
mod trial;

pub use contestant::Contestant;
pub use functions::Function;
pub use instance::{Instance, Synthetic};
pub use outcome::{TrialOutcome, counts};
pub use problem::{Description, Problem};
pub use results::Results;
pub use rover::Rover;
pub use trial::{Trial, usual_batch};

use crate::{Error, Result, threads};
use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;

/// Runs the trials that have no result yet, each on one thread, and stores every result as its trial ends. Calls
/// `finished` with the number of existing results, and then after every trial. Returns the outcomes in the order of the
/// trials, or `None` if it was told to stop before all were done.
///
/// # Errors
/// The first error of a trial: settings that its contestant refuses, or a result that cannot be written.
pub fn run_all(
    trials: &[Trial],
    results: &Results,
    threads: usize,
    leave: &AtomicBool,
    finished: &(dyn Fn(usize) + Sync),
) -> Result<Option<Vec<TrialOutcome>>> {
    let open: Vec<&Trial> = trials.iter().filter(|trial| results.of(trial).is_none()).collect();
    finished(trials.len() - open.len());
    threads::share::<_, Error>(&open, threads::count(threads), |trial| match trial.run(leave)? {
        Some(outcome) => {
            results.keep(trial, outcome)?;
            finished(1);
            Ok(ControlFlow::Continue(()))
        }
        None => Ok(ControlFlow::Break(())),
    })?;
    Ok(trials.iter().map(|trial| results.of(trial)).collect())
}
