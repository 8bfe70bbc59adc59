//! The run's side of the broker: sends assignments to workers and collects their results. `upkeep` decides what is sent
//! again.

use super::batch_progress::BatchProgress;
use super::board::Board;
use super::keys::{GROUP, Keys, RUNS, new_id};
use super::link::{Link, Trouble};
use super::message::{Assignment, Card, Hashes, LONGEST, News, WorkerReport, decode, encode};
use super::shelf::{pack, probe};
use super::stream::{add, entries};
use super::{Address, Desk, Heard, Worker, name_of_process, program};
use crate::rollout::{Part, Work};
use crate::sim::{self, Simulator};
use crate::{Error, Result};
use redis::Value;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// The poll interval of the coordinator and its own threads.
pub(super) const WAIT: Duration = Duration::from_millis(100);
/// How many task timeouts the broker may be unreachable.
const TIMEOUTS_UNTIL_LOST: u32 = 5;
/// Messages sent or read at a time.
pub(super) const AT_ONCE: usize = 256;
/// Jobs are combined until an assignment takes this long, so that message overhead does not dominate short episodes.
const TASK_SECONDS: f64 = 0.02;
/// Jobs are not combined beyond this many bytes of parameters.
const TASK_BYTES: usize = 1 << 20;

/// How a run reaches its workers.
#[derive(Clone, Debug)]
pub struct Broker {
    pub address: Address,
    /// An assignment that is not answered within this time is sent to another worker.
    pub task_timeout: Duration,
    pub board: Arc<Board>,
}

impl Broker {
    /// How long the broker may be unreachable.
    pub fn patience(task_timeout: Duration) -> Duration {
        task_timeout * TIMEOUTS_UNTIL_LOST
    }
}

/// Computes the batches of one run through the broker. Threads of this process take part as workers of this run only.
pub struct Coordinator {
    pub(super) link: Link,
    pub(super) keys: Keys,
    hashes: Hashes,
    pub(super) card: Vec<u8>,
    pub(super) package: Vec<u8>,
    observations: usize,
    batch: u64,
    /// The latest report that was read.
    pub(super) seen: String,
    pub(super) timeout: Duration,
    pub(super) board: Arc<Board>,
    /// Seconds per job, as reported by the workers.
    pace: Option<f64>,
    pub(super) ticked: Instant,
    stop: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
}

impl Coordinator {
    /// Announces a run of this task on the broker. `threads` threads of this process take part.
    ///
    /// # Errors
    /// If the broker cannot be reached or used, or if the task is too large for it.
    pub fn start(broker: &Broker, task: &Arc<sim::Task>, threads: usize) -> Result<Self> {
        let hashes = Hashes { program: program(), task: task.rules_sha256(), model: task.compiled_sha256() };
        let keys = Keys::of(&new_id(), &hashes.model);
        let card = Card {
            run: keys.run.clone(),
            task: task.name().into(),
            hashes: hashes.clone(),
            probe: probe(&mut Simulator::new(task.clone()))?,
        };
        let card = encode(&card).map_err(|e| Error::failed(format!("cannot encode the run's card: {e}")))?;
        let mut coordinator = Self {
            link: Link::open(&broker.address, Broker::patience(broker.task_timeout))?,
            keys,
            hashes,
            card,
            package: pack(task)?,
            observations: task.observations,
            batch: 0,
            seen: "0".into(),
            timeout: broker.task_timeout,
            board: broker.board.clone(),
            pace: None,
            ticked: Instant::now(),
            stop: Arc::default(),
            threads: Vec::new(),
        };
        coordinator.announce().or_else(|trouble| coordinator.recover(trouble, &[]).map(drop))?;
        for thread in 0..threads {
            let joined = coordinator.join_in(thread as u32)?;
            coordinator.threads.push(joined);
        }
        Ok(coordinator)
    }

    pub fn threads(&self) -> usize {
        self.threads.len()
    }

    /// Computes all jobs; part i belongs to job i. Returns `None` if `leave` was set before all were done.
    ///
    /// # Errors
    /// If the broker stays unreachable for too long or cannot be used.
    pub fn compute(&mut self, work: &Work, generation: u64, leave: &AtomicBool) -> Result<Option<Vec<Part>>> {
        self.batch += 1;
        let mut progress = BatchProgress::new(work, self.batch, generation, self.jobs_per_assignment(work));
        let mut step = self.announce().and_then(|()| self.send(&mut progress));
        while !progress.is_complete() {
            if leave.load(Ordering::Relaxed) {
                // The rest is no longer needed.
                let _ = self.sweep();
                return Ok(None);
            }
            if let Err(trouble) = step {
                if !self.recover(trouble, &[leave])? {
                    return Ok(None);
                }
                step = self.sweep().and_then(|()| self.send(&mut progress));
                continue;
            }
            step = self.listen(&mut progress).and_then(|()| self.tick(&mut progress));
        }
        // Only duplicates are left. If this fails, the next batch notices.
        let _ = self.sweep();
        Ok(progress.finish())
    }

