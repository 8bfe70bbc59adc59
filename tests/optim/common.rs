//! What several tests of the optimizers share.
#![allow(dead_code)]

use locomotion::optim::{AnyOptimizer, Bounds, Optimizer, OptimizerKind, Settings, Variant};
use locomotion::random::{Purpose, stream};
use nalgebra::{DMatrix, DVector};
use rand_distr::{Distribution, StandardNormal};

/// Every optimizer of the registry, SynCMA in each of its variants, for n coordinates that may be a matrix.
pub fn every_optimizer(n: usize) -> Vec<(String, Settings)> {
    let rows = (2..=n).find(|rows| n.is_multiple_of(*rows)).unwrap_or(1);
    let plain = |optimizer: OptimizerKind| {
        let bounds = if optimizer.needs_box() { Bounds::Clip { low: -10.0, high: 10.0 } } else { Bounds::None };
        // A model costs the cube of the number of evaluations, so there are few of them.
        let batch = (optimizer == OptimizerKind::Turbo).then_some(2);
        (optimizer.name().to_string(), Settings { optimizer, bounds, batch, ..Settings::default() })
    };
    let variant = |variant: Variant| {
        let shape = (variant == Variant::Matrix).then_some((rows, n / rows));
        (format!("syncma {}", variant.name()), Settings { variant, shape, ..Settings::default() })
    };
    let others = OptimizerKind::ALL.into_iter().filter(|&kind| kind != OptimizerKind::SynCma).map(plain);
    Variant::ALL.into_iter().map(variant).chain(others).collect()
}

/// This many generations, or fewer if each one costs more than the one before.
pub fn generations(name: &str, many: u64) -> u64 {
    if name == "turbo" { many.min(20) } else { many }
}

pub fn losses(candidates: &DMatrix<f64>, f: impl Fn(&[f64]) -> f64) -> Vec<f64> {
    candidates.column_iter().map(|x| f(x.as_slice())).collect()
}

/// Asks, evaluates and tells this many times, and returns the center after each.
pub fn trajectory(search: &mut AnyOptimizer, generations: usize, f: impl Fn(&[f64]) -> f64) -> Vec<DVector<f64>> {
    (0..generations)
        .map(|_| {
            let candidates = search.ask();
            search.tell(&losses(&candidates, &f));
            search.center()
        })
        .collect()
}

/// Standard normal numbers that are unrelated to any search.
pub fn normal(rows: usize, columns: usize, seed: u64) -> DMatrix<f64> {
    let mut random = stream(seed, Purpose::Bootstrap, 0, 0);
    DMatrix::from_fn(rows, columns, |_, _| StandardNormal.sample(&mut random))
}

/// A quadratic with axes of different lengths.
pub fn ellipsoid(x: &[f64]) -> f64 {
    x.iter().enumerate().map(|(i, v)| 3f64.powi(i as i32) * v * v).sum()
}
