//! TuRBO: its Gaussian process against the reference, its points and its trust region by their laws, and the search
//! against random search.

use crate::common::{losses, normal, trajectory};
use locomotion::benchmark::functions::Function;
use locomotion::optim::turbo::candidates::{Region, latin_hypercube, sobol};
use locomotion::optim::turbo::fit::fit;
use locomotion::optim::turbo::gp::{Gp, Hyper, log_marginal_likelihood};
use locomotion::optim::turbo::matern::exp_minus;
use locomotion::optim::turbo::trust::Trust;
use locomotion::optim::{AnyOptimizer, Bounds, Optimizer, OptimizerKind, Settings, StopReason};
use locomotion::random::{Purpose, stream};
use locomotion::statistics::median;
use nalgebra::{DMatrix, DVector};
use serde_json::Value;

/// golden/optim/gp_golden.json: scikit-learn's Gaussian process and SciPy's Sobol sequence.
fn golden() -> Value {
    serde_json::from_str(include_str!("../data/gp.json")).unwrap()
}

fn numbers(value: &Value) -> Vec<f64> {
    serde_json::from_value(value.clone()).unwrap()
}

/// The rows as columns.
fn columns(value: &Value) -> DMatrix<f64> {
    let columns: Vec<DVector<f64>> = value.as_array().unwrap().iter().map(|row| numbers(row).into()).collect();
    DMatrix::from_columns(&columns)
}

/// Points, values and hyperparameters of the reference.
fn problem() -> (DMatrix<f64>, DVector<f64>, Hyper) {
    let golden = golden();
    let number = |name: &str| golden[name].as_f64().unwrap();
    let hyper = Hyper {
        outputscale: number("outputscale"),
        lengthscales: numbers(&golden["lengthscales"]).into(),
        noise: number("noise"),
        mean: number("mean"),
    };
    (columns(&golden["x"]), numbers(&golden["y"]).into(), hyper)
}

#[test]
fn likelihood_gradient_and_posterior_are_the_references() {
    let ((x, y, hyper), golden) = (problem(), golden());
    let (value, gradient) = log_marginal_likelihood(&x, &y, &hyper).unwrap();
    assert!((value - golden["log_marginal_likelihood"].as_f64().unwrap()).abs() < 1e-8);
    let theirs = numbers(&golden["gradient"]);
    assert_eq!(gradient.len(), theirs.len() + 1, "ours has the constant mean, too");
    for (k, (ours, theirs)) in gradient.iter().zip(&theirs).enumerate() {
        assert!((ours - theirs).abs() < 1e-8, "parameter {k}: {ours} instead of {theirs}");
    }
    let (mean, mut covariance) = Gp::new(&x, &y, hyper).unwrap().posterior(&columns(&golden["at"]), 0.0);
    covariance.fill_upper_triangle_with_lower_triangle();
    assert!((mean - DVector::from(numbers(&golden["posterior_mean"]))).amax() < 1e-8);
    assert!((covariance - columns(&golden["posterior_covariance"])).amax() < 1e-8);
}

#[test]
fn the_gradient_is_the_slope_of_the_likelihood() {
    let (d, n) = (5, 40);
    let x = normal(d, n, 3).map(|v| (0.3 * v + 0.5).clamp(0.0, 1.0));
    let y = normal(n, 1, 4).column(0).into_owned();
    let at: Vec<f64> = normal(d + 3, 1, 5).iter().map(|v| 0.5 * v - 1.0).collect();
    let evaluate = |p: &[f64]| {
        let lengthscales = DVector::from_fn(d, |k, _| p[k + 1].exp());
        let hyper = Hyper { outputscale: p[0].exp(), lengthscales, noise: p[d + 1].exp(), mean: p[d + 2] };
        log_marginal_likelihood(&x, &y, &hyper).unwrap()
    };
    let gradient = evaluate(&at).1;
    for k in 0..at.len() {
        let ends = [1e-5, -1e-5].map(|h| {
            let mut p = at.clone();
            p[k] += h;
            evaluate(&p).0
        });
        let slope = (ends[0] - ends[1]) / 2e-5;
        assert!((slope - gradient[k]).abs() < 1e-6 * slope.abs().max(1.0), "{k}: {} for {slope}", gradient[k]);
    }
}

