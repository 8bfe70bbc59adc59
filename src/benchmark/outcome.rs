//! What a search came to, with every evaluation counted.

use serde::{Deserialize, Serialize};

/// Best-so-far of one search. A value is missing where no evaluation has been finite yet.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TrialOutcome {
    /// The least value within the budget.
    pub best: Option<f64>,
    /// Evaluations up to and including the first at or below the target.
    pub reached: Option<u64>,
    /// The least value after each of [`counts`] evaluations.
    pub curve: Vec<Option<f64>>,
    /// The point that has the least value.
    pub point: Vec<f64>,
}

impl TrialOutcome {
    /// Whether it can be of a search in so many dimensions with this budget.
    pub fn fits(&self, dim: usize, budget: u64) -> bool {
        let point = if self.best.is_some() { dim } else { 0 };
        self.curve.len() == counts(budget).len() && self.point.len() == point
    }
}

/// More points nobody can see in a figure.
const POINTS: u64 = 100;

/// The evaluation counts at which a curve has a value: the first, and then evenly to the budget.
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

    /// The next evaluation. A point that is nowhere has no value.
    pub fn count(&mut self, x: &[f64], value: f64) {
        self.evaluations += 1;
        let value = if x.iter().all(|v| v.is_finite()) { value } else { f64::NAN };
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

    /// Where the search ended before its budget, its best stands to the end.
    pub fn finish(mut self) -> TrialOutcome {
        self.outcome.curve.resize(self.counts.len(), self.outcome.best);
        self.outcome
    }
}
