//! A search follows the landscape, not the coordinates or the units it is written in.

use crate::common::{ellipsoid, every_optimizer, losses, normal, trajectory};
use locomotion::optim::gaussian::Gaussian;
use locomotion::optim::syncma::{Adaptive, Exact};
use locomotion::optim::{Bounds, Optimizer, Settings, Variant};
use nalgebra::{DMatrix, DVector};

const N: usize = 6;
const GENERATIONS: usize = 60;

fn start() -> DVector<f64> {
    DVector::from_fn(N, |i, _| 1.5 - 0.4 * i as f64)
}

/// How far the search in shifted coordinates ends up from the shifted search.
fn error_after_shift(settings: &Settings, shift: f64) -> f64 {
    let mut here = settings.build(start()).unwrap();
    let bounds = match settings.bounds {
        Bounds::Clip { low, high } => Bounds::Clip { low: low + shift, high: high + shift },
        Bounds::None => Bounds::None,
    };
    let mut there = Settings { bounds, ..settings.clone() }.build(start().add_scalar(shift)).unwrap();
    let shifted = |x: &[f64]| ellipsoid(&x.iter().map(|v| v - shift).collect::<Vec<_>>());
    let (a, b) = (trajectory(&mut here, GENERATIONS, ellipsoid), trajectory(&mut there, GENERATIONS, shifted));
    a.iter().zip(&b).map(|(a, b)| (b.add_scalar(-shift) - a).amax()).fold(0.0, f64::max)
}

#[test]
fn translation_changes_nothing() {
    for (name, settings) in every_optimizer() {
        // TuRBO compares samples of a fitted model, so that rounding decides after a while: its test is the next.
        if settings.variant != Variant::Published && name != "turbo" {
            let error = error_after_shift(&settings, 5.0);
            assert!(error < 1e-11, "{name}: the shifted search strays by {error:e}");
        }
    }
}

/// Told the same losses to the last bit, TuRBO proposes the shifted candidates in the shifted box.
#[test]
fn translation_of_problem_and_box_changes_nothing_for_turbo() {
    let (_, settings) = every_optimizer().into_iter().find(|(name, _)| name == "turbo").unwrap();
    let bounds = Bounds::Clip { low: -5.0, high: 15.0 };
    let mut here = settings.build(start()).unwrap();
    let mut there = Settings { bounds, ..settings }.build(start().add_scalar(5.0)).unwrap();
    for _ in 0..25 {
        let candidates = here.ask();
        let error = (there.ask().add_scalar(-5.0) - &candidates).amax();
        assert!(error < 1e-11, "the shifted search strays by {error:e}");
        let loss = losses(&candidates, ellipsoid);
        here.tell(&loss);
        there.tell(&loss);
    }
}

#[test]
fn published_is_drawn_to_the_origin() {
    let settings = Settings { variant: Variant::Published, ..Settings::default() };
    let error = error_after_shift(&settings, 5.0);
    assert!(error > 0.1, "the printed equations have become translation invariant: error {error:e}");
}

#[test]
fn a_strictly_increasing_transformation_of_the_loss_changes_nothing() {
    for (name, settings) in every_optimizer() {
        // ARS steps along differences of returns, scaled by their deviation: invariant to affine maps only. TuRBO models
        // the values themselves.
        if ["ars", "turbo"].contains(&name.as_str()) {
            continue;
        }
        let transformed = |x: &[f64]| (ellipsoid(x) * 1e-3).ln_1p().cbrt();
        let mut plain = settings.build(start()).unwrap();
        let mut bent = settings.build(start()).unwrap();
        let a = trajectory(&mut plain, GENERATIONS, ellipsoid);
        let b = trajectory(&mut bent, GENERATIONS, transformed);
        assert_eq!(a, b, "{name}");
    }
}

