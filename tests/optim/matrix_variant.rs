//! The variant `matrix` is moment matching on matrix Gaussians: exact, invariant, sound, and `adaptive` where W is a
//! row.

use crate::common::{ellipsoid, losses, normal, trajectory};
use locomotion::optim::gaussian::Normal;
use locomotion::optim::invigo::WeightedSample;
use locomotion::optim::matrix_gaussian::MatrixGaussian;
use locomotion::optim::syncma::Matrix;
use locomotion::optim::syncma::matrix::{MatrixMemory, MatrixPenalty, update_gaussian};
use locomotion::optim::weights::{Weights, ranking};
use locomotion::optim::{Optimizer, Settings, Variant};
use nalgebra::{DMatrix, DVector};

const P: usize = 2;
const Q: usize = 3;
const BATCH: usize = 12;

fn settings(shape: (usize, usize)) -> Settings {
    Settings { variant: Variant::Matrix, shape: Some(shape), ..Settings::default() }
}

fn positive_definite(n: usize, seed: u64) -> DMatrix<f64> {
    let root = normal(n, n + 2, seed);
    &root * root.transpose() / n as f64
}

/// A Gaussian of a small matrix without any symmetry, and a weighted sample of it, as points and as deviations.
fn example() -> (MatrixGaussian, Vec<DMatrix<f64>>, Vec<f64>, WeightedSample) {
    let mean = DVector::from_fn(P * Q, |i, _| 1.0 - 0.3 * i as f64);
    let p = MatrixGaussian::new(mean, positive_definite(P, 1), positive_definite(Q, 2)).unwrap();
    let d = p.deviations(BATCH, 5, 0);
    let order = ranking(&losses(&p.points(&d), ellipsoid));
    let weights = Weights::new(BATCH).positive;
    let sample = WeightedSample::select(&d, &order, &weights);
    let chosen = order.iter().take(weights.len());
    (p, chosen.map(|&i| matrix(&d.column(i).into())).collect(), weights, sample)
}

/// The p × q matrix that a search vector stands for, row by row.
fn matrix(x: &DVector<f64>) -> DMatrix<f64> {
    DMatrix::from_row_slice(P, Q, x.as_slice())
}

fn covariance(p: &MatrixGaussian) -> DMatrix<f64> {
    p.rows().kronecker(&p.columns())
}

/// The same penalty for everything except the mean.
fn alike(eta: f64) -> MatrixPenalty {
    MatrixPenalty { mean: 0.0, size: eta, rows: eta, columns: eta }
}

fn relative(a: &DMatrix<f64>, b: &DMatrix<f64>) -> f64 {
    (a - b).norm() / b.norm()
}

/// What the covariance must match: the old one with weight eta, and the weighted points, about their common mean.
struct Mixture {
    eta: f64,
    old: (DMatrix<f64>, DMatrix<f64>),
    deviations: Vec<(f64, DMatrix<f64>)>,
}

impl Mixture {
    fn new(p: &MatrixGaussian, points: &[DMatrix<f64>], weights: &[f64], eta: f64) -> Self {
        let chosen = || weights.iter().copied().zip(points);
        let center = chosen().map(|(w, d)| d * w).sum::<DMatrix<f64>>() / (eta + 1.0);
        let mut deviations: Vec<_> = chosen().map(|(w, d)| (w, d - &center)).collect();
        deviations.push((eta, center)); // the old mean, seen from the common one
        Self { eta, old: (p.rows(), p.columns()), deviations }
    }

    /// Σ w_k KL(q_k ‖ N(·, A ⊗ B)) up to a constant, from the covariance of the mixture in all its dimensions.
    fn divergence(&self, a: &DMatrix<f64>, b: &DMatrix<f64>) -> f64 {
        let flat = |d: &DMatrix<f64>| DVector::from_column_slice(d.transpose().as_slice());
        let points = self.deviations.iter().map(|(w, d)| flat(d) * flat(d).transpose() * *w).sum::<DMatrix<f64>>();
        let full = a.kronecker(b);
        let old = self.old.0.kronecker(&self.old.1) * self.eta;
        let inverse = full.clone().try_inverse().unwrap();
        ((inverse * (old + points)).trace() + (self.eta + 1.0) * full.determinant().ln()) / 2.0
    }

    /// Solves the two equations of moment matching in turns.
    fn solve(&self) -> (DMatrix<f64>, DMatrix<f64>) {
        let (mut a, mut b) = self.old.clone();
        for _ in 0..300 {
            let inverse = b.clone().try_inverse().unwrap();
            let points = self.deviations.iter().map(|(w, d)| d * &inverse * d.transpose() * *w).sum::<DMatrix<f64>>();
            a = (&self.old.0 * (self.eta * (&inverse * &self.old.1).trace()) + points) / (Q as f64 * (self.eta + 1.0));
            let inverse = a.clone().try_inverse().unwrap();
            let points = self.deviations.iter().map(|(w, d)| d.transpose() * &inverse * d * *w).sum::<DMatrix<f64>>();
            b = (&self.old.1 * (self.eta * (&inverse * &self.old.0).trace()) + points) / (P as f64 * (self.eta + 1.0));
        }
        (a, b)
    }

