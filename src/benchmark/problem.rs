//! Problems that need no simulator.

use super::{Rover, Synthetic};
use serde::Serialize;

/// Something to minimise.
pub trait Problem {
    fn dim(&self) -> usize;
    /// The box of every coordinate: searches start in it, and some draw from it.
    fn bounds(&self) -> (f64, f64);
    fn value(&self, x: &[f64]) -> f64;
}

/// A problem by its description; a seed makes it one problem.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Description {
    Synthetic(Synthetic),
    Rover,
}

impl Description {
    pub fn dim(&self) -> usize {
        match self {
            Self::Synthetic(synthetic) => synthetic.dim,
            Self::Rover => Rover.dim(),
        }
    }

    /// The problem of this seed.
    pub fn instance(&self, seed: u64) -> Box<dyn Problem> {
        match self {
            Self::Synthetic(synthetic) => Box::new(synthetic.instance(seed)),
            Self::Rover => Box::new(Rover),
        }
    }
}