#[test]
fn clipping_for_evaluation_is_invisible_to_a_search_inside_the_box() {
    for (name, settings) in every_optimizer() {
        let sigma = Some(0.1);
        let bounds = Bounds::Clip { low: -100.0, high: 100.0 };
        let mut search = Settings { sigma, bounds, ..settings.clone() }.build(start()).unwrap();
        for _ in 0..10 {
            let candidates = search.ask();
            assert_eq!(bounds.apply(candidates.clone()), candidates, "{name}");
            search.tell(&losses(&candidates, ellipsoid));
        }
    }
}

/// A search that starts from a Gaussian of any shape and can be told about candidates it has not drawn.
trait Shaped: Optimizer {
    fn from(gaussian: Gaussian) -> Self;
    fn learn(&mut self, candidates: &DMatrix<f64>, loss: &[f64]);
    fn gaussian(&self) -> &Gaussian;
}

macro_rules! shaped {
    ($($search:ty),*) => {$(
        impl Shaped for $search {
            fn from(gaussian: Gaussian) -> Self {
                <$search>::from_gaussian(&Settings::default(), gaussian).unwrap()
            }
            fn learn(&mut self, candidates: &DMatrix<f64>, loss: &[f64]) {
                <$search>::learn(self, candidates, loss);
            }
            fn gaussian(&self) -> &Gaussian {
                <$search>::gaussian(self)
            }
        }
    )*};
}
shaped!(Exact, Adaptive);

/// The largest relative error of mean and covariance after a search on f and one on f∘R⁻¹ have been told about the same
/// candidates, each in its own coordinates y = Rx.
fn error_after_affine_map<S: Shaped>(r: &DMatrix<f64>) -> f64 {
    let c0 = DMatrix::identity(N, N) * 0.25;
    let mut plain = S::from(Gaussian::new(start(), c0.clone()).unwrap());
    let mut mapped = S::from(Gaussian::new(r * start(), r * c0 * r.transpose()).unwrap());
    let mut worst: f64 = 0.0;
    for _ in 0..GENERATIONS {
        let candidates = plain.ask();
        let loss = losses(&candidates, ellipsoid);
        plain.tell(&loss);
        mapped.learn(&(r * candidates), &loss);
        let (m, c) = (r * &plain.gaussian().mean, r * plain.gaussian().covariance() * r.transpose());
        let mean = (&mapped.gaussian().mean - &m).norm() / plain.gaussian().sigma();
        let covariance = (mapped.gaussian().covariance() - &c).norm() / c.norm();
        worst = worst.max(mean).max(covariance);
    }
    worst
}

#[test]
fn rotation_and_any_affine_map_change_nothing() {
    let any = normal(N, N, 1) + DMatrix::identity(N, N) * 3.0;
    let rotation = any.clone().qr().q();
    for r in [rotation, any] {
        assert!(error_after_affine_map::<Exact>(&r) < 1e-9);
        assert!(error_after_affine_map::<Adaptive>(&r) < 1e-9);
    }
}

/// A lower triangular map takes a Cholesky factor to the Cholesky factor, so here even the draws are the mapped ones.
#[test]
fn a_triangular_map_takes_the_whole_search_along() {
    let r = normal(N, N, 2).lower_triangle() * 0.2 + DMatrix::identity(N, N);
    let inverse = r.clone().try_inverse().unwrap();
    let mut plain = Exact::from_gaussian(&Settings::default(), Gaussian::isotropic(start(), 0.5)).unwrap();
    let shape = &r * 0.25 * r.transpose();
    let mut mapped = Exact::from_gaussian(&Settings::default(), Gaussian::new(&r * start(), shape).unwrap()).unwrap();
    for _ in 0..GENERATIONS {
        let (x, y) = (plain.ask(), mapped.ask());
        assert!((&y - &r * &x).amax() < 1e-9);
        plain.tell(&losses(&x, ellipsoid));
        mapped.tell(&losses(&y, |y| ellipsoid((&inverse * DVector::from_row_slice(y)).as_slice())));
    }
}
