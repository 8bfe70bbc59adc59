//! The theory of the SynCMA paper with its history terms corrected: [`invigo`] with constant penalties.
//!
//! Reference: "An Invariant Information Geometric Method for High-Dimensional Online Optimization", L4DC 2024, section 4.
//!
//! ```text
//! (1) draw        x_i = m + d_i,  d_i = L z_i,  z_i ~ N(0, I),  C = LLᵀ,  i = 1 … N
//! (2) rank        d_w = Σ w_i d_i,  S_w = Σ w_i (d_i − d_w)(d_i − d_w)ᵀ,  the best candidate first
//! (3) update      m and C take on the moments of old Gaussian, sample and memory: `invigo::update`
//! ```
//!
//! | symbol | field | default and its source |
//! |---|---|---|
//! | N | `batch` | 2n, at most 100: reference code |
//! | w_i | `weights` | the positive weights of CMA-ES: paper |
//! | η_m | `penalty.mean` | 1/z_m = 0.1 once the memory is full: paper |
//! | η_c | `penalty.covariance` | 1/z_c = twice CMA-ES's rank-μ rate once the memory is full: reference code |
//! | m, C | `gaussian` | C = σ0² I with σ0 = 0.1: reference code |
//! | h, s, Σ, λ | `update.memory` | empty; λ0 = 2: reference code |
//!
//! Nothing enlarges steps that are too small, so σ0 has to match the scale of the problem.

use nalgebra::DVector;
use serde::{Deserialize, Serialize};

use super::search::{GaussianSearch, Update};
use super::{LAMBDA0, reference_batch, reference_share};
use crate::optim::gaussian::Gaussian;
use crate::optim::invigo::{self, Memory, Penalty, WeightedSample};
use crate::optim::linalg::NotPositiveDefinite;
use crate::optim::weights::Weights;
use crate::optim::{Settings, SettingsError};

/// The paper's 1/z_m.
const MEAN_SHARE: f64 = 0.1;

/// The smallest share of the old covariance that the default penalty keeps. For an N that is large for n, the reference
/// constants would keep less than nothing.
const LEAST_SHARE_KEPT: f64 = 0.1;

/// SynCMA, variant `exact`.
pub type Exact = GaussianSearch<Gaussian, ExactUpdate>;

/// What `exact` adds to the Gaussian.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ExactUpdate {
    memory: Memory,
}

impl Update<Gaussian> for ExactUpdate {
    fn update(&mut self, p: &mut Gaussian, q: &WeightedSample, eta: Penalty) -> Result<(), NotPositiveDefinite> {
        invigo::update(p, &mut self.memory, q, eta) // (3)
    }
}

impl Exact {
    /// A search that starts from `mean`.
    ///
    /// # Errors
    /// If a setting cannot be used; the error names the field and the remedy.
    pub fn new(settings: &Settings, mean: DVector<f64>) -> Result<Self, SettingsError> {
        Self::from_gaussian(settings, Gaussian::isotropic(mean, settings.first_sigma()))
    }

    /// A search that starts from any Gaussian; `sigma` in the settings is ignored.
    ///
    /// # Errors
    /// If a setting cannot be used; the error names the field and the remedy.
    pub fn from_gaussian(settings: &Settings, gaussian: Gaussian) -> Result<Self, SettingsError> {
        settings.check(&gaussian.mean)?;
        let n = gaussian.mean.len();
        let batch = settings.batch.unwrap_or_else(|| reference_batch(n));
        let lambda0 = settings.lambda0.unwrap_or(LAMBDA0);
        let Weights { positive: weights, mu_eff, .. } = Weights::new(batch);
        let default = default_penalty(n, mu_eff, lambda0);
        let penalty = Penalty {
            mean: settings.eta_m.unwrap_or(default.mean),
            covariance: settings.eta_c.unwrap_or(default.covariance),
        };
        let update = ExactUpdate { memory: Memory::empty(n, lambda0) };
        Ok(Self::start(settings, (batch, weights), penalty, gaussian, update))
    }
}

/// η_m and η_c where none are set.
pub(super) fn default_penalty(n: usize, mu_eff: f64, lambda0: f64) -> Penalty {
    let remembered = lambda0 + 1.0;
    let least = remembered * LEAST_SHARE_KEPT / (1.0 - LEAST_SHARE_KEPT);
    Penalty {
        mean: (1.0 / MEAN_SHARE - remembered).max(0.0),
        covariance: (1.0 / reference_share(n, mu_eff) - remembered).max(least),
    }
}
