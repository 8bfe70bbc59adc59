//! A run's side of the broker: sends work out, collects what comes back, sends again what got lost.

use super::board::Board;
use super::keys::{GROUP, Keys, RUNS, new_id};
use super::link::{Link, Trouble};
use super::message::{Card, Hashes, LONGEST, News, Report, Task, decode, encode};
use super::round::Round;
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

/// How long the coordinator and its own threads wait for news before they look up.
pub(super) const WAIT: Duration = Duration::from_millis(100);
/// A broker may be away for so many task timeouts.
const PATIENCE: u32 = 5;
/// Messages sent or read at a time.
pub(super) const AT_ONCE: usize = 256;
/// Jobs go together until a task takes this long, so that very short episodes do not drown in messages.
const TASK_SECONDS: f64 = 0.02;
/// … or until its parameters take this many bytes.
const TASK_BYTES: usize = 1 << 20;

/// Where workers are found.
#[derive(Clone, Debug)]
pub struct Broker {
    pub address: Address,
    /// A task that is not answered for this long goes to another worker.
    pub task_timeout: Duration,
    pub board: Arc<Board>,
}

impl Broker {
    /// How long the broker may be away.
    pub fn patience(task_timeout: Duration) -> Duration {
        task_timeout * PATIENCE
    }
}

/// One run's work on the broker. Its own threads take part as workers of this run alone.
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
    /// Seconds per job, as workers tell.
    pace: Option<f64>,
    pub(super) ticked: Instant,
    stop: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
}

impl Coordinator {
    /// Announces a run of this task; so many threads of this process take part.
    pub fn start(broker: &Broker, task: &Arc<sim::Task>, threads: usize) -> Result<Self> {
        let hashes = Hashes { program: program(), task: task.rules_sha256(), model: task.compiled_sha256() };
        let keys = Keys::of(&new_id(), &hashes.model);
        let card = Card {
            run: keys.run.clone(),
            task: task.name().into(),
            hashes: hashes.clone(),
            probe: probe(&mut Simulator::new(task.clone())),
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

    /// Part i belongs to job i. `None` if told to leave before it was done.
    pub fn compute(&mut self, work: &Work, generation: u64, leave: &AtomicBool) -> Result<Option<Vec<Part>>> {
        self.batch += 1;
        let mut round = Round::new(work, self.batch, generation, self.jobs_per_task(work));
        let mut step = self.announce().and_then(|()| self.send(&mut round));
        while !round.is_complete() {
            if leave.load(Ordering::Relaxed) {
                // Nobody needs to begin what is left.
                let _ = self.sweep();
                return Ok(None);
            }
            if let Err(trouble) = step {
                if !self.recover(trouble, &[leave])? {
                    return Ok(None);
                }
                step = self.sweep().and_then(|()| self.send(&mut round));
                continue;
            }
            step = self.listen(&mut round).and_then(|()| self.tick(&mut round));
        }
        // What is left are duplicates. If this fails, the next batch finds out.
        let _ = self.sweep();
        Ok(round.finish())
    }

    /// A thread of this process that works for this run.
    fn join_in(&self, thread: u32) -> Result<JoinHandle<()>> {
        let (link, stop, board) = (self.link.another()?, self.stop.clone(), self.board.clone());
        let run = self.keys.run.clone();
        let serve = move || {
            // The coordinator hears the rest from the broker itself.
            let hear = |_: Heard| ();
            let mut desk = Desk::new(name_of_process(), &stop, WAIT, &hear);
            desk.only = Some(run);
            if let Err(error) = Worker::new(&desk, link, thread).serve() {
                board.away(&error.message);
            }
        };
        let named = std::thread::Builder::new().name(format!("worker-{thread}"));
        named.spawn(serve).map_err(|e| Error::failed(format!("cannot start a thread: {e}")))
    }

    /// Sends everything that has not been answered.
    fn send(&mut self, round: &mut Round) -> Result<(), Trouble> {
        round.outstanding().chunks(AT_ONCE).try_for_each(|orders| self.send_orders(round, orders))
    }

    pub(super) fn send_orders(&mut self, round: &mut Round, orders: &[usize]) -> Result<(), Trouble> {
        if orders.is_empty() {
            return Ok(());
        }
        let mut pipe = redis::pipe();
        for &index in orders {
            let order = &round.orders[index];
            if let Some(old) = &order.entry {
                pipe.cmd("XACK").arg(&self.keys.tasks).arg(GROUP).arg(old).ignore();
                pipe.cmd("XDEL").arg(&self.keys.tasks).arg(old).ignore();
            }
            let task = Task {
                run: self.keys.run.clone(),
                batch: round.batch,
                generation: round.generation,
                first: order.jobs.start as u64,
                hashes: self.hashes.clone(),
                work: round.work.slice(order.jobs.clone()),
            };
            let bytes =
                encode(&task).map_err(|e| Trouble::Broken(Error::failed(format!("cannot encode a task: {e}"))))?;
            pipe.add_command(add(&self.keys.tasks, &bytes));
        }
        let entries: Vec<String> = self.link.call(|c| pipe.query(c))?;
        orders.iter().zip(entries).for_each(|(&index, entry)| round.sent(index, entry));
        Ok(())
    }

    /// Reads what workers report.
    fn listen(&mut self, round: &mut Round) -> Result<(), Trouble> {
        let Self { keys, seen, .. } = self;
        let answer: Value = self.link.call(|c| {
            let mut command = redis::cmd("XREAD");
            command.arg("COUNT").arg(AT_ONCE).arg("BLOCK").arg(WAIT.as_millis() as u64);
            command.arg("STREAMS").arg(&keys.reports).arg(&*seen).query(c)
        })?;
        for entry in entries(answer) {
            self.seen = entry.id;
            if let Err(why) = self.hear(round, entry.message.as_deref().unwrap_or_default()) {
                self.board.rejected(&why);
            }
        }
        Ok(())
    }

    fn hear(&mut self, round: &mut Round, message: &[u8]) -> Result<(), String> {
        let Report { run, worker, thread, news } = decode(message, LONGEST)?;
        if run != self.keys.run {
            return Err(format!("a report of run {run} on the stream of run {}", self.keys.run));
        }
        match news {
            News::Refused { why } => self.board.refused(&worker, &why),
            News::Rejected { why } => self.board.rejected(&format!("{why} (worker {worker})")),
            News::Done { batch, .. } if batch != round.batch => self.board.duplicate(),
            News::Done { first, seconds, parts, .. } => {
                let jobs = parts.len();
                if round.place(first, parts, self.observations)? {
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

    /// One job, or more where jobs are so short that messages would take longer than they.
    fn jobs_per_task(&self, work: &Work) -> usize {
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
        // If the broker is away, the keys expire.
        let _ = self.link.call(|c| pipe.exec(c));
        self.threads.drain(..).for_each(|thread| drop(thread.join()));
    }
}
