//! The recursion of `invigo` is what it claims to be: the minimizer of a discounted sum of Kullback-Leibler
//! divergences.

use crate::common::{ellipsoid, losses};
use locomotion::optim::gaussian::{Gaussian, Normal};
use locomotion::optim::invigo::{self, Memory, Penalty, WeightedSample};
use locomotion::optim::syncma::adaptive;
use locomotion::optim::weights::{Weights, ranking};
use nalgebra::{DMatrix, DVector};

const N: usize = 5;
const BATCH: usize = 12;
const ETA: Penalty = Penalty { mean: 7.0, covariance: 15.0 };

fn start() -> Gaussian {
    Gaussian::isotropic(DVector::from_fn(N, |i, _| 2.0 - i as f64), 0.7)
}

/// The points of one generation and their weights, in rank order.
fn select(p: &Gaussian, generation: u64) -> (DMatrix<f64>, Vec<f64>, WeightedSample) {
    let d = p.deviations(BATCH, 3, generation);
    let x = p.points(&d);
    let order = ranking(&losses(&x, ellipsoid));
    let weights = Weights::new(BATCH).positive;
    let q = WeightedSample::select(&d, &order, &weights);
    (x.select_columns(&order[..weights.len()]), weights, q)
}

fn relative(a: &DMatrix<f64>, b: &DMatrix<f64>) -> f64 {
    (a - b).norm() / b.norm()
}

/// The moments of a set of weighted points and weighted Gaussians, summed directly.
#[derive(Default)]
struct Mixture(Vec<(f64, DVector<f64>, DMatrix<f64>)>);

impl Mixture {
    fn weight(&self) -> f64 {
        self.0.iter().map(|(w, ..)| w).sum()
    }
    fn mean(&self) -> DVector<f64> {
        self.0.iter().map(|(w, m, _)| m * *w).sum::<DVector<f64>>() / self.weight()
    }
    fn covariance_about(&self, m: &DVector<f64>) -> DMatrix<f64> {
        let spread = |(w, a, c): &(f64, DVector<f64>, DMatrix<f64>)| (c + (a - m) * (a - m).transpose()) * *w;
        self.0.iter().map(spread).sum::<DMatrix<f64>>() / self.weight()
    }
}

/// Points, one per column, and their weights.
type Generation = (DMatrix<f64>, Vec<f64>);

/// The old Gaussian with weight eta, and every point of all generations with its weight, which decays with age.
fn whole_history(eta: f64, old: &(DVector<f64>, DMatrix<f64>), history: &[Generation], decay: f64) -> Mixture {
    let mut mixture = Mixture::default();
    mixture.0.push((eta, old.0.clone(), old.1.clone()));
    for (tau, (x, weights)) in history.iter().rev().enumerate() {
        for (x, w) in x.column_iter().zip(weights) {
            mixture.0.push((w * decay.powi(tau as i32), x.into(), DMatrix::zeros(N, N)));
        }
    }
    mixture
}

#[test]
fn the_recursion_equals_the_sum_over_the_whole_stored_history() {
    for lambda0 in [0.0, 0.5, 2.0, 7.3] {
        let decay: f64 = lambda0 / (lambda0 + 1.0);
        let (mut p, mut memory) = (start(), Memory::empty(N, lambda0));
        let mut history: Vec<Generation> = Vec::new();
        for t in 0..50 {
            let (x, weights, q) = select(&p, t);
            history.push((x, weights));
            let old = (p.mean.clone(), p.covariance());
            invigo::update(&mut p, &mut memory, &q, ETA).unwrap();

            let m = whole_history(ETA.mean, &old, &history, decay).mean();
            let c = whole_history(ETA.covariance, &old, &history, decay).covariance_about(&m);
            assert!((&p.mean - &m).norm() / m.norm() < 1e-10);
            assert!(relative(&p.covariance(), &c) < 1e-10);
        }
        let expected = (0..50).fold(0.0, |h, _| decay * (h + 1.0));
        assert!((memory.weight - expected).abs() < 1e-12);
    }
}

/// The paper's path form with its history terms corrected: s_m, s_c and the corrections Q1, Q2 (Q3 = 0), Q taken at m'.
struct PathForm {
    lambda0: f64,
    m: DVector<f64>,
    c: DMatrix<f64>,
    s_m: DVector<f64>,
    s_c: DVector<f64>,
    q1: DMatrix<f64>,
    q2: DVector<f64>,
}