    /// How the divergence changes with every symmetric change of A and of B, relative to their own shape.
    fn gradient(&self, a: &DMatrix<f64>, b: &DMatrix<f64>) -> f64 {
        let roots = (a.clone().cholesky().unwrap().l(), b.clone().cholesky().unwrap().l());
        let along = |root: &DMatrix<f64>, i: usize, j: usize, step: f64| {
            let mut middle = DMatrix::identity(root.nrows(), root.nrows());
            middle[(i, j)] += step;
            middle[(j, i)] += step;
            root * middle * root.transpose()
        };
        let slope = |f: &dyn Fn(f64) -> f64| ((f(1e-5) - f(-1e-5)) / 2e-5).abs();
        let rows = (0..P * P).map(|k| slope(&|step| self.divergence(&along(&roots.0, k / P, k % P, step), b)));
        let columns = (0..Q * Q).map(|k| slope(&|step| self.divergence(a, &along(&roots.1, k / Q, k % Q, step))));
        rows.chain(columns).fold(0.0, f64::max)
    }
}

#[test]
fn the_two_equations_are_solved_where_the_divergence_is_least() {
    let (p, points, weights, _) = example();
    for eta in [0.5, 10.0] {
        let mixture = Mixture::new(&p, &points, &weights, eta);
        let (a, b) = mixture.solve();
        assert!(mixture.gradient(&p.rows(), &p.columns()) > 0.1, "nothing to learn");
        assert!(mixture.gradient(&a, &b) < 1e-7, "eta {eta}: {:e}", mixture.gradient(&a, &b));
    }
}

/// One sweep at the old factors is the natural gradient step: what it leaves out shrinks with the square of the rate.
#[test]
fn one_sweep_is_the_solution_up_to_second_order_and_lessens_the_divergence() {
    let (old, points, weights, sample) = example();
    for eta in [1.0, 10.0, 100.0, 1000.0] {
        let mixture = Mixture::new(&old, &points, &weights, eta);
        let (a, b) = mixture.solve();
        let mut p = old.clone();
        update_gaussian(&mut p, &mut MatrixMemory::empty((P, Q), 0.0), &sample, alike(eta), 1.0).unwrap();
        let (here, there, before) = (covariance(&p), a.kronecker(&b), covariance(&old));
        let missed = (here - &there).norm() / (there - before).norm();
        assert!(missed < 1.0 / eta, "eta {eta}: the step misses {missed} of the way");
        let divergence = |a: &DMatrix<f64>, b: &DMatrix<f64>| mixture.divergence(a, b);
        assert!(divergence(&p.rows(), &p.columns()) < divergence(&old.rows(), &old.columns()));
    }
}

/// Fed with the same points again and again, the search distribution becomes their most likely matrix Gaussian.
#[test]
fn repeated_on_one_sample_the_update_finds_its_maximum_likelihood() {
    let (mut p, points, weights, _) = example();
    let (start, mixture) = (p.mean.clone(), Mixture::new(&p, &points, &weights, 0.0));
    let x: Vec<_> = points.iter().map(|d| DVector::from_column_slice(d.transpose().as_slice()) + &start).collect();
    for _ in 0..600 {
        let d = p.deviations_of(&DMatrix::from_columns(&x));
        let order: Vec<usize> = (0..weights.len()).collect();
        let sample = WeightedSample::select(&d, &order, &weights);
        update_gaussian(&mut p, &mut MatrixMemory::empty((P, Q), 0.0), &sample, alike(5.0), 1.0).unwrap();
    }
    let (a, b) = mixture.solve();
    assert!(relative(&covariance(&p), &a.kronecker(&b)) < 1e-8);
    assert!(mixture.gradient(&p.rows(), &p.columns()) < 1e-7);
}

#[test]
fn a_single_row_is_searched_as_adaptive_does() {
    let start = DVector::from_fn(7, |i, _| 1.5 - 0.4 * i as f64);
    for (batch, lambda0, eta_c) in [(None, None, None), (Some(60), Some(0.0), None), (Some(6), None, Some(20.0))] {
        let adaptive = Settings { batch, lambda0, eta_c, ..Settings::default() };
        let silent = Settings { variant: Variant::Matrix, ..adaptive.clone() };
        let given = Settings { shape: Some((1, 7)), ..silent.clone() };
        let expected = trajectory(&mut adaptive.build(start.clone()).unwrap(), 80, ellipsoid);
        for settings in [silent, given] {
            let mut search = settings.build(start.clone()).unwrap();
            for (here, there) in trajectory(&mut search, 80, ellipsoid).iter().zip(&expected) {
                assert!((here - there).amax() < 1e-9, "strays by {:e}", (here - there).amax());
            }
        }
    }
}