/// The values depend on the first coordinate alone.
#[test]
fn a_fit_finds_the_coordinate_that_matters() {
    let x = latin_hypercube(4, 60, &mut stream(1, Purpose::Bootstrap, 0, 0));
    let y = DVector::from_iterator(60, x.row(0).iter().map(|v| (6.0 * v).sin()));
    let (hyper, evaluations) = fit(&x, &y);
    assert!(evaluations <= 50);
    assert!(hyper.lengthscales[0] < 1.0, "{}", hyper.lengthscales);
    assert!(hyper.lengthscales.iter().skip(1).all(|&l| l > 1.5), "{}", hyper.lengthscales);
    assert!(hyper.lengthscales.iter().all(|l| (0.005..=2.0 + 1e-12).contains(l)));
    assert!((0.05..=20.0 + 1e-12).contains(&hyper.outputscale) && hyper.noise < 1e-3);

    // No step along a single parameter is more likely.
    let best = log_marginal_likelihood(&x, &y, &hyper).unwrap().0;
    for factor in [0.8, 1.25] {
        let mut lengthscales = hyper.lengthscales.clone();
        lengthscales[0] *= factor;
        let outputscale = hyper.outputscale * factor;
        for step in [Hyper { lengthscales, ..hyper.clone() }, Hyper { outputscale, ..hyper.clone() }] {
            assert!(log_marginal_likelihood(&x, &y, &step).unwrap().0 < best);
        }
    }
}

/// At the paper's start, far apart in many dimensions, every point is uncorrelated with every other.
#[test]
fn a_fit_in_a_hundred_dimensions_finds_a_slope_to_follow() {
    let (d, n) = (100, 150);
    let x = latin_hypercube(d, n, &mut stream(4, Purpose::Bootstrap, 0, 0));
    let y = DVector::from_iterator(n, x.column_iter().map(|u| u.rows(0, 5).sum()));
    let y = y.add_scalar(-y.mean()) / y.variance().sqrt();
    let strangers = Hyper { outputscale: 1.0, lengthscales: DVector::repeat(d, 0.5), noise: 5e-3, mean: 0.0 };
    let at = |hyper: &Hyper| log_marginal_likelihood(&x, &y, hyper).unwrap().0 / n as f64;
    let (fitted, start) = (at(&fit(&x, &y).0), at(&strangers));
    assert!(fitted > start + 0.2, "{fitted} after {start}");
}

#[test]
fn sobol_points_without_a_shift_are_the_references() {
    let golden = golden();
    assert_eq!(sobol(8, &[0; 8]), columns(&golden["sobol_8"]));
    let row = sobol(4, &[0; 888]).column(3).into_owned();
    let ends: Vec<f64> = row.iter().take(5).chain(row.iter().skip(883)).copied().collect();
    assert_eq!(ends, numbers(&golden["sobol_888_row_3_first_5_last_5"]));
    assert_eq!(sobol(2, &[0; 1500]), DMatrix::from_fn(1500, 2, |_, j| 0.5 * j as f64));
}

/// In every coordinate, there is one of the first 2^k points in each interval of length 2^-k.
#[test]
fn a_digital_shift_keeps_sobol_points_evenly_spread() {
    let shift = [0x89ab_cdef, 0x1234_5678, 1, u32::MAX];
    let points = sobol(64, &shift);
    assert_ne!(points, sobol(64, &[0; 4]));
    for row in points.row_iter() {
        for k in 0..=6 {
            let n = 1 << k;
            let mut hit: Vec<usize> = row.iter().take(n).map(|v| (v * n as f64) as usize).collect();
            hit.sort_unstable();
            assert_eq!(hit, (0..n).collect::<Vec<_>>());
        }
    }
}

#[test]
fn a_latin_hypercube_has_one_point_in_every_interval_of_every_coordinate() {
    let points = latin_hypercube(5, 14, &mut stream(2, Purpose::Bootstrap, 0, 0));
    for row in points.row_iter() {
        let mut hit: Vec<usize> = row.iter().map(|v| (v * 14.0) as usize).collect();
        hit.sort_unstable();
        assert_eq!(hit, (0..14).collect::<Vec<_>>());
    }
    assert_ne!(points.row(0), points.row(1));
}

