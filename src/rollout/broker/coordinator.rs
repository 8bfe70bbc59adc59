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
use redis::{RedisResult, Value};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How long a run stays known after its coordinator has fallen silent, in seconds.
const CARD_LIVES: u64 = 60;
/// How long a run's streams and model stay after that, in seconds.
const DATA_LIVES: u64 = 3600;
const TICK: Duration = Duration::from_millis(500);
/// How long the coordinator and its own threads wait for news before they look up.
const WAIT: Duration = Duration::from_millis(100);
/// A broker may be away for so many task timeouts.
const PATIENCE: u32 = 5;
/// Messages sent or read at a time.
const AT_ONCE: usize = 256;
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
    link: Link,
    keys: Keys,
    hashes: Hashes,
    card: Vec<u8>,
    package: Vec<u8>,
    observations: usize,
    batch: u64,
    /// The latest report that was read.
    seen: String,
    timeout: Duration,
    board: Arc<Board>,
    /// Seconds per job, as workers tell.
    pace: Option<f64>,
    ticked: Instant,
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

    /// Makes sure that everything a worker needs is on the broker. Does no harm where it is.
    fn announce(&mut self) -> Result<(), Trouble> {
        let Self { keys, package, .. } = self;
        let there = self.link.call(|c| {
            let mut pipe = redis::pipe();
            for stream in [&keys.tasks, &keys.reports] {
                pipe.cmd("XGROUP").arg("CREATE").arg(stream).arg(GROUP).arg(0).arg("MKSTREAM");
            }
            pipe.cmd("EXISTS").arg(&keys.model);
            let mut replies: Vec<RedisResult<Value>> = pipe.ignore_errors().query(c)?;
            let there = replies.pop().unwrap_or(Ok(Value::Nil))?;
            let others = replies.into_iter().filter_map(RedisResult::err);
            // The groups may be there already.
            match others.into_iter().find(|error| error.code() != Some("BUSYGROUP")) {
                Some(error) => Err(error),
                None => Ok(there == Value::Int(1)),
            }
        })?;
        if !there {
            self.link.call(|c| {
                redis::cmd("SET").arg(&keys.model).arg(package.as_slice()).arg("EX").arg(DATA_LIVES).exec(c)
            })?;
        }
        self.show()
    }

    /// Shows that the run is alive. Finds out whether the broker has forgotten something.
    fn show(&mut self) -> Result<(), Trouble> {
        let Self { keys, card, .. } = self;
        let mut pipe = redis::pipe();
        pipe.cmd("SET").arg(&keys.card).arg(card.as_slice()).arg("EX").arg(CARD_LIVES).ignore();
        pipe.cmd("SADD").arg(RUNS).arg(&keys.run).ignore();
        for key in [&keys.tasks, &keys.reports, &keys.model] {
            pipe.cmd("EXPIRE").arg(key).arg(DATA_LIVES).ignore();
        }
        pipe.cmd("EXISTS").arg(&keys.tasks).arg(&keys.reports).arg(&keys.model);
        let (there,): (u64,) = self.link.call(|c| pipe.query(c))?;
        self.ticked = Instant::now();
        if there == 3 { Ok(()) } else { Err(Trouble::Gone) }
    }

    /// Waits until the broker is there and knows everything again. `false` if told to leave meanwhile.
    fn recover(&mut self, trouble: Trouble, leave: &[&AtomicBool]) -> Result<bool> {
        let mut trouble = trouble;
        loop {
            if leave.iter().any(|flag| flag.load(Ordering::Relaxed)) {
                return Ok(false);
            }
            match trouble {
                Trouble::Broken(error) => return Err(error),
                Trouble::Gone => {}
                Trouble::Away(error) => {
                    self.board.away(&format!("the broker is away ({error})"));
                    if !self.link.recover(leave)? {
                        return Ok(false);
                    }
                }
            }
            // A broker that has forgotten everything may count from the beginning.
            self.seen = "0".into();
            match self.announce() {
                Ok(()) => break,
                Err(again) => trouble = again,
            }
            std::thread::sleep(WAIT);
        }
        self.board.recovered();
        Ok(true)
    }

    /// Sends everything that has not been answered.
    fn send(&mut self, round: &mut Round) -> Result<(), Trouble> {
        round.outstanding().chunks(AT_ONCE).try_for_each(|orders| self.send_orders(round, orders))
    }

    fn send_orders(&mut self, round: &mut Round, orders: &[usize]) -> Result<(), Trouble> {
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

    /// Now and then: shows that the run is alive, and looks for tasks that somebody holds for too long.
    fn tick(&mut self, round: &mut Round) -> Result<(), Trouble> {
        if self.ticked.elapsed() < TICK {
            return Ok(());
        }
        self.show()?;
        self.trim()?;
        let (tasks, idle) = (self.keys.tasks.clone(), self.timeout.as_millis() as u64);
        let held: Vec<(String, String, u64, u64)> = self.link.call(|c| {
            let mut command = redis::cmd("XPENDING");
            command.arg(&tasks).arg(GROUP).arg("IDLE").arg(idle).arg("-").arg("+").arg(AT_ONCE).query(c)
        })?;
        let mut again = Vec::new();
        for (entry, consumer, idle, _) in held {
            match round.order_of(&entry) {
                // Twice as patient each time, for a task that takes longer than the timeout.
                Some(index) if idle >= self.patience(round.orders[index].sends) => {
                    self.board.resent(&consumer);
                    again.push(index);
                }
                Some(_) => {}
                // Of an earlier batch, or answered by another.
                None => self.link.call(|c| redis::cmd("XACK").arg(&tasks).arg(GROUP).arg(&entry).exec(c))?,
            }
        }
        self.add_vanished(round, &mut again)?;
        self.send_orders(round, &again)
    }

    /// Tasks that are neither held nor waiting though nobody has answered: whoever took them off lost the answer.
    fn add_vanished(&mut self, round: &Round, again: &mut Vec<usize>) -> Result<(), Trouble> {
        let old = |&index: &usize| round.orders[index].sent.elapsed() > 4 * self.timeout * round.orders[index].sends;
        let old: Vec<usize> = round.outstanding().into_iter().filter(old).take(AT_ONCE).collect();
        for index in old {
            let Some(entry) = &round.orders[index].entry else { continue };
            let found: Value =
                self.link.call(|c| redis::cmd("XRANGE").arg(&self.keys.tasks).arg(entry).arg(entry).query(c))?;
            if found == Value::Array(Vec::new()) && !again.contains(&index) {
                self.board.resent("a worker that took it off the stream");
                again.push(index);
            }
        }
        Ok(())
    }

    fn patience(&self, sends: u32) -> u64 {
        self.timeout.as_millis() as u64 * (1 << sends.saturating_sub(1).min(10))
    }

    /// Takes the tasks off that nobody has begun, and the reports that were read.
    fn sweep(&mut self) -> Result<(), Trouble> {
        self.link.call(|c| redis::cmd("XTRIM").arg(&self.keys.tasks).arg("MAXLEN").arg(0).exec(c))?;
        self.trim()
    }

    fn trim(&mut self) -> Result<(), Trouble> {
        let Self { keys, seen, .. } = self;
        self.link.call(|c| redis::cmd("XTRIM").arg(&keys.reports).arg("MINID").arg(&*seen).exec(c))
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