impl PathForm {
    fn update(&mut self, q: &WeightedSample) {
        let lambda = self.lambda0 / (self.lambda0 + 1.0);
        let (zeta, alpha) = (lambda.sqrt(), (1.0 - lambda).sqrt());
        let (z_m, z_c) = (ETA.mean + self.lambda0 + 1.0, ETA.covariance + self.lambda0 + 1.0);
        let square = |v: &DVector<f64>| v * v.transpose();
        let (d_w, s_w) = (&q.mean, &q.root * q.root.transpose());
        let (s_hat, d_hat) = (&self.s_c + &self.m, d_w + &self.m);

        let beta = (d_w + &self.s_m * self.lambda0) / z_m;
        self.m += &beta;
        let history = &self.q1 + &self.q2 * self.m.transpose() + &self.m * self.q2.transpose();
        self.c = ((&self.c + square(&beta)) * ETA.covariance
            + square(&(&self.s_c - &beta)) * self.lambda0
            + &s_w
            + square(&(d_w - &beta))
            + history)
            / z_c;

        self.s_m = &self.s_m * lambda + d_w * (1.0 - lambda) - beta;
        self.s_c = &s_hat * zeta + &d_hat * alpha - &self.m;
        let cross = &d_hat * s_hat.transpose();
        self.q1 = (&self.q1 + s_w) * lambda - (&cross + cross.transpose()) * (self.lambda0 * alpha * zeta);
        self.q2 = &self.q2 * lambda - (s_hat * (zeta * (zeta - 1.0)) + d_hat * (alpha * (alpha - 1.0))) * self.lambda0;
    }
}

#[test]
fn the_corrected_path_form_is_the_mixture_started_from_a_point() {
    let lambda0 = 2.0;
    let mut p = start();
    let mut memory = Memory { weight: lambda0, ..Memory::empty(N, lambda0) };
    let (zero, zeros) = (DVector::zeros(N), DMatrix::zeros(N, N));
    let (m, c) = (p.mean.clone(), p.covariance());
    let mut path = PathForm { lambda0, m, c, s_m: zero.clone(), s_c: zero.clone(), q1: zeros, q2: zero };
    for t in 0..60 {
        let (_, _, q) = select(&p, t);
        invigo::update(&mut p, &mut memory, &q, ETA).unwrap();
        path.update(&q);
    }
    assert!((&p.mean - &path.m).norm() / path.m.norm() < 1e-9);
    assert!(relative(&p.covariance(), &path.c) < 1e-9);
}

/// Coordinates for Gaussians in two dimensions: two for the mean, three for the covariance.
struct Coordinates {
    name: &'static str,
    to_covariance: fn(&[f64]) -> DMatrix<f64>,
    from_covariance: fn(&DMatrix<f64>) -> [f64; 3],
}

fn symmetric(v: &[f64]) -> DMatrix<f64> {
    DMatrix::from_row_slice(2, 2, &[v[0], v[1], v[1], v[2]])
}

fn spectral(a: &DMatrix<f64>, f: fn(f64) -> f64) -> DMatrix<f64> {
    let eigen = a.clone().symmetric_eigen();
    &eigen.eigenvectors * DMatrix::from_diagonal(&eigen.eigenvalues.map(f)) * eigen.eigenvectors.transpose()
}

const COORDINATES: [Coordinates; 3] = [
    Coordinates { name: "C", to_covariance: symmetric, from_covariance: |c| [c[(0, 0)], c[(0, 1)], c[(1, 1)]] },
    Coordinates {
        name: "L",
        to_covariance: |v| {
            let l = DMatrix::from_row_slice(2, 2, &[v[0], 0.0, v[1], v[2]]);
            &l * l.transpose()
        },
        from_covariance: |c| {
            let l = c.clone().cholesky().unwrap().l();
            [l[(0, 0)], l[(1, 0)], l[(1, 1)]]
        },
    },
    Coordinates {
        name: "log C",
        to_covariance: |v| spectral(&symmetric(v), f64::exp),
        from_covariance: |c| {
            let log = spectral(c, f64::ln);
            [log[(0, 0)], log[(0, 1)], log[(1, 1)]]
        },
    },
];

/// Σ w_k KL(q_k ‖ N(m, C)) up to a constant.
fn divergence(mixture: &Mixture, m: &DVector<f64>, c: &DMatrix<f64>) -> f64 {
    let inverse = c.clone().try_inverse().unwrap();
    mixture.weight() * ((inverse * mixture.covariance_about(m)).trace() + c.determinant().ln()) / 2.0
}

