//! Compares methods: which is better, how certain that is, and how fast each one reaches a given return.

use super::curves::yardsticks;
use super::repetitions::Group;
use super::runs::Run;
use crate::statistics::{
    Interval, RESAMPLES, improvement_interval, interquartile_mean, interval, median, probability_of_improvement,
};
use serde::Serialize;

/// The optimizer that others are compared with.
pub const BASELINE: &str = "cma-es";

/// Groups of runs on one task, side by side.
#[derive(Clone, Debug, Serialize)]
pub struct Comparison {
    pub task: String,
    /// The group that others are compared with, if there is one.
    pub baseline: Option<String>,
    /// Returns worth reaching, in ascending order.
    pub thresholds: Vec<Threshold>,
    pub groups: Vec<Entry>,
}

/// A return worth reaching, and its source.
#[derive(Clone, Debug, Serialize)]
pub struct Threshold {
    #[serde(rename = "return")]
    pub value: f64,
    pub what: String,
}

/// One group of runs that differ only in the seed.
#[derive(Clone, Debug, Serialize)]
pub struct Entry {
    pub label: String,
    pub optimizer: String,
    pub runs: usize,
    /// The number of runs with a final score. Only these count in the estimates.
    pub finished: usize,
    /// The number of those whose final policy broke the physics in some episode of its score. They lose against every
    /// other run.
    pub diverged: usize,
    /// The interquartile mean of the final held-out returns.
    pub iqm: Option<Estimate>,
    pub median: Option<Estimate>,
    /// What decides the order of the groups: the interquartile mean, in which a run whose physics broke down counts as minus
    /// infinity.
    #[serde(skip)]
    pub merit: Option<f64>,
    /// The probability that a run's final return exceeds one of the baseline's.
    pub improvement: Option<Estimate>,
    /// In the order of the thresholds.
    pub reached: Vec<Reached>,
}

/// A number and its 95% stratified bootstrap interval, which a single run does not have.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Estimate {
    pub value: f64,
    pub interval: Option<Interval>,
}

/// How many runs reached a threshold with their held-out return, and when.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Reached {
    #[serde(rename = "return")]
    pub threshold: f64,
    pub successes: usize,
    pub runs: usize,
    /// The median number of training episodes. A run that has not reached it counts as infinity, and `None` means that
    /// the median is infinite.
    pub episodes: Option<f64>,
    /// The training episodes that the runs may use.
    pub budget: u64,
}

impl Comparison {
    /// Compares groups of one task, as made by [`super::repetitions::group`].
    pub fn new(groups: &[Group]) -> Self {
        let task = groups.first().map_or(String::new(), |group| group.task.clone());
        let mut thresholds: Vec<Threshold> = groups
            .first()
            .map_or(Vec::new(), yardsticks)
            .into_iter()
            .map(|y| Threshold { value: y.value, what: y.what })
            .collect();
        thresholds.sort_by(|a, b| a.value.total_cmp(&b.value));
        let baseline = groups.iter().position(|group| group.optimizer == BASELINE);
        let scores: Vec<Vec<f64>> = groups.iter().map(scores).collect();
        let merits: Vec<Vec<f64>> = groups.iter().map(merits).collect();
        let entry = |(index, group): (usize, &Group)| {
            let improvement = baseline.filter(|base| *base != index);
            Entry {
                label: group.label.clone(),
                optimizer: group.optimizer.clone(),
                runs: group.runs.len(),
                finished: scores[index].len(),
                diverged: group.runs.iter().filter(|run| run.diverged).count(),
                iqm: estimate(&scores[index], interquartile_mean),
                median: estimate(&scores[index], median),
                merit: (!merits[index].is_empty()).then(|| interquartile_mean(&merits[index])),
                improvement: improvement.and_then(|base| improvement_over(&merits[index], &merits[base])),
                reached: thresholds.iter().map(|threshold| reached(group, threshold.value)).collect(),
            }
        };
        let entries = groups.iter().enumerate().map(entry).collect();
        Self { task, baseline: baseline.map(|at| groups[at].label.clone()), thresholds, groups: entries }
    }
}

/// Returns the final returns in ascending order, so that the order of seeds does not change the last bit of a sum.
fn scores(group: &Group) -> Vec<f64> {
    let mut scores: Vec<f64> = group.runs.iter().filter_map(|run| run.final_score).collect();
    scores.sort_by(f64::total_cmp);
    scores
}

/// The final returns as far as they decide which group is better: a run whose physics broke down loses.
fn merits(group: &Group) -> Vec<f64> {
    let merit = |run: &Run| run.final_score.map(|score| if run.diverged { f64::NEG_INFINITY } else { score });
    let mut merits: Vec<f64> = group.runs.iter().filter_map(merit).collect();
    merits.sort_by(f64::total_cmp);
    merits
}

fn estimate(scores: &[f64], statistic: fn(&[f64]) -> f64) -> Option<Estimate> {
    let bootstrap = || interval(&[scores.to_vec()], RESAMPLES, statistic);
    (!scores.is_empty()).then(|| Estimate { value: statistic(scores), interval: (scores.len() > 1).then(bootstrap) })
}

fn improvement_over(scores: &[f64], baseline: &[f64]) -> Option<Estimate> {
    let bootstrap = || improvement_interval(&[scores.to_vec()], &[baseline.to_vec()], RESAMPLES);
    let several = scores.len() > 1 && baseline.len() > 1;
    (!scores.is_empty() && !baseline.is_empty())
        .then(|| Estimate { value: probability_of_improvement(scores, baseline), interval: several.then(bootstrap) })
}

fn reached(group: &Group, threshold: f64) -> Reached {
    let episodes: Vec<f64> = group.runs.iter().map(|run| run.episodes_to(threshold).unwrap_or(f64::INFINITY)).collect();
    let middle = median(&episodes);
    let last = |run: &Run| run.rows.last().map_or(0, |row| row.episodes);
    Reached {
        threshold,
        successes: episodes.iter().filter(|episodes| episodes.is_finite()).count(),
        runs: group.runs.len(),
        episodes: middle.is_finite().then_some(middle),
        budget: group.settings().budget.unwrap_or_else(|| group.runs.iter().map(last).max().unwrap_or(0)),
    }
}
