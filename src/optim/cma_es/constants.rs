//! The constants of CMA-ES: everything that depends on n and N alone and never changes during a search.

use serde::{Deserialize, Serialize};

use crate::optim::weights::{Weights, expected_norm};

/// Recombination weights and learning rates. [`Constants::tutorial`] gives Hansen's; another implementation's can be
/// written down field by field, which is how the tests reproduce pycma and CyberAgent's cmaes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Constants {
    /// w_i, best rank first: the positive ones sum to 1, the negative ones to −α⁻.
    pub weights: Vec<f64>,
    /// μ_eff, how many samples' worth of information the positive weights keep.
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
    /// Length of the bias-corrected p_σ from which on h_σ = 0.
    pub stall_length: f64,
    /// Generations that the bias correction in h_σ runs ahead of the paths: 0, or 1 in CyberAgent's cmaes and pypop7.
    pub stall_lead: u64,
    /// Added to ‖C^{-1/2} y‖ before it divides a negative weight: 0, or 1e-9 in pycma.
    pub length_guard: f64,
    /// Added to ‖C^{-1/2} y‖² there: 1e-8 in CyberAgent's cmaes; ours only keeps a sample at the mean from dividing 0 by 0.
    pub square_guard: f64,
    /// Generations between two eigendecompositions.
    pub eigen_gap: f64,
}

impl Constants {
    /// Hansen's tutorial (arXiv:1604.00772), its Table 1; the eigendecomposition is as rare as in pycma.
    pub fn tutorial(dimension: usize, population: usize) -> Self {
        let n = dimension as f64;
        let Weights { positive, negative, mu_eff, mu_eff_negative } = Weights::new(population);

        let c_1 = 2.0 / ((n + 1.3).powi(2) + mu_eff);
        let c_mu = (2.0 * (0.25 + mu_eff + 1.0 / mu_eff - 2.0) / ((n + 2.0).powi(2) + mu_eff)).min(1.0 - c_1);
        let c_c = (4.0 + mu_eff / n) / (n + 4.0 + 2.0 * mu_eff / n);
        let c_sigma = (mu_eff + 2.0) / (n + mu_eff + 5.0);
        let d_sigma = 1.0 + 2.0 * (((mu_eff - 1.0) / (n + 1.0)).sqrt() - 1.0).max(0.0) + c_sigma;
        let chi_n = expected_norm(dimension);

        // α⁻: the negative weights balance the rank-one update, carry no more information than they have, and leave C
        // positive definite.
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
            c_c,
            c_sigma,
            d_sigma,
            chi_n,
            stall_length: (1.4 + 2.0 / (n + 1.0)) * chi_n,
            stall_lead: 0,
            length_guard: 0.0,
            square_guard: 1e-300,
            eigen_gap: 1.0 / (c_1 + c_mu) / n / 10.0,
        }
    }

    /// The same with nothing learnt from the worse half.
    pub fn without_negative_weights(mut self) -> Self {
        self.weights.iter_mut().for_each(|w| *w = w.max(0.0));
        self
    }

    /// N = 4 + ⌊3 ln n⌋, the tutorial's population for a dimension.
    pub fn default_population(dimension: usize) -> usize {
        4 + (3.0 * (dimension as f64).ln()).floor() as usize
    }

    /// N, the number of candidates of a generation.
    pub fn population(&self) -> usize {
        self.weights.len()
    }

    /// w° (46) of a negative weight: it counts its step as if ‖C^{-1/2} y‖, here `length`, were √n as it is on average.
    pub(super) fn at_mean_length(&self, w: f64, length: f64, dimension: usize) -> f64 {
        w * dimension as f64 / ((length + self.length_guard).powi(2) + self.square_guard)
    }
}
