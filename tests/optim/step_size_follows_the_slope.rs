//! The step size of `adaptive` and `matrix` grows on a slope, shrinks at the bottom, and stays the same on pure noise.

use crate::common::{losses, normal};
use locomotion::optim::{AnyOptimizer, Optimizer, Settings, Variant};
use nalgebra::DVector;

const VARIANTS: [Variant; 2] = [Variant::Adaptive, Variant::Matrix];

/// Uses a matrix of two rows, for the variant that cares.
fn search(variant: Variant, n: usize, batch: Option<usize>, seed: u64) -> AnyOptimizer {
    Settings { variant, batch, seed, shape: Some((2, n / 2)), ..Settings::default() }
        .build(DVector::from_element(n, 1.0))
        .unwrap()
}

/// The factor by which sigma has changed after this many generations.
fn change(mut search: AnyOptimizer, generations: u64, f: impl Fn(&[f64], u64) -> f64) -> f64 {
    let before = search.diagnostics().sigma;
    for generation in 0..generations {
        let candidates = search.ask();
        search.tell(&losses(&candidates, |x| f(x, generation)));
    }
    search.diagnostics().sigma / before
}

#[test]
fn it_grows_on_a_slope() {
    for (n, variant) in [2, 20].into_iter().flat_map(|n| VARIANTS.map(|variant| (n, variant))) {
        assert!(change(search(variant, n, None, 0), 60, |x, _| x[0]) > 100.0);
    }
}

#[test]
fn it_shrinks_at_the_bottom() {
    for (n, variant) in [2, 20].into_iter().flat_map(|n| VARIANTS.map(|variant| (n, variant))) {
        assert!(change(search(variant, n, None, 0), 400, |x, _| x.iter().map(|v| v * v).sum()) < 1e-3);
    }
}

/// The step size of one search is a random walk there. On average over searches it stays the same.
#[test]
fn it_stays_on_pure_noise() {
    const SEARCHES: u64 = 12;
    let adaptive = [(10, 10), (40, 20), (40, 100)].map(|(n, batch)| (Variant::Adaptive, n, batch));
    let matrix = [(40, 20), (40, 100)].map(|(n, batch)| (Variant::Matrix, n, batch));
    for (variant, n, batch) in adaptive.into_iter().chain(matrix) {
        let noise = |seed: u64| move |x: &[f64], generation: u64| normal(1, 1, x[0].to_bits() ^ generation ^ seed)[0];
        let changes = (0..SEARCHES).map(|seed| change(search(variant, n, Some(batch), seed), 300, noise(seed)));
        let drift = changes.map(f64::ln).sum::<f64>() / SEARCHES as f64;
        println!("{variant:?}, n {n}, N {batch}: sigma drifts by a factor of {}", drift.exp());
        assert!(drift.abs() < 1.2, "{variant:?}, n {n}, N {batch}: sigma drifts by a factor of {}", drift.exp());
    }
}
