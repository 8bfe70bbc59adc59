//! Our statistics agree with those of SciPy and rliable.

#![cfg(feature = "cli")]

mod common;

use common::data;
use locomotion::random::{Purpose, stream};
use locomotion::statistics::{
    RESAMPLES, improvement_interval, interquartile_mean, interval, mean, median, probability_of_improvement, quantile,
};
use rand::seq::SliceRandom;
use rand_distr::{Distribution, Normal};
use serde::Deserialize;

/// The content that tests/data/make_statistics.py wrote.
#[derive(Deserialize)]
struct Golden {
    samples: Vec<Sample>,
    bootstrap: Vec<Bootstrap>,
    improvement: Vec<Improvement>,
}

#[derive(Deserialize)]
struct Sample {
    values: Vec<f64>,
    quantiles: Vec<(f64, f64)>,
    iqm: f64,
}

#[derive(Deserialize)]
struct Bootstrap {
    strata: Vec<Vec<f64>>,
    iqm: Estimate,
    median: Estimate,
}

#[derive(Deserialize)]
struct Estimate {
    point: f64,
    low: f64,
    high: f64,
}

#[derive(Deserialize)]
struct Improvement {
    x: Vec<Vec<f64>>,
    y: Vec<Vec<f64>>,
    #[serde(flatten)]
    estimate: Estimate,
}

fn close(ours: f64, theirs: f64, part: f64) {
    assert!((ours - theirs).abs() <= part * theirs.abs().max(1e-300), "{ours} is not {theirs} within {part}");
}

#[test]
fn quantiles_and_interquartile_means_are_scipys() {
    for Sample { values, quantiles, iqm } in data::<Golden>("statistics.json").samples {
        quantiles.iter().for_each(|(p, expected)| close(quantile(&values, *p), *expected, 1e-12));
        close(interquartile_mean(&values), iqm, 1e-12);
    }
}

#[test]
fn bootstrap_intervals_are_rliables_within_two_percent() {
    let golden: Golden = data("statistics.json");
    for Bootstrap { strata, iqm, median: middle } in &golden.bootstrap {
        for (theirs, statistic) in [(iqm, interquartile_mean as fn(&[f64]) -> f64), (middle, median)] {
            close(statistic(&strata.concat()), theirs.point, 1e-12);
            let ours = interval(strata, RESAMPLES, statistic);
            close(ours.low, theirs.low, 0.02);
            close(ours.high, theirs.high, 0.02);
            // Two percent of a return would be generous, because returns are much larger than their spread.
            close(ours.high - ours.low, theirs.high - theirs.low, 0.05);
        }
    }
    for Improvement { x, y, estimate } in &golden.improvement {
        let each: Vec<f64> = x.iter().zip(y).map(|(x, y)| probability_of_improvement(x, y)).collect();
        close(mean(&each), estimate.point, 1e-12);
        let ours = improvement_interval(x, y, RESAMPLES);
        close(ours.low, estimate.low, 0.02);
        close(ours.high, estimate.high, 0.02);
    }
}

#[test]
fn the_order_of_seeds_changes_nothing() {
    let golden: Golden = data("statistics.json");
    let strata = &golden.bootstrap[2].strata;
    let mut shuffled = strata.clone();
    let mut random = stream(3, Purpose::Start, 0, 0);
    shuffled.iter_mut().for_each(|stratum| stratum.shuffle(&mut random));
    assert_ne!(&shuffled, strata);
    let both = [strata, &shuffled].map(|strata| interval(strata, 2000, interquartile_mean));
    assert_eq!(both[0], both[1]);
    assert_eq!(improvement_interval(strata, &shuffled, 500), improvement_interval(&shuffled, strata, 500));
}

#[test]
fn equal_runs_leave_no_doubt() {
    let equal = vec![vec![3.5; 7]];
    let certain = interval(&equal, 500, interquartile_mean);
    assert_eq!((certain.low, certain.high), (3.5, 3.5));
    assert_eq!(probability_of_improvement(&equal[0], &equal[0]), 0.5);
    assert_eq!(probability_of_improvement(&[2.0, 3.0], &[1.0, 1.5]), 1.0);
    let even = improvement_interval(&equal, &equal, 500);
    assert_eq!((even.low, even.high), (0.5, 0.5));
}

#[test]
fn improvement_and_its_opposite_add_up_to_one() {
    for Improvement { x, y, .. } in data::<Golden>("statistics.json").improvement {
        let there = probability_of_improvement(&x[0], &y[0]);
        let back = probability_of_improvement(&y[0], &x[0]);
        close(there + back, 1.0, 1e-15);
    }
}

/// A percentile bootstrap of 20 normal values is slightly too narrow: about 93% instead of 95%.
#[test]
fn intervals_cover_the_true_mean_about_as_often_as_they_say() {
    let normal = Normal::new(340.0, 20.0).unwrap();
    let covered = (0..400).filter(|&trial| {
        let mut random = stream(trial, Purpose::Start, 1, 0);
        let sample: Vec<f64> = (0..20).map(|_| normal.sample(&mut random)).collect();
        let ends = interval(&[sample], 400, mean);
        ends.low <= 340.0 && 340.0 <= ends.high
    });
    let part = covered.count() as f64 / 400.0;
    assert!((0.89..=0.97).contains(&part), "{part}");
}
