//! Episodes described by numbers alone, so that any thread on any machine can compute them.

use super::Observed;
use super::relay::relay;
use crate::policy::{LinearPolicy, Normalizer};
use crate::sim::{EpisodeOutcome, NEVER, Simulator, Step, Task, rollout_unless};
use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

/// A batch of episodes of one task. Together with the task, it determines every bit of the result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Work {
    /// The number of steps after which an episode is cut off.
    steps: u64,
    /// Whether observation statistics are collected, and whether for a bounded normalizer.
    observe: Option<bool>,
    normalizers: Vec<Normalizer>,
    policies: Vec<Numbers>,
    jobs: Vec<Piece>,
}

/// A policy: W row by row, and which of the normalizers its inputs go through.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Numbers {
    weights: Vec<f64>,
    normalizer: Option<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Piece {
    policy: u32,
    start: Start,
}

/// The reset seeds of a job, and what happens after them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Start {
    /// One episode from this reset seed.
    Seed(u64),
    /// This many episodes on seeds 0, 1, … that all stop when the first one ends; their mean counts.
    Lockstep(u32),
    /// An episode from this reset seed that tries a pair of policies in each of its segments of this many steps; see
    /// [`relay`]. The job's policy and the next one are the first pair, and so on.
    Relay { seed: u64, pairs: u32, steps: u32 },
}

impl Start {
    /// The number of policies that a job takes.
    fn policies(self) -> usize {
        match self {
            Start::Seed(_) | Start::Lockstep(_) => 1,
            Start::Relay { pairs, .. } => 2 * pairs as usize,
        }
    }
}

/// The result of one job.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Part {
    /// One for each policy of the job: its episode, its lockstep episodes together, or its segment.
    pub outcomes: Vec<EpisodeOutcome>,
    pub steps: u64,
    pub observed: Option<Observed>,
}

/// Upper bound on lockstep episodes.
const MOST_EPISODES: u32 = 100_000;

impl Work {
    /// Creates an empty batch. If `observe` is set, observation statistics are collected for a bounded (`true`) or plain
    /// (`false`) normalizer.
    pub fn new(steps: usize, observe: Option<bool>) -> Self {
        Self { steps: steps as u64, observe, normalizers: Vec::new(), policies: Vec::new(), jobs: Vec::new() }
    }

    /// Adds a policy and returns its index.
    pub fn policy(&mut self, weights: &[f64], normalizer: Option<&Normalizer>) -> usize {
        let normalizer = normalizer.map(|normalizer| self.index_of(normalizer));
        self.policies.push(Numbers { weights: weights.to_vec(), normalizer });
        self.policies.len() - 1
    }

    /// Adds a job for the policy with this index.
    pub fn job(&mut self, policy: usize, start: Start) {
        self.jobs.push(Piece { policy: policy as u32, start });
    }

    /// The number of jobs.
    pub fn len(&self) -> usize {
        self.jobs.len()
    }

    /// How many episodes the jobs have together. A relay simulates two episodes' worth of steps.
    pub fn episodes(&self) -> u64 {
        let of = |piece: &Piece| match piece.start {
            Start::Seed(_) => 1,
            Start::Lockstep(episodes) => u64::from(episodes),
            Start::Relay { .. } => 2,
        };
        self.jobs.iter().map(of).sum()
    }

    /// The number of weights of the largest policy.
    pub fn weights(&self) -> usize {
        self.policies.iter().map(|numbers| numbers.weights.len()).max().unwrap_or(0)
    }

    pub fn is_empty(&self) -> bool {
        self.jobs.is_empty()
    }

    /// Returns some of the jobs, with only the policies and normalizers that they need.
    ///
    /// # Panics
    /// If the range exceeds the jobs, or if a job names a policy or normalizer that does not exist.
    pub fn slice(&self, range: Range<usize>) -> Work {
        let mut part = Work::new(0, self.observe);
        part.steps = self.steps;
        let mut last = None;
        for piece in &self.jobs[range] {
            let count = piece.start.policies();
            if last != Some((piece.policy, count)) {
                for numbers in &self.policies[piece.policy as usize..][..count] {
                    part.policy(&numbers.weights, numbers.normalizer.map(|index| &self.normalizers[index as usize]));
                }
                last = Some((piece.policy, count));
            }
            part.job(part.policies.len() - count, piece.start);
        }
        part
    }

    /// Checks whether a task can run this. Work from another machine may be anything.
    ///
    /// # Errors
    /// If the sizes do not fit the task, or if a policy or normalizer is missing.
    pub fn check(&self, task: &Task) -> Result<(), String> {
        let (observations, weights) = (task.observations, task.observations * task.actions);
        let normalizers = self.normalizers.iter().flat_map(|normalizer| [&normalizer.mean, &normalizer.std]);
        if let Some(numbers) = normalizers.into_iter().find(|numbers| numbers.len() != observations) {
            return Err(format!("a normalizer of {} numbers, the task has {observations} observations", numbers.len()));
        }
        for numbers in &self.policies {
            if numbers.weights.len() != weights {
                return Err(format!("a policy of {} weights, the task needs {weights}", numbers.weights.len()));
            }
            if numbers.normalizer.is_some_and(|index| index as usize >= self.normalizers.len()) {
                return Err("a policy names a normalizer that does not exist".into());
            }
        }
        for piece in &self.jobs {
            if (piece.policy as usize).saturating_add(piece.start.policies()) > self.policies.len() {
                return Err("a job names a policy that does not exist".into());
            }
            if matches!(piece.start, Start::Relay { pairs: 0, .. } | Start::Relay { steps: 0, .. }) {
                return Err("a relay needs a pair of policies and a step for each".into());
            }
            if matches!(piece.start, Start::Lockstep(episodes) if episodes == 0 || episodes > MOST_EPISODES) {
                return Err(format!("lockstep episodes must be 1 to {MOST_EPISODES}"));
            }
        }
        Ok(())
    }

