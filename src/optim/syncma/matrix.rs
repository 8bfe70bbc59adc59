//! SynCMA for a matrix of weights: `adaptive` on the manifold of matrix Gaussians N(M, A ⊗ B).
//!
//! W has p rows (actions) and q columns (observations). A full covariance has (pq)²/2 numbers to learn from N candidates;
//! A ⊗ B has p²/2 + q²/2, and every candidate is p samples of B and q samples of A. The search is invariant under W → PWQ,
//! any linear change of the motors and of the sensors. Mean, weights, step-size rule and memory are `adaptive`'s.
//!
//! Among the matrix Gaussians, Σ_k w_k KL(q_k ‖ N(M, A ⊗ B)) is least where A and B match each other's moments. With the
//! old A, B as one part of the mixture and deviations D, which are p × q, as the rest that means
//!
//! ```text
//! A' = [ η A tr(B'⁻¹B)/q + Σ w D B'⁻¹ Dᵀ/q ] / (η + Σ w)        B' = [ η B tr(A'⁻¹A)/p + Σ w Dᵀ A'⁻¹ D/p ] / (η + Σ w)
//! ```
//!
//! One sweep of these equations from the old factors is the natural gradient step. It differs from their solution in the
//! second order of the learning rate only, so one sweep is what is done. The memory keeps what each generation said about
//! A and about B, as measured by the factors it was drawn from:
//!
//! ```text
//! A' ∝ η_A A + h Σ_A + η_A h/(η_A + h) s B⁻¹ sᵀ/q                                  with det A' = 1
//! B' = g² v(η)/v(η_B) [ η_B B + h Σ_B + η_B h/(η_B + h) sᵀ A⁻¹ s/p ] / (η_B + h)
//! v(η) = [ η + tr(B⁻¹ h Σ_B)/q + η h/(η + h) tr(B⁻¹ sᵀ A⁻¹ s)/pq ] / (η + h)
//! ```
//!
//! A matrix Gaussian has a size and two shapes. A' takes the shape only, and v is the relative size that the mixture has
//! under a penalty η: B' takes its shape with η_B and the size with η, which is `adaptive`'s for n = pq, because the size is
//! the step-size rule's affair whatever the shapes learn. Learnt as fast as B's shape it grows on pure noise, 2.7-fold
//! in 300 generations for 6 × 17, N = 20; this way 1.1-fold. All terms of A' and B' are positive semi-definite, the first
//! positive definite. For p = 1 there is no A, η_B = η and v(η)/v(η_B) = 1: the search is `adaptive`'s.
//!
//! | symbol | field | default |
//! |---|---|---|
//! | M, A, B | [`MatrixGaussian`] | A = I, B = σ0² I, σ0 as in `adaptive` |
//! | h, s, h Σ_A, h Σ_B | [`Memory`] | empty |
//! | g | `Factored::step` | `adaptive`'s rule, with L_A⁻¹ D L_B⁻ᵀ for L⁻¹ d |
//! | η_m, η_B | `penalty` in `Search` | 0; for `columns_replaced` |
//! | η, η_A | `Factored::size`, `Factored::rows` | `adaptive`'s; for `rows_replaced`. A given `eta_c` holds for all three |
//!
//! Loss in units of the first on tr(H_A W H_B Wᵀ), H_A and H_B turned at random, medians of 21 searches with σ0 = 0.3 (2 × 8:
//! 1,500 evaluations, N = 12; 3 × 11: 3,000, 16; 6 × 17: 4,000, 20; 8 × 111: 12,000, 40, there five searches of `adaptive`).
//! Noise is in units of the generation's own spread.
//!
//! | condition of H_A, H_B | 10, 1000 | the same, noise 1 | the same, noise 3 | 100, 10 | 1, 1 |
//! |---|---|---|---|---|---|
//! | 2 × 8, matrix | 3e-5 | 2.6e-3 | 0.058 | 4e-5 | 3e-8 |
//! | 2 × 8, adaptive | 3e-4 | 4.1e-3 | 0.057 | 4e-4 | 6e-8 |
//! | 3 × 11, matrix | 1e-5 | 2.0e-3 | 0.063 | 8e-6 | 2e-8 |
//! | 3 × 11, adaptive | 1e-3 | 6.5e-3 | 0.052 | 1e-3 | 2e-8 |
//! | 6 × 17, matrix | 3e-3 | 1.3e-2 | 0.125 | 2e-3 | 1e-4 |
//! | 6 × 17, adaptive | 1e-2 | 2.6e-2 | 0.131 | 1e-2 | 4e-5 |
//! | 8 × 111, matrix | 0.039 | 0.089 | 0.340 | 0.045 | 0.047 |
//! | 8 × 111, adaptive | 0.055 | 0.102 | 0.316 | 0.056 | 0.020 |

use nalgebra::{DMatrix, DVector};
use serde::{Deserialize, Serialize};

use super::adaptive::{first_sigma, penalty_for, replaced};
use super::search::{Rule, Search};
use super::{LAMBDA0, step_size::StepSize};
use crate::optim::gaussian::Normal;
use crate::optim::invigo::{Penalty, WeightedSample};
use crate::optim::linalg::{self, NotPositiveDefinite};
use crate::optim::matrix_gaussian::MatrixGaussian;
use crate::optim::{Settings, SettingsError, packed};

