//! Runs many trials side by side. Missing ones are run, unfinished ones continue, and finished ones are left alone.

use super::{Moment, Progress, Resume, RunOptions, Stop, Training};
use crate::run_folder::{Folder, Program};
use crate::settings::Resolved;
use crate::{Result, sim, workers};
use std::ops::ControlFlow;
use std::path::Path;

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
        let named = settings.env.as_deref().unwrap_or_default();
        let gone = named.ends_with(".toml") && !Path::new(named).is_file();
        let task = if gone { self.folder.task(&run)? } else { sim::find(named)? };
        Ok(how.allow_drift || run.program.changes(&Program::here(&task)).is_empty())
    }

    fn run(&self, how: Resume, options: RunOptions, watch: &dyn Watch) -> Result<Stop> {
        let mut search = if self.folder.is_taken() {
            Training::resume(&self.resolved.settings, &self.folder, how, options)?
        } else {
            Training::start(&self.resolved, &self.folder, false, options)?
        };
        watch.begins(self, &search.notes);
        let stop = search.run(&mut |moment, progress| watch.sees(self, moment, progress))?;
        watch.ends(self, &stop);
        Ok(stop)
    }
}

/// Sees how trials proceed, from several threads.
pub trait Watch: Sync {
    /// A trial begins or continues, with notes for the user.
    fn begins(&self, trial: &PlannedRun, notes: &[String]);
    fn sees(&self, trial: &PlannedRun, moment: Moment, progress: Progress);
    /// A trial has ended, or was interrupted.
    fn ends(&self, trial: &PlannedRun, stop: &Stop);
}

/// Runs the open trials, as many at a time as there are threads. Stops at the first error, and when told to.
pub fn run_all(open: &[&PlannedRun], how: Resume, options: &RunOptions, watch: &dyn Watch) -> Result<()> {
    let threads = match options.workers {
        Some(_) => options.threads,
        None => workers::threads(options.threads),
    };
    let side_by_side = threads.min(open.len()).max(1);
    let least = usize::from(threads > 0);
    let each = RunOptions { threads: (threads / side_by_side).max(least), ..options.clone() };
    workers::share(open, side_by_side, |trial| {
        Ok(match trial.run(how, each.clone(), watch)? {
            Stop::Interrupted => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        })
    })
}

/// Returns the trials that have not finished yet.
pub fn open(trials: &[PlannedRun], how: Resume) -> Result<Vec<&PlannedRun>> {
    let mut open = Vec::new();
    for trial in trials {
        if !trial.is_done(how)? {
            open.push(trial);
        }
    }
    Ok(open)
}
