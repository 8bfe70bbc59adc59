//! InvIGO for a Gaussian: the update at the heart of SynCMA, as moment matching.
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
//! vanishes, the penalty η counting as η_m for the mean and η_c for the covariance. A Gaussian minimises Σ w_k KL(q_k ‖ p)
//! if it has the mean and covariance of the mixture Σ w_k q_k / Σ w_k. So everything the update has to know of all
//! generations up to now are three moments, the [`Memory`]: their total weight, mean and scatter. One step is then
//!
//! 1. the memory takes in q_t,
//! 2. p takes on the moments of the mixture of memory and p_t,
//! 3. the memory fades by λ.
//!
//! That is [`update`]. [`update_apart`] poses the problem twice, for the mean without history and for the covariance with
//! it, so that the mean may move fast while the covariance learns slowly.
//!
//! Every part of the mixture is positive semi-definite and η_c > 0 keeps a share of C, so C stays positive definite.
//!
//! | symbol | field |
//! |---|---|
//! | q_t: d_w, S_w | [`WeightedSample::mean`], [`WeightedSample::root`] times its transpose |
//! | h | [`Memory::weight`] |
//! | s | [`Memory::mean`], seen from m |
//! | h Σ_h | [`Memory::scatter`] |
//! | η_m, η_c | [`Penalty::mean`], [`Penalty::covariance`] |

use nalgebra::{DMatrix, DVector};
use serde::{Deserialize, Serialize};

use super::gaussian::Gaussian;
use super::linalg::{self, NotPositiveDefinite};
use super::packed;

/// The selected candidates of one generation, seen from the mean they were drawn around.
#[derive(Clone, Debug)]
pub struct WeightedSample {
    /// d_w = Σ w_i d_i.
    pub mean: DVector<f64>,
    /// Columns √w_i (d_i - d_w), so that root·rootᵀ = S_w, the sample's central covariance.
    pub root: DMatrix<f64>,
}

impl WeightedSample {
    /// Gives the i-th weight to the i-th of `ranking`; who comes after the last weight is left out. Weights sum to 1.
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

/// All weighted samples up to now as one, a sample τ generations old counting λ^τ.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Memory {
    /// λ = λ0/(λ0+1). The weight tends to λ0 before a generation is taken in, and to λ0 + 1 after.
    pub decay: f64,
    pub weight: f64,
    pub mean: DVector<f64>,
    /// Weight times central covariance, in the lower triangle.
    #[serde(with = "packed")]
    pub scatter: DMatrix<f64>,
}

impl Memory {
    /// Nothing to remember yet.
    pub fn empty(n: usize, lambda0: f64) -> Self {
        let decay = lambda0 / (lambda0 + 1.0);
        Self { decay, weight: 0.0, mean: DVector::zeros(n), scatter: DMatrix::zeros(n, n) }
    }

    /// Joins the sample q, weight 1, to what is remembered: means average, scatters add, and so does the spread between
    /// the two means.
    fn take_in(&mut self, q: &WeightedSample) {
        let (h, total, last) = (self.weight, self.weight + 1.0, q.root.ncols());
        let apart = &q.mean - &self.mean;
        let mut root = q.root.clone().insert_column(last, 0.0);
        root.set_column(last, &(&apart * (h / total).sqrt()));
        linalg::add_outer(&mut self.scatter, 1.0, &root, &root);
        self.mean.axpy(1.0 / total, &apart, 1.0);
        self.weight = total;
    }

    /// The mean of the mixture with the old Gaussian weighing eta, seen from the old mean.
    fn pull(&self, eta: f64) -> DVector<f64> {
        &self.mean * (self.weight / (eta + self.weight))
    }

    /// Everything counts λ times what it did and is seen from a mean that has moved by beta. Where the search has been
    /// dilated, shapes are dilated along.
    fn fade(&mut self, beta: &DVector<f64>, dilation: f64) {
        self.weight *= self.decay;
        linalg::scale(&mut self.scatter, self.decay * dilation * dilation);
        self.mean -= beta;
    }
}

/// η: how many generations' worth of weight the present distribution keeps.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Penalty {
    pub mean: f64,
    pub covariance: f64,
}

/// One step of InvIGO: p learns from its weighted sample q and the memory of earlier ones.
///
/// m' = m + β with β = h s / (η_m + h), and C' is the mixture's covariance about m'.
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

/// One step of InvIGO, posed for the mean with (λ = 0, η_m) and for the covariance with (λ, η_c).
///
/// m' = m + β with β = d_w / (η_m + 1), and C' is the covariance of its own mixture about that mixture's mean, dilated as
/// a step-size rule demands.
pub fn update_apart(
    p: &mut Gaussian,
    memory: &mut Memory,
    q: &WeightedSample,
    eta: Penalty,
    dilation: f64,
) -> Result<(), NotPositiveDefinite> {
    memory.take_in(q);
    let beta = &q.mean / (eta.mean + 1.0);
    let center = memory.pull(eta.covariance);
    let matched = match_covariance(p, memory, eta.covariance, &center, dilation);
    p.mean += &beta;
    memory.fade(&beta, dilation);
    matched
}

/// C' = g² [ η_c (C + ββᵀ) + h (Σ_h + (s-β)(s-β)ᵀ) ] / (η_c + h): the covariance, about m + β, of old Gaussian and memory.
fn match_covariance(
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