/// What a factor learns at most in a generation for being sampled more than once by every candidate. With twice as much for
/// B, 6 × 17 with conditions 1, 1 ends at 4e-4 instead of 1e-4; with twice as much for A, with conditions 100, 10 at 6e-4
/// instead of 2e-3, but with noise 3 at 0.138 instead of 0.125.
const MOST_REPLACED: f64 = 0.1;

/// SynCMA, variant `matrix`.
pub type Matrix = Search<Factored>;

impl Matrix {
    /// About to search from `mean`.
    pub fn new(settings: &Settings, mean: DVector<f64>) -> Result<Self, SettingsError> {
        settings.check(&mean)?;
        let rows = settings.shape.map_or(1, |(rows, _)| rows);
        Self::from_gaussian(settings, MatrixGaussian::isotropic(mean, rows, first_sigma(settings)))
    }
}

/// What one generation and the memory together replace of A: every column is a sample.
fn rows_replaced(p: usize, q: usize, mu_eff: f64) -> f64 {
    replaced(p, q as f64 * mu_eff).min(MOST_REPLACED)
}

/// The same of B: every row is a sample. The limit is on what that adds to `adaptive`'s rate in q dimensions, which is
/// kept where it is higher; so for p = 1 the rate is `adaptive`'s.
fn columns_replaced(p: usize, q: usize, mu_eff: f64) -> f64 {
    replaced(q, p as f64 * mu_eff).min(MOST_REPLACED.max(replaced(q, mu_eff)))
}

/// All weighted samples up to now, a sample τ generations old counting λ^τ.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Memory {
    decay: f64,
    weight: f64,
    mean: DVector<f64>,
    /// h Σ_A and h Σ_B, in the lower triangles.
    #[serde(with = "packed")]
    rows: DMatrix<f64>,
    #[serde(with = "packed")]
    columns: DMatrix<f64>,
}

impl Memory {
    /// Nothing to remember yet.
    pub fn empty((p, q): (usize, usize), lambda0: f64) -> Self {
        let (rows, columns) = (DMatrix::zeros(p, p), DMatrix::zeros(q, q));
        Self { decay: lambda0 / (lambda0 + 1.0), weight: 0.0, mean: DVector::zeros(p * q), rows, columns }
    }

    /// Joins the sample, weight 1, to what is remembered: means average, scatters add, and so does the spread between
    /// the two means.
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

    /// Everything counts λ times what it did and is seen from a mean that has moved by beta. A dilation is B's affair.
    fn fade(&mut self, beta: &DVector<f64>, dilation: f64) {
        self.weight *= self.decay;
        linalg::scale(&mut self.rows, self.decay);
        linalg::scale(&mut self.columns, self.decay * dilation * dilation);
        self.mean -= beta;
    }
}

/// η for every part of the distribution.
#[derive(Clone, Copy, Debug)]
pub struct Penalties {
    pub mean: f64,
    pub size: f64,
    pub rows: f64,
    pub columns: f64,
}

/// One step, posed apart for each part of the distribution, for the mean without history; then dilated by g.
pub fn update(
    p: &mut MatrixGaussian,
    memory: &mut Memory,
    sample: &WeightedSample,
    eta: Penalties,
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

/// A step-size rule, and how far the size and A are held back.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Factored {
    step: StepSize,
    size: f64,
    rows: f64,
}

impl Rule for Factored {
    type Gaussian = MatrixGaussian;
    type Memory = Memory;

    fn batch(n: usize) -> usize {
        StepSize::batch(n)
    }

    fn penalty(p: &MatrixGaussian, mu_eff: f64, lambda0: f64) -> Penalty {
        let (rows, columns) = p.shape();
        Penalty { mean: 0.0, covariance: penalty_for(columns_replaced(rows, columns, mu_eff), lambda0) }
    }

    fn start(p: &MatrixGaussian, mu_eff: f64, settings: &Settings) -> Self {
        let (rows, columns) = p.shape();
        let lambda0 = settings.lambda0.unwrap_or(LAMBDA0);
        let penalty = |replaced| settings.eta_c.unwrap_or(penalty_for(replaced, lambda0));
        Self {
            step: StepSize::new(rows * columns, mu_eff),
            size: penalty(replaced(rows * columns, mu_eff)),
            rows: penalty(rows_replaced(rows, columns, mu_eff)),
        }
    }

    fn no_memory(p: &MatrixGaussian, lambda0: f64) -> Memory {
        Memory::empty(p.shape(), lambda0)
    }

    fn learn(
        &mut self,
        p: &mut MatrixGaussian,
        memory: &mut Memory,
        q: &WeightedSample,
        eta: Penalty,
    ) -> Result<(), NotPositiveDefinite> {
        let g = self.step.dilation(p, &q.mean);
        let eta = Penalties { mean: eta.mean, size: self.size, rows: self.rows, columns: eta.covariance };
        update(p, memory, q, eta, g)
    }
}
