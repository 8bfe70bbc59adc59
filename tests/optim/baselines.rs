//! The baselines are as good, and as bad, as the implementations the SynCMA paper compared with.
//!
//! Reference: pypop7 0.0.82 on the ten functions, n = 32, N = 64, σ = 0.1, start uniform in [-5,10]³², best value after
//! 10,000 evaluations, quartiles of 11 seeds. Two searches that converge at the same rate may differ by decades in
//! value, and two stalled searches may reach the same value thousands of evaluations apart. So a cell agrees if our median
//! search reaches the reference's median value within 1.25 × its evaluations either way, or if the median values are
//! within 1.25 ×. Where the reference itself scatters (random search, the bimodal Schaffer) ours has to lie between
//! its quartiles.

use locomotion::benchmark::Trial;
use locomotion::benchmark::{Description, Function, Synthetic, counts, paper};
use locomotion::statistics::median;
use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;

const FACTOR: f64 = 1.25;
const SEEDS: u64 = 11;

/// The best value after the paper's 10,000 evaluations, and the evaluations to the goal if it took at most 1.25 times
/// as many.
fn search(contestant: &str, function: Function, goal: f64, seed: u64) -> (f64, f64) {
    let contestant: locomotion::benchmark::Contestant = contestant.parse().unwrap();
    let budget = (FACTOR * paper::BUDGET as f64) as u64;
    let trial = Trial {
        program: "",
        problem: Description::Synthetic(Synthetic { function, dim: paper::DIM, moved: false, rotated: false }),
        batch: locomotion::benchmark::usual_batch(&contestant, paper::DIM),
        contestant,
        sigma: paper::SIGMA,
        budget,
        target: Some(goal),
        seed,
    };
    let outcome = trial.run(&AtomicBool::new(false)).unwrap().unwrap();
    let at = counts(budget).iter().position(|&count| count == paper::BUDGET).unwrap();
    (outcome.curve[at].unwrap(), outcome.reached.map_or(f64::INFINITY, |evaluations| evaluations as f64))
}

fn assert_agrees(reference: &str, contestant: &str) {
    let all: BTreeMap<String, BTreeMap<String, [f64; 3]>> =
        serde_json::from_str(include_str!("../data/baselines.json")).unwrap();
    let (theirs, mut failures) = (paper::BUDGET as f64, Vec::new());
    for function in Function::ALL {
        let [low, middle, high] = all[reference][function.name()];
        let (values, counts): (Vec<f64>, Vec<f64>) =
            (0..SEEDS).map(|seed| search(contestant, function, middle, seed)).unzip();
        let (value, count) = (median(&values), median(&counts));
        let evaluations = (theirs / FACTOR..=theirs * FACTOR).contains(&count);
        let close = value / middle < FACTOR && middle / value < FACTOR;
        let scatters = reference == "PRS" || function == Function::Schaffer;
        if !(evaluations || close || (scatters && (low..=high).contains(&value))) {
            failures.push(format!("{}: {value:e} after {theirs}, theirs {middle:e} after {count}", function.name()));
        }
    }
    assert!(failures.is_empty(), "{failures:#?}");
}

#[test]
fn random_search_is_as_random() {
    assert_agrees("PRS", "random-search");
}

#[test]
fn annealing_is_as_cold() {
    assert_agrees("NSA", "annealing");
}

#[test]
fn differential_evolution_is_as_slow() {
    assert_agrees("CDE", "differential-evolution");
}

#[test]
fn dd_cma_is_as_quick() {
    assert_agrees("DDCMA", "dd-cma");
}

#[test]
fn cma_es_is_as_quick() {
    assert_agrees("CMAES", "cma-es");
}

#[test]
fn published_is_as_drawn_to_the_origin() {
    assert_agrees("SynCMA", "syncma:published:2");
}
