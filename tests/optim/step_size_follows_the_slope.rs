//! The step size of `adaptive` grows on a slope, shrinks at the bottom, and stays where there is only noise.

use crate::common::{losses, normal};
use locomotion::optim::{AnyOptimizer, Optimizer, Settings};
use nalgebra::DVector;

fn search(n: usize, batch: Option<usize>, seed: u64) -> AnyOptimizer {
    Settings { batch, seed, ..Settings::default() }.build(DVector::from_element(n, 1.0)).unwrap()
}

/// By which factor sigma has changed after this many generations.
fn change(mut search: AnyOptimizer, generations: u64, f: impl Fn(&[f64], u64) -> f64) -> f64 {
    let before = search.vitals().sigma;
    for generation in 0..generations {
        let candidates = search.ask();
        search.tell(&losses(&candidates, |x| f(x, generation)));
    }
    search.vitals().sigma / before
}

#[test]
fn it_grows_on_a_slope() {
    for n in [2, 20] {
        assert!(change(search(n, None, 0), 60, |x, _| x[0]) > 100.0);
    }
}

#[test]
fn it_shrinks_at_the_bottom() {
    for n in [2, 20] {
        assert!(change(search(n, None, 0), 400, |x, _| x.iter().map(|v| v * v).sum()) < 1e-3);
    }
}

/// One search's step size is a random walk there; on average over searches it goes nowhere.
#[test]
fn it_stays_on_pure_noise() {
    const SEARCHES: u64 = 12;
    for (n, batch) in [(10, 10), (40, 20), (40, 100)] {
        let noise = |seed: u64| move |x: &[f64], generation: u64| normal(1, 1, x[0].to_bits() ^ generation ^ seed)[0];
        let changes = (0..SEARCHES).map(|seed| change(search(n, Some(batch), seed), 300, noise(seed)));
        let drift = changes.map(f64::ln).sum::<f64>() / SEARCHES as f64;
        assert!(drift.abs() < 1.2, "n {n}, N {batch}: sigma drifts by a factor of {}", drift.exp());
    }
}
