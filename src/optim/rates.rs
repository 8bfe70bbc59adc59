//! Formulas of Hansen's CMA-ES tutorial that several searches share: the default batch and the learning rates.
//!
//! Reference: Hansen, "The CMA Evolution Strategy: A Tutorial", arXiv:1604.00772, Table 1. Everywhere n is the dimension and
//! μ_eff the selection mass of the positive weights.

/// N = 4 + ⌊3 ln n⌋, the number of candidates per generation where none is set.
pub fn default_batch(dimension: usize) -> usize {
    4 + (3.0 * (dimension as f64).ln()).floor() as usize
}

/// c_1, the rate of the rank-one update.
pub fn rank_one(n: f64, mu_eff: f64) -> f64 {
    2.0 / ((n + 1.3).powi(2) + mu_eff)
}

/// c_μ, the rate of the rank-μ update, not limited yet. The tutorial's `offset` is [`RANK_MU_OFFSET`]; older code has 0.
pub fn rank_mu(n: f64, mu_eff: f64, offset: f64) -> f64 {
    2.0 * (offset + mu_eff + 1.0 / mu_eff - 2.0) / ((n + 2.0).powi(2) + mu_eff)
}

/// Keeps c_μ above 0 for a single parent.
pub const RANK_MU_OFFSET: f64 = 0.25;

/// c_c, one over the memory of the covariance path, in generations.
pub fn covariance_path(n: f64, mu_eff: f64) -> f64 {
    (4.0 + mu_eff / n) / (n + 4.0 + 2.0 * mu_eff / n)
}

/// c_σ, one over the memory of the step-size path, in generations.
pub fn step_size_path(n: f64, mu_eff: f64) -> f64 {
    (mu_eff + 2.0) / (n + mu_eff + 5.0)
}

/// d_σ, the damping of the step size.
pub fn damping(n: f64, mu_eff: f64) -> f64 {
    1.0 + excess(n, mu_eff) + step_size_path(n, mu_eff)
}

/// The part of d_σ that only counts where the batch is large for the dimension.
pub fn excess(n: f64, mu_eff: f64) -> f64 {
    2.0 * (((mu_eff - 1.0) / (n + 1.0)).sqrt() - 1.0).max(0.0)
}
