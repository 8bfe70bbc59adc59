//! SynCMA with a step-size rule: for getting work done.
//!
//! Reference: [`invigo`] and [`StepSize`]; the paper's "Limitations" ask for evolving rules, this is one.
//!
//! | symbol | field | default |
//! |---|---|---|
//! | N | `batch` | 4 + ⌊3 ln n⌋ as CMA-ES |
//! | w_i | `weights` | CMA-ES's positive ones |
//! | λ0 | in `Memory::decay` | 2 |
//! | η_m | `penalty.mean` | 0: the mean moves to the mean of the selected |
//! | η_c | `penalty.covariance` | (λ0+1)/z_c = 4 c_μ, CMA-ES's rank-μ rate |
//! | m, C | `gaussian` | C = σ0² I, σ0 a twentieth of the box's width if there is a box, otherwise 0.1 |
//! | h, s, Σ_h | `memory` | empty |
//! | g | `StepSize::dilation` | |
//!
//! What differs from `exact`, and why. Numbers are medians of the best loss on the moved functions: n = 32, N = 64, 10,000
//! evaluations, optimum uniform in [-3,3]³², start uniform in [-5,10]³², σ0 = 4.5; each pair differs in that one point.
//!
//! - Size is the step-size rule's business; shape is learnt from the memory, which is dilated along.
//! - The mean forgets at once. With the history in it, 1/z_m is 1/3 at most: Sphere 3e-3 instead of 9e-6.
//! - The covariance is taken about the mean of its own mixture instead of about m'. About m' a mean that moves fast would
//!   make the selected look narrow: Sphere 9e-6, Discus 0.8; about its own mean 8e-7, 0.45.
//! - All remembered generations together weigh 4 c_μ whatever λ0 is, so that a longer memory averages more and does not
//!   learn faster. With 3 c_μ Discus ends at 44 instead of 5, with 5 c_μ Schwefel 2.21 at 9e-3 instead of 4e-3.
//!
//! | 11 runs | Sphere | Discus | Schwefel 2.21 | Rastrigin | Ackley | Rosenbrock |
//! |---|---|---|---|---|---|---|
//! | σ0 = 4.5, adaptive | 9e-9 | 6.2 | 3.9e-3 | 16 | 8e-5 | 29.6 |
//! | σ0 = 4.5, CMA-ES | 2e-6 | 94 | 8.2e-3 | 183 | 1e-3 | 30.0 |
//! | σ0 = 0.1, adaptive | 1e-7 | 33 | 8.0e-3 | 39 | 5e-4 | 30.0 |
//! | σ0 = 0.1, CMA-ES | 1e-5 | 71 | 1.6e-2 | 200 | 4e-3 | 31.3 |
//!
//! Only positive weights take part, so C cannot lose positive definiteness.

use nalgebra::DVector;

use super::search::{Rule, Search};
use super::step_size::StepSize;
use crate::optim::cma_es::Constants;
use crate::optim::gaussian::Gaussian;
use crate::optim::invigo::{self, Memory, Penalty, WeightedSample};
use crate::optim::linalg::NotPositiveDefinite;
use crate::optim::{Settings, SettingsError};

/// (λ0+1)/z_c in units of c_μ.
const LEARNING: f64 = 4.0;

/// The most that one generation and the memory may together replace of C.
const MOST_REPLACED: f64 = 0.9;

/// SynCMA, variant `adaptive`.
pub type Adaptive = Search<StepSize>;

impl Adaptive {
    /// About to search from `mean`.
    pub fn new(settings: &Settings, mean: DVector<f64>) -> Result<Self, SettingsError> {
        Self::from_gaussian(settings, Gaussian::isotropic(mean, first_sigma(settings)))
    }
}

/// σ0.
pub(super) fn first_sigma(settings: &Settings) -> f64 {
    settings.sigma.unwrap_or_else(|| settings.bounds.width().map_or(0.1, |width| width / 20.0))
}

/// What one generation and the memory together replace of a covariance in n dimensions.
pub(super) fn replaced(n: usize, mu_eff: f64) -> f64 {
    let c_mu = 2.0 * (0.25 + mu_eff + 1.0 / mu_eff - 2.0) / ((n as f64 + 2.0).powi(2) + mu_eff);
    (LEARNING * c_mu).min(MOST_REPLACED)
}

/// The η_c with which they replace it.
pub(super) fn penalty_for(replaced: f64, lambda0: f64) -> f64 {
    (lambda0 + 1.0) * (1.0 / replaced - 1.0)
}

impl Rule for StepSize {
    type Gaussian = Gaussian;
    type Memory = Memory;

    fn batch(n: usize) -> usize {
        Constants::default_population(n)
    }

    fn penalty(p: &Gaussian, mu_eff: f64, lambda0: f64) -> Penalty {
        Penalty { mean: 0.0, covariance: penalty_for(replaced(p.mean.len(), mu_eff), lambda0) }
    }

    fn start(p: &Gaussian, mu_eff: f64, _: &Settings) -> Self {
        Self::new(p.mean.len(), mu_eff)
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
        let g = self.dilation(p, &q.mean);
        invigo::update_apart(p, memory, q, eta, g)
    }
}
