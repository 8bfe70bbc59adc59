//! InvIGO for a Gaussian, as moment matching: the theory behind SynCMA.
//!
//! Reference: "An Invariant Information Geometric Method for High-Dimensional Online Optimization", L4DC 2024.
//!
//! Let q_t be this generation's weighted sample and p_t = N(m, C) the distribution it was drawn from. The next
//! distribution p is where the natural gradient of
//!
//! ```text
//! Σ_{τ≥0} λ^τ KL(q_{t-τ} ‖ p)  +  η KL(p_t ‖ p)
//! ```
//!
//! vanishes. The penalty η is η_m for the mean and η_c for the covariance. A Gaussian minimizes Σ w_k KL(q_k ‖ p) if it has
//! the mean and covariance of the mixture Σ w_k q_k / Σ w_k. So all that the update needs to know about earlier generations
//! are three moments, the [`Memory`]: their total weight, their mean and their scatter. One step is then:
//!
//! 1. The memory takes in q_t.
//! 2. p takes on the moments of the mixture of the memory and p_t.
//! 3. The weights in the memory fade by λ.
//!
//! That is [`update`], which the variant `exact` runs. The variant `adaptive` poses the problem twice, for the mean without
//! history and for the covariance with it, so that the mean can move fast while the covariance learns slowly. See
//! [`adaptive::update_gaussian`](super::syncma::adaptive::update_gaussian).
//!
//! Every part of the mixture is positive semidefinite and η_c > 0 keeps a share of C, so C stays positive definite.
//!
//! | symbol | field |
//! |---|---|
//! | q_t: d_w, S_w | [`WeightedSample::mean`], [`WeightedSample::root`] times its transpose |
//! | h | [`Memory::weight`] |
//! | s | [`Memory::mean`], relative to m |
//! | h Σ_h | [`Memory::scatter`] |
//! | η_m, η_c | [`Penalty::mean`], [`Penalty::covariance`] |

use nalgebra::{DMatrix, DVector};
use serde::{Deserialize, Serialize};

use super::gaussian::Gaussian;
use super::linalg::{self, NotPositiveDefinite};
use super::packed;

/// The selected candidates of one generation, relative to the mean that they were drawn around.
#[derive(Clone, Debug)]
pub struct WeightedSample {
    /// d_w = Σ w_i d_i.
    pub mean: DVector<f64>,
    /// Columns √w_i (d_i - d_w), so that root·rootᵀ = S_w, the sample's central covariance.
    pub root: DMatrix<f64>,
}

impl WeightedSample {
    /// Gives the i-th weight to the i-th candidate of `ranking` and leaves out the rest. The weights sum to 1.
    ///
    /// # Panics
    /// If `ranking` names a column that does not exist.
    pub fn select(deviations: &DMatrix<f64>, ranking: &[usize], weights: &[f64]) -> Self {
        let chosen = || ranking.iter().zip(weights);
        let mut mean = DVector::zeros(deviations.nrows());
        for (&i, &w) in chosen() {
            mean.axpy(w, &deviations.column(i), 1.0);
        }
        let mut root = DMatrix::zeros(deviations.nrows(), weights.len());
        for (mut column, (&i, &w)) in root.column_iter_mut().zip(chosen()) {
            column.copy_from(&deviations.column(i));
            column -= &mean;
            column *= w.sqrt();
        }
        Self { mean, root }
    }
}

/// The moments of all weighted samples so far. A sample that is τ generations old counts λ^τ.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Memory {
    /// λ = λ0/(λ0+1). The total weight tends to λ0 before a generation is taken in and to λ0 + 1 after.
    pub decay: f64,
    pub weight: f64,
    pub mean: DVector<f64>,
    /// Weight times central covariance, in the lower triangle.
    #[serde(with = "packed")]
    pub scatter: DMatrix<f64>,
}

impl Memory {
    /// A memory without samples.
    pub fn empty(n: usize, lambda0: f64) -> Self {
        let decay = lambda0 / (lambda0 + 1.0);
        Self { decay, weight: 0.0, mean: DVector::zeros(n), scatter: DMatrix::zeros(n, n) }
    }

    /// Adds the sample q with weight 1: the means average, and the scatters and the spread between the two means add up.
    pub fn take_in(&mut self, q: &WeightedSample) {
        let (h, total, last) = (self.weight, self.weight + 1.0, q.root.ncols());
        let apart = &q.mean - &self.mean;
        let mut root = q.root.clone().insert_column(last, 0.0);
        root.set_column(last, &(&apart * (h / total).sqrt()));
        linalg::add_outer(&mut self.scatter, 1.0, &root, &root);
        self.mean.axpy(1.0 / total, &apart, 1.0);
        self.weight = total;
    }

    /// The mean of the mixture in which the old Gaussian has weight eta, relative to the old mean.
    pub fn pull(&self, eta: f64) -> DVector<f64> {
        &self.mean * (self.weight / (eta + self.weight))
    }

    /// Multiplies all weights by λ and shifts the origin to a mean that has moved by beta. If the search has been dilated,
    /// the scatter is dilated with it.
    pub fn fade(&mut self, beta: &DVector<f64>, dilation: f64) {
        self.weight *= self.decay;
        linalg::scale(&mut self.scatter, self.decay * dilation * dilation);
        self.mean -= beta;
    }
}

/// η: the weight of the present distribution, in generations.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Penalty {
    pub mean: f64,
    pub covariance: f64,
}

/// One step of InvIGO: p learns from its weighted sample q and from the memory of earlier samples.
///
/// m' = m + β with β = h s / (η_m + h), and C' is the mixture's covariance about m'.
///
/// # Errors
/// If the covariance would not be positive definite.
pub fn update(
    p: &mut Gaussian,
    memory: &mut Memory,
    q: &WeightedSample,
    eta: Penalty,
) -> Result<(), NotPositiveDefinite> {
    memory.take_in(q);
    let beta = memory.pull(eta.mean);
    let matched = match_covariance(p, memory, eta.covariance, &beta, 1.0);
    p.mean += &beta;
    memory.fade(&beta, 1.0);
    matched
}

/// C' = g² [ η_c (C + ββᵀ) + h (Σ_h + (s-β)(s-β)ᵀ) ] / (η_c + h): the covariance of old Gaussian and memory about m + β,
/// dilated by g.
///
/// # Errors
/// If the covariance would not be positive definite.
pub fn match_covariance(
    p: &mut Gaussian,
    memory: &Memory,
    eta: f64,
    beta: &DVector<f64>,
    g: f64,
) -> Result<(), NotPositiveDefinite> {
    let (h, s) = (memory.weight, &memory.mean);
    let share = g * g / (eta + h);
    let between = DMatrix::from_columns(&[beta * eta.sqrt(), (s - beta) * h.sqrt()]);
    p.reshape(|c| {
        linalg::blend(c, eta * share, &memory.scatter, share);
        linalg::add_outer(c, share, &between, &between);
    })
}
