//! What a coordinator knows about its workers: their names, their speed, and what went wrong.

use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// A worker that has not reported for this long is no longer counted.
const FORGOTTEN: Duration = Duration::from_secs(30);
/// How many problems of one kind are reported in words. Further ones are only counted.
const TOLD: u64 = 5;

/// The coordinator writes to it, and the user interface reads it.
#[derive(Debug)]
pub struct Board {
    state: Mutex<State>,
    /// Called with messages that the user should see at once.
    hear: fn(&str),
}

#[derive(Debug)]
struct State {
    workers: BTreeMap<String, Tally>,
    since: Instant,
    counts: Counts,
    refusals: BTreeSet<String>,
}

#[derive(Debug)]
struct Tally {
    threads: BTreeSet<u32>,
    episodes: u64,
    heard: Instant,
}

/// Recovered problems. None of them affects the result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Malformed messages.
    pub rejected: u64,
    /// Results that arrived twice or too late.
    pub duplicates: u64,
    /// Assignments that were sent again to another worker.
    pub resent: u64,
    /// How often the broker was unreachable or had lost the run.
    pub recovered: u64,
    /// Workers that refused to serve the run.
    pub refused: u64,
}

/// The workers of a run and its recovered problems.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Standing {
    pub workers: Vec<WorkerRate>,
    pub counts: Counts,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WorkerRate {
    /// Host and process.
    pub name: String,
    pub threads: usize,
    /// Since the previous call of [`Board::standing`].
    pub episodes_per_second: f64,
}

impl Board {
    pub fn new(hear: fn(&str)) -> Self {
        let state = State {
            workers: BTreeMap::new(),
            since: Instant::now(),
            counts: Counts::default(),
            refusals: BTreeSet::new(),
        };
        Self { state: Mutex::new(state), hear }
    }

    /// Returns the present state. Each call starts a new period for the rates.
    pub fn standing(&self) -> Standing {
        let mut state = self.lock();
        let seconds = state.since.elapsed().as_secs_f64().max(1e-3);
        state.since = Instant::now();
        state.workers.retain(|_, tally| tally.episodes > 0 || tally.heard.elapsed() < FORGOTTEN);
        let rate = |(name, tally): (&String, &mut Tally)| WorkerRate {
            name: name.clone(),
            threads: tally.threads.len(),
            episodes_per_second: std::mem::take(&mut tally.episodes) as f64 / seconds,
        };
        Standing { workers: state.workers.iter_mut().map(rate).collect(), counts: state.counts }
    }

    pub fn counts(&self) -> Counts {
        self.lock().counts
    }

    /// The number of worker threads that have reported recently.
    pub(super) fn threads(&self) -> usize {
        self.lock().workers.values().map(|tally| tally.threads.len()).sum()
    }

    pub(super) fn done(&self, worker: &str, thread: u32, episodes: u64) {
        let mut state = self.lock();
        let new = || Tally { threads: BTreeSet::new(), episodes: 0, heard: Instant::now() };
        let tally = state.workers.entry(worker.into()).or_insert_with(new);
        tally.threads.insert(thread);
        tally.episodes += episodes;
        tally.heard = Instant::now();
    }

    pub(super) fn duplicate(&self) {
        self.lock().counts.duplicates += 1;
    }

    pub(super) fn resent(&self, consumer: &str) {
        let count = add(&mut self.lock().counts.resent);
        self.tell(count, &format!("no answer from {consumer} in time: its task goes to another worker"));
    }

    pub(super) fn rejected(&self, what: &str) {
        let count = add(&mut self.lock().counts.rejected);
        self.tell(count, &format!("a message was rejected: {what}"));
    }

    pub(super) fn refused(&self, worker: &str, why: &str) {
        let mut state = self.lock();
        if !state.refusals.insert(format!("{worker}: {why}")) {
            return;
        }
        let count = add(&mut state.counts.refused);
        drop(state);
        self.tell(count, &format!("worker {worker} does not serve this run: {why}"));
    }

    pub(super) fn unreachable(&self, why: &str) {
        (self.hear)(&format!("{why}; trying again"));
    }

    pub(super) fn recovered(&self) {
        self.lock().counts.recovered += 1;
        (self.hear)("reconnected to the broker; resending anything it may have lost");
    }

    fn tell(&self, count: u64, what: &str) {
        match count {
            0..TOLD => (self.hear)(what),
            TOLD => (self.hear)(&format!("{what} (further messages like this are counted but not shown)")),
            _ => {}
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn add(count: &mut u64) -> u64 {
    *count += 1;
    *count
}
