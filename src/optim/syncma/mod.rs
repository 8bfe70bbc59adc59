//! SynCMA: covariance matrix adaptation with a memory of earlier generations, from the InvIGO framework, in five variants.
//! [`Adaptive`] is the default. The files of noisy tasks in `envs/` choose [`Steady`] instead.
//!
//! | variant | equations | for |
//! |---|---|---|
//! | [`Published`] | those of the paper as its reference code runs them; biased toward the origin | reproducing its tables |
//! | [`Exact`] | the paper's theory, [`invigo`](super::invigo) with constant penalties | theory; fully invariant |
//! | [`Adaptive`] (default) | `exact` with a step-size rule | functions with little noise, up to a few hundred dimensions |
//! | [`Matrix`] | `adaptive` for a matrix of weights, with a covariance A ⊗ B over rows and columns | large policies |
//! | [`Steady`] | mirrored pairs move the mean, and the width follows a timetable; [`Starts`] runs several | robots: noisy returns, many dimensions |
//!
//! λ0 has the same meaning in all variants: a generation that is τ generations old counts (λ0/(λ0+1))^τ, so all earlier
//! generations together count λ0 times the present one.

pub mod adaptive;
mod exact;
pub mod matrix;
mod published;
mod root;
pub mod search;
mod starts;
mod steady;

pub use adaptive::Adaptive;
pub use exact::Exact;
pub use matrix::Matrix;
pub use published::Published;
pub use starts::Starts;
pub use steady::Steady;
pub(super) use steady::{default_kappa, default_patience, default_top};

use nalgebra::{DMatrix, DVector};
use serde::{Deserialize, Serialize};

use super::delegate::delegate;
use super::invigo::Penalty;
use super::settings::SIGMA;
use super::weights::Weights;
use super::{Diagnostics, Optimizer, OptimizerKind, Settings, SettingsError, StopReason, Variant, rates};

/// λ0 of the reference code and of most of the paper's tables.
pub const LAMBDA0: f64 = 2.0;

/// The penalties of a variant that has constant ones, where none is set.
pub(super) fn default_penalty(variant: Variant, n: usize, batch: usize, lambda0: f64) -> Penalty {
    let mu_eff = Weights::new(batch).mu_eff;
    match variant {
        Variant::Exact => exact::default_penalty(n, mu_eff, lambda0),
        _ => Penalty { mean: 0.0, covariance: adaptive::penalty_for(adaptive::replaced(n, mu_eff), lambda0) },
    }
}

/// The first width of a search, where none is set. Only two variants look at the box.
pub(super) fn default_sigma(settings: &Settings) -> f64 {
    let looks = matches!(settings.variant, Variant::Adaptive | Variant::Matrix);
    if looks && settings.optimizer == OptimizerKind::SynCma { adaptive::sigma_for_box(settings) } else { SIGMA }
}

/// SynCMA in the variant of the settings.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum SynCma {
    Published(Published),
    Exact(Exact),
    Adaptive(Adaptive),
    // A checkpoint stores the position in this list, so new variants come last.
    Matrix(Matrix),
    Steady(Starts),
}

impl SynCma {
    /// A search that starts from `mean`.
    ///
    /// # Errors
    /// If a setting cannot be used; the error names the field and the remedy.
    pub fn new(settings: &Settings, mean: DVector<f64>) -> Result<Self, SettingsError> {
        settings.check(&mean)?;
        Ok(match settings.variant {
            Variant::Published => Self::Published(Published::new(settings, mean)?),
            Variant::Exact => Self::Exact(Exact::new(settings, mean)?),
            Variant::Adaptive => Self::Adaptive(Adaptive::new(settings, mean)?),
            Variant::Matrix => Self::Matrix(Matrix::new(settings, mean)?),
            Variant::Steady => Self::Steady(Starts::new(settings, mean)?),
        })
    }
}

delegate!(SynCma: Published, Exact, Adaptive, Matrix, Steady);

/// 1/z_c of the reference code: one generation's share of the next covariance. It is twice CMA-ES's rank-μ rate.
fn reference_share(n: usize, mu_eff: f64) -> f64 {
    let (c_1, c_mu) = (rates::rank_one(n as f64, mu_eff), rates::rank_mu(n as f64, mu_eff, 0.0));
    // A single parent has no spread to learn from, and the rate would be 0.
    2.0 * c_mu.clamp(1e-8, 1.0 - c_1 - 1e-8)
}

/// N = 2n as in the experiments of the reference code, and at most 100, its setting for locomotion.
fn reference_batch(n: usize) -> usize {
    (2 * n).clamp(4, 100)
}
