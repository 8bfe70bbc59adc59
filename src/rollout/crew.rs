//! Who computes the episodes of a run.

use super::broker::{Broker, Coordinator};
use super::{Evaluator, Part, Work};
use crate::Result;
use crate::sim::Task;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Threads of this process, or workers on any machine. What comes out is the same to the bit.
pub enum Crew {
    Threads(Evaluator),
    Workers(Box<Coordinator>),
}

impl Crew {
    /// `threads` = 0 means one per core without a broker; with one, that this process only coordinates.
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

    /// Does all jobs; part i belongs to job i. `None` if told to leave before it was done.
    pub fn compute(&mut self, work: &Work, generation: u64, leave: &AtomicBool) -> Result<Option<Vec<Part>>> {
        match self {
            Self::Threads(evaluator) => Ok(evaluator.compute(work, leave)),
            Self::Workers(coordinator) => coordinator.compute(work, generation, leave),
        }
    }
}
