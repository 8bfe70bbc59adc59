//! A search follows the landscape, not the coordinates or the units it is written in.

use crate::common::{ellipsoid, every_optimizer, losses, normal, trajectory};
use locomotion::optim::cma_es::{CmaConstants, CmaEs};
use locomotion::optim::dd_cma::DdCma;
use locomotion::optim::gaussian::{Gaussian, Normal};
use locomotion::optim::syncma::{Adaptive, Exact, Published, Steady};
use locomotion::optim::tr_cma::{TrCma, TrState};
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
    for (name, settings) in every_optimizer(N) {
        // TuRBO compares samples of a fitted model, so after a while rounding decides. The next test is for TuRBO.
        if settings.variant != Variant::Published && name != "turbo" {
            let error = error_after_shift(&settings, 5.0);
            assert!(error < 1e-11, "{name}: the shifted search strays by {error:e}");
        }
    }
}

/// Told the same losses to the last bit, TuRBO proposes the shifted candidates in the shifted box.
#[test]
fn translation_of_problem_and_box_changes_nothing_for_turbo() {
    let (_, settings) = every_optimizer(N).into_iter().find(|(name, _)| name == "turbo").unwrap();
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
    for (name, settings) in every_optimizer(N) {
        // ARS steps along differences of returns, scaled by their deviation, so it is invariant only to affine maps.
        // Annealing accepts candidates by differences, and TuRBO models the values themselves.
        if ["ars", "annealing", "turbo"].contains(&name.as_str()) {
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
    for (name, settings) in every_optimizer(N) {
        if name == "differential-evolution" {
            continue; // fills the whole box, and mixes members to points beyond it
        }
        let sigma = Some(0.1);
        let bounds = Bounds::Clip { low: -100.0, high: 100.0 };
        let mut search = Settings { sigma, bounds, ..settings.clone() }.only_used().build(start()).unwrap();
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
    /// The distribution that candidates are drawn from.
    fn gaussian(&self) -> Gaussian;
}

macro_rules! shaped {
    ($($search:ty: $from:expr, $gaussian:expr;)*) => {$(
        impl Shaped for $search {
            fn from(gaussian: Gaussian) -> Self {
                $from(gaussian)
            }
            fn learn(&mut self, candidates: &DMatrix<f64>, loss: &[f64]) {
                <$search>::learn(self, candidates, loss);
            }
            fn gaussian(&self) -> Gaussian {
                $gaussian(self)
            }
        }
    )*};
}

fn tr_cma(shape: Gaussian) -> TrCma {
    let zero = DVector::zeros(N);
    let state = TrState { shape, variance: 1.0, p_c: zero.clone(), p_s: zero };
    TrCma::from_state(&Settings::default(), state).unwrap()
}

fn cma_es(gaussian: Gaussian) -> CmaEs {
    CmaEs::with_constants(CmaConstants::tutorial(N, 9), gaussian.mean.clone(), 1.0, gaussian.covariance(), 0)
}

shaped! {
    Exact: |gaussian| Exact::from_gaussian(&Settings::default(), gaussian).unwrap(), |s: &Exact| s.gaussian().clone();
    Adaptive: |gaussian| Adaptive::from_gaussian(&Settings::default(), gaussian).unwrap(), |s: &Adaptive| s.gaussian().clone();
    Steady: |gaussian: Gaussian| {
        let settings = Settings { sigma: Some(gaussian.sigma()), ..Settings::default() };
        Steady::new(&settings, gaussian.mean).unwrap()
    }, |s: &Steady| Gaussian::isotropic(s.center(), s.diagnostics().sigma);
    TrCma: tr_cma, |s: &TrCma| {
        let TrState { shape, variance, .. } = s.state();
        Gaussian::new(shape.mean.clone(), shape.covariance() * *variance).unwrap()
    };
    CmaEs: cma_es, |s: &CmaEs| Gaussian::new(s.center(), s.covariance() * s.sigma().powi(2)).unwrap();
    Published: |gaussian: Gaussian| Published::new(&Settings::default(), gaussian.mean).unwrap(), |s: &Published| {
        Gaussian::new(s.state().m.clone(), s.state().c.clone()).unwrap()
    };
    DdCma: |gaussian: Gaussian| {
        let scale = gaussian.covariance().diagonal().map(f64::sqrt);
        DdCma::scaled(&Settings::default(), gaussian.mean, scale).unwrap()
    }, |s: &DdCma| {
        let s = s.state();
        let root = DMatrix::from_diagonal(&s.d) * &s.root * s.sigma;
        Gaussian::new(s.mean.clone(), &root * root.transpose()).unwrap()
    };
}

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
        let (here, there) = (plain.gaussian(), mapped.gaussian());
        let (m, c) = (r * &here.mean, r * here.covariance() * r.transpose());
        let mean = (&there.mean - &m).norm() / here.sigma();
        let covariance = (there.covariance() - &c).norm() / c.norm();
        worst = worst.max(mean).max(covariance);
    }
    worst
}

#[test]
fn rotation_and_any_affine_map_change_nothing() {
    let any = normal(N, N, 1) + DMatrix::identity(N, N) * 3.0;
    let rotation = any.clone().qr().q();
    for r in [&rotation, &any] {
        assert!(error_after_affine_map::<Exact>(r) < 1e-9);
        assert!(error_after_affine_map::<Adaptive>(r) < 1e-9);
        assert!(error_after_affine_map::<TrCma>(r) < 1e-9);
    }
    // CMA-ES sums its step-size path in coordinates whitened by the symmetric root of C, which maps other than
    // rotations turn from one generation to the next. So rotations are the only linear maps that it follows.
    assert!(error_after_affine_map::<CmaEs>(&rotation) < 1e-9);
    assert!(error_after_affine_map::<Steady>(&rotation) < 1e-9); // its Gaussian is round and stays so
    assert!(error_after_affine_map::<Published>(&rotation) < 1e-9); // about the origin, which it knows
    assert!(error_after_affine_map::<CmaEs>(&any) > 1e-3);
}

#[test]
fn dd_cma_follows_every_scaling_of_the_coordinates_but_no_rotation() {
    let scaling = DMatrix::from_diagonal(&DVector::from_fn(N, |i, _| 10f64.powi(i as i32 - 2)));
    assert!(error_after_affine_map::<DdCma>(&scaling) < 1e-9);
    let rotation = normal(N, N, 1).qr().q();
    assert!(error_after_affine_map::<DdCma>(&rotation) > 1e-3, "its diagonal has lost its axes");
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
