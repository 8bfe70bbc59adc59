//! On functions whose optimum is not at the origin, `adaptive` is at least about as good as CMA-ES.
//!
//! n = 32, N = 64, 10,000 evaluations, optimum uniform in [-3,3]³², start uniform in [-5,10]³², the same start and σ0
//! for both: a small σ0 of 0.1, and 0.3 times the width of the starting box. The medians of the best loss are compared.

use locomotion::benchmark::functions::Function::{self, *};
use locomotion::optim::{Optimizer, OptimizerKind, Settings};
use locomotion::random::{Purpose, stream};
use nalgebra::DVector;
use rand::RngExt;

const N: usize = 32;
const SEEDS: u64 = 7;

fn best(function: Function, optimizer: OptimizerKind, sigma: f64, seed: u64) -> f64 {
    let mut random = stream(seed, Purpose::Start, 0, 0);
    let start = DVector::from_fn(N, |_, _| random.random_range(-5.0..10.0));
    let optimum = DVector::from_fn(N, |_, _| random.random_range(-3.0..3.0));
    let settings = Settings { optimizer, sigma: Some(sigma), batch: Some(64), seed, ..Settings::default() };
    let mut search = settings.build(start).unwrap();
    let mut best = f64::INFINITY;
    for _ in 0..10_000 / 64 {
        let candidates = search.ask();
        let moved = candidates.column_iter().map(|x| (x - &optimum).add_scalar(function.argmin()));
        let loss: Vec<f64> = moved.map(|x| function.value(x.as_slice())).collect();
        best = loss.iter().copied().fold(best, f64::min);
        search.tell(&loss);
    }
    best
}

fn median(function: Function, optimizer: OptimizerKind, sigma: f64) -> f64 {
    let mut all: Vec<f64> = (0..SEEDS).map(|seed| best(function, optimizer, sigma, seed)).collect();
    all.sort_by(f64::total_cmp);
    all[all.len() / 2]
}

/// The best loss of `adaptive` relative to that of CMA-ES.
fn assert_ratio_at_most(limit: f64, function: Function) {
    for sigma in [0.1, 4.5] {
        let ours = median(function, OptimizerKind::SynCma, sigma);
        let theirs = median(function, OptimizerKind::CmaEs, sigma);
        println!("{} from sigma {sigma}: {ours:.3e}, CMA-ES {theirs:.3e}", function.name());
        assert!(ours <= limit * theirs, "{} from sigma {sigma}: {ours:e}, CMA-ES {theirs:e}", function.name());
    }
}

#[test]
fn better_on_discus() {
    assert_ratio_at_most(1.0, Discus);
}

#[test]
fn within_a_factor_of_two_on_the_others() {
    for function in [Sphere, Schwefel221, Rastrigin, Ackley, Rosenbrock] {
        assert_ratio_at_most(2.0, function);
    }
}
