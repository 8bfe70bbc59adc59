//! In: settings, a task. Out: a run folder with metrics, checkpoints and policies.
//! Must not know: the terminal, flags, pictures, reports.
//!
//! This is the one place where optimizers and simulations meet: settings, the loop, stop rules, metrics, checkpoints,
//! resume. Same binary, same seed, same kind of CPU: the same bytes, whatever the number of threads and however often the
//! run was killed.

mod checkpoint;
mod choices;
mod folder;
mod metrics;
mod normalizer;
mod objective;
mod search;
mod settings;
mod state;
mod trials;

pub use choices::{Bound, Init, Normalize, Protocol, Resets, SurvivalShift, Time};
pub use folder::{Drift, Folder, Program, RunFile, mujoco_version};
pub use metrics::GenerationRow;
pub use search::{Stop, Training};
pub(crate) use settings::for_all_settings;
pub use settings::{PartialSettings, Resolved};
pub use state::{Contender, Source};
pub use trials::{PlannedRun, run_all};

use crate::optim::Optimizer;
use crate::policy::PolicyFile;
use crate::random::{Purpose, stream};
use crate::rollout::Evaluator;
use crate::sim::{self, Task};
use crate::{Error, Result};
use checkpoint::Checkpoint;
use metrics::Metrics;
use nalgebra::DVector;
use normalizer::Observed;
use objective::Objective;
use rand::RngExt;
use state::SearchState;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// What a run needs besides its settings; none of it changes a result.
#[derive(Clone, Debug)]
pub struct RunOptions {
    /// 0 means one per core.
    pub threads: usize,
    pub checkpoint_every: Duration,
    /// Set from outside when the run has to save and leave.
    pub leave: Arc<AtomicBool>,
    /// Says settings as the command that a policy's provenance names.
    pub command: fn(&PartialSettings) -> String,
}

/// How to treat a run that is there already.
#[derive(Clone, Copy, Debug, Default)]
pub struct Resume {
    /// Go on from the checkpoint before the latest.
    pub previous: bool,
    /// Go on although program, MuJoCo or model have changed; recorded in run.toml.
    pub allow_drift: bool,
}

impl Training {
    /// A new run. A folder that holds one already is refused, unless `force`.
    pub fn start(resolved: &Resolved, folder: Folder, force: bool, options: RunOptions) -> Result<Training> {
        let settings = resolved.settings.clone();
        let task = sim::find(settings.env.as_deref().unwrap_or_default())?;
        check(&settings)?;
        if folder.is_taken() && !force {
            let path = folder.path().display();
            return Err(Error {
                kind: crate::error::Kind::Output,
                ..Error::failed(format!("a run is there already: {path}"))
            }
            .hint(format!("continue it with `resume {path}`, replace it with `force`, or choose another `out`"))
            .naming(&["resume", "force", "out"]));
        }
        let mut state = fresh_state(&settings, &task)?;
        let generation = state.optimizer.ask().ncols() * settings.episodes_per_candidate.unwrap_or(1);
        if settings.budget.is_some_and(|budget| budget < generation as u64) {
            let what = format!("`budget` is less than the {generation} episodes of one generation");
            return Err(Error::usage(what).hint("raise `budget` or lower `batch`").naming(&["budget", "batch"]));
        }
        let run = RunFile::new(settings, &task);
        let evaluator = Evaluator::new(&task, options.threads)?;
        folder.start(&run)?;
        Self::assemble(task, run, folder, state, evaluator, options)
    }

    /// Goes on from the folder's checkpoint. Only budget, target and time may be set anew.
    pub fn resume(given: &PartialSettings, folder: Folder, how: Resume, options: RunOptions) -> Result<Training> {
        let mut run = folder.read_run()?;
        given.check_used_by(&run.settings)?;
        // An older version stored settings without effect, too.
        run.settings = merge(run.settings.only_used(), given, &folder)?;
        let task = sim::find(run.settings.env.as_deref().unwrap_or_default())?;
        let checkpoint = Checkpoint::of(folder.path());
        let state: SearchState =
            if checkpoint.exists() { checkpoint.load(how.previous)? } else { fresh_state(&run.settings, &task)? };
        let here = Program::here(&task);
        if here != run.program {
            refuse_drift(&run.program, &here, how, &folder)?;
            run.drift.push(Drift { after_generation: state.generation, from: run.program, to: here.clone() });
            run.program = here;
        }
        let evaluator = Evaluator::new(&task, options.threads)?;
        folder.write_run(&run)?;
        Self::assemble(task, run, folder, state, evaluator, options)
    }