/// Sides are L times the length scale over its geometric mean, cut at the cube, and about 20 coordinates move.
#[test]
fn candidates_move_a_few_coordinates_inside_the_region() {
    let d = 80;
    let lengthscales = DVector::from_fn(d, |k, _| if k % 2 == 0 { 0.5 } else { 2.0 });
    let center = DVector::from_fn(d, |k, _| if k < 40 { 0.5 } else { 0.95 });
    let region = Region::new(center.clone(), &lengthscales, 0.2);
    for (k, side) in region.sides.iter().enumerate() {
        let full = if k % 2 == 0 { 0.1 } else { 0.4 };
        let expected = if k < 40 { full } else { 0.5 * full + 0.05 };
        assert!((side - expected).abs() < 1e-12, "{k}: {side}");
    }
    let candidates = region.candidates(500, &mut stream(3, Purpose::Bootstrap, 0, 0));
    let mut moved = 0;
    for x in candidates.column_iter() {
        assert_ne!(x, center);
        for k in 0..d {
            let half = if k % 2 == 0 { 0.05 } else { 0.2 };
            assert!((x[k] - center[k]).abs() <= half + 1e-12 && (0.0..=1.0).contains(&x[k]));
        }
        moved += (0..d).filter(|&k| x[k] != center[k]).count();
    }
    assert!((18.0..22.0).contains(&(moved as f64 / 500.0)));
}

/// d = 10 and b = 4: three batches in a row without success halve L, and three with success double it.
#[test]
fn the_region_doubles_after_successes_and_halves_after_failures() {
    let mut trust = Trust::new(10, 4);
    let points = DMatrix::zeros(10, 4);
    trust.learn(&points, &[100.0, 101.0, 102.0, 103.0]);
    let mut lengths = |best: &[f64]| {
        let judged = best.iter().map(|&best| {
            trust.judge(&points, &[200.0, best, f64::NAN, 150.0]);
            trust.length
        });
        judged.collect::<Vec<_>>()
    };
    assert_eq!(lengths(&[99.0, 98.0, 97.0]), [0.8, 0.8, 1.6]);
    // A gain below a thousandth does not count. L is at its maximum.
    assert_eq!(lengths(&[96.0, 95.95, 95.9, 90.0, 80.0, 70.0]), [1.6; 6]);
    assert_eq!(lengths(&[69.99, 70.0, 71.0, 60.0, 70.0, 70.0, f64::NAN]), [1.6, 1.6, 0.8, 0.8, 0.8, 0.8, 0.4]);
    let halvings = lengths(&[70.0; 15]);
    assert_eq!(halvings[14], 0.0125);
    assert!(!trust.is_exhausted());
    (0..3).for_each(|_| trust.judge(&points, &[70.0; 4]));
    assert!(trust.is_exhausted(), "{} is below 2^-7", trust.length);
}

#[test]
fn a_failed_candidate_is_modeled_as_the_worst_that_did_not_fail() {
    let mut trust = Trust::new(1, 2);
    let points = DMatrix::from_row_slice(1, 6, &[0.1, 0.2, 0.3, 0.4, 0.5, 0.6]);
    trust.learn(&points, &[3.0, f64::NAN, 1.0, f64::INFINITY, 5.0, f64::NEG_INFINITY]);
    let (x, y) = trust.data();
    assert_eq!(x, points);
    // For 3, 5, 1, 5, 5, 5 the median is 5 and the variance 14 / 6.
    let expected = [3.0, 5.0, 1.0, 5.0, 5.0, 5.0].map(|v: f64| (v - 5.0) / (14f64 / 6.0).sqrt());
    assert!((y - DVector::from_row_slice(&expected)).amax() < 1e-15);
    assert_eq!(trust.center()[0], 0.3);
}

/// In the box [-5, 10], from a point far from any function's minimum.
fn build(optimizer: OptimizerKind, d: usize, batch: usize, seed: u64) -> AnyOptimizer {
    let bounds = Bounds::Clip { low: -5.0, high: 10.0 };
    let settings = Settings { optimizer, bounds, batch: Some(batch), seed, ..Settings::default() };
    settings.build(DVector::repeat(d, 7.0)).unwrap()
}

fn turbo(d: usize, batch: usize, seed: u64) -> AnyOptimizer {
    build(OptimizerKind::Turbo, d, batch, seed)
}

