//! Computes the episodes of a run, on threads or through a broker.

use super::broker::{Broker, Coordinator};
use super::{Evaluator, Part, Work};
use crate::Result;
use crate::sim::Task;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Threads of this process, or workers on any machine. The results are the same to the bit.
pub enum Crew {
    Threads(Evaluator),
    Workers(Box<Coordinator>),
}

impl Crew {
    /// Without a broker, `threads` = 0 means one per core. With a broker, it means that this process only coordinates.
    ///
    /// # Errors
    /// If the threads cannot be started, or if the broker cannot be used.
    pub fn new(task: &Arc<Task>, threads: usize, broker: Option<&Broker>) -> Result<Self> {
        match broker {
            None => Evaluator::new(task, threads).map(Self::Threads),
            Some(broker) => Coordinator::start(broker, task, threads).map(Box::new).map(Self::Workers),
        }
    }

    /// How many threads of this process take part.
    pub fn threads(&self) -> usize {
        match self {
            Self::Threads(evaluator) => evaluator.threads(),
            Self::Workers(coordinator) => coordinator.threads(),
        }
    }

    /// Computes all jobs; part i belongs to job i. Returns `None` if `leave` was set before all were done.
    ///
    /// # Errors
    /// If the broker stays unreachable for too long or cannot be used.
    ///
    /// # Panics
    /// If the work does not fit the task: see [`Work::check`].
    pub fn compute(&mut self, work: &Work, generation: u64, leave: &AtomicBool) -> Result<Option<Vec<Part>>> {
        match self {
            Self::Threads(evaluator) => Ok(evaluator.compute(work, leave)),
            Self::Workers(coordinator) => coordinator.compute(work, generation, leave),
        }
    }
}
