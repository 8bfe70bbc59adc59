//! The numbers that the SynCMA paper prints for 32 dimensions and λ0 = 2: median best values and median evaluations to
//! 0.5.
//!
//! They are shown next to our `published` variant, with the optimum at the paper's place. We know only these cells.

use super::Function::{self, *};
use serde::Serialize;

/// The target that the paper counts evaluations to.
pub const TARGET: f64 = 0.5;
/// The settings of the paper's runs. The batch is twice the dimension.
pub const DIM: usize = 32;
pub const BUDGET: u64 = 10_000;
pub const SIGMA: f64 = 0.1;
/// The contestant that these numbers belong to, under both of its names.
pub const CONTESTANTS: [&str; 2] = ["syncma:published:2", "syncma:published"];

/// A cell of the paper's tables. `best` is the median best value, where it is known.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Printed {
    pub best: Option<f64>,
    pub evaluations: Evaluations,
}

/// The printed number of evaluations to the target.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Evaluations {
    Unknown,
    Never,
    Median(f64),
}

/// Returns the paper's cell for this function.
pub fn printed(function: Function) -> Printed {
    let cell = |best, evaluations| Printed { best, evaluations: Evaluations::Median(evaluations) };
    match function {
        Sphere => cell(Some(0.0), 555.0),
        Discus => cell(Some(0.0), 4437.0),
        Schwefel221 => cell(Some(0.0), 519.0),
        DifferentPowers => cell(None, 519.0),
        Rastrigin => cell(Some(0.2), 8758.0),
        Ackley => cell(Some(0.0), 2133.0),
        Rosenbrock => Printed { best: Some(29.2), evaluations: Evaluations::Never },
        Bohachevsky | LevyMontalvo | Schaffer => Printed { best: None, evaluations: Evaluations::Unknown },
    }
}
