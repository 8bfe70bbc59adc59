//! The paper's 32-dimensional table, its cheap rows: evaluations `published` needs to reach 0.5.
//!
//! N = 64, start uniform in [-5,10]³², 10,000 evaluations; medians over 21 seeds, every evaluation counted.

use locomotion::optim::{Optimizer, Settings, Variant};
use locomotion::problem::functions::Function::{self, *};
use locomotion::random::{Purpose, stream};
use nalgebra::DVector;
use rand::RngExt;

fn evaluations_to(target: f64, function: Function, lambda0: f64, seed: u64) -> f64 {
    let mut random = stream(seed, Purpose::Start, 0, 0);
    let (low, high) = Function::START;
    let start = DVector::from_fn(32, |_, _| random.random_range(low..high));
    let variant = Variant::Published;
    let settings = Settings { variant, lambda0: Some(lambda0), batch: Some(64), seed, ..Settings::default() };
    let mut search = settings.build(start).unwrap();
    let mut evaluations = 0;
    while evaluations < 10_000 {
        let candidates = search.ask();
        let losses: Vec<f64> = candidates.column_iter().map(|x| function.value(x.as_slice())).collect();
        if let Some(first) = losses.iter().position(|&loss| loss <= target) {
            return (evaluations + first + 1) as f64;
        }
        evaluations += losses.len();
        search.tell(&losses);
    }
    f64::INFINITY
}

fn assert_median_within_15_percent(function: Function, lambda0: f64, printed: f64) {
    let mut evaluations: Vec<f64> = (0..21).map(|seed| evaluations_to(0.5, function, lambda0, seed)).collect();
    evaluations.sort_by(f64::total_cmp);
    let (median, name) = (evaluations[10], function.name());
    assert!((median / printed - 1.0).abs() < 0.15, "{name}: {median} evaluations, the paper prints {printed}");
}

#[test]
fn sphere() {
    assert_median_within_15_percent(Sphere, 2.0, 555.0);
}

#[test]
fn schwefel() {
    assert_median_within_15_percent(Schwefel221, 2.0, 519.0);
}

#[test]
fn different_powers() {
    assert_median_within_15_percent(DifferentPowers, 2.0, 519.0);
}

#[test]
fn ackley() {
    assert_median_within_15_percent(Ackley, 2.0, 2133.0);
}

#[test]
fn rastrigin() {
    assert_median_within_15_percent(Rastrigin, 2.0, 8758.0);
}
