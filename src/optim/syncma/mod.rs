//! SynCMA: covariance matrix adaptation that remembers, from the InvIGO framework, in five variants.
//!
//! | variant | equations | for |
//! |---|---|---|
//! | [`Published`] | the paper's, as its reference code runs them; drawn to the origin of coordinates | reproducing its tables |
//! | [`Exact`] | the paper's theory, [`invigo`](super::invigo) with constant penalties | theory; fully invariant |
//! | [`Adaptive`] | exact with a step-size rule | functions without much noise, up to some hundred dimensions |
//! | [`Matrix`] | adaptive for a matrix of weights, with a covariance A ⊗ B over rows and columns | large policies |
//! | [`Steady`] | every candidate moves the mean, the width stays | robots: noisy returns, many dimensions |
//!
//! λ0 means the same in all: a generation τ ago counts (λ0/(λ0+1))^τ, all earlier ones together λ0 times the present.

mod adaptive;
mod exact;
pub mod matrix;
mod published;
mod search;
mod steady;
mod step_size;

pub use adaptive::Adaptive;
pub use exact::Exact;
pub use matrix::Matrix;
pub use published::Published;
pub use search::Search;
pub use steady::Steady;

use nalgebra::{DMatrix, DVector};
use serde::{Deserialize, Serialize};

use super::{Optimizer, Settings, SettingsError, StopReason, Variant, Vitals};

/// λ0 of the reference code and of most of the paper's tables.
pub const LAMBDA0: f64 = 2.0;

/// SynCMA in the variant the settings ask for.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum SynCma {
    Published(Published),
    Exact(Exact),
    Adaptive(Adaptive),
    // Checkpoints know these by their place: new ones come last.
    Matrix(Matrix),
    Steady(Steady),
}

impl SynCma {
    /// About to search from `mean`.
    pub fn new(settings: &Settings, mean: DVector<f64>) -> Result<Self, SettingsError> {
        Ok(match settings.variant {
            Variant::Published => Self::Published(Published::new(settings, mean)?),
            Variant::Exact => Self::Exact(Exact::new(settings, mean)?),
            Variant::Adaptive => Self::Adaptive(Adaptive::new(settings, mean)?),
            Variant::Matrix => Self::Matrix(Matrix::new(settings, mean)?),
            Variant::Steady => Self::Steady(Steady::new(settings, mean)?),
        })
    }

    fn inner(&self) -> &dyn Optimizer {
        match self {
            Self::Published(o) => o,
            Self::Exact(o) => o,
            Self::Adaptive(o) => o,
            Self::Matrix(o) => o,
            Self::Steady(o) => o,
        }
    }

    fn inner_mut(&mut self) -> &mut dyn Optimizer {
        match self {
            Self::Published(o) => o,
            Self::Exact(o) => o,
            Self::Adaptive(o) => o,
            Self::Matrix(o) => o,
            Self::Steady(o) => o,
        }
    }
}

impl Optimizer for SynCma {
    fn ask(&mut self) -> DMatrix<f64> {
        self.inner_mut().ask()
    }
    fn tell(&mut self, loss: &[f64]) {
        self.inner_mut().tell(loss);
    }
    fn center(&self) -> DVector<f64> {
        self.inner().center()
    }
    fn vitals(&self) -> Vitals {
        self.inner().vitals()
    }
    fn stop(&self) -> Option<StopReason> {
        self.inner().stop()
    }
}

/// 1/z_c of the reference code, the share of one generation in the next covariance: twice CMA-ES's rank-μ rate.
fn reference_share(n: usize, mu_eff: f64) -> f64 {
    let n = n as f64;
    let c_1 = 2.0 / ((n + 1.3).powi(2) + mu_eff);
    let c_mu = 2.0 * (mu_eff + 1.0 / mu_eff - 2.0) / ((n + 2.0).powi(2) + mu_eff);
    // One parent alone has no spread to learn from, and the rate would be 0.
    2.0 * c_mu.clamp(1e-8, 1.0 - c_1 - 1e-8)
}

/// N = 2n as in the reference code's experiments, 100 (its locomotion setting) at most.
fn reference_batch(n: usize) -> usize {
    (2 * n).clamp(4, 100)
}
