//! Where optimisers and problems meet: a trial, many trials side by side, and their results in a file that a second call
//! goes on with.

mod contestant;
mod results;
mod trial;

pub use contestant::Contestant;
pub use results::Results;
pub use trial::{Trial, usual_batch};

use crate::problem::Outcome;
use crate::{Result, workers};
use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;

/// Runs those trials that have no result yet, each on one thread, and keeps each result as it ends; `finished` hears how
/// many are there already, and then of every one. Returns the outcomes in the order of the trials, or `None` if told to
/// leave before all were there.
pub fn run_all(
    trials: &[Trial],
    results: &Results,
    threads: usize,
    leave: &AtomicBool,
    finished: &(dyn Fn(usize) + Sync),
) -> Result<Option<Vec<Outcome>>> {
    let open: Vec<&Trial> = trials.iter().filter(|trial| results.of(trial).is_none()).collect();
    finished(trials.len() - open.len());
    workers::share(&open, workers::threads(threads), |trial| match trial.run(leave)? {
        Some(outcome) => {
            results.keep(trial, outcome)?;
            finished(1);
            Ok(ControlFlow::Continue(()))
        }
        None => Ok(ControlFlow::Break(())),
    })?;
    Ok(trials.iter().map(|trial| results.of(trial)).collect())
}