    /// Starts a thread of this process that works for this run.
    fn join_in(&self, thread: u32) -> Result<JoinHandle<()>> {
        let (link, stop, board) = (self.link.another()?, self.stop.clone(), self.board.clone());
        let run = self.keys.run.clone();
        let serve = move || {
            // The coordinator receives everything else through the broker.
            let hear = |_: Heard| ();
            let mut desk = Desk::new(name_of_process(), &stop, WAIT, &hear);
            desk.only = Some(run);
            if let Err(error) = Worker::new(&desk, link, thread).serve() {
                board.unreachable(&error.message);
            }
        };
        let named = std::thread::Builder::new().name(format!("worker-{thread}"));
        named.spawn(serve).map_err(|e| Error::failed(format!("cannot start a thread: {e}")))
    }

    /// Sends everything that has not been answered.
    fn send(&mut self, progress: &mut BatchProgress) -> Result<(), Trouble> {
        progress.outstanding().chunks(AT_ONCE).try_for_each(|orders| self.send_orders(progress, orders))
    }

    pub(super) fn send_orders(&mut self, progress: &mut BatchProgress, orders: &[usize]) -> Result<(), Trouble> {
        if orders.is_empty() {
            return Ok(());
        }
        let mut pipe = redis::pipe();
        for &index in orders {
            let order = &progress.orders[index];
            if let Some(old) = &order.entry {
                pipe.cmd("XACK").arg(&self.keys.tasks).arg(GROUP).arg(old).ignore();
                pipe.cmd("XDEL").arg(&self.keys.tasks).arg(old).ignore();
            }
            let assignment = Assignment {
                run: self.keys.run.clone(),
                batch: progress.batch,
                generation: progress.generation,
                first: order.jobs.start as u64,
                hashes: self.hashes.clone(),
                work: progress.work.slice(order.jobs.clone()),
            };
            let failed = |e: String| Trouble::Broken(Error::failed(format!("cannot encode an assignment: {e}")));
            let bytes = encode(&assignment).map_err(failed)?;
            pipe.add_command(add(&self.keys.tasks, &bytes));
        }
        let entries: Vec<String> = self.link.call(|c| pipe.query(c))?;
        orders.iter().zip(entries).for_each(|(&index, entry)| progress.sent(index, entry));
        Ok(())
    }

    /// Reads the reports of the workers.
    fn listen(&mut self, progress: &mut BatchProgress) -> Result<(), Trouble> {
        let Self { keys, seen, .. } = self;
        let answer: Value = self.link.call(|c| {
            let mut command = redis::cmd("XREAD");
            command.arg("COUNT").arg(AT_ONCE).arg("BLOCK").arg(WAIT.as_millis() as u64);
            command.arg("STREAMS").arg(&keys.reports).arg(&*seen).query(c)
        })?;
        for entry in entries(answer) {
            self.seen = entry.id;
            if let Err(why) = self.hear(progress, entry.message.as_deref().unwrap_or_default()) {
                self.board.rejected(&why);
            }
        }
        Ok(())
    }

    fn hear(&mut self, progress: &mut BatchProgress, message: &[u8]) -> Result<(), String> {
        let WorkerReport { run, worker, thread, news } = decode(message, LONGEST)?;
        if run != self.keys.run {
            return Err(format!("a report of run {run} on the stream of run {}", self.keys.run));
        }
        match news {
            News::Refused { why } => self.board.refused(&worker, &why),
            News::Rejected { why } => self.board.rejected(&format!("{why} (worker {worker})")),
            News::Done { batch, .. } if batch != progress.batch => self.board.duplicate(),
            News::Done { first, seconds, parts, .. } => {
                let jobs = parts.len();
                if progress.place(first, parts, self.observations)? {
                    self.board.done(&worker, thread, jobs as u64);
                    let each = seconds / jobs.max(1) as f64;
                    self.pace = Some(self.pace.map_or(each, |pace| 0.9 * pace + 0.1 * each));
                } else {
                    self.board.duplicate();
                }
            }
        }
        Ok(())
    }

    /// One job, or several if jobs are shorter than the message overhead.
    fn jobs_per_assignment(&self, work: &Work) -> usize {
        let by_time = self.pace.map_or(1, |pace| (TASK_SECONDS / pace.max(1e-6)) as usize);
        let by_size = TASK_BYTES / (8 * work.weights()).max(1);
        let fair = work.len() / (4 * self.board.threads().max(1));
        by_time.min(by_size).min(fair).max(1)
    }
}

impl Drop for Coordinator {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        let keys = &self.keys;
        let mut pipe = redis::pipe();
        pipe.atomic().cmd("SREM").arg(RUNS).arg(&keys.run);
        pipe.cmd("DEL").arg(&keys.card).arg(&keys.tasks).arg(&keys.reports).arg(&keys.model);
        // If the broker is unreachable, the keys expire.
        let _ = self.link.call(|c| pipe.exec(c));
        self.threads.drain(..).for_each(|thread| drop(thread.join()));
    }
}
