//! Runs many trials side by side. Missing ones are run, unfinished ones continue, and finished ones are left alone.

use super::{Moment, Progress, Resume, RunOptions, Stop, Training};
use crate::run_folder::{Folder, Program};
use crate::settings::Resolved;
use crate::{Error, Result, sim, threads};
use std::convert::Infallible;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// One run of a comparison.
pub struct PlannedRun {
    pub resolved: Resolved,
    pub folder: Folder,
}

impl PlannedRun {
    /// Whether it has finished with exactly these settings. Unless drift is allowed, it must also be from this program,
    /// task and model.
    ///
    /// # Errors
    /// If the run or its task cannot be read.
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
        watch.ends(self, Ok(&stop));
        Ok(stop)
    }
}

/// A trial that could not be completed.
pub struct Failure<'a> {
    pub trial: &'a PlannedRun,
    pub error: Error,
}

/// Follows the progress of trials, from several threads.
pub trait Watch: Sync {
    /// Called first, with the number of trials that have not finished yet.
    fn opens(&self, trials: usize);
    /// A trial begins or continues, with notes for the user.
    fn begins(&self, trial: &PlannedRun, notes: &[String]);
    /// Something happened in a trial.
    fn sees(&self, trial: &PlannedRun, moment: Moment, progress: Progress);
    /// A trial has ended, was interrupted, or has failed.
    fn ends(&self, trial: &PlannedRun, how: Result<&Stop, &Error>);
}

/// Runs the trials, as many at a time as there are threads. `watch` is told of each one. A trial that fails does not keep
/// the others from going on. Returns the failures in the order of the trials. Stops when told to.
pub fn run_all<'a>(trials: &'a [PlannedRun], how: Resume, options: &RunOptions, watch: &dyn Watch) -> Vec<Failure<'a>> {
    let threads = match options.workers {
        Some(_) => options.threads,
        None => threads::count(options.threads),
    };
    let failures = Mutex::new(Vec::new());
    let failed = |at: usize, error: Error| {
        watch.ends(&trials[at], Err(&error));
        failures.lock().unwrap_or_else(PoisonError::into_inner).push((at, error));
    };
    let mut open: Vec<usize> = Vec::new();
    let mut unreadable = Vec::new();
    for (at, trial) in trials.iter().enumerate() {
        match trial.is_done(how) {
            Ok(true) => {}
            Ok(false) => open.push(at),
            Err(error) => unreadable.push((at, error)),
        }
    }
    watch.opens(open.len());
    unreadable.into_iter().for_each(|(at, error)| failed(at, error));
    let side_by_side = threads.min(open.len()).max(1);
    let least = usize::from(threads > 0);
    let each = RunOptions { threads: (threads / side_by_side).max(least), ..options.clone() };
    let Ok(()) = threads::share::<_, Infallible>(&open, side_by_side, |&at| {
        Ok(match trials[at].run(how, each.clone(), watch) {
            Ok(Stop::Interrupted) => ControlFlow::Break(()),
            Ok(_) => ControlFlow::Continue(()),
            Err(error) => {
                failed(at, error);
                ControlFlow::Continue(())
            }
        })
    });
    let mut failures = failures.into_inner().unwrap_or_else(PoisonError::into_inner);
    failures.sort_by_key(|(at, _)| *at);
    failures.into_iter().map(|(at, error)| Failure { trial: &trials[at], error }).collect()
}
