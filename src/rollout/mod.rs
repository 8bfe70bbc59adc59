//! In: policies and reset seeds. Out: the outcomes of their episodes in index order, the same bytes for any number of
//! threads, or one episode kept as a [`Recording`]. Must not know: optimizers, files, the terminal.
//!
//! Batches run on threads, one simulator per thread ([`Evaluator`]), or on workers anywhere ([`broker`]); a [`Crew`] is
//! either. [`Work`] describes a batch by numbers alone.

pub mod broker;
mod crew;
mod observed;
mod recording;
mod relay;
pub mod throughput;
mod work;

pub use crew::Crew;
pub use observed::Observed;
pub use recording::{Channels, Moment, Pose, Recording};
pub use work::{Part, Start, Work};

use crate::policy::LinearPolicy;
use crate::sim::{EpisodeOutcome, Simulator, Task, rollout};
use crate::{Error, Result};
use rayon::prelude::*;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};

/// A pool of threads, each with its own simulator of the same task.
pub struct Evaluator {
    task: Arc<Task>,
    pool: rayon::ThreadPool,
    /// One per thread. A lock is only ever taken by its own thread.
    simulators: Vec<Mutex<Simulator>>,
}

/// One episode to run: a policy and a reset seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Job {
    pub policy: usize,
    pub seed: u64,
}

impl Evaluator {
    /// `threads` = 0 means one per core.
    ///
    /// # Errors
    /// If the threads cannot be started.
    pub fn new(task: &Arc<Task>, threads: usize) -> Result<Self> {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .map_err(|e| Error::failed(format!("cannot start {threads} threads: {e}")))?;
        let simulators = (0..pool.current_num_threads()).map(|_| Mutex::new(Simulator::new(task.clone()))).collect();
        Ok(Self { task: task.clone(), pool, simulators })
    }

    pub fn threads(&self) -> usize {
        self.pool.current_num_threads()
    }

    /// Runs every job. Outcome i belongs to job i.
    ///
    /// # Panics
    /// If a job names a policy that does not exist, or if a policy does not have as many actions as
    /// the task.
    pub fn run(&self, policies: &[LinearPolicy], jobs: &[Job]) -> Vec<EpisodeOutcome> {
        self.map(jobs, |sim, job| rollout(sim, &policies[job.policy], job.seed, |_, _, _| ()))
    }

    /// Computes all jobs of the work; part i belongs to job i. Returns `None` if `leave` was set before all were done.
    ///
    /// # Panics
    /// If the work does not fit the task: see [`Work::check`].
    pub fn compute(&self, work: &Work, leave: &AtomicBool) -> Option<Vec<Part>> {
        let observations = self.task.observations;
        let (policies, jobs) = (work.policies(observations), (0..work.len()).collect::<Vec<_>>());
        let parts = self.map(&jobs, |simulator, &job| work.run_unless(leave, job, &policies, simulator));
        parts.into_iter().collect()
    }

    /// Calls `work` for every item with some thread's simulator; result i belongs to item i.
    pub fn map<I: Sync, T: Send>(&self, items: &[I], work: impl Fn(&mut Simulator, &I) -> T + Sync) -> Vec<T> {
        let one = |item: &I| {
            let thread = rayon::current_thread_index().unwrap_or(0);
            // A poisoned lock does no harm, because every episode starts with a reset.
            let mut simulator = self.simulators[thread].lock().unwrap_or_else(PoisonError::into_inner);
            work(&mut simulator, item)
        };
        self.pool.install(|| items.par_iter().with_max_len(1).map(one).collect())
    }

    /// Runs the same policy from `episodes` consecutive seeds.
    ///
    /// # Panics
    /// If the policy does not have as many actions as the task.
    pub fn run_seeds(&self, policy: &LinearPolicy, first: u64, episodes: usize) -> Vec<EpisodeOutcome> {
        let jobs: Vec<Job> = (0..episodes as u64).map(|i| Job { policy: 0, seed: first.wrapping_add(i) }).collect();
        self.run(std::slice::from_ref(policy), &jobs)
    }
}
