//! How a worker finds runs. It serves those on the list that it can, and refuses each of the others once, with the reason.

use super::keys::{Keys, RUNS, is_id};
use super::link::Trouble;
use super::message::{Card, News, decode};
use super::shelf::Missing;
use super::stream::add_to_existing;
use super::worker::{Heard, Served, Worker, short};
use crate::Result;
use std::collections::HashSet;
use std::sync::PoisonError;
use std::time::{Duration, Instant};

/// How often the list of runs is read while there is work, and while there is none.
const LOOK_BUSY: Duration = Duration::from_secs(2);
pub const LOOK_IDLE: Duration = Duration::from_millis(400);
/// Maximum size of a card, in bytes.
const LONGEST_CARD: usize = 1 << 16;

impl Worker<'_> {
    /// Reads the list of runs, if it is time to.
    pub(super) fn look(&mut self) -> Result<(), Trouble> {
        let every = if self.runs.is_empty() { LOOK_IDLE } else { LOOK_BUSY };
        if self.looked.is_some_and(|looked| looked.elapsed() < every) {
            return Ok(());
        }
        self.looked = Some(Instant::now());
        let mut ids: Vec<Vec<u8>> = self.link.call(|c| redis::cmd("SMEMBERS").arg(RUNS).query(c))?;
        ids.sort();
        let ids = ids.into_iter().filter_map(|id| String::from_utf8(id).ok()).filter(|id| is_id(id));
        let ids: Vec<String> = ids.filter(|id| self.desk.only.as_ref().is_none_or(|only| only == id)).collect();
        let mut present = HashSet::new();
        for id in ids {
            let (card, tasks): (Option<Vec<u8>>, bool) = self.link.call(|c| {
                let mut pipe = redis::pipe();
                pipe.cmd("GET").arg(Keys::card(&id)).cmd("EXISTS").arg(Keys::of(&id, "").tasks).query(c)
            })?;
            match card {
                // Its coordinator died without cleaning up.
                None => self.link.call(|c| redis::cmd("SREM").arg(RUNS).arg(&id).exec(c))?,
                Some(bytes) if tasks && self.consider(&id, &bytes)? => drop(present.insert(id)),
                Some(_) => {}
            }
        }
        let (runs, gone): (Vec<Served>, Vec<Served>) =
            std::mem::take(&mut self.runs).into_iter().partition(|run| present.contains(&run.card.run));
        self.runs = runs;
        gone.iter()
            .for_each(|Served { card, .. }| self.note(&format!("run {} ({}) has ended", short(&card.run), card.task)));
        Ok(())
    }

    /// Whether this thread serves the run. Starts serving it if possible.
    fn consider(&mut self, id: &str, bytes: &[u8]) -> Result<bool, Trouble> {
        if self.runs.iter().any(|run| run.card.run == id) {
            return Ok(true);
        }
        let card: Card = match decode(bytes, LONGEST_CARD) {
            Ok(card) => card,
            Err(why) => return self.refuse(id, &format!("its card cannot be read: {why}")).map(|()| false),
        };
        let keys = Keys::of(id, &card.hashes.model);
        if card.run != id || card.hashes.program != self.desk.program {
            let why = format!("it needs program {}, this is program {}", card.hashes.program, self.desk.program);
            return self.refuse(id, &why).map(|()| false);
        }
        let hear = self.desk.hear;
        match self.desk.shelf.task(&mut self.link, &card, &|what| hear(Heard::Note(what))) {
            Ok(task) => {
                self.note(&format!("serving run {} ({})", short(id), card.task));
                self.runs.push(Served { card, keys, task });
                Ok(true)
            }
            Err(Missing::Absent) => Ok(false),
            Err(Missing::Trouble(trouble)) => Err(trouble),
            Err(Missing::Refused(why)) => self.refuse(id, &why).map(|()| false),
        }
    }

    /// Reports once, here and to the coordinator, why a run is not served.
    fn refuse(&mut self, id: &str, why: &str) -> Result<(), Trouble> {
        let new = self.desk.refused.lock().unwrap_or_else(PoisonError::into_inner).insert(format!("{id} {why}"));
        if !new {
            return Ok(());
        }
        (self.desk.hear)(Heard::Note(&format!("refused run {}: {why}", short(id))));
        let report = self.report(id, News::Refused { why: why.into() }).map_err(Trouble::Broken)?;
        self.link.call(|c| add_to_existing(&Keys::of(id, "").reports, &report).exec(c))
    }
}
