//! The values that an optimizer uses where none is set, for those who want to see them.

use super::syncma::{self, LAMBDA0};
use super::{Optimizer, OptimizerKind, Settings, SettingsError, Variant, ars};
use nalgebra::DVector;

impl Settings {
    /// Returns these settings with the values that the optimizer itself chooses for a search in `n` dimensions, as far
    /// as a single number says it. A search with them is the same search.
    ///
    /// # Errors
    /// If a setting cannot be used.
    pub fn with_defaults(&self, n: usize) -> Result<Settings, SettingsError> {
        let mut search = self.clone().build(DVector::zeros(n))?;
        let batch = search.ask().ncols();
        let variant = self.variant;
        let syncma = self.optimizer == OptimizerKind::SynCma;
        let penalized = syncma && matches!(variant, Variant::Exact | Variant::Adaptive);
        let lambda0 = self.lambda0.unwrap_or(LAMBDA0);
        let penalty = syncma::default_penalty(variant, n, batch, lambda0);
        let steady = syncma && variant == Variant::Steady;
        let top = if steady { syncma::default_top } else { ars::default_top };
        Ok(Settings {
            batch: self.batch.or(Some(batch)),
            sigma: self.sigma.or(Some(syncma::default_sigma(self))),
            lambda0: Some(lambda0),
            eta_m: self.eta_m.or(penalized.then_some(penalty.mean)),
            eta_c: self.eta_c.or(penalized.then_some(penalty.covariance)),
            kappa: self.kappa.or(steady.then(|| syncma::default_kappa(n, batch))),
            patience: self.patience.or(steady.then(|| syncma::default_patience(n))),
            starts: self.starts.or(Some(1)),
            step_size: self.step_size.or(Some(ars::STEP_SIZE)),
            noise: self.noise.or(Some(ars::NOISE)),
            top_directions: self.top_directions.or(Some(top(batch / 2))),
            ..self.clone()
        }
        .only_used())
    }
}

#[cfg(test)]
mod tests {
    use super::{DVector, OptimizerKind, Settings, Variant};
    use crate::optim::Bounds;

    /// The printed values are those that the search uses.
    #[test]
    fn a_search_with_the_values_of_its_defaults_is_the_same_search() {
        let all = OptimizerKind::ALL.map(|optimizer| (optimizer, Variant::default()));
        let variants = Variant::ALL.map(|variant| (OptimizerKind::SynCma, variant));
        for (optimizer, variant) in all.into_iter().chain(variants) {
            let bounds = Bounds::Clip { low: -1.0, high: 1.0 };
            let settings = Settings { optimizer, variant, bounds, shape: Some((2, 6)), ..Settings::default() };
            let told = settings.with_defaults(12).unwrap();
            let state =
                |settings: &Settings| serde_json::to_string(&settings.clone().build(DVector::zeros(12)).unwrap());
            assert_eq!(state(&told).unwrap(), state(&settings).unwrap(), "{} {}", optimizer.name(), variant.name());
            assert!(told.batch.is_some(), "{}", optimizer.name());
        }
    }
}
