//! The data of the trust region and the rules by which it grows and shrinks.

use nalgebra::{DMatrix, DVector};
use serde::{Deserialize, Serialize};

use crate::optim::weights::ranking;
use crate::statistics::{median, standard_deviation};

/// L at the start of a region, and its limits.
const START: f64 = 0.8;
const SHORTEST: f64 = 1.0 / 128.0;
const LONGEST: f64 = 1.6;
/// Batches with a success in a row before L doubles, τ_succ.
const SUCCESSES: u32 = 3;
/// A success has to be better by this share of |f_best|.
const GAIN: f64 = 1e-3;
/// Losses with a smaller deviation than this are not rescaled.
const FLAT: f64 = 1e-6;
/// A loss beyond this counts as failed because its square could overflow.
const LARGEST: f64 = 1e100;

/// A trust region and all evaluations since it began. Points are in the unit cube.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Trust {
    /// L, in units of the box.
    pub length: f64,
    successes: u32,
    failures: u32,
    /// τ_fail: batches without a success in a row before L halves.
    patience: u32,
    d: usize,
    /// Column by column.
    points: Vec<f64>,
    losses: Vec<f64>,
}

impl Trust {
    pub fn new(d: usize, batch: usize) -> Self {
        let patience = d.max(4).div_ceil(batch) as u32;
        Self { length: START, successes: 0, failures: 0, patience, d, points: Vec::new(), losses: Vec::new() }
    }

    /// Evaluations since the region began.
    pub fn evaluations(&self) -> usize {
        self.losses.len()
    }

    /// Adds points that were not chosen by a model, without adapting the length.
    pub fn learn(&mut self, points: &DMatrix<f64>, loss: &[f64]) {
        self.points.extend_from_slice(points.as_slice());
        self.losses.extend(loss.iter().map(|&v| if v.abs() < LARGEST { v } else { f64::NAN }));
    }

    /// Adds a batch that was chosen inside the region and adapts the length to its success.
    pub fn judge(&mut self, points: &DMatrix<f64>, loss: &[f64]) {
        let before = self.best_loss();
        self.learn(points, loss);
        let after = self.best_loss();
        let success = match before {
            Some(before) => after.is_some_and(|after| after < before - GAIN * before.abs()),
            None => after.is_some(),
        };
        (self.successes, self.failures) = if success { (self.successes + 1, 0) } else { (0, self.failures + 1) };
        if self.successes == SUCCESSES {
            self.length = LONGEST.min(2.0 * self.length);
            self.successes = 0;
        } else if self.failures == self.patience {
            self.length /= 2.0;
            self.failures = 0;
        }
    }

    /// Whether the region has become too small to continue. The next one starts from scratch.
    pub fn is_exhausted(&self) -> bool {
        self.length < SHORTEST
    }

    /// The points, one per column, and the values for the model: losses minus their median, divided by their standard
    /// deviation. A failed candidate gets the worst loss that did not fail, so that the model avoids it but does not see a
    /// cliff.
    pub fn data(&self) -> (DMatrix<f64>, DVector<f64>) {
        let worst = self.losses.iter().copied().fold(f64::NAN, f64::max);
        let worst = if worst.is_nan() { 0.0 } else { worst };
        let mut losses = self.losses.clone();
        losses.iter_mut().filter(|v| v.is_nan()).for_each(|v| *v = worst);
        let n = losses.len();
        let deviation = standard_deviation(&losses) * ((n as f64 - 1.0) / n as f64).sqrt();
        let unit = if deviation < FLAT { 1.0 } else { deviation };
        let middle = median(&losses);
        let y = DVector::from_iterator(n, losses.iter().map(|v| (v - middle) / unit));
        (DMatrix::from_column_slice(self.d, n, &self.points), y)
    }

    /// The best point of the region.
    pub fn center(&self) -> DVector<f64> {
        let best = ranking(&self.losses).first().map_or(0, |best| best * self.d);
        DVector::from_column_slice(&self.points[best..best + self.d])
    }

    fn best_loss(&self) -> Option<f64> {
        self.losses.iter().copied().filter(|v| !v.is_nan()).reduce(f64::min)
    }
}
