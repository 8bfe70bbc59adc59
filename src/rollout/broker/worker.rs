//! A worker thread: finds runs, computes their assignments and reports the results.

use super::discovery::LOOK_IDLE;
use super::keys::{GROUP, Keys};
use super::link::{Link, Trouble};
use super::message::{Assignment, Card, Hashes, LONGEST, News, WorkerReport, decode, encode};
use super::shelf::Shelf;
use super::stream::{Entry, add_to_existing, entries};
use crate::sim::{self, Simulator};
use crate::{Error, Result, rollout::Part};
use redis::{RedisResult, Value};
use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// What a worker tells the user.
pub enum Heard<'a> {
    Note(&'a str),
    /// An assignment is done.
    Done {
        run: &'a str,
        task: &'a str,
        episodes: usize,
        seconds: f64,
    },
    Rejected(&'a str),
}

/// What the threads of a worker share.
pub struct Desk<'a> {
    /// Host and process.
    pub name: String,
    pub program: String,
    /// The one run to serve, if not all.
    pub only: Option<String>,
    pub shelf: Shelf,
    pub stop: &'a AtomicBool,
    /// How long to wait for an assignment before checking `stop` and the list of runs.
    pub wait: Duration,
    pub hear: &'a (dyn Fn(Heard) + Sync),
    pub(super) refused: Mutex<HashSet<String>>,
}

impl<'a> Desk<'a> {
    pub fn new(name: String, stop: &'a AtomicBool, wait: Duration, hear: &'a (dyn Fn(Heard) + Sync)) -> Self {
        let (program, shelf, refused) = (super::program(), Shelf::default(), Mutex::default());
        Self { name, program, only: None, shelf, stop, wait, hear, refused }
    }
}

/// A run that this thread serves.
pub(super) struct Served {
    pub(super) card: Card,
    pub(super) keys: Keys,
    pub(super) task: Arc<sim::Task>,
}

/// The answer to an assignment.
struct Answer {
    keys: Keys,
    id: String,
    report: Vec<u8>,
}

pub struct Worker<'a> {
    pub(super) desk: &'a Desk<'a>,
    pub(super) link: Link,
    thread: u32,
    pub(super) runs: Vec<Served>,
    pub(super) looked: Option<Instant>,
    /// Decides which run comes first if there are several.
    turn: usize,
    simulators: HashMap<String, Simulator>,
}

impl<'a> Worker<'a> {
    pub fn new(desk: &'a Desk<'a>, link: Link, thread: u32) -> Self {
        Self { desk, link, thread, runs: Vec::new(), looked: None, turn: 0, simulators: HashMap::new() }
    }

    /// Serves until the `stop` flag is set. An assignment that has been started is finished and answered first.
    ///
    /// # Errors
    /// If the broker cannot be used or stays unreachable for too long.
    pub fn serve(&mut self) -> Result<()> {
        let mut answer: Option<Answer> = None;
        loop {
            let stopping = self.desk.stop.load(Ordering::Relaxed);
            if stopping && answer.is_none() {
                return Ok(());
            }
            match self.exchange(&mut answer, stopping) {
                Ok(Some(entry)) => answer = self.process(entry)?,
                Ok(None) => {}
                Err(Trouble::Unreachable(error)) => {
                    self.note(&format!("the broker is unreachable ({error}); trying again"));
                    if !self.link.recover(&[self.desk.stop])? {
                        return Ok(());
                    }
                    self.note("reconnected to the broker");
                    self.looked = None;
                }
                Err(Trouble::Gone) => {
                    self.looked = None;
                    std::thread::sleep(Duration::from_millis(20));
                }
                Err(Trouble::Broken(error)) => return Err(error),
            }
        }
    }

    /// Tells the user something that holds for all threads. Only one thread does.
    pub(super) fn note(&self, what: &str) {
        if self.thread == 0 {
            (self.desk.hear)(Heard::Note(what));
        }
    }

    /// Sends the answer, if there is one, and takes the next assignment, if there is one.
    fn exchange(&mut self, answer: &mut Option<Answer>, stopping: bool) -> Result<Option<Entry>, Trouble> {
        if let Some(given) = answer {
            let next = self.reply(given, stopping)?;
            *answer = None;
            let next = next.map_err(|error| self.link.trouble(error))?;
            if next.is_some() || stopping {
                return Ok(next);
            }
        }
        self.look()?;
        let streams: Vec<String> = self.runs.iter().map(|run| run.keys.tasks.clone()).collect();
        if streams.is_empty() {
            std::thread::sleep(LOOK_IDLE.min(self.desk.wait));
            return Ok(None);
        }
        self.turn += 1;
        if streams.len() > 1 {
            // Ask one run after the other, so that no run starves and no assignment waits here.
            for i in 0..streams.len() {
                let stream = &streams[(self.turn + i) % streams.len()];
                if let Some(entry) = self.take(std::slice::from_ref(stream), None)? {
                    return Ok(Some(entry));
                }
            }
        }
        self.take(&streams, Some(self.desk.wait))
    }

