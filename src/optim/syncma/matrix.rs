//! SynCMA for a matrix of weights: `adaptive` with a covariance A ⊗ B over rows and columns, N(M, A ⊗ B).
//!
//! W has p rows (actions) and q columns (observations). A full covariance has about (pq)²/2 entries to learn from N
//! candidates. A ⊗ B has about p²/2 + q²/2, and every candidate gives p samples of B and q samples of A. The search is
//! invariant under W → PWQ, that is, under linear changes of the motors and of the sensors. Mean, weights, step-size rule and
//! memory are those of `adaptive`, whose numbered equations hold here, too.
//!
//! Among the matrix Gaussians, Σ_k w_k KL(q_k ‖ N(M, A ⊗ B)) is least where A and B match each other's moments. With the
//! old A and B as one part of the mixture and p × q deviations D as the rest, this means
//!
//! ```text
//! A' = [ η A tr(B'⁻¹B)/q + Σ w D B'⁻¹ Dᵀ/q ] / (η + Σ w)        B' = [ η B tr(A'⁻¹A)/p + Σ w Dᵀ A'⁻¹ D/p ] / (η + Σ w)
//! ```
//!
//! One sweep of these equations from the old factors is the natural gradient step, and differs from their solution only in
//! second order of the learning rate. The memory keeps what each generation said about A and B, measured by the factors that
//! it was drawn from:
//!
//! ```text
//! A' ∝ η_A A + h Σ_A + η_A h/(η_A + h) s B⁻¹ sᵀ/q                                  with det A' = 1
//! B' = g² v(η)/v(η_B) [ η_B B + h Σ_B + η_B h/(η_B + h) sᵀ A⁻¹ s/p ] / (η_B + h)
//! v(η) = [ η + tr(B⁻¹ h Σ_B)/q + η h/(η + h) tr(B⁻¹ sᵀ A⁻¹ s)/pq ] / (η + h)
//! ```
//!
//! A matrix Gaussian has a size and two shapes. A' takes only its shape from the mixture. v is the relative size of the
//! mixture under a penalty η. B' takes its shape with η_B and its size with η, which is the penalty of `adaptive` for
//! n = pq, because the step-size rule should set the size whatever the shapes learn. A size that is learned as fast as the
//! shape of B would grow on pure noise. All terms of A' and B' are positive semidefinite and the first ones are positive
//! definite. For p = 1 there is no A, η_B = η and v(η)/v(η_B) = 1: the search is `adaptive`.
//!
//! | symbol | field | default |
//! |---|---|---|
//! | M, A, B | `gaussian`: [`MatrixGaussian`] | A = I, B = σ0² I, σ0 as in `adaptive` |
//! | h, s, h Σ_A, h Σ_B | `update.memory`: [`MatrixMemory`] | empty |
//! | g | `update.step`: [`StepSize`] | the rule of `adaptive`, with L_A⁻¹ D L_B⁻ᵀ for L⁻¹ d |
//! | η_m, η_B | `penalty` | 0; for `columns_replaced` |
//! | η, η_A | `update.size`, `update.rows` | as in `adaptive`; for `rows_replaced`. A given `eta_c` holds for all three |

use nalgebra::{DMatrix, DVector};
use serde::{Deserialize, Serialize};

use super::LAMBDA0;
use super::adaptive::{StepSize, penalty_for, replaced, sigma_for_box};
use super::search::{GaussianSearch, Update};
use crate::optim::gaussian::Normal;
use crate::optim::invigo::{Penalty, WeightedSample};
use crate::optim::linalg::{self, NotPositiveDefinite};
use crate::optim::matrix_gaussian::MatrixGaussian;
use crate::optim::weights::Weights;
use crate::optim::{Settings, SettingsError, packed, rates};

/// The most that a generation may replace of a factor because every candidate samples it more than once. More learns faster
/// without noise but does worse with it.
const MOST_REPLACED: f64 = 0.1;

/// SynCMA, variant `matrix`.
pub type Matrix = GaussianSearch<MatrixGaussian, MatrixUpdate>;

/// What `matrix` adds to the Gaussian.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct MatrixUpdate {
    memory: MatrixMemory,
    step: StepSize,
    size: f64,
    rows: f64,
}

impl Update<MatrixGaussian> for MatrixUpdate {
    fn update(&mut self, p: &mut MatrixGaussian, q: &WeightedSample, eta: Penalty) -> Result<(), NotPositiveDefinite> {
        let g = self.step.dilation(p, &q.mean);
        let eta = MatrixPenalty { mean: eta.mean, size: self.size, rows: self.rows, columns: eta.covariance };
        update_gaussian(p, &mut self.memory, q, eta, g)
    }
}

impl Matrix {
    /// A search that starts from `mean`.
    ///
    /// # Errors
    /// If a setting cannot be used; the error names the field and the remedy.
    pub fn new(settings: &Settings, mean: DVector<f64>) -> Result<Self, SettingsError> {
        settings.check(&mean)?;
        let rows = settings.shape.map_or(1, |(rows, _)| rows);
        Self::from_gaussian(settings, MatrixGaussian::isotropic(mean, rows, sigma_for_box(settings)))
    }

