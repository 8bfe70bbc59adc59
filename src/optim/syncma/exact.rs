//! SynCMA's theory as it should read: [`invigo`] with constant penalties.
//!
//! Reference: "An Invariant Information Geometric Method for High-Dimensional Online Optimization", L4DC 2024, section 4,
//! without the slip in its history terms.
//!
//! | symbol | field | default, from where |
//! |---|---|---|
//! | N | `batch` | 2n, at most 100: the reference code |
//! | w_i | `weights` | CMA-ES's positive ones: paper |
//! | λ0 | in `Memory::decay` | 2: the reference code |
//! | η_m | `penalty.mean` | 1/z_m = 0.1 once the memory is full: paper |
//! | η_c | `penalty.covariance` | 1/z_c = twice CMA-ES's rank-μ rate once the memory is full: the reference code |
//! | m, C | `gaussian` | C = σ0² I with σ0 = 0.1: the reference code |
//! | h, s, Σ_h | `memory` | empty |
//!
//! Nothing enlarges a step that is too small: give it a σ0 of the problem's scale. The paper's η_m is cautious, too; 0 took
//! the moved Sphere (n = 32, N = 64, 10,000 evaluations, σ0 = 1) to 0.13 instead of 5.4.

use nalgebra::DVector;
use serde::{Deserialize, Serialize};

use super::search::{Rule, Search};
use super::{reference_batch, reference_share};
use crate::optim::gaussian::Gaussian;
use crate::optim::invigo::{self, Memory, Penalty, WeightedSample};
use crate::optim::linalg::NotPositiveDefinite;
use crate::optim::settings::SIGMA;
use crate::optim::{Settings, SettingsError};

/// The paper's 1/z_m.
const MEAN_SHARE: f64 = 0.1;

/// The smallest share of the old covariance in the new one that a default leaves. The reference constants leave less than
/// nothing where N is large for n.
const LEAST_SHARE_KEPT: f64 = 0.1;

/// SynCMA, variant `exact`.
pub type Exact = Search<Constant>;

/// Nothing but the penalties holds the search back.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Constant;

impl Exact {
    /// About to search from `mean`.
    pub fn new(settings: &Settings, mean: DVector<f64>) -> Result<Self, SettingsError> {
        Self::from_gaussian(settings, Gaussian::isotropic(mean, settings.sigma.unwrap_or(SIGMA)))
    }
}

impl Rule for Constant {
    type Gaussian = Gaussian;
    type Memory = Memory;

    fn batch(n: usize) -> usize {
        reference_batch(n)
    }

    fn penalty(p: &Gaussian, mu_eff: f64, lambda0: f64) -> Penalty {
        let remembered = lambda0 + 1.0;
        let least = remembered * LEAST_SHARE_KEPT / (1.0 - LEAST_SHARE_KEPT);
        Penalty {
            mean: (1.0 / MEAN_SHARE - remembered).max(0.0),
            covariance: (1.0 / reference_share(p.mean.len(), mu_eff) - remembered).max(least),
        }
    }

    fn start(_: &Gaussian, _: f64, _: &Settings) -> Self {
        Self
    }

    fn no_memory(p: &Gaussian, lambda0: f64) -> Memory {
        Memory::empty(p.mean.len(), lambda0)
    }

    fn learn(
        &mut self,
        p: &mut Gaussian,
        memory: &mut Memory,
        q: &WeightedSample,
        eta: Penalty,
    ) -> Result<(), NotPositiveDefinite> {
        invigo::update(p, memory, q, eta)
    }
}
