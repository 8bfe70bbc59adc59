//! SynCMA with a step-size rule, for functions with little noise and up to a few hundred dimensions.
//!
//! References: [`invigo`] for the theory of the memory and the covariance, and Hansen's tutorial,
//! arXiv:1604.00772, for the step size. Numbers in the code are those of these lines:
//!
//! ```text
//! (1) draw        x_i = m + d_i,  d_i = L z_i,  z_i ~ N(0, I),  C = LLᵀ,  i = 1 … N
//! (2) rank        d_w = Σ w_i d_i,  S_w = Σ w_i (d_i − d_w)(d_i − d_w)ᵀ,  the best candidate first
//! (3) step size   p ← (1 − c_σ) p ℓ/‖L⁻¹p‖ + √(c_σ (2 − c_σ) μ_eff) d_w,  ℓ ← ‖L⁻¹p‖
//! (4)             g = min(exp((c_σ/d_σ) (ℓ/χ_n − 1)), e)
//! (5) mean        m ← m + β,  β = d_w / (1 + η_m)
//! (6) memory      Σ ← Σ + S_w + h/(h+1) (d_w − s)(d_w − s)ᵀ,  s ← s + (d_w − s)/(h+1),  h ← h + 1
//! (7) covariance  C ← g² [ η_c (C + δδᵀ) + Σ + h (s − δ)(s − δ)ᵀ ] / (η_c + h),  δ = h s / (η_c + h)
//! (8) forgetting  h ← λ h,  Σ ← λ g² Σ,  s ← s − β,  λ = λ0 / (λ0 + 1)
//! ```
//!
//! | symbol | field | default |
//! |---|---|---|
//! | N | `batch` | 4 + ⌊3 ln n⌋ as in CMA-ES |
//! | w_i | `weights` | the positive weights of CMA-ES |
//! | η_m | `penalty.mean` | 0: the mean moves to the mean of the selected candidates |
//! | η_c | `penalty.covariance` | such that all remembered generations together replace 4 c_μ of C |
//! | m, C | `gaussian` | C = σ0² I; σ0 is a twentieth of the width of the box if there is one, otherwise 0.1 |
//! | h, s, Σ, λ | `update.memory` | empty; λ0 = 2 |
//! | p, ℓ, c_σ, d_σ | `update.step`: [`StepSize`] | p = 0, ℓ = 0 |
//!
//! Differences from `exact`:
//!
//! - The step-size rule sets the size of C. The memory sets its shape and is scaled along with C.
//! - The mean does not use the memory, so it can move fast while the covariance learns slowly.
//! - The covariance is taken about the mean δ of its own mixture and not about the new mean. About the new mean, the
//!   selected candidates would look too narrow along the direction in which the mean moves.
//! - All remembered generations together count 4 c_μ, whatever λ0 is. A longer memory averages more but learns no faster.
//!
//! All weights are positive, so C stays positive definite.
//!
//! Median best loss of 11 trials on moved functions in 32 dimensions after 10,000 evaluations, printed by
//! `locomotion bench synthetic --shift random --trials 11 --sigma 4.5 --optimizers syncma:adaptive,cma-es`:
//!
//! | | sphere | discus | schwefel221 | rastrigin | ackley | rosenbrock |
//! |---|---|---|---|---|---|---|
//! | adaptive | 1.0e-8 | 6.72 | 4.6e-3 | 15.0 | 9.2e-5 | 29.6 |
//! | CMA-ES | 4.0e-6 | 80.3 | 9.0e-3 | 183 | 1.5e-3 | 90.5 |

use nalgebra::DVector;
use serde::{Deserialize, Serialize};

use super::LAMBDA0;
use super::search::{GaussianSearch, Update};
use crate::optim::gaussian::{Gaussian, Normal};
use crate::optim::invigo::{self, Memory, Penalty, WeightedSample};
use crate::optim::linalg::NotPositiveDefinite;
use crate::optim::settings::SIGMA;
use crate::optim::weights::{Weights, expected_norm};
use crate::optim::{Settings, SettingsError, rates};

/// What one generation and the memory together replace of C, in units of c_μ.
const LEARNING: f64 = 4.0;
/// The most that they may replace.
const MOST_REPLACED: f64 = 0.9;
/// The share of CMA-ES's damping that this search needs. It converges faster with less, but less robustly in small batches.
const DAMPING_SHARE: f64 = 0.6;
/// No generation enlarges the search by more than this factor.
const MOST_DILATION: f64 = std::f64::consts::E;

/// SynCMA, variant `adaptive`.
pub type Adaptive = GaussianSearch<Gaussian, AdaptiveUpdate>;

/// What `adaptive` adds to the Gaussian.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct AdaptiveUpdate {
    memory: Memory,
    step: StepSize,
}

impl Update<Gaussian> for AdaptiveUpdate {
    fn update(&mut self, p: &mut Gaussian, q: &WeightedSample, eta: Penalty) -> Result<(), NotPositiveDefinite> {
        let g = self.step.dilation(p, &q.mean); // (3)-(4)
        update_gaussian(p, &mut self.memory, q, eta, g) // (5)-(8)
    }
}