    /// A search that starts from any matrix Gaussian; `sigma` and `shape` in the settings are ignored.
    ///
    /// # Errors
    /// If a setting cannot be used; the error names the field and the remedy.
    pub fn from_gaussian(settings: &Settings, gaussian: MatrixGaussian) -> Result<Self, SettingsError> {
        settings.check(&gaussian.mean)?;
        let ((p, q), n) = (gaussian.shape(), gaussian.mean.len());
        let batch = settings.batch.unwrap_or_else(|| rates::default_batch(n));
        let lambda0 = settings.lambda0.unwrap_or(LAMBDA0);
        let Weights { positive: weights, mu_eff, .. } = Weights::new(batch);
        let eta_c = |replaced| settings.eta_c.unwrap_or_else(|| penalty_for(replaced, lambda0));
        let (mean, covariance) = (settings.eta_m.unwrap_or(0.0), eta_c(columns_replaced(p, q, mu_eff)));
        let update = MatrixUpdate {
            memory: MatrixMemory::empty((p, q), lambda0),
            step: StepSize::new(n, mu_eff),
            size: eta_c(replaced(n, mu_eff)),
            rows: eta_c(rows_replaced(p, q, mu_eff)),
        };
        Ok(Self::start(settings, (batch, weights), Penalty { mean, covariance }, gaussian, update))
    }
}

/// The share of A that one generation and the memory together replace. Every column is a sample.
fn rows_replaced(p: usize, q: usize, mu_eff: f64) -> f64 {
    replaced(p, q as f64 * mu_eff).min(MOST_REPLACED)
}

/// The same for B, where every row is a sample. The rate is never below that of `adaptive` in q dimensions, so for p = 1 it
/// is the rate of `adaptive`.
fn columns_replaced(p: usize, q: usize, mu_eff: f64) -> f64 {
    replaced(q, p as f64 * mu_eff).min(MOST_REPLACED.max(replaced(q, mu_eff)))
}

/// All weighted samples so far. A sample that is τ generations old counts λ^τ.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct MatrixMemory {
    decay: f64,
    weight: f64,
    mean: DVector<f64>,
    /// h Σ_A and h Σ_B, in the lower triangles.
    #[serde(with = "packed")]
    rows: DMatrix<f64>,
    #[serde(with = "packed")]
    columns: DMatrix<f64>,
}

impl MatrixMemory {
    /// A memory without samples.
    pub fn empty((p, q): (usize, usize), lambda0: f64) -> Self {
        let (rows, columns) = (DMatrix::zeros(p, p), DMatrix::zeros(q, q));
        Self { decay: lambda0 / (lambda0 + 1.0), weight: 0.0, mean: DVector::zeros(p * q), rows, columns }
    }

    /// Adds a sample of weight 1: the means average, and the scatters and the spread between the two means add up.
    fn take_in(&mut self, p: &MatrixGaussian, sample: &WeightedSample) {
        let (h, total, last) = (self.weight, self.weight + 1.0, sample.root.ncols());
        let apart = &sample.mean - &self.mean;
        let mut root = sample.root.clone().insert_column(last, 0.0);
        root.set_column(last, &(&apart * (h / total).sqrt()));
        let (rows, columns) = p.scatters(&root);
        linalg::blend(&mut self.rows, 1.0, &rows, 1.0);
        linalg::blend(&mut self.columns, 1.0, &columns, 1.0);
        self.mean.axpy(1.0 / total, &apart, 1.0);
        self.weight = total;
    }

    /// Multiplies all weights by λ and shifts the origin to a mean that has moved by beta. A dilation scales B only.
    fn fade(&mut self, beta: &DVector<f64>, dilation: f64) {
        self.weight *= self.decay;
        linalg::scale(&mut self.rows, self.decay);
        linalg::scale(&mut self.columns, self.decay * dilation * dilation);
        self.mean -= beta;
    }
}

/// The penalty η of each part of the distribution.
#[derive(Clone, Copy, Debug)]
pub struct MatrixPenalty {
    pub mean: f64,
    pub size: f64,
    pub rows: f64,
    pub columns: f64,
}

/// One step, posed separately for each part of the distribution and for the mean without history, then dilated by g.
///
/// # Errors
/// If the covariance would not be positive definite.
pub fn update_gaussian(
    p: &mut MatrixGaussian,
    memory: &mut MatrixMemory,
    sample: &WeightedSample,
    eta: MatrixPenalty,
    g: f64,
) -> Result<(), NotPositiveDefinite> {
    memory.take_in(p, sample);
    let (h, s) = (memory.weight, DMatrix::from_column_slice(memory.mean.len(), 1, memory.mean.as_slice()));
    let (between_rows, between_columns) = p.scatters(&s);
    let mix = |factor: &mut DMatrix<f64>, eta: f64, scatter: &DMatrix<f64>, between: &DMatrix<f64>, size: f64| {
        let share = size / (eta + h);
        linalg::blend(factor, eta * share, scatter, share);
        linalg::blend(factor, 1.0, between, share * (eta * h / (eta + h)));
    };
    let (x, y) = (p.size_by_columns(&memory.columns).max(0.0), p.whiten(&memory.mean).norm_squared() / s.len() as f64);
    let size = |eta: f64| (eta + x + eta * h / (eta + h) * y) / (eta + h);
    let resized = g * g * (size(eta.size) / size(eta.columns));
    let matched = p.reshape(
        |a| mix(a, eta.rows, &memory.rows, &between_rows, 1.0),
        |b| mix(b, eta.columns, &memory.columns, &between_columns, resized),
    );
    let beta = &sample.mean / (eta.mean + 1.0);
    p.mean += &beta;
    memory.fade(&beta, g);
    matched
}
