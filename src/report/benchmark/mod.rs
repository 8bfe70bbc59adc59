//! Compares optimizers on problems: median best values, median evaluations to a target, and ranks.

mod panels;
mod tables;
mod terrain;

use crate::benchmark::paper::Printed;
use crate::benchmark::{TrialOutcome, counts};
use crate::plot::Point;
use crate::statistics::{mean, median, quantile, ranks};
use serde::Serialize;

/// The results of a whole benchmark. As JSON they contain the same numbers as the tables.
#[derive(Clone, Debug, Serialize)]
pub struct Benchmark {
    /// The command that reproduces it.
    pub command: String,
    pub title: String,
    /// What the values are and how they were obtained.
    pub about: String,
    pub budget: u64,
    pub trials: usize,
    pub target: Option<f64>,
    /// Whether figures have a logarithmic axis for values.
    #[serde(skip)]
    pub logarithmic: bool,
    pub columns: Vec<Column>,
}

/// All optimizers on all problems, under one condition.
#[derive(Clone, Debug, Serialize)]
pub struct Column {
    pub name: String,
    pub optimizers: Vec<OptimizerRow>,
}

/// One optimizer.
#[derive(Clone, Debug, Serialize)]
pub struct OptimizerRow {
    pub optimizer: String,
    /// A figure shows only the best optimizer of a family.
    #[serde(skip)]
    pub family: String,
    /// The rank among the optimizers by median best value, 1 for the lowest value, averaged over problems.
    pub rank: f64,
    pub problems: Vec<Cell>,
}

/// One optimizer on one problem.
#[derive(Clone, Debug, Serialize)]
pub struct Cell {
    pub problem: &'static str,
    #[serde(skip)]
    pub short: &'static str,
    /// The median over trials of the best value within the budget, or `None` if no value was finite.
    pub median: Option<f64>,
    pub q25: Option<f64>,
    pub q75: Option<f64>,
    pub least: Option<f64>,
    /// The median number of evaluations to the target. A trial that never reaches it counts as infinity, and `None`
    /// means that the median is infinite.
    pub evaluations: Option<f64>,
    /// The number of trials that reached the target.
    pub successes: usize,
    /// The numbers printed in the paper.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub printed: Option<Printed>,
    #[serde(skip)]
    pub curve: Vec<Point>,
}

impl Column {
    /// Builds a column and fills in the ranks of its rows.
    pub fn new(name: impl Into<String>, mut optimizers: Vec<OptimizerRow>) -> Self {
        let problems = optimizers.first().map_or(0, |row| row.problems.len());
        let value = |row: &OptimizerRow, problem: usize| row.problems[problem].median.unwrap_or(f64::INFINITY);
        let by_problem: Vec<Vec<f64>> = (0..problems)
            .map(|problem| ranks(&optimizers.iter().map(|row| value(row, problem)).collect::<Vec<_>>()))
            .collect();
        for (at, row) in optimizers.iter_mut().enumerate() {
            row.rank = mean(&by_problem.iter().map(|ranks| ranks[at]).collect::<Vec<_>>());
        }
        Self { name: name.into(), optimizers }
    }
}

impl Cell {
    /// Summarizes the outcomes of all trials.
    pub fn new(problem: &'static str, short: &'static str, outcomes: &[TrialOutcome], budget: u64) -> Self {
        let known = |value: Option<f64>| value.unwrap_or(f64::INFINITY);
        let finite = |value: f64| value.is_finite().then_some(value);
        let best: Vec<f64> = outcomes.iter().map(|outcome| known(outcome.best)).collect();
        let reached: Vec<f64> = outcomes.iter().map(|outcome| known(outcome.reached.map(|n| n as f64))).collect();
        let point = |(at, count): (usize, u64)| {
            let values: Vec<f64> = outcomes.iter().map(|outcome| known(outcome.curve[at])).collect();
            let (low, high) = (quantile(&values, 0.25), quantile(&values, 0.75));
            Point { x: count as f64, seeds: values.len(), median: median(&values), low, high }
        };
        Self {
            problem,
            short,
            median: finite(median(&best)),
            q25: finite(quantile(&best, 0.25)),
            q75: finite(quantile(&best, 0.75)),
            least: finite(quantile(&best, 0.0)),
            evaluations: finite(median(&reached)),
            successes: reached.iter().filter(|n| n.is_finite()).count(),
            printed: None,
            curve: counts(budget).into_iter().enumerate().map(point).collect(),
        }
    }
}
