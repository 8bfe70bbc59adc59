//! In: settings, a task. Out: a run folder with metrics, checkpoints and policies.
//! Must not know: the terminal, flags, pictures, reports.
//!
//! This is the one place where optimizers and simulations meet. Same binary, same seed, same kind of CPU: the same bytes,
//! whatever the number of threads and workers and however often the run was killed.
//!
//! | file | holds |
//! |---|---|
//! | `search` | the loop: ask, evaluate, tell, hold out, record |
//! | `objective` | how episodes become losses: reset seeds, survival bonus, cut episodes |
//! | `hold_out`, `policies` | held-out evaluation and the best policy; the policies that a run writes |
//! | `stop`, `progress` | when and why a run stops; how far it has come |
//! | `state`, `resume` | what a checkpoint stores; continuing from it |
//! | `limits` | what is refused before a run starts |
//! | `trials` | many runs side by side |

mod hold_out;
mod limits;
mod objective;
mod policies;
mod progress;
mod resume;
mod search;
mod state;
mod stop;
mod trials;

pub use limits::check_memory;
pub use progress::{Moment, Progress};
pub use resume::{Resume, check_checkpoint};
pub use search::Training;
pub use state::{Contender, Source};
pub use stop::Stop;
pub use trials::{Failure, PlannedRun, Watch, run_all};

use crate::optim::Optimizer;
use crate::policy::PolicyFile;
use crate::random::{Purpose, stream};
use crate::rollout::broker::Broker;
use crate::rollout::{Crew, Observed};
use crate::run_folder::{Folder, LockedFolder, Metrics, Program, RunFile, find_policy};
use crate::settings::{HeldOut, Init, Normalize, Outside, PartialSettings, Resolved, Space};
use crate::sim::{self, Task};
use crate::{Error, Result};
use nalgebra::DVector;
use objective::Objective;
use rand::RngExt;
use state::SearchState;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// What a run needs besides its settings. None of it changes a result.
#[derive(Clone, Debug)]
pub struct RunOptions {
    /// 0 means one per core; with workers, that this process only coordinates.
    pub threads: usize,
    /// Workers on other machines that take part.
    pub workers: Option<Broker>,
    pub checkpoint_every: Duration,
    /// Set from outside when the run must save and stop.
    pub leave: Arc<AtomicBool>,
    /// Formats settings as the command that a policy's provenance names.
    pub command: fn(&PartialSettings) -> String,
}

/// The parts of a search, besides its options.
struct Parts {
    task: Arc<Task>,
    run: RunFile,
    folder: LockedFolder,
    state: SearchState,
    space: Space,
    crew: Crew,
    metrics: Metrics,
    notes: Vec<String>,
}

impl Training {
    /// Starts a new run. A folder that already holds one is refused, unless `force`.
    ///
    /// # Errors
    /// If a setting is wrong, the task cannot be loaded, the search does not fit into memory, or the folder is taken, locked or
    /// cannot be written.
    pub fn start(resolved: &Resolved, folder: &Folder, force: bool, options: RunOptions) -> Result<Training> {
        let settings = &resolved.settings;
        let task = sim::find(settings.env.as_deref().unwrap_or_default())?;
        limits::check(settings)?;
        limits::check_memory_for(settings, &task)?;
        refuse_taken(folder, force)?;
        let space = Space::new(settings, &task)?;
        let mut state = fresh_state(settings, &task, &space)?;
        let candidates = state.optimizer.ask().ncols();
        limits::check_steps(settings, task.definition.horizon)?;
        let generation = candidates.saturating_mul(settings.episodes_per_candidate.unwrap_or(1));
        if settings.budget.is_some_and(|budget| budget < generation as u64) {
            let what = format!("`budget` is less than the {generation} episodes of one generation");
            return Err(Error::usage(what).hint("raise `budget` or lower `batch`").naming(&["budget", "batch"]));
        }
        let mut run = RunFile::new(resolved, Program::here(&task));
        if let Some(Init::Policy(name)) = &settings.init {
            run.start = policy_for(name, &task)?.1.provenance.map(|provenance| provenance.to_string());
        }
        let crew = Crew::new(&task, options.threads, options.workers.as_ref())?;
        let folder = folder.lock()?;
        // Another process may have been faster.
        refuse_taken(&folder, force)?;
        folder.start(&mut run)?;
        let metrics = Metrics::start(&folder)?;
        Ok(Self::assemble(Parts { task, run, folder, state, space, crew, metrics, notes: Vec::new() }, options))
    }

