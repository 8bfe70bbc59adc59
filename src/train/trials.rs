//! Runs many trials side by side. Missing ones are run, unfinished ones continue, and finished ones are left alone.

use super::{Resume, RunOptions, Stop, Training};
use crate::run_folder::{Folder, Program};
use crate::settings::Resolved;
use crate::{Result, sim, workers};
use std::ops::ControlFlow;

/// One run of a comparison.
pub struct PlannedRun {
    pub resolved: Resolved,
    pub folder: Folder,
}

impl PlannedRun {
    /// Whether it has finished with exactly these settings. Unless drift is allowed, it must also be from this program,
    /// task and model.
    pub fn is_done(&self, how: Resume) -> Result<bool> {
        let settings = &self.resolved.settings;
        if !self.folder.is_taken() {
            return Ok(false);
        }
        let mut run = self.folder.read_run()?;
        run.settings = run.settings.only_used().with_absolute_paths();
        if !run.has_finished(settings) {
            return Ok(false);
        }
        let task = sim::find(settings.env.as_deref().unwrap_or_default())?;
        Ok(how.allow_drift || run.program.changes(&Program::here(&task)).is_empty())
    }

    fn run(&self, how: Resume, options: RunOptions) -> Result<(Stop, Vec<String>)> {
        let mut search = if self.folder.is_taken() {
            Training::resume(&self.resolved.settings, &self.folder, how, options)?
        } else {
            Training::start(&self.resolved, &self.folder, false, options)?
        };
        let stop = search.run(&mut |_| ())?;
        Ok((stop, search.notes))
    }
}

/// Runs the trials, as many at a time as there are threads. Calls `finished` for each one as it ends, with notes for
/// the user. Stops at the first error, and when told to.
pub fn run_all(
    trials: &[PlannedRun],
    how: Resume,
    options: &RunOptions,
    finished: &(dyn Fn(&PlannedRun, &Stop, &[String]) + Sync),
) -> Result<()> {
    let threads = match options.workers {
        Some(_) => options.threads,
        None => workers::threads(options.threads),
    };
    let mut open: Vec<&PlannedRun> = Vec::new();
    for trial in trials {
        if !trial.is_done(how)? {
            open.push(trial);
        }
    }
    let side_by_side = threads.min(open.len()).max(1);
    let least = usize::from(threads > 0);
    let each = RunOptions { threads: (threads / side_by_side).max(least), ..options.clone() };
    workers::share(&open, side_by_side, |trial| {
        Ok(match trial.run(how, each.clone())? {
            (Stop::Interrupted, _) => ControlFlow::Break(()),
            (stop, notes) => {
                finished(trial, &stop, &notes);
                ControlFlow::Continue(())
            }
        })
    })
}
