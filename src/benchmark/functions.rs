//! The ten synthetic functions of the SynCMA paper's tables, as pypop7 0.0.82 computes them. The
//! minimum value of each is 0.
//!
//! The paper ran pypop7's code. Where its printed formulas differ from that code, we follow the code.

use crate::suggest::{UnknownName, find};
use serde::Serialize;
use std::f64::consts::{E, PI};
use std::str::FromStr;

/// A synthetic function of at least two dimensions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(into = "&'static str")]
pub enum Function {
    Sphere,
    /// The paper prints it without the squares.
    Discus,
    /// Schwefel 2.21, the largest coordinate. (The paper's table prints 2.22; its code runs this one.)
    Schwefel221,
    /// The paper prints it without the absolute values.
    DifferentPowers,
    /// The chained form over neighboring coordinates.
    Bohachevsky,
    /// A sum over the middle coordinates, although pypop7's documentation shows a product.
    LevyMontalvo,
    Rastrigin,
    Ackley,
    /// The chained form without the average and the square.
    Schaffer,
    Rosenbrock,
}

use Function::*;

impl Function {
    pub const ALL: [Self; 10] = [
        Sphere,
        Discus,
        Schwefel221,
        DifferentPowers,
        Bohachevsky,
        LevyMontalvo,
        Rastrigin,
        Ackley,
        Schaffer,
        Rosenbrock,
    ];

    /// The paper's runs start from a point that is uniform in this interval in every coordinate.
    pub const START: (f64, f64) = (-5.0, 10.0);

    /// The name on the command line and in files.
    pub fn name(self) -> &'static str {
        match self {
            Sphere => "sphere",
            Discus => "discus",
            Schwefel221 => "schwefel221",
            DifferentPowers => "different-powers",
            Bohachevsky => "bohachevsky",
            LevyMontalvo => "levy-montalvo",
            Rastrigin => "rastrigin",
            Ackley => "ackley",
            Schaffer => "schaffer",
            Rosenbrock => "rosenbrock",
        }
    }

    /// A short name for narrow columns.
    pub fn short(self) -> &'static str {
        match self {
            Schwefel221 => "schwef.",
            DifferentPowers => "diffpow",
            Bohachevsky => "bohach.",
            LevyMontalvo => "levy-m.",
            Rastrigin => "rastrig",
            Schaffer => "schaff.",
            Rosenbrock => "rosenb.",
            Sphere | Discus | Ackley => self.name(),
        }
    }

    /// Every coordinate of the minimum has this value.
    pub fn argmin(self) -> f64 {
        match self {
            LevyMontalvo => -1.0,
            Rosenbrock => 1.0,
            _ => 0.0,
        }
    }

    /// Returns the value at x.
    ///
    /// # Panics
    /// If x is empty.
    pub fn value(self, x: &[f64]) -> f64 {
        let n = x.len() as f64;
        let squares = || x.iter().map(|v| v * v);
        let neighbors = || x.windows(2).map(|pair| (pair[0], pair[1]));
        match self {
            Sphere => squares().sum(),
            Discus => 1e6 * x[0] * x[0] + squares().skip(1).sum::<f64>(),
            Schwefel221 => x
                .iter()
                .fold(0.0, |most: f64, v| if v.is_nan() || most.is_nan() { f64::NAN } else { v.abs().max(most) }),
            DifferentPowers => x.iter().enumerate().map(|(i, v)| v.abs().powf(2.0 + 4.0 * i as f64 / (n - 1.0))).sum(),
            Bohachevsky => neighbors()
                .map(|(a, b)| a * a + 2.0 * b * b - 0.3 * (3.0 * PI * a).cos() - 0.4 * (4.0 * PI * b).cos() + 0.7)
                .sum(),
            LevyMontalvo => {
                let u: Vec<f64> = x.iter().map(|v| 1.0 + (v + 1.0) / 4.0).collect();
                let middle: f64 =
                    u.windows(2).map(|u| (u[0] - 1.0).powi(2) * (1.0 + 10.0 * (PI * u[1]).sin().powi(2))).sum();
                let ends = 10.0 * (PI * u[0]).sin().powi(2) + (u[u.len() - 1] - 1.0).powi(2);
                PI / n * (ends + middle)
            }
            Rastrigin => 10.0 * n + x.iter().map(|v| v * v - 10.0 * (2.0 * PI * v).cos()).sum::<f64>(),
            Ackley => {
                let radius = (squares().sum::<f64>() / n).sqrt();
                let waves = x.iter().map(|v| (2.0 * PI * v).cos()).sum::<f64>() / n;
                -20.0 * (-0.2 * radius).exp() - waves.exp() + 20.0 + E
            }
            Schaffer => neighbors()
                .map(|(a, b)| {
                    let r = a * a + b * b;
                    r.powf(0.25) * ((50.0 * r.powf(0.1)).sin().powi(2) + 1.0)
                })
                .sum(),
            Rosenbrock => neighbors().map(|(a, b)| 100.0 * (b - a * a).powi(2) + (a - 1.0).powi(2)).sum(),
        }
    }
}

impl From<Function> for &'static str {
    fn from(function: Function) -> Self {
        function.name()
    }
}

impl FromStr for Function {
    type Err = UnknownName;
    fn from_str(name: &str) -> Result<Self, UnknownName> {
        find("function", name, &Self::ALL, Self::name)
    }
}
