//! What keeps a run alive on the broker: its card, its streams, its model; tasks that somebody holds for too long; what has
//! been read.

use super::coordinator::{AT_ONCE, Coordinator, WAIT};
use super::keys::{GROUP, RUNS};
use super::link::Trouble;
use super::round::Round;
use crate::Result;
use redis::{RedisResult, Value};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How long a run stays known after its coordinator has fallen silent, in seconds.
const CARD_LIVES: u64 = 60;
/// How long a run's streams and model stay after that, in seconds.
const DATA_LIVES: u64 = 3600;
const TICK: Duration = Duration::from_millis(500);

impl Coordinator {
    /// Makes sure that everything a worker needs is on the broker. Does no harm where it is.
    pub(super) fn announce(&mut self) -> Result<(), Trouble> {
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
    pub(super) fn recover(&mut self, trouble: Trouble, leave: &[&AtomicBool]) -> Result<bool> {
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

    /// Now and then: shows that the run is alive, and looks for tasks that somebody holds for too long.
    pub(super) fn tick(&mut self, round: &mut Round) -> Result<(), Trouble> {
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
    pub(super) fn sweep(&mut self) -> Result<(), Trouble> {
        self.link.call(|c| redis::cmd("XTRIM").arg(&self.keys.tasks).arg("MAXLEN").arg(0).exec(c))?;
        self.trim()
    }

    fn trim(&mut self) -> Result<(), Trouble> {
        let Self { keys, seen, .. } = self;
        self.link.call(|c| redis::cmd("XTRIM").arg(&keys.reports).arg("MINID").arg(&*seen).exec(c))
    }
}
