//! The outcome of a search, with every evaluation counted.

use serde::{Deserialize, Serialize};

/// The best values of one search over time. A value is missing as long as no evaluation was finite.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TrialOutcome {
    /// The lowest value within the budget.
    pub best: Option<f64>,
    /// The number of evaluations up to and including the first at or below the target.
    pub reached: Option<u64>,
    /// The lowest value after each number of evaluations in [`counts`].
    pub curve: Vec<Option<f64>>,
    /// The point with the lowest value.
    pub point: Vec<f64>,
}

impl TrialOutcome {
    /// Whether this can be the outcome of a search in `dim` dimensions with this budget.
    pub fn fits(&self, dim: usize, budget: u64) -> bool {
        let point = if self.best.is_some() { dim } else { 0 };
        self.curve.len() == counts(budget).len() && self.point.len() == point
    }
}

/// The most points of a curve. More would not be visible in a figure.
const POINTS: u64 = 100;

/// Returns the numbers of evaluations at which a curve has a value: the first, then evenly spaced up to the budget.
pub fn counts(budget: u64) -> Vec<u64> {
    let mut counts = vec![1];
    counts.extend((1..=POINTS).map(|k| k * budget / POINTS).filter(|count| *count > 1));
    counts.dedup();
    counts
}

/// Follows a search evaluation by evaluation.
pub struct Record {
    counts: Vec<u64>,
    target: Option<f64>,
    evaluations: u64,
    outcome: TrialOutcome,
}

impl Record {
    pub fn new(budget: u64, target: Option<f64>) -> Self {
        let outcome = TrialOutcome { best: None, reached: None, curve: Vec::new(), point: Vec::new() };
        Self { counts: counts(budget), target, evaluations: 0, outcome }
    }

    pub fn evaluations(&self) -> u64 {
        self.evaluations
    }

    /// Counts the next evaluation. A point or a value that is not finite has failed, and cannot be the best.
    pub fn count(&mut self, x: &[f64], value: f64) {
        self.evaluations += 1;
        let value = if x.iter().chain([&value]).all(|v| v.is_finite()) { value } else { f64::NAN };
        let known = self.outcome.best.unwrap_or(f64::INFINITY);
        if value < known {
            self.outcome.best = Some(value);
            self.outcome.point = x.to_vec();
        }
        if self.outcome.reached.is_none() && self.target.is_some_and(|target| value <= target) {
            self.outcome.reached = Some(self.evaluations);
        }
        if self.counts.get(self.outcome.curve.len()) == Some(&self.evaluations) {
            self.outcome.curve.push(self.outcome.best);
        }
    }

    /// Completes the record. If the search ended before its budget, its best value holds to the end.
    pub fn finish(mut self) -> TrialOutcome {
        self.outcome.curve.resize(self.counts.len(), self.outcome.best);
        self.outcome
    }
}
