//! Continues a run, either with the settings, task, model and program that it began with, or not at all.

use super::state::SearchState;
use super::{Parts, RunOptions, Training, fresh_state, limits};
use crate::optim::Optimizer;
use crate::rollout::Crew;
use crate::run_folder::{Drift, Folder, LockedFolder, Metrics, Program, RunFile, RunState};
use crate::settings::{PartialSettings, Space};
use crate::sim::{self, Task};
use crate::{Error, Result};
use std::path::Path;

/// How to treat an existing run.
#[derive(Clone, Copy, Debug, Default)]
pub struct Resume {
    /// Continue from the previous checkpoint instead of the latest.
    pub previous: bool,
    /// Continue even if the program, MuJoCo, the task or the model has changed. The change is recorded in run.toml.
    pub allow_drift: bool,
}

impl Training {
    /// Continues from the folder's checkpoint. Only the budget, target and time may change.
    ///
    /// # Errors
    /// If the run cannot be read, is locked, or was made with another program, task or model, or if another setting is
    /// changed.
    pub fn resume(given: &PartialSettings, folder: &Folder, how: Resume, options: RunOptions) -> Result<Training> {
        let folder = folder.lock()?;
        let mut run = folder.read_run()?;
        given.check_used_by(&run.settings)?;
        // An older version also stored settings without effect.
        let stored = run.settings.only_used().with_absolute_paths();
        run.settings = merge(stored, given.clone().with_absolute_paths(), &folder)?;
        limits::check(&run.settings)?;
        let task = folder.task(&run)?;
        check_named(given, &run, &task, &folder)?;
        limits::check_memory_for(&run.settings, &task)?;
        let space = Space::new(&run.settings, &task)?;
        let checkpoint = folder.checkpoint();
        let known = checkpoint.exists();
        let state: SearchState = if known {
            checkpoint.load(how.previous, &run.settings)?
        } else {
            fresh_state(&run.settings, &task, &space)?
        };
        let notes = follow_drift(&mut run, Program::here(&task), state.generation, how, &folder)?;
        check_size(&state, &space, &task, &folder)?;
        if let Some(budget) = given.budget.filter(|budget| *budget < state.episodes) {
            let used = state.episodes;
            return Err(Error::usage(format!("`budget` is {budget}, but the run has already used {used} episodes"))
                .hint(format!("a budget counts from the start of the run: leave it out, or give more than {used}"))
                .naming(&["budget"]));
        }
        let crew = Crew::new(&task, options.threads, options.workers.as_ref())?;
        let metrics = match known {
            // A generation that still awaits its held-out evaluation has no row yet.
            true => {
                let rows = state.generation - u64::from(state.pending.is_some());
                Metrics::resume(&folder, state.metrics, rows)?
            }
            false => Metrics::start(&folder)?,
        };
        run.state = Some(RunState::Running);
        folder.write_run(&run)?;
        Ok(Self::assemble(Parts { task, run, folder, state, space, crew, metrics, notes }, options))
    }
}

/// Refuses a task that the caller names and that is no longer the one that the run carries.
fn check_named(given: &PartialSettings, run: &RunFile, task: &Task, folder: &LockedFolder) -> Result<()> {
    let Some(env) = given.env.as_ref().filter(|env| run.robot.is_some() && Path::new(env).is_file()) else {
        return Ok(());
    };
    let named = sim::find(env)?;
    let is_same = named.rules_sha256() == task.rules_sha256() && named.compiled_sha256() == task.compiled_sha256();
    if is_same && named.mirror == task.mirror {
        return Ok(());
    }
    let what = format!("the task in {env} or its model has changed since the run began");
    Err(Error::input(folder.file("run.toml"), what)
        .hint("the run holds its own copy: leave out `env` to continue with that; another task needs another `out`")
        .naming(&["env", "out"]))
}

/// Checks that a folder's checkpoint can be read.
///
/// # Errors
/// If it is missing, damaged, or from another version of the program.
pub fn check_checkpoint(folder: &Path) -> Result<()> {
    let folder = Folder::new(folder);
    folder.checkpoint().load::<SearchState>(false, &folder.read_run()?.settings).map(drop)
}

/// Returns the stored settings with the permitted changes. Any other difference is an error that names it.
fn merge(stored: PartialSettings, given: PartialSettings, folder: &LockedFolder) -> Result<PartialSettings> {
    let merged = PartialSettings {
        budget: given.budget.or(stored.budget),
        target: given.target.or(stored.target),
        time: given.time.or(stored.time),
        ..stored
    };
    for ((name, asked), (_, has)) in given.entries().into_iter().zip(merged.entries()) {
        if asked.is_some() && asked != has {
            let (asked, has) = (asked.unwrap_or_default(), has.unwrap_or("nothing".into()));
            let what = format!("`{name}` is {asked}, but the run was started with {has}");
            return Err(Error::usage(format!("{what}\n  in {}", folder.path().display()))
                .hint("only budget, target and time can change; another run needs another `out`")
                .naming(&[name, "out"]));
        }
    }
    Ok(merged)
}

/// Records the versions that the run continues with. Changes are refused unless they are allowed, and reported either
/// way.
fn follow_drift(
    run: &mut RunFile,
    here: Program,
    generation: u64,
    how: Resume,
    folder: &LockedFolder,
) -> Result<Vec<String>> {
    let mut notes = Vec::new();
    let changes = run.program.changes(&here);
    if !changes.is_empty() {
        if !how.allow_drift {
            let what = format!("the run was made with a different {}", changes.join("; "));
            return Err(Error::input(folder.file("run.toml"), what)
                .hint("results would no longer be reproducible; `allow_drift` continues and records the change")
                .naming(&["allow_drift"]));
        }
        notes.push(format!("continuing although the run was made with a different {}", changes.join("; ")));
        run.drift.push(Drift { after_generation: generation, from: run.program.clone(), to: here.clone() });
    }
    let unknown = run.program.unknown();
    if !unknown.is_empty() {
        let what = unknown.join(", ");
        notes.push(format!("an older program started this run and did not record its {what}; they are recorded now"));
    }
    run.program = here;
    Ok(notes)
}

/// A search has the size of the task that it began with, and `allow_drift` cannot change that.
fn check_size(state: &SearchState, space: &Space, task: &Task, folder: &LockedFolder) -> Result<()> {
    let (observations, actions) = (task.observations, task.actions);
    let weights = state.optimizer.center().len();
    let seen = state.observed.as_ref().map(|observed| observed.normalizer().mean.len());
    let inputs = seen.or(state.fixed.as_ref().map(|fixed| fixed.mean.len())).unwrap_or(observations);
    if weights == space.dim() && inputs == observations {
        return Ok(());
    }
    let what = format!(
        "the run searches {weights} weights, but the task now has {observations} observations and {actions} actions, \
         which makes {} free weights",
        space.dim()
    );
    Err(Error::input(folder.file("run.toml"), what)
        .hint("restore the task and its model, or start another run in another folder"))
}
