//! Measures how far a statistic of a few seeds can be trusted, by stratified percentile bootstrap as in rliable
//! (Agarwal et al. 2021).
//!
//! A stratum is a task. Values are resampled within strata, never across them. Strata are sorted first and the random
//! stream is counter-based, so an interval depends only on the values, and not on the order of seeds or on earlier
//! computations.

use super::{mean, probability_of_improvement, quantile};
use crate::random::{Purpose, stream};
use rand::{Rng, RngExt};
use serde::Serialize;

/// rliable's default. It determines the ends of an interval to about 1% of its width.
pub const RESAMPLES: usize = 50_000;

/// A 95% interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Interval {
    pub low: f64,
    pub high: f64,
}

/// Returns the interval of a statistic of the values of all strata together.
pub fn interval(strata: &[Vec<f64>], resamples: usize, statistic: impl Fn(&[f64]) -> f64) -> Interval {
    let strata = sorted(strata);
    let mut random = stream(0, Purpose::Bootstrap, 0, 0);
    let mut drawn = Vec::new();
    percentiles(resamples, || {
        drawn.clear();
        strata.iter().for_each(|stratum| redraw(stratum, &mut random, &mut drawn));
        statistic(&drawn)
    })
}

/// Returns the interval of the probability that `x` is better than `y`, averaged over strata.
pub fn improvement_interval(x: &[Vec<f64>], y: &[Vec<f64>], resamples: usize) -> Interval {
    let (x, y) = (sorted(x), sorted(y));
    let mut random = stream(0, Purpose::Bootstrap, 1, 0);
    let (mut drawn_x, mut drawn_y) = (Vec::new(), Vec::new());
    percentiles(resamples, || {
        let better = x.iter().zip(&y).map(|(x, y)| {
            drawn_x.clear();
            drawn_y.clear();
            redraw(x, &mut random, &mut drawn_x);
            redraw(y, &mut random, &mut drawn_y);
            probability_of_improvement(&drawn_x, &drawn_y)
        });
        mean(&better.collect::<Vec<_>>())
    })
}

fn sorted(strata: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let mut strata = strata.to_vec();
    strata.iter_mut().for_each(|stratum| stratum.sort_by(f64::total_cmp));
    strata
}

/// Appends as many values as the stratum has, drawn from it with replacement.
fn redraw(stratum: &[f64], random: &mut impl Rng, drawn: &mut Vec<f64>) {
    drawn.extend((0..stratum.len()).map(|_| stratum[random.random_range(0..stratum.len())]));
}

fn percentiles(resamples: usize, draw: impl FnMut() -> f64) -> Interval {
    let mut draw = draw;
    let values: Vec<f64> = (0..resamples).map(|_| draw()).collect();
    Interval { low: quantile(&values, 0.025), high: quantile(&values, 0.975) }
}
