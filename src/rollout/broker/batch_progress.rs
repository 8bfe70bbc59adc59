//! The progress of one batch: which jobs were sent in which assignment, and which results have arrived.

use super::super::{Part, Work};
use std::collections::HashMap;
use std::ops::Range;
use std::time::Instant;

/// A batch that is being computed.
pub struct BatchProgress<'a> {
    pub work: &'a Work,
    pub batch: u64,
    pub generation: u64,
    pub orders: Vec<Order>,
    parts: Vec<Option<Part>>,
    missing: usize,
    by_entry: HashMap<String, usize>,
}

/// The jobs of one assignment.
pub struct Order {
    pub jobs: Range<usize>,
    /// Its entry on the stream of assignments, once it has been sent.
    pub entry: Option<String>,
    pub sent: Instant,
    pub sends: u32,
    pub done: bool,
}

impl<'a> BatchProgress<'a> {
    /// Cuts the work into orders of `jobs` jobs each.
    pub fn new(work: &'a Work, batch: u64, generation: u64, jobs: usize) -> Self {
        let order = |first: usize| Order {
            jobs: first..(first + jobs).min(work.len()),
            entry: None,
            sent: Instant::now(),
            sends: 0,
            done: false,
        };
        let orders: Vec<Order> = (0..work.len()).step_by(jobs.max(1)).map(order).collect();
        let missing = orders.len();
        let parts = vec![None; work.len()];
        Self { work, batch, generation, orders, parts, missing, by_entry: HashMap::new() }
    }

    pub fn is_complete(&self) -> bool {
        self.missing == 0
    }

    /// The indices of the orders that have not been answered.
    pub fn outstanding(&self) -> Vec<usize> {
        (0..self.orders.len()).filter(|&index| !self.orders[index].done).collect()
    }

    /// The index of the unanswered order in this entry of the stream.
    pub fn order_of(&self, entry: &str) -> Option<usize> {
        self.by_entry.get(entry).copied().filter(|&index| !self.orders[index].done)
    }

    /// Records that an order was sent as this entry.
    pub fn sent(&mut self, index: usize, entry: String) {
        let order = &mut self.orders[index];
        if let Some(old) = order.entry.replace(entry.clone()) {
            self.by_entry.remove(&old);
        }
        self.by_entry.insert(entry, index);
        order.sent = Instant::now();
        order.sends += 1;
    }

    /// Stores the parts of an order. Returns `false` if they had already arrived.
    ///
    /// # Errors
    /// If they cannot be the result of an order.
    pub fn place(&mut self, first: u64, parts: Vec<Part>, observations: usize) -> Result<bool, String> {
        let found = self.orders.binary_search_by_key(&first, |order| order.jobs.start as u64);
        let Some(order) = found.ok().map(|index| &mut self.orders[index]) else {
            return Err(format!("a result for job {first}, which is not the first job of an assignment"));
        };
        if !self.work.fits(order.jobs.clone(), &parts, observations) {
            return Err(format!("a result for job {first} has the wrong shape"));
        }
        if order.done {
            return Ok(false);
        }
        order.done = true;
        self.missing -= 1;
        for (place, part) in self.parts[order.jobs.clone()].iter_mut().zip(parts) {
            *place = Some(part);
        }
        Ok(true)
    }

    /// Returns all parts in index order, or `None` if one is missing.
    pub fn finish(self) -> Option<Vec<Part>> {
        self.parts.into_iter().collect()
    }
}
