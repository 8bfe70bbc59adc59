//! The baselines are as good, and as bad, as the implementations the SynCMA paper compared with.
//!
//! Reference: pypop7 0.0.82 on the ten functions, n = 32, N = 64, σ = 0.1, start uniform in [-5,10]³², best value after 10,000
//! evaluations, quartiles of 11 seeds. Two searches that converge at the same rate may differ by decades in value, and two
//! that stand still by thousands of evaluations in when they got there. So a cell agrees if our median search reaches the
//! reference's median value within 1.25 × its evaluations either way, or if the median values are within 1.25 ×. Where the
//! reference itself scatters (random search, the two-natured Schaffer) ours has to lie between its quartiles.

use locomotion::optim::{Bounds, Optimizer, OptimizerKind, Settings, Variant};
use locomotion::problem::functions::Function;
use locomotion::random::{Purpose, stream};
use nalgebra::DVector;
use rand::RngExt;
use std::collections::BTreeMap;

const EVALUATIONS: usize = 10_000;
const FACTOR: f64 = 1.25;
const SEEDS: u64 = 11;

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Best value after 10,000 evaluations, and the evaluations to reach the goal if it took at most 1.25 times as many.
fn search(settings: &Settings, function: Function, goal: f64, seed: u64) -> (f64, f64) {
    let (low, high) = Function::START;
    let mut random = stream(seed, Purpose::Start, 0, 0);
    let start = DVector::from_fn(32, |_, _| random.random_range(low..high));
    let bounds = if settings.optimizer.needs_box() { Bounds::Clip { low, high } } else { Bounds::None };
    let mut search = Settings { bounds, seed, sigma: Some(0.1), ..settings.clone() }.build(start).unwrap();
    let (mut count, mut best, mut final_best, mut reached) = (0, f64::INFINITY, f64::INFINITY, f64::INFINITY);
    while (count as f64) < FACTOR * EVALUATIONS as f64 {
        let losses = crate::common::losses(&search.ask(), |x| function.value(x));
        for &loss in &losses {
            count += 1;
            best = best.min(loss);
            if best <= goal && reached.is_infinite() {
                reached = count as f64;
            }
            if count == EVALUATIONS {
                final_best = best;
            }
        }
        search.tell(&losses);
    }
    (final_best, reached)
}

fn assert_agrees(reference: &str, settings: &Settings) {
    let all: BTreeMap<String, BTreeMap<String, [f64; 3]>> =
        serde_json::from_str(include_str!("../data/baselines.json")).unwrap();
    let mut failures = Vec::new();
    for function in Function::ALL {
        let [low, middle, high] = all[reference][function.name()];
        let (values, counts) = (0..SEEDS).map(|seed| search(settings, function, middle, seed)).unzip();
        let (value, count) = (median(values), median(counts));
        let evaluations = EVALUATIONS as f64 / FACTOR <= count && count <= EVALUATIONS as f64 * FACTOR;
        let close = value / middle < FACTOR && middle / value < FACTOR;
        if !(evaluations || close || (low..=high).contains(&value)) {
            failures
                .push(format!("{}: {value:e} after {EVALUATIONS}, theirs {middle:e} after {count}", function.name()));
        }
    }
    assert!(failures.is_empty(), "{failures:#?}");
}

fn with_batch(optimizer: OptimizerKind) -> Settings {
    Settings { optimizer, batch: Some(64), ..Settings::default() }
}

#[test]
fn random_search_is_as_random() {
    assert_agrees("PRS", &with_batch(OptimizerKind::RandomSearch));
}

#[test]
fn annealing_is_as_cold() {
    assert_agrees("NSA", &Settings { optimizer: OptimizerKind::Annealing, ..Settings::default() });
}

#[test]
fn differential_evolution_is_as_slow() {
    assert_agrees("CDE", &with_batch(OptimizerKind::DifferentialEvolution));
}

#[test]
fn dd_cma_is_as_quick() {
    assert_agrees("DDCMA", &with_batch(OptimizerKind::DdCma));
}

#[test]
fn cma_es_is_as_quick() {
    assert_agrees("CMAES", &with_batch(OptimizerKind::CmaEs));
}

#[test]
fn published_is_as_drawn_to_the_origin() {
    let lambda0 = Some(2.0);
    assert_agrees("SynCMA", &Settings { variant: Variant::Published, lambda0, ..with_batch(OptimizerKind::SynCma) });
}