#[test]
fn the_start_is_the_first_candidate_and_every_candidate_is_in_the_box() {
    let mut search = turbo(3, 4, 0);
    assert!((search.ask().column(0).add_scalar(-7.0)).amax() < 1e-14);
    for _ in 0..12 {
        let candidates = search.ask();
        assert_eq!(candidates.shape(), (3, 4));
        assert!(candidates.iter().all(|v| (-5.0..=10.0).contains(v)));
        search.tell(&losses(&candidates, |x| -x.iter().sum::<f64>()));
    }
    assert!(search.center().min() > 9.5, "the corner is best: {}", search.center());
}

/// A quarter of the space fails, or all of it.
#[test]
fn failures_do_not_poison_the_model() {
    let mut search = turbo(4, 4, 1);
    let mut hopeless = turbo(4, 4, 1);
    for _ in 0..20 {
        let candidates = search.ask();
        let fails = |x: &[f64]| x[0] < 0.5 && x[1] < 0.5;
        search.tell(&losses(&candidates, |x| if fails(x) { f64::NAN } else { Function::Sphere.value(x) }));
        let candidates = hopeless.ask();
        assert!(candidates.iter().all(|v| v.is_finite()));
        hopeless.tell(&[f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e200]);
    }
    let least = Function::Sphere.value(search.center().as_slice());
    assert!(least < 0.6, "{least}, where 0.25 is possible");
}

/// 120 evaluations in 8 dimensions, median of 3 seeds. It is several hundred times better on the sphere, and the test
/// asks for 10.
#[test]
fn it_beats_random_search_by_far() {
    let best = |optimizer| {
        let bests = [0, 1, 2].map(|seed| {
            let mut search = build(optimizer, 8, 8, seed);
            trajectory(&mut search, 15, |x| Function::Sphere.value(x));
            Function::Sphere.value(search.center().as_slice())
        });
        median(&bests)
    };
    let (ours, random) = (best(OptimizerKind::Turbo), best(OptimizerKind::RandomSearch));
    assert!(10.0 * ours < random, "{ours} against {random}");
}

/// A loss in other units is the same loss, and powers of two do not even round.
#[test]
fn the_unit_of_the_loss_does_not_matter() {
    let (mut here, mut there) = (turbo(4, 3, 2), turbo(4, 3, 2));
    for _ in 0..12 {
        let candidates = here.ask();
        assert_eq!(candidates, there.ask());
        let loss = losses(&candidates, |x| Function::Rosenbrock.value(x));
        here.tell(&loss);
        there.tell(&loss.iter().map(|v| v / 1024.0).collect::<Vec<_>>());
    }
}

/// On a flat loss every region shrinks away and another takes its place, until the search has used up its evaluations.
#[test]
fn it_restarts_and_ends_after_5000_evaluations() {
    let mut search = turbo(1, 10, 0);
    let mut whole = 0;
    for generation in 0..500 {
        assert_eq!(search.stop(), None, "generation {generation}");
        search.ask();
        whole += usize::from(search.diagnostics().sigma == 15.0 / 12f64.sqrt());
        search.tell(&[1.0; 10]);
    }
    assert_eq!(search.stop(), Some(StopReason::EvaluationLimit(5000)));
    assert!(whole > 20, "{whole} generations of a design");
}

#[test]
fn what_it_cannot_do_is_refused() {
    let refused = |settings: Settings, d| settings.build(DVector::zeros(d)).expect_err("accepted").field();
    let bounds = Bounds::Clip { low: -1.0, high: 1.0 };
    let plain = Settings { optimizer: OptimizerKind::Turbo, bounds, ..Settings::default() };
    assert_eq!(refused(Settings { bounds: Bounds::None, ..plain.clone() }, 3), "bounds");
    assert_eq!(refused(Settings { batch: Some(301), ..plain.clone() }, 3), "batch");
    assert_eq!(refused(plain.clone(), 21_202), "mean");
    assert_eq!(plain.build(DVector::zeros(16)).unwrap().ask().ncols(), 12);
}

#[test]
fn the_kernels_exponential_is_exact_to_rounding() {
    for k in 0..20_000 {
        let r = 0.035 * k as f64;
        let (ours, exact) = (exp_minus(r), (-r).exp());
        assert!((ours - exact).abs() <= 1e-15 * exact, "r = {r}: {ours:e} instead of {exact:e}");
    }
    assert!(exp_minus(f64::MAX) < 1e-300 && exp_minus(0.0) == 1.0);
}
