//! Sends lost assignments again, and keeps the run's card, streams and model alive on the broker.

use super::batch_progress::BatchProgress;
use super::coordinator::{AT_ONCE, Coordinator, WAIT};
use super::keys::{GROUP, RUNS};
use super::link::Trouble;
use crate::Result;
use redis::{RedisResult, Value};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How long a run stays listed after its coordinator has died, in seconds.
const CARD_LIVES: u64 = 60;
/// How long a run's streams and model stay after its coordinator has died, in seconds.
const DATA_LIVES: u64 = 3600;
const TICK: Duration = Duration::from_millis(500);

impl Coordinator {
    /// Makes sure that everything a worker needs is on the broker. Idempotent.
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
            // The groups may exist already.
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

    /// Shows that the run is alive. Fails with [`Trouble::Gone`] if the broker has lost something.
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

    /// Waits until the broker is reachable and has everything again. Returns `false` if a `leave` flag was set.
    pub(super) fn recover(&mut self, trouble: Trouble, leave: &[&AtomicBool]) -> Result<bool> {
        let mut trouble = trouble;
        loop {
            if leave.iter().any(|flag| flag.load(Ordering::Relaxed)) {
                return Ok(false);
            }
            match trouble {
                Trouble::Broken(error) => return Err(error),
                Trouble::Gone => {}
                Trouble::Unreachable(error) => {
                    self.board.unreachable(&format!("the broker is unreachable ({error})"));
                    if !self.link.recover(leave)? {
                        return Ok(false);
                    }
                }
            }
            // A broker that has lost its data may number entries from the beginning.
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

    /// Every [`TICK`]: shows that the run is alive, and sends assignments again that are overdue.
    pub(super) fn tick(&mut self, progress: &mut BatchProgress) -> Result<(), Trouble> {
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
            match progress.order_of(&entry) {
                // The time doubles with each send, because the assignment may simply take longer than the timeout.
                Some(index) if idle >= self.allowed_time(progress.orders[index].sends) => {
                    self.board.resent(&consumer);
                    again.push(index);
                }
                Some(_) => {}
                // It is from an earlier batch, or another worker has answered it.
                None => self.link.call(|c| redis::cmd("XACK").arg(&tasks).arg(GROUP).arg(&entry).exec(c))?,
            }
        }
        self.add_vanished(progress, &mut again)?;
        self.send_orders(progress, &again)
    }

    /// Finds unanswered assignments that are no longer on the stream: a worker removed them, but its answer was lost.
    fn add_vanished(&mut self, progress: &BatchProgress, again: &mut Vec<usize>) -> Result<(), Trouble> {
        let old =
            |&index: &usize| progress.orders[index].sent.elapsed() > 4 * self.timeout * progress.orders[index].sends;
        let old: Vec<usize> = progress.outstanding().into_iter().filter(old).take(AT_ONCE).collect();
        for index in old {
            let Some(entry) = &progress.orders[index].entry else { continue };
            let found: Value =
                self.link.call(|c| redis::cmd("XRANGE").arg(&self.keys.tasks).arg(entry).arg(entry).query(c))?;
            if found == Value::Array(Vec::new()) && !again.contains(&index) {
                self.board.resent("a worker that removed it from the stream");
                again.push(index);
            }
        }
        Ok(())
    }

    /// How long, in milliseconds, a worker may hold an assignment that has been sent `sends` times.
    fn allowed_time(&self, sends: u32) -> u64 {
        self.timeout.as_millis() as u64 * (1 << sends.saturating_sub(1).min(10))
    }

    /// Removes assignments that nobody has started, and reports that were read.
    pub(super) fn sweep(&mut self) -> Result<(), Trouble> {
        self.link.call(|c| redis::cmd("XTRIM").arg(&self.keys.tasks).arg("MAXLEN").arg(0).exec(c))?;
        self.trim()
    }

    fn trim(&mut self) -> Result<(), Trouble> {
        let Self { keys, seen, .. } = self;
        self.link.call(|c| redis::cmd("XTRIM").arg(&keys.reports).arg("MINID").arg(&*seen).exec(c))
    }
}
