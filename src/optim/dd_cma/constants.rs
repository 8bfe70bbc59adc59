//! The constants of DD-CMA: everything that depends on n and N alone and never changes during a search.

use serde::{Deserialize, Serialize};

use crate::optim::weights::{Weights, expected_norm};
use crate::optim::{Settings, cma_es};

/// Learning rates of C, or of D, and the weights that go with them.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Rates {
    pub c_1: f64,
    pub c_mu: f64,
    pub c_c: f64,
    /// w_i, best rank first.
    pub weights: Vec<f64>,
}

impl Rates {
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

    /// w_i as it counts for a sample z: a bad one counts as if it had the length that samples have on average.
    pub fn weigh(&self, rank: usize, z_squared: f64, n: usize) -> f64 {
        let w = self.weights[rank];
        if w < 0.0 && z_squared > 0.0 { w * n as f64 / z_squared } else { w }
    }
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Constants {
    pub batch: usize,
    pub positive: Vec<f64>,
    pub mu_eff: f64,
    pub c_sigma: f64,
    pub d_sigma: f64,
    pub chi_n: f64,
    /// Generations between two updates of C.
    pub gap: u64,
    pub full: Rates,
    pub diagonal: Rates,
    /// Standard deviation at the start.
    pub sigma: f64,
    pub seed: u64,
}

impl Constants {
    /// For a search from N(mean, diag(scale)²) of which `sigma` is the typical entry of `scale`.
    pub fn new(settings: &Settings, dimension: usize, sigma: f64) -> Self {
        let n = dimension as f64;
        let batch = settings.batch.unwrap_or(cma_es::Constants::default_population(dimension));
        let w = Weights::new(batch);
        let c_sigma = (w.mu_eff + 2.0) / (n + w.mu_eff + 5.0);
        let full = Rates::new(n, n * (n + 1.0) / 2.0, &w);
        Self {
            batch,
            mu_eff: w.mu_eff,
            c_sigma,
            d_sigma: 1.0 + c_sigma + 2.0 * (((w.mu_eff - 1.0) / (n + 1.0)).sqrt() - 1.0).max(0.0),
            chi_n: expected_norm(dimension),
            gap: (1.0 / (10.0 * n * (full.c_1 + full.c_mu))).floor().max(1.0) as u64,
            diagonal: Rates::new(n, n, &w),
            full,
            positive: w.positive,
            sigma,
            seed: settings.seed,
        }
    }
}
