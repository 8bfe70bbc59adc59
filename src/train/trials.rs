//! Many runs side by side: what is missing is run, what is there is gone on with, what is done is left alone.

use super::{Folder, Resolved, Resume, RunOptions, Stop, Training};
use crate::{Result, workers};
use std::ops::ControlFlow;

/// One run of a comparison.
pub struct PlannedRun {
    pub resolved: Resolved,
    pub folder: Folder,
}

impl PlannedRun {
    /// Whether it has been run to its end under exactly these settings.
    pub fn is_done(&self) -> bool {
        let same = || self.folder.read_run().is_ok_and(|run| run.settings == self.resolved.settings);
        self.folder.file("final.json").exists() && same()
    }

    fn run(&self, options: RunOptions) -> Result<Stop> {
        let mut search = if self.folder.is_taken() {
            Training::resume(&self.resolved.settings, self.folder.clone(), Resume::default(), options)?
        } else {
            Training::start(&self.resolved, self.folder.clone(), false, options)?
        };
        search.run(&mut |_| ())
    }
}

/// Runs the trials, as many at a time as there are threads; `finished` hears of each as it ends. Stops at the first error,
/// and when told to leave.
pub fn run_all(
    trials: &[PlannedRun],
    options: &RunOptions,
    finished: &(dyn Fn(&PlannedRun, &Stop) + Sync),
) -> Result<()> {
    let threads = workers::threads(options.threads);
    let open: Vec<&PlannedRun> = trials.iter().filter(|trial| !trial.is_done()).collect();
    let side_by_side = threads.min(open.len()).max(1);
    let each = RunOptions { threads: (threads / side_by_side).max(1), ..options.clone() };
    workers::share(&open, side_by_side, |trial| {
        Ok(match trial.run(each.clone())? {
            Stop::Interrupted => ControlFlow::Break(()),
            stop => {
                finished(trial, &stop);
                ControlFlow::Continue(())
            }
        })
    })
}