/// y = PWQ, told about the mapped candidates, ends with the mapped mean, A and B.
#[test]
fn linear_maps_of_rows_and_of_columns_change_nothing() {
    let (p, q) = (3, 4);
    let any = |n: usize, seed| normal(n, n, seed) + DMatrix::identity(n, n) * 2.0;
    let (left, right) = (any(p, 1), any(q, 2));
    let map = left.kronecker(&right.transpose()); // rows of PWQ, one after the other
    let start = DVector::from_fn(p * q, |i, _| 1.5 - 0.2 * i as f64);
    let (a, b) = (positive_definite(p, 3), positive_definite(q, 4));
    let mapped = (&left * &a * left.transpose(), right.transpose() * &b * &right);
    let search = |gaussian| Matrix::from_gaussian(&Settings::default(), gaussian).unwrap();
    let mut plain = search(MatrixGaussian::new(start.clone(), a, b).unwrap());
    let mut there = search(MatrixGaussian::new(&map * start, mapped.0, mapped.1).unwrap());
    for generation in 0..60 {
        let candidates = plain.ask();
        let loss = losses(&candidates, ellipsoid);
        plain.tell(&loss);
        there.learn(&(&map * candidates), &loss);
        let (here, there) = (plain.gaussian(), there.gaussian());
        let mean = (&map * &here.mean - &there.mean).norm() / here.sigma();
        let covariance = relative(&(&map * covariance(here) * map.transpose()), &covariance(there));
        assert!(mean < 1e-9 && covariance < 1e-9, "generation {generation}: {mean:e}, {covariance:e}");
    }
}

#[test]
fn candidates_have_the_covariance_that_the_factors_say() {
    let p = MatrixGaussian::new(DVector::zeros(P * Q), positive_definite(P, 1), positive_definite(Q, 2)).unwrap();
    let d = p.deviations(200_000, 1, 0);
    let sampled = &d * d.transpose() / d.ncols() as f64;
    assert!(relative(&sampled, &covariance(&p)) < 0.02);
    let white = DMatrix::from_columns(&(0..1000).map(|i| p.whiten(&d.column(i).into())).collect::<Vec<_>>());
    let inverse = covariance(&p).try_inverse().unwrap();
    for (white, d) in white.column_iter().zip(d.column_iter()) {
        let length = (d.transpose() * &inverse * d)[0];
        assert!((white.norm_squared() - length).abs() < 1e-9 * length);
    }
}

#[test]
fn both_factors_stay_positive_definite() {
    let landscapes: [fn(&[f64], u64) -> f64; 4] = [
        |_, _| 1.0,
        |x, _| x[0],
        |x, t| normal(1, 1, x.iter().fold(t, |key, v| key.wrapping_mul(31) ^ v.to_bits()))[0],
        |x, _| x.iter().enumerate().map(|(i, v)| 10f64.powi(i as i32) * v * v).sum(),
    ];
    for (shape, batch) in [((3, 4), None), ((12, 1), None), ((2, 6), Some(2)), ((4, 3), Some(300))] {
        for f in landscapes {
            let settings = Settings { batch, ..settings(shape) };
            let mut search = Matrix::new(&settings, DVector::from_element(12, 1.0)).unwrap();
            let generations = if batch == Some(300) { 500 } else { 5000 };
            for generation in 0..generations {
                if search.stop().is_some() {
                    break;
                }
                let candidates = search.ask();
                search.tell(&losses(&candidates, |x| f(x, generation)));
                let p = search.gaussian();
                assert!(p.rows().cholesky().is_some() && p.columns().cholesky().is_some(), "{shape:?} {generation}");
                let size = p.rows().determinant();
                assert!((size - 1.0).abs() < 1e-4 || p.condition() > 1e8, "{shape:?}: A has a size of {size}");
            }
        }
    }
}

/// tr(H_A W H_B Wᵀ) with rotated H_A and H_B of condition 10 and 1000: what the factors can learn, and what they gain.
#[test]
fn a_quadratic_of_rows_and_columns_is_learned_faster_than_without_a_matrix() {
    let (p, q) = (6, 17);
    let hessian = |n: usize, condition: f64, seed| {
        let turn = normal(n, n, seed).qr().q();
        let axes = DVector::from_fn(n, |i, _| condition.powf(i as f64 / (n - 1) as f64));
        &turn * DMatrix::from_diagonal(&axes) * turn.transpose()
    };
    let (rows, columns) = (hessian(p, 10.0, 1), hessian(q, 1000.0, 2));
    let loss = |x: &[f64]| {
        let w = DMatrix::from_row_slice(p, q, x);
        (&rows * &w * &columns).dot(&w)
    };
    let after = |settings: Settings| {
        let batch = Some(20);
        let mut search =
            Settings { batch, sigma: Some(0.3), ..settings }.build(DVector::from_element(p * q, 1.0)).unwrap();
        trajectory(&mut search, 200, loss).last().map(|x| loss(x.as_slice())).unwrap()
    };
    let (ours, full) = (after(settings((p, q))), after(Settings::default()));
    let isotropic = after(Settings { eta_c: Some(1e12), ..Settings::default() });
    println!("after 4,000 evaluations: matrix {ours:.3e}, adaptive {full:.3e}, isotropic {isotropic:.3e}");
    assert!(ours < 0.3 * full && ours < 0.3 * isotropic, "matrix {ours:e}, adaptive {full:e}, isotropic {isotropic:e}");
}