    /// Sends the answer. Returns the next assignment, if there is one.
    fn reply(&mut self, answer: &Answer, stopping: bool) -> Result<RedisResult<Option<Entry>>, Trouble> {
        let mut pipe = redis::pipe();
        let Answer { keys, id, report } = answer;
        pipe.add_command(add_to_existing(&keys.reports, report));
        pipe.cmd("XACK").arg(&keys.tasks).arg(GROUP).arg(id).cmd("XDEL").arg(&keys.tasks).arg(id);
        // Read the next assignment in the same pipeline, unless other runs are waiting.
        if !stopping && self.runs.len() == 1 {
            pipe.add_command(self.reading(std::slice::from_ref(&keys.tasks), None));
        }
        self.link.call(|c| {
            let mut replies: Vec<RedisResult<Value>> = pipe.ignore_errors().query(c)?;
            let next = if replies.len() > 3 { replies.pop() } else { None };
            // Removing the assignment fails if its stream no longer exists. Adding the report must not fail.
            replies.swap_remove(0)?;
            Ok(next.map_or(Ok(None), |next| next.map(|next| entries(next).pop())))
        })
    }

    fn take(&mut self, streams: &[String], wait: Option<Duration>) -> Result<Option<Entry>, Trouble> {
        let command = self.reading(streams, wait);
        let answer: Value = self.link.call(|c| command.query(c))?;
        let mut found = entries(answer);
        let entry = found.pop();
        // Several entries arrive only if several runs have work at the same moment. All but one are given back, because
        // otherwise they would wait for their timeout.
        for other in found {
            self.give_back(other)?;
        }
        Ok(entry)
    }

    fn give_back(&mut self, entry: Entry) -> Result<(), Trouble> {
        let Some(message) = entry.message else { return Ok(()) };
        let mut pipe = redis::pipe();
        pipe.add_command(add_to_existing(&entry.stream, &message));
        pipe.cmd("XACK").arg(&entry.stream).arg(GROUP).arg(&entry.id);
        pipe.cmd("XDEL").arg(&entry.stream).arg(&entry.id);
        self.link.call(|c| pipe.exec(c))
    }

    fn reading(&self, streams: &[String], wait: Option<Duration>) -> redis::Cmd {
        let mut command = redis::cmd("XREADGROUP");
        command.arg("GROUP").arg(GROUP).arg(format!("{}/{}", self.desk.name, self.thread)).arg("COUNT").arg(1);
        if let Some(wait) = wait {
            command.arg("BLOCK").arg(wait.as_millis().max(1) as u64);
        }
        command.arg("STREAMS").arg(streams).arg(vec![">"; streams.len()]);
        command
    }

    /// Encodes a report to the coordinator of a run.
    pub(super) fn report(&self, run: &str, news: News) -> Result<Vec<u8>> {
        let report = WorkerReport { run: run.into(), worker: self.desk.name.clone(), thread: self.thread, news };
        encode(&report).map_err(|e| Error::failed(format!("cannot encode a report: {e}")))
    }

    /// Computes an assignment, or explains why the message is not a valid one. Returns `None` if the run has ended.
    fn process(&mut self, entry: Entry) -> Result<Option<Answer>> {
        let Some(at) = self.runs.iter().position(|run| run.keys.tasks == entry.stream) else { return Ok(None) };
        let news = match self.compute(at, entry.message.as_deref().unwrap_or_default()) {
            Ok(news) => news,
            Err(why) => {
                (self.desk.hear)(Heard::Rejected(&why));
                News::Rejected { why }
            }
        };
        let keys = self.runs[at].keys.clone();
        Ok(Some(Answer { report: self.report(&keys.run, news)?, keys, id: entry.id }))
    }

    fn compute(&mut self, at: usize, message: &[u8]) -> Result<News, String> {
        let Served { card, task, .. } = &self.runs[at];
        let assignment: Assignment = decode(message, LONGEST)?;
        if assignment.run != card.run {
            return Err(format!("it is for run {}, but on the stream of run {}", assignment.run, card.run));
        }
        differences(&card.hashes, &assignment.hashes)?;
        assignment.work.check(task)?;
        let name = card.hashes.model.clone() + &card.hashes.task;
        let simulator = self.simulators.entry(name).or_insert_with(|| Simulator::new(task.clone()));
        let began = Instant::now();
        let policies = assignment.work.policies(task.observations);
        let parts: Vec<Part> =
            (0..assignment.work.len()).map(|job| assignment.work.run(job, &policies, simulator)).collect();
        let seconds = began.elapsed().as_secs_f64();
        (self.desk.hear)(Heard::Done { run: &card.run, task: &card.task, episodes: parts.len(), seconds });
        Ok(News::Done { batch: assignment.batch, first: assignment.first, seconds, parts })
    }
}

fn differences(wanted: &Hashes, found: &Hashes) -> Result<(), String> {
    let pairs = [
        ("program", &wanted.program, &found.program),
        ("task", &wanted.task, &found.task),
        ("model", &wanted.model, &found.model),
    ];
    match pairs.into_iter().find(|(_, wanted, found)| wanted != found) {
        Some((what, wanted, found)) => Err(format!("it is for {what} {found}, this run has {what} {wanted}")),
        None => Ok(()),
    }
}

/// The first characters of a run's id, which are enough to tell runs apart.
pub fn short(id: &str) -> &str {
    id.get(..8).unwrap_or(id)
}
