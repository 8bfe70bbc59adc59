//! The constants of DD-CMA. They depend on n and N only and never change during a search.

use serde::{Deserialize, Serialize};

use crate::optim::weights::{Weights, expected_norm};
use crate::optim::{Settings, rates};

/// Learning rates of C, or of D, and their weights.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct DdRates {
    pub c_1: f64,
    pub c_mu: f64,
    pub c_c: f64,
    /// w_i, best rank first.
    pub weights: Vec<f64>,
}

impl DdRates {
    /// For a matrix with `freedom` degrees of freedom, n(n+1)/2 or n.
    fn new(n: f64, freedom: f64, w: &Weights) -> Self {
        let batch = (w.positive.len() + w.negative.len()) as f64;
        let mu = w.mu_eff + 1.0 / w.mu_eff - 2.0 + batch / (2.0 * batch + 10.0);
        let c_1 = 1.0 / (2.0 * (freedom / n + 1.0) * (n + 1.0).powf(0.75) + w.mu_eff / 2.0);
        let c_mu = (mu * c_1).min(1.0 - c_1);
        let negative = (1.0 + c_1 / c_mu).min(1.0 + 2.0 * w.mu_eff_negative / (w.mu_eff + 2.0));
        let weights = w.positive.iter().copied().chain(w.negative.iter().map(|v| v * negative)).collect();
        Self { c_1, c_mu, c_c: (w.mu_eff * c_1).sqrt() / 2.0, weights }
    }

    /// w_i for a sample z. A negative weight treats every sample as if it had the average length.
    pub fn weigh(&self, rank: usize, z_squared: f64, n: usize) -> f64 {
        let w = self.weights[rank];
        if w < 0.0 && z_squared > 0.0 { w * n as f64 / z_squared } else { w }
    }
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct DdConstants {
    pub batch: usize,
    pub positive: Vec<f64>,
    pub mu_eff: f64,
    pub c_sigma: f64,
    pub d_sigma: f64,
    pub chi_n: f64,
    /// Generations between two updates of C.
    pub gap: u64,
    pub full: DdRates,
    pub diagonal: DdRates,
    /// Standard deviation at the start.
    pub sigma: f64,
    pub seed: u64,
}

impl DdConstants {
    /// For a search from N(mean, diag(scale)²) of which `sigma` is the typical entry of `scale`.
    pub fn new(settings: &Settings, dimension: usize, sigma: f64) -> Self {
        let n = dimension as f64;
        let batch = settings.batch.unwrap_or(rates::default_batch(dimension));
        let w = Weights::new(batch);
        let c_sigma = rates::step_size_path(n, w.mu_eff);
        let full = DdRates::new(n, n * (n + 1.0) / 2.0, &w);
        Self {
            batch,
            mu_eff: w.mu_eff,
            c_sigma,
            d_sigma: 1.0 + c_sigma + rates::excess(n, w.mu_eff),
            chi_n: expected_norm(dimension),
            gap: (1.0 / (10.0 * n * (full.c_1 + full.c_mu))).floor().max(1.0) as u64,
            diagonal: DdRates::new(n, n, &w),
            full,
            positive: w.positive,
            sigma,
            seed: settings.seed,
        }
    }
}