    /// Whether these parts have the shape of the results of these jobs.
    ///
    /// # Panics
    /// If the range exceeds the jobs.
    pub fn fits(&self, range: Range<usize>, parts: &[Part], observations: usize) -> bool {
        let expected = |piece: &Piece| self.observe.filter(|_| !matches!(piece.start, Start::Lockstep(_)));
        let seen = |piece: &Piece, part: &Part| match (expected(piece), &part.observed) {
            (Some(bounded), Some(observed)) => observed.is_for(observations, bounded),
            (None, None) => true,
            _ => false,
        };
        let fits = |(piece, part): (&Piece, &Part)| part.outcomes.len() == piece.start.policies() && seen(piece, part);
        parts.len() == range.len() && self.jobs[range].iter().zip(parts).all(fits)
    }

    /// Returns the policies, ready to act.
    ///
    /// # Panics
    /// If the sizes do not fit: see [`Work::check`].
    pub fn policies(&self, observations: usize) -> Vec<LinearPolicy> {
        let ready = |numbers: &Numbers| {
            let normalizer = numbers.normalizer.map(|index| self.normalizers[index as usize].clone());
            LinearPolicy::from_rows(&numbers.weights, observations, normalizer)
        };
        self.policies.iter().map(ready).collect()
    }

    /// Computes one job. `policies` are those that [`Work::policies`] returns.
    ///
    /// # Panics
    /// If there is no such job, or if the work does not fit the task: see [`Work::check`].
    pub fn run(&self, job: usize, policies: &[LinearPolicy], simulator: &mut Simulator) -> Part {
        self.start(&NEVER, job, policies, simulator)
    }

    /// Computes one job as [`run`](Self::run) does, or returns `None` soon after `leave` is set.
    ///
    /// # Panics
    /// As for [`run`](Self::run).
    pub fn run_unless(
        &self,
        leave: &AtomicBool,
        job: usize,
        policies: &[LinearPolicy],
        simulator: &mut Simulator,
    ) -> Option<Part> {
        let left = || leave.load(Ordering::Relaxed);
        let part = (!left()).then(|| self.start(leave, job, policies, simulator));
        part.filter(|_| !left())
    }

    fn start(&self, leave: &AtomicBool, job: usize, policies: &[LinearPolicy], simulator: &mut Simulator) -> Part {
        let Piece { policy, start } = self.jobs[job];
        let policies = &policies[policy as usize..][..start.policies()];
        match start {
            Start::Seed(seed) => self.episode(leave, simulator, &policies[0], seed),
            Start::Lockstep(episodes) => self.lockstep(leave, simulator, &policies[0], episodes),
            Start::Relay { seed, steps, .. } => {
                let mut observed = self.nothing_seen(simulator);
                let watch = |simulator: &Simulator, step: &Step| see(&mut observed, simulator, step);
                let outcomes = relay(leave, steps as usize, simulator, policies, seed, watch);
                Part { steps: outcomes.iter().map(|outcome| outcome.length as u64).sum(), outcomes, observed }
            }
        }
    }

    fn index_of(&mut self, normalizer: &Normalizer) -> u32 {
        let index = self.normalizers.iter().position(|known| known == normalizer).unwrap_or(self.normalizers.len());
        if index == self.normalizers.len() {
            self.normalizers.push(normalizer.clone());
        }
        index as u32
    }

    fn episode(&self, leave: &AtomicBool, simulator: &mut Simulator, policy: &LinearPolicy, seed: u64) -> Part {
        let mut observed = self.nothing_seen(simulator);
        let outcome = rollout_unless(leave, self.most_steps(), simulator, policy, seed, |simulator, _, step| {
            see(&mut observed, simulator, step);
        });
        Part { outcomes: vec![outcome], steps: outcome.length as u64, observed }
    }

    fn nothing_seen(&self, simulator: &Simulator) -> Option<Observed> {
        self.observe.map(|bounded| Observed::new(simulator.task().observations, bounded))
    }

    fn lockstep(&self, leave: &AtomicBool, simulator: &mut Simulator, policy: &LinearPolicy, episodes: u32) -> Part {
        let mut tapes: Vec<Vec<f64>> = Vec::new();
        let (mut steps, mut terminated, mut diverged) = (0, false, false);
        for seed in 0..u64::from(episodes) {
            let mut tape = Vec::new();
            let watch = |_: &Simulator, _: &[f64], step: &Step| tape.push(step.reward.total());
            let outcome = rollout_unless(leave, self.most_steps(), simulator, policy, seed, watch);
            steps += outcome.length as u64;
            terminated |= outcome.terminated;
            diverged |= outcome.diverged;
            tapes.push(tape);
        }
        let length = tapes.iter().map(Vec::len).min().unwrap_or(0);
        let sums = tapes.iter().map(|tape| tape[..length].iter().sum::<f64>());
        let value = sums.sum::<f64>() / f64::from(episodes);
        let outcome = EpisodeOutcome { seed: 0, value, length, terminated, diverged };
        Part { outcomes: vec![outcome], steps, observed: None }
    }

    fn most_steps(&self) -> usize {
        usize::try_from(self.steps).unwrap_or(usize::MAX)
    }
}

/// Adds what a step has led to to the statistics, if they are kept.
fn see(observed: &mut Option<Observed>, simulator: &Simulator, step: &Step) {
    if let Some(observed) = observed
        && !step.diverged
    {
        observed.push(simulator.observation());
    }
}
