//! Ten thousand generations of the worst losses leave a covariance that can be sampled, or a reason to stop.

use crate::common::{every_optimizer, generations, losses, normal};
use locomotion::optim::gaussian::Gaussian;
use locomotion::optim::syncma::{Adaptive, Exact};
use locomotion::optim::{AnyOptimizer, Optimizer, Settings, syncma::SynCma};
use nalgebra::DVector;

const N: usize = 6;
const GENERATIONS: u64 = 10_000;

fn flat(_: &[f64], _: u64) -> f64 {
    1.0
}

fn noise(x: &[f64], generation: u64) -> f64 {
    let key = x.iter().fold(generation, |key, v| key.wrapping_mul(31).wrapping_add(v.to_bits()));
    let signal: f64 = x.iter().map(|v| v * v).sum();
    signal * 1e-6 + normal(1, 1, key)[0]
}

fn ill_conditioned(x: &[f64], _: u64) -> f64 {
    x.iter().enumerate().map(|(i, v)| 1e12f64.powf(i as f64 / (N - 1) as f64) * v * v).sum()
}

fn failing(x: &[f64], generation: u64) -> f64 {
    let fate = (x[0].to_bits() ^ generation) % 4;
    [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, x[0]][fate as usize]
}

type Landscape = fn(&[f64], u64) -> f64;
const LANDSCAPES: [(&str, Landscape); 4] =
    [("flat", flat), ("noise", noise), ("ill-conditioned", ill_conditioned), ("failing", failing)];

fn gaussian(search: &AnyOptimizer) -> Option<&Gaussian> {
    match search {
        AnyOptimizer::SynCma(SynCma::Exact(search)) => Some(Exact::gaussian(search)),
        AnyOptimizer::SynCma(SynCma::Adaptive(search)) => Some(Adaptive::gaussian(search)),
        _ => None,
    }
}

#[test]
fn on_flat_noisy_ill_conditioned_and_failing_losses() {
    for (name, settings) in every_optimizer(N) {
        for (landscape, f) in LANDSCAPES {
            let mut search = settings.build(DVector::from_element(N, 1.0)).unwrap();
            for generation in 0..generations(&name, GENERATIONS) {
                if search.stop().is_some() {
                    break;
                }
                let candidates = search.ask();
                assert!(candidates.iter().all(|v| v.is_finite()), "{name} on {landscape}, generation {generation}");
                search.tell(&losses(&candidates, |x| f(x, generation)));
            }
            println!("{name} on {landscape}: {:?} {:?}", search.diagnostics(), search.stop());
            if let Some(gaussian) = gaussian(&search) {
                let c = gaussian.covariance();
                let what = format!("{name} on {landscape}: {:?}", search.stop());
                assert_eq!(c, c.transpose(), "{what}");
                assert!(c.clone().cholesky().is_some() || search.stop().is_some(), "{what}");
            }
        }
    }
}

#[test]
fn a_flat_loss_moves_nothing() {
    // `published` copies its reference. The others here remember the best point and have no mean that a flat loss could
    // move.
    let others = ["syncma published", "annealing", "differential-evolution", "random-search", "turbo"];
    for (name, settings) in every_optimizer(N).into_iter().filter(|(name, _)| !others.contains(&name.as_str())) {
        // This comes after some generations that did teach something.
        let mut search = settings.build(DVector::from_element(N, 1.0)).unwrap();
        let mut tell = |f: &dyn Fn(&[f64]) -> f64| {
            for _ in 0..100 {
                let candidates = search.ask();
                search.tell(&losses(&candidates, f));
            }
            (search.center(), search.diagnostics())
        };
        let (center, before) = tell(&|x| x.iter().map(|v| v * v).sum());
        for outcome in [1.0, f64::NAN, f64::INFINITY] {
            let (after, diagnostics) = tell(&|_| outcome);
            assert_eq!(after, center, "{name}");
            assert_eq!((diagnostics.sigma, diagnostics.condition), (before.sigma, before.condition), "{name}");
            assert!(diagnostics.generation > before.generation, "{name}: flat generations count");
        }
    }
}

#[test]
fn adaptive_solves_the_ill_conditioned_one() {
    let mut search = Settings::default().build(DVector::from_element(N, 1.0)).unwrap();
    for _ in 0..3000 {
        let candidates = search.ask();
        search.tell(&losses(&candidates, |x| ill_conditioned(x, 0)));
    }
    let loss = ill_conditioned(search.center().as_slice(), 0);
    assert!(loss < 1e-9, "{loss:e}, {:?} {:?}", search.diagnostics(), search.stop());
}

#[test]
fn extreme_settings_do_no_harm() {
    for lambda0 in [0.0, 1e-3, 50.0] {
        for (batch, n) in [(2, 3), (3, 1), (500, 2)] {
            for (name, settings) in every_optimizer(n) {
                let settings = Settings { lambda0: Some(lambda0), batch: Some(batch), ..settings }.only_used();
                let Ok(mut search) = settings.build(DVector::from_element(n, 1.0)) else {
                    // ARS and `steady` need pairs, differential evolution three others, TuRBO as many points to choose
                    // from.
                    let may_refuse = ["ars", "syncma steady", "differential-evolution", "turbo"];
                    assert!(may_refuse.contains(&name.as_str()), "{name}, batch {batch}, n {n}");
                    continue;
                };
                for _ in 0..generations(&name, 200) {
                    let candidates = search.ask();
                    assert!(candidates.iter().all(|v| v.is_finite()), "{name}, batch {batch}, n {n}");
                    search.tell(&losses(&candidates, |x| x.iter().map(|v| v * v).sum()));
                }
                assert!(
                    search.center().iter().all(|v| v.is_finite()),
                    "{name}, lambda0 {lambda0}, batch {batch}, n {n}"
                );
            }
        }
    }
}
