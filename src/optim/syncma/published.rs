//! SynCMA as its paper prints it and its reference code runs it. Only for reproduction: it is not translation invariant.
//!
//! Reference: "An Invariant Information Geometric Method for High-Dimensional Online Optimization", L4DC 2024, and its
//! public code, which has these constants. `eta_m` and `eta_c` are not used because σ and c_w take their place.
//!
//! | symbol | field | value |
//! |---|---|---|
//! | N | `batch` | 2n, at most 100 |
//! | w_i | `weights` | CMA-ES's positive ones |
//! | σ = 1/z_m | `sigma` | 0.1, constant |
//! | c_w = 1/z_c | `c_w` | twice CMA-ES's rank-μ rate |
//! | λ0 | `lambda0` | 2 |
//! | m, C | `m`, `c` | C = I |
//! | s_m, s_c | `s_m`, `s_c` | 0 |
//! | Q1, Q2, Q3 | `q1`, `q2`, `q3` | 0 |
//! | ζ, α; ŝ_c, d̂ | `zeta`, `alpha`; `s_hat`, `d_hat` in `learn_deviations` | √(λ0/(λ0+1)), √(1/(λ0+1)); s_c + m, d_w + m |
//!
//! The error in it: the increments of Q2 and Q3 should be -λ0 (ζ(ζ-1) ŝ_c + α(α-1) d̂) and 0. As printed they add a multiple
//! of mmᵀ to C in every generation, which stretches the search along the line through the origin.

use nalgebra::{DMatrix, DVector};
use serde::{Deserialize, Serialize};

use super::root::{Root, clip};
use super::{LAMBDA0, reference_batch, reference_share};
use crate::optim::gaussian::standard_normal;
use crate::optim::invigo::WeightedSample;
use crate::optim::weights::{Weights, ranking};
use crate::optim::{Diagnostics, Optimizer, Settings, SettingsError, StopReason, linalg, packed};

#[derive(Clone, Debug, Serialize, Deserialize)]
struct PublishedConstants {
    batch: usize,
    weights: Vec<f64>,
    sigma: f64,
    c_w: f64,
    lambda0: f64,
    seed: u64,
}

/// What the update changes. Symmetric matrices are in their lower triangles.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PublishedState {
    pub m: DVector<f64>,
    #[serde(with = "packed")]
    pub c: DMatrix<f64>,
    pub s_m: DVector<f64>,
    pub s_c: DVector<f64>,
    #[serde(with = "packed")]
    pub q1: DMatrix<f64>,
    pub q2: DVector<f64>,
    pub q3: f64,
}

/// SynCMA, variant `published`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Published {
    constants: PublishedConstants,
    generation: u64,
    state: PublishedState,
    stop: Option<StopReason>,
    /// A square root of C and the deviations asked last. Neither is stored because both follow from the rest.
    #[serde(skip)]
    root: Option<Root>,
    #[serde(skip)]
    asked: Option<DMatrix<f64>>,
}

impl Published {
    /// A search that starts from `mean`.
    ///
    /// # Errors
    /// If a setting cannot be used; the error names the field and the remedy.
    pub fn new(settings: &Settings, mean: DVector<f64>) -> Result<Self, SettingsError> {
        settings.check(&mean)?;
        let n = mean.len();
        let batch = settings.batch.unwrap_or_else(|| reference_batch(n));
        let Weights { positive: weights, mu_eff, .. } = Weights::new(batch);
        let constants = PublishedConstants {
            batch,
            weights,
            sigma: settings.first_sigma(),
            c_w: reference_share(n, mu_eff),
            lambda0: settings.lambda0.unwrap_or(LAMBDA0),
            seed: settings.seed,
        };
        let (zero, zeros) = (DVector::zeros(n), DMatrix::zeros(n, n));
        let state = PublishedState {
            m: mean,
            c: DMatrix::identity(n, n),
            s_m: zero.clone(),
            s_c: zero.clone(),
            q1: zeros,
            q2: zero,
            q3: 0.0,
        };
        Ok(Self { constants, generation: 0, state, stop: None, root: None, asked: None })
    }

    /// Learns from candidates that someone else has drawn, as `tell` does from its own.
    ///
    /// # Panics
    /// If there is not one loss per candidate.
    pub fn learn(&mut self, candidates: &DMatrix<f64>, loss: &[f64]) {
        let mut d = candidates.clone();
        d.column_iter_mut().for_each(|mut d| d -= &self.state.m);
        self.learn_deviations(&(d / self.constants.sigma), loss);
    }

    /// What the search has learned.
    pub fn state(&self) -> &PublishedState {
        &self.state
    }