/// Whichever coordinates the objective is minimized in, by Newton's method on its numerical gradient, the minimum is
/// the distribution that `update` returns.
#[test]
fn the_update_is_the_same_in_every_parametrization() {
    let mut p = Gaussian::new(DVector::from_vec(vec![1.0, -0.5]), symmetric(&[1.0, 0.3, 0.6])).unwrap();
    let d = p.deviations(BATCH, 5, 0);
    let x = p.points(&d);
    let weights = Weights::new(BATCH).positive;
    let order = ranking(&losses(&x, ellipsoid));
    let q = WeightedSample::select(&d, &order, &weights);
    let old = (p.mean.clone(), p.covariance());
    let mixture = |eta: f64| {
        let mut parts = vec![(eta, old.0.clone(), old.1.clone())];
        parts.extend(order.iter().zip(&weights).map(|(&i, &w)| (w, x.column(i).into(), DMatrix::zeros(2, 2))));
        Mixture(parts)
    };
    let (for_mean, for_covariance) = (mixture(ETA.mean), mixture(ETA.covariance));
    invigo::update(&mut p, &mut Memory::empty(2, 2.0), &q, ETA).unwrap();

    for Coordinates { name, to_covariance, from_covariance } in COORDINATES {
        let gradient = |theta: &DVector<f64>| {
            let part = |mixture: &Mixture, i: usize, step: f64| {
                let mut theta = theta.clone();
                theta[i] += step;
                divergence(mixture, &theta.rows(0, 2).into(), &to_covariance(&theta.as_slice()[2..]))
            };
            DVector::from_fn(5, |i, _| {
                let mixture = if i < 2 { &for_mean } else { &for_covariance };
                (part(mixture, i, 1e-4) - part(mixture, i, -1e-4)) / 2e-4
            })
        };
        let mut theta = DVector::from_iterator(5, old.0.iter().copied().chain(from_covariance(&old.1)));
        assert!(gradient(&theta).norm() > 1e-2, "{name}: nothing to learn");
        for _ in 0..20 {
            let columns: Vec<_> = (0..5)
                .map(|i| {
                    let mut forward = theta.clone();
                    forward[i] += 1e-4;
                    (gradient(&forward) - gradient(&theta)) / 1e-4
                })
                .collect();
            theta -= DMatrix::from_columns(&columns).lu().solve(&gradient(&theta)).unwrap();
        }
        assert!((theta.rows(0, 2) - &p.mean).norm() < 1e-6, "{name}: mean");
        let c = to_covariance(&theta.as_slice()[2..]);
        assert!(relative(&c, &p.covariance()) < 1e-6, "{name}: {c} instead of {}", p.covariance());
    }
}

#[test]
fn without_history_the_next_generation_remembers_nothing() {
    let (mut p, mut memory) = (start(), Memory::empty(N, 0.0));
    let (_, _, q) = select(&p, 0);
    invigo::update(&mut p, &mut memory, &q, ETA).unwrap();
    assert_eq!(memory.weight, 0.0);
    assert_eq!(memory.scatter.amax(), 0.0);
}

#[test]
fn a_dilation_stretches_the_outcome_about_its_mean() {
    let (mut plain, mut wide) = (start(), start());
    let (_, _, q) = select(&plain, 0);
    adaptive::update_gaussian(&mut plain, &mut Memory::empty(N, 2.0), &q, ETA, 1.0).unwrap();
    adaptive::update_gaussian(&mut wide, &mut Memory::empty(N, 2.0), &q, ETA, 1.5).unwrap();
    assert_eq!(plain.mean, wide.mean);
    assert!(relative(&wide.covariance(), &(plain.covariance() * 2.25)) < 1e-14);
}

/// `adaptive::update` returns the mean of one mixture and the covariance of another, each about its own mean.
#[test]
fn mean_and_covariance_can_be_posed_apart() {
    let lambda0 = 2.0;
    let (mut p, mut memory) = (start(), Memory::empty(N, lambda0));
    let mut history: Vec<Generation> = Vec::new();
    for t in 0..50 {
        let (x, weights, q) = select(&p, t);
        history.push((x, weights));
        let old = (p.mean.clone(), p.covariance());
        adaptive::update_gaussian(&mut p, &mut memory, &q, ETA, 1.0).unwrap();

        let m = whole_history(ETA.mean, &old, &history, 0.0).mean();
        let own = whole_history(ETA.covariance, &old, &history, lambda0 / (lambda0 + 1.0));
        assert!((&p.mean - &m).norm() / m.norm() < 1e-10);
        assert!(relative(&p.covariance(), &own.covariance_about(&own.mean())) < 1e-10);
    }
}
