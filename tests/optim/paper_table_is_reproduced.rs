//! The cheap rows of the paper's 32-dimensional table: the evaluations that `published` needs to reach 0.5.
//!
//! N = 64, start uniform in [-5,10]³², 10,000 evaluations; medians over 21 seeds, every evaluation counted.

use locomotion::benchmark::Trial;
use locomotion::benchmark::functions::Function::{self, *};
use locomotion::benchmark::{Description, Synthetic, paper};
use locomotion::statistics::median;
use std::sync::atomic::AtomicBool;

fn evaluations_to_target(function: Function, seed: u64) -> f64 {
    let trial = Trial {
        program: "",
        problem: Description::Synthetic(Synthetic { function, dim: paper::DIM, moved: false, rotated: false }),
        contestant: paper::CONTESTANTS[0].parse().unwrap(),
        batch: Some(64),
        sigma: paper::SIGMA,
        budget: paper::BUDGET,
        target: Some(paper::TARGET),
        seed,
    };
    let outcome = trial.run(&AtomicBool::new(false)).unwrap().unwrap();
    outcome.reached.map_or(f64::INFINITY, |evaluations| evaluations as f64)
}

fn assert_median_within_15_percent(function: Function) {
    let paper::Evaluations::Median(printed) = paper::printed(function).evaluations else { panic!("not printed") };
    let evaluations: Vec<f64> = (0..21).map(|seed| evaluations_to_target(function, seed)).collect();
    let (median, name) = (median(&evaluations), function.name());
    assert!((median / printed - 1.0).abs() < 0.15, "{name}: {median} evaluations, the paper prints {printed}");
}

#[test]
fn sphere() {
    assert_median_within_15_percent(Sphere);
}

#[test]
fn discus() {
    assert_median_within_15_percent(Discus);
}

#[test]
fn schwefel() {
    assert_median_within_15_percent(Schwefel221);
}

#[test]
fn different_powers() {
    assert_median_within_15_percent(DifferentPowers);
}

#[test]
fn ackley() {
    assert_median_within_15_percent(Ackley);
}

#[test]
fn rastrigin() {
    assert_median_within_15_percent(Rastrigin);
}