    /// d_i = (x_i - m)/σ.
    fn draw(&mut self) -> DMatrix<f64> {
        let n = self.state.m.len();
        let z = standard_normal(n, self.constants.batch, self.constants.seed, self.generation);
        let root = self.root.take().or_else(|| Root::of(&self.state.c));
        let d = root.as_ref().map_or_else(|| z.clone(), |root| root.times(&z));
        self.root = root;
        d
    }

    fn learn_deviations(&mut self, d: &DMatrix<f64>, loss: &[f64]) {
        assert_eq!(loss.len(), d.ncols(), "one loss per candidate");
        self.asked = None;
        self.generation += 1;
        if self.stop.is_some() {
            return;
        }
        let PublishedConstants { ref weights, sigma, c_w, lambda0, .. } = self.constants;
        let PublishedState { m, c, s_m, s_c, q1, q2, q3 } = &mut self.state;
        let lambda = lambda0 / (lambda0 + 1.0);
        let (zeta, alpha) = (lambda.sqrt(), (1.0 - lambda).sqrt());

        // Mean. d is in units of σ and β in units of x, as in the reference code.
        let WeightedSample { mean: d_w, root: s_w } = WeightedSample::select(d, &ranking(loss), weights);
        let (s_hat, d_hat) = (&*s_c + &*m, &d_w + &*m);
        let beta = (&d_w + &*s_m * lambda0) * sigma;
        *m += &beta;

        // Covariance, with the old Q taken at the new mean. S_w enters both C and Q1.
        linalg::add_outer(q1, 1.0, &s_w, &s_w);
        let kept = 1.0 - (lambda0 + 1.0) * c_w;
        let (to_path, to_sample) = (&*s_c - &beta, &d_w - &beta);
        let pairs = [
            (kept, &beta, &beta),
            (c_w * lambda0, &to_path, &to_path),
            (c_w, &to_sample, &to_sample),
            (c_w, &*q2, &*m),
            (c_w, &*m, &*q2),
            (c_w * *q3, &*m, &*m),
        ];
        linalg::blend(c, kept, q1, c_w);
        add_pairs(c, &pairs);

        // History, as printed.
        let crossed = -lambda0 * alpha * zeta;
        linalg::scale(q1, lambda);
        add_pairs(q1, &[(crossed, &d_hat, &s_hat), (crossed, &s_hat, &d_hat)]);
        *q2 = &*q2 * lambda - (&s_hat * zeta + &d_hat * alpha) * (lambda0 * (zeta + alpha - 2.0));
        *q3 = *q3 * lambda - lambda0 * (zeta - 1.0) * (alpha - 1.0);
        *s_c = s_hat * zeta + d_hat * alpha - &*m;
        *s_m = &*s_m * lambda + d_w * (1.0 - lambda) - beta;

        self.root = linalg::cholesky(c).ok().map(Root::Cholesky);
        if self.root.is_none() {
            self.stop = clip(c).err().map(|_| StopReason::NotPositiveDefinite);
            self.root = Root::of(c);
        }
    }
}

/// lower(A) += Σ weight · left rightᵀ.
fn add_pairs(a: &mut DMatrix<f64>, pairs: &[(f64, &DVector<f64>, &DVector<f64>)]) {
    let left: Vec<_> = pairs.iter().map(|&(weight, left, _)| left * weight).collect();
    let right: Vec<_> = pairs.iter().map(|&(.., right)| right.clone()).collect();
    linalg::add_outer(a, 1.0, &DMatrix::from_columns(&left), &DMatrix::from_columns(&right));
}

impl Optimizer for Published {
    fn ask(&mut self) -> DMatrix<f64> {
        let d = self.draw();
        let mut candidates = &d * self.constants.sigma;
        candidates.column_iter_mut().for_each(|mut x| x += &self.state.m);
        self.asked = Some(d);
        candidates
    }

    fn tell(&mut self, loss: &[f64]) {
        let d = self.asked.take().unwrap_or_else(|| self.draw());
        self.learn_deviations(&d, loss);
    }

    fn center(&self) -> DVector<f64> {
        self.state.m.clone()
    }

    fn diagnostics(&self) -> Diagnostics {
        let c = &self.state.c;
        let sigma = self.constants.sigma * (c.trace() / c.nrows() as f64).sqrt();
        let loaded = || Root::of(c).map(|root| root.condition());
        let condition = self.root.as_ref().map(Root::condition).or_else(loaded).unwrap_or(f64::INFINITY);
        Diagnostics { generation: self.generation, sigma, condition }
    }

    fn stop(&self) -> Option<StopReason> {
        self.stop
    }
}