    fn assemble(
        task: Arc<Task>,
        run: RunFile,
        folder: Folder,
        state: SearchState,
        evaluator: Evaluator,
        options: RunOptions,
    ) -> Result<Training> {
        Ok(Training {
            objective: Objective::new(&run.settings, &task),
            metrics: Metrics::open(folder.path(), state.metrics)?,
            checkpoint: Checkpoint::of(folder.path()),
            checkpoint_every: options.checkpoint_every,
            leave: options.leave,
            command: options.command,
            task,
            run,
            folder,
            state,
            evaluator,
        })
    }

    pub fn threads(&self) -> usize {
        self.evaluator.threads()
    }
}

/// Whether a folder's checkpoint can be read.
pub fn check_checkpoint(folder: &Path) -> Result<()> {
    Checkpoint::of(folder).load::<SearchState>(false).map(drop)
}

fn check(settings: &PartialSettings) -> Result<()> {
    let positive = [
        ("budget", settings.budget),
        ("episodes_per_candidate", settings.episodes_per_candidate.map(|n| n as u64)),
        ("heldout_episodes", settings.heldout_episodes.map(|n| n as u64)),
        ("heldout_every", settings.heldout_every),
        ("training_steps", settings.training_steps.map(u64::from)),
    ];
    match positive.iter().find(|(_, value)| *value == Some(0)) {
        Some((field, _)) => Err(Error::usage(format!("`{field}` must be at least 1")).naming(&[field])),
        None => Ok(()),
    }
}

fn fresh_state(settings: &PartialSettings, task: &Task) -> Result<SearchState> {
    let n = task.observations * task.actions;
    let mean = match settings.init.unwrap_or_default() {
        Init::Zero => DVector::zeros(n),
        Init::Uniform => {
            let limit = settings.bound.and_then(|bound| bound.0).unwrap_or(1.0);
            let mut rng = stream(settings.seed.unwrap_or(0), Purpose::Start, 0, 0);
            DVector::from_fn(n, |_, _| rng.random_range(-limit..limit))
        }
    };
    let optimizer = settings.for_optimizer(task).build(mean)?;
    let fixed = match &settings.normalize {
        Some(Normalize::File(file)) => Some(normalizer_of(Path::new(file), task)?),
        _ => None,
    };
    Ok(SearchState {
        optimizer,
        observed: settings.normalize.as_ref().filter(|n| n.observes()).map(|n| Observed::of(n, task.observations)),
        fixed,
        generation: 0,
        episodes: 0,
        steps: 0,
        cost: 0,
        seconds: 0.0,
        heldout: None,
        best: None,
        challenger: None,
        pending: None,
        metrics: 0,
    })
}

fn normalizer_of(file: &Path, task: &Task) -> Result<crate::policy::Normalizer> {
    let policy = PolicyFile::read(file)?;
    if policy.observations != task.observations {
        let what = format!("field `observations`: {}, the task has {}", policy.observations, task.observations);
        return Err(Error::input(file, what));
    }
    policy.normalizer.ok_or_else(|| Error::input(file, "field `normalizer`: this policy has none"))
}

/// The stored settings with what may change changed; anything else that differs is an error that names it.
fn merge(stored: PartialSettings, given: &PartialSettings, folder: &Folder) -> Result<PartialSettings> {
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

fn refuse_drift(was: &Program, here: &Program, how: Resume, folder: &Folder) -> Result<()> {
    if how.allow_drift {
        return Ok(());
    }
    let parts = [
        ("program", &was.version, &here.version),
        ("MuJoCo", &was.mujoco, &here.mujoco),
        ("model", &was.model_sha256, &here.model_sha256),
    ];
    let changed: Vec<String> = parts
        .iter()
        .filter(|(_, was, here)| was != here)
        .map(|(what, was, here)| format!("{what} {was}, now {here}"))
        .collect();
    let what = format!("the run was made with another {}", changed.join("; "));
    Err(Error::input(folder.file("run.toml"), what)
        .hint("results would no longer be reproducible; `allow_drift` goes on and records it")
        .naming(&["allow_drift"]))
}