impl Adaptive {
    /// A search that starts from `mean`.
    ///
    /// # Errors
    /// If a setting cannot be used; the error names the field and the remedy.
    pub fn new(settings: &Settings, mean: DVector<f64>) -> Result<Self, SettingsError> {
        Self::from_gaussian(settings, Gaussian::isotropic(mean, sigma_for_box(settings)))
    }

    /// A search that starts from any Gaussian; `sigma` in the settings is ignored.
    ///
    /// # Errors
    /// If a setting cannot be used; the error names the field and the remedy.
    pub fn from_gaussian(settings: &Settings, gaussian: Gaussian) -> Result<Self, SettingsError> {
        settings.check(&gaussian.mean)?;
        let n = gaussian.mean.len();
        let batch = settings.batch.unwrap_or_else(|| rates::default_batch(n));
        let lambda0 = settings.lambda0.unwrap_or(LAMBDA0);
        let Weights { positive: weights, mu_eff, .. } = Weights::new(batch);
        let penalty = Penalty {
            mean: settings.eta_m.unwrap_or(0.0),
            covariance: settings.eta_c.unwrap_or_else(|| penalty_for(replaced(n, mu_eff), lambda0)),
        };
        let update = AdaptiveUpdate { memory: Memory::empty(n, lambda0), step: StepSize::new(n, mu_eff) };
        Ok(Self::start(settings, (batch, weights), penalty, gaussian, update))
    }
}

/// Mean, memory and covariance of one generation: InvIGO posed for the mean with (λ = 0, η_m) and apart from that for the
/// covariance with (λ, η_c), whose result is scaled by g².
///
/// # Errors
/// If the covariance would not be positive definite.
pub fn update_gaussian(
    p: &mut Gaussian,
    memory: &mut Memory,
    q: &WeightedSample,
    eta: Penalty,
    g: f64,
) -> Result<(), NotPositiveDefinite> {
    let beta = &q.mean / (eta.mean + 1.0);
    p.mean += &beta; // (5)
    memory.take_in(q); // (6)
    let delta = memory.pull(eta.covariance);
    let matched = invigo::match_covariance(p, memory, eta.covariance, &delta, g); // (7)
    memory.fade(&beta, g); // (8)
    matched
}

/// Cumulative step-size adaptation for a search that knows a Cholesky factor L and not C^(-1/2).
///
/// CMA-ES adds up whitened steps C^(-1/2) d_w. Steps that are whitened by L are in frames that turn from generation to
/// generation, so their sum would depend on the coordinate system. The path p is therefore kept in the coordinates of x and
/// only its length ℓ is measured in whitened ones. By then C has grown where the path went, and measured by the new C the
/// old path would be too short. So p keeps the length that it had when it was measured.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct StepSize {
    rate: f64,
    damping: f64,
    mu_eff: f64,
    path: DVector<f64>,
    length: f64,
}

impl StepSize {
    /// The tutorial's constants except for the damping.
    pub fn new(n: usize, mu_eff: f64) -> Self {
        let rate = rates::step_size_path(n as f64, mu_eff);
        let damping = DAMPING_SHARE * rates::damping(n as f64, mu_eff);
        Self { rate, damping, mu_eff, path: DVector::zeros(n), length: 0.0 }
    }

    /// The factor g by which the search p grows: above 1 if recent steps point in one direction, below 1 if they undo each
    /// other. `d_w` is the mean deviation of the selected candidates.
    pub fn dilation(&mut self, p: &impl Normal, d_w: &DVector<f64>) -> f64 {
        let Self { rate: c, damping, mu_eff, path, length } = self;
        // (3)
        let seen = p.whiten(path).norm();
        let same_length = if seen > 0.0 { *length / seen } else { 0.0 };
        *path *= (1.0 - *c) * same_length;
        path.axpy((*c * (2.0 - *c) * *mu_eff).sqrt(), d_w, 1.0);
        *length = p.whiten(path).norm();
        // (4)
        let surplus = *length / expected_norm(path.len()) - 1.0;
        (*c / *damping * surplus).exp().min(MOST_DILATION)
    }
}

/// σ0, which depends on the width of the box where none is set.
pub(super) fn sigma_for_box(settings: &Settings) -> f64 {
    settings.sigma.or(settings.bounds.width().map(|width| width / 20.0)).unwrap_or(SIGMA)
}

/// The share of a covariance in n dimensions that one generation and the memory together replace.
pub(super) fn replaced(n: usize, mu_eff: f64) -> f64 {
    (LEARNING * rates::rank_mu(n as f64, mu_eff, rates::RANK_MU_OFFSET)).min(MOST_REPLACED)
}

/// The η_c with which they replace that share.
pub(super) fn penalty_for(replaced: f64, lambda0: f64) -> f64 {
    (lambda0 + 1.0) * (1.0 / replaced - 1.0)
}
