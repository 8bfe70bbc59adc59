//! Problems that need no simulator.

use super::{Rover, Synthetic};
use serde::Serialize;

/// A function to minimize.
pub trait Problem {
    /// The number of coordinates.
    fn dim(&self) -> usize;
    /// The range of every coordinate. Searches start in it, and some also draw from it.
    fn bounds(&self) -> (f64, f64);
    /// Returns the value at x. Lower is better.
    ///
    /// # Panics
    /// If x does not have [`dim`](Self::dim) coordinates.
    fn value(&self, x: &[f64]) -> f64;
}

/// The description of a problem, which becomes one concrete problem with a seed.
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

    /// Returns the problem for this seed.
    pub fn instance(&self, seed: u64) -> Box<dyn Problem> {
        match self {
            Self::Synthetic(synthetic) => Box::new(synthetic.instance(seed)),
            Self::Rover => Box::new(Rover),
        }
    }
}