    fn assemble(parts: Parts, options: RunOptions) -> Training {
        let Parts { task, run, folder, state, space, crew, metrics, notes } = parts;
        Training {
            objective: Objective::new(&run.settings, &task),
            heldout: HeldOut::new(&run.settings),
            played: 0,
            checkpoint_every: options.checkpoint_every,
            leave: options.leave,
            workers: options.workers,
            command: options.command,
            task,
            run,
            folder,
            state,
            space,
            notes,
            crew,
            lost: None,
            metrics,
        }
    }

    pub fn threads(&self) -> usize {
        self.crew.threads()
    }
}

fn refuse_taken(folder: &Folder, force: bool) -> Result<()> {
    if force || !folder.is_taken() {
        return Ok(());
    }
    let path = folder.path().display();
    let taken = Error::failed(format!("a run already exists: {path}"));
    let another = folder.another();
    let fresh = another.path().display();
    Err(Error { kind: crate::error::Kind::Output, ..taken }
        .hint(format!("continue it with `resume {path}`, replace it with `force`, or start another with `out {fresh}`"))
        .naming(&["resume", "force", "out"]))
}

fn fresh_state(settings: &PartialSettings, task: &Task, space: &Space) -> Result<SearchState> {
    let n = space.dim();
    let mean = match &settings.init {
        None | Some(Init::Zero) => DVector::zeros(n),
        Some(Init::Policy(name)) => DVector::from_vec(start_at(name, task, space)?),
        Some(Init::Uniform) => {
            let limit = settings.bound.and_then(|bound| bound.0).unwrap_or(1.0);
            let mut rng = stream(settings.seed.unwrap_or(0), Purpose::Start, 0, 0);
            DVector::from_fn(n, |_, _| rng.random_range(-limit..limit))
        }
    };
    let optimizer = settings.for_optimizer(space.shape()).build(mean)?;
    let fixed = match &settings.normalize {
        Some(Normalize::Policy(name)) => policy_for(name, task)?.1.normalizer,
        _ => None,
    };
    if let (Some(fixed), Some(Normalize::Policy(name))) = (&fixed, &settings.normalize)
        && !space.fits(&fixed.mean, &fixed.std)
    {
        return Err(uneven(&policy_for(name, task)?.0, "normalizer"));
    }
    let observed = settings.normalize.as_ref().and_then(Normalize::observed);
    Ok(SearchState {
        optimizer,
        observed: observed.map(|bounded| Observed::new(task.observations, bounded)),
        fixed,
        generation: 0,
        episodes: 0,
        steps: 0,
        cost: 0,
        lasted: 0.0,
        seconds: 0.0,
        heldout: None,
        best: None,
        challenger: None,
        pending: None,
        metrics: 0,
    })
}

/// Returns the search vector of a policy.
fn start_at(name: &str, task: &Task, space: &Space) -> Result<Vec<f64>> {
    let (file, policy) = policy_for(name, task)?;
    space.point(&policy.weights.concat()).map_err(|outside| match outside {
        Outside::Uneven => uneven(&file, "weights"),
        Outside::OtherInputs => Error::input(
            &file,
            "field `weights`: this policy uses more than positions and velocities, but `inputs` is state",
        )
        .hint("set `inputs` to all")
        .naming(&["inputs"]),
    })
}

/// The error that a policy cannot serve a symmetric search.
fn uneven(file: &Path, field: &str) -> Error {
    let what = format!("field `{field}`: this policy treats left and right differently, but `symmetry` is mirror");
    Error::input(file, what).hint("set `symmetry` to none").naming(&["symmetry"])
}

/// Returns a policy that fits the task, and its file. It may have been trained on another one, such as another version.
fn policy_for(name: &str, task: &Task) -> Result<(PathBuf, PolicyFile)> {
    let (file, policy) = find_policy(Path::new(name))?;
    policy.check_size(&file, task.name(), task.observations, task.actions)?;
    Ok((file, policy))
}
