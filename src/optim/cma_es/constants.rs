//! The constants of CMA-ES. They depend on n and N only and never change during a search.

use serde::{Deserialize, Serialize};

use crate::optim::rates;
use crate::optim::weights::{Weights, expected_norm};

/// Recombination weights and learning rates. [`CmaConstants::tutorial`] gives Hansen's. The fields are public so that tests
/// can set those of pycma and of CyberAgent's cmaes and reproduce them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CmaConstants {
    /// w_i, best rank first: the positive ones sum to 1, the negative ones to −α⁻.
    pub weights: Vec<f64>,
    /// μ_eff, the variance-effective number of selected samples.
    pub mu_eff: f64,
    /// c_m, learning rate of the mean.
    pub c_m: f64,
    /// c_1, learning rate of the rank-one update.
    pub c_1: f64,
    /// c_μ, learning rate of the rank-μ update.
    pub c_mu: f64,
    /// c_c, one over the memory of the covariance path p_c, in generations.
    pub c_c: f64,
    /// c_σ, one over the memory of the step-size path p_σ, in generations.
    pub c_sigma: f64,
    /// d_σ, damping of the step size.
    pub d_sigma: f64,
    /// χ_n = E‖N(0, I)‖.
    pub chi_n: f64,
    /// h_σ = 0 while the bias-corrected p_σ is at least this long.
    pub stall_length: f64,
    /// By how many generations the bias correction in h_σ is ahead of the paths: 0, or 1 in CyberAgent's cmaes and pypop7.
    pub stall_lead: u64,
    /// Added to ‖C^{-1/2} y‖ before it divides a negative weight: 0, or 1e-9 in pycma.
    pub length_guard: f64,
    /// Added to ‖C^{-1/2} y‖² there: 1e-8 in CyberAgent's cmaes. Ours only prevents 0/0 for a sample at the mean.
    pub square_guard: f64,
    /// Generations between two eigendecompositions.
    pub eigen_gap: f64,
}

impl CmaConstants {
    /// Table 1 of Hansen's tutorial (arXiv:1604.00772). The eigendecomposition is as rare as in pycma.
    pub fn tutorial(dimension: usize, population: usize) -> Self {
        let n = dimension as f64;
        let Weights { positive, negative, mu_eff, mu_eff_negative } = Weights::new(population);

        let c_1 = rates::rank_one(n, mu_eff);
        let c_mu = rates::rank_mu(n, mu_eff, rates::RANK_MU_OFFSET).min(1.0 - c_1);
        let chi_n = expected_norm(dimension);

        // α⁻, the size of the negative weights, has three limits: they balance the rank-one update, they count no more than
        // the information in them, and C stays positive definite.
        let balance = 1.0 + c_1 / c_mu;
        let information = 1.0 + 2.0 * mu_eff_negative / (mu_eff + 2.0);
        let definiteness = (1.0 - c_1 - c_mu) / (n * c_mu);
        let alpha = balance.min(information).min(definiteness);

        Self {
            weights: positive.into_iter().chain(negative.into_iter().map(|w| alpha * w)).collect(),
            mu_eff,
            c_m: 1.0,
            c_1,
            c_mu,
            c_c: rates::covariance_path(n, mu_eff),
            c_sigma: rates::step_size_path(n, mu_eff),
            d_sigma: rates::damping(n, mu_eff),
            chi_n,
            stall_length: (1.4 + 2.0 / (n + 1.0)) * chi_n,
            stall_lead: 0,
            length_guard: 0.0,
            square_guard: 1e-300,
            eigen_gap: 1.0 / (c_1 + c_mu) / n / 10.0,
        }
    }

    /// The same constants, but nothing is learned from the worse half of the candidates.
    pub fn without_negative_weights(mut self) -> Self {
        self.weights.iter_mut().for_each(|w| *w = w.max(0.0));
        self
    }

    /// N, the number of candidates of a generation.
    pub fn population(&self) -> usize {
        self.weights.len()
    }

    /// w° (46) for a negative weight. It treats every step as if its `length` ‖C^{-1/2} y‖ were √n, the average length.
    pub(super) fn at_mean_length(&self, w: f64, length: f64, dimension: usize) -> f64 {
        w * dimension as f64 / ((length + self.length_guard).powi(2) + self.square_guard)
    }
}
