//! Problems that need no simulator.

use super::{Rover, Synthetic};
use serde::Serialize;

/// Something to minimize.
pub trait Problem {
    /// The number of coordinates.
    fn dim(&self) -> usize;
    /// The box of every coordinate: searches start in it, and some draw from it.
    fn bounds(&self) -> (f64, f64);
    /// The value at x, less is better.
    ///
    /// # Panics
    /// If x does not have [`dim`](Self::dim) coordinates.
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
    /// The number of coordinates.
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
