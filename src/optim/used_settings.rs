//! Which optimizer uses which settings. A setting without an effect is refused instead of ignored.

use super::{OptimizerKind, Settings, SettingsError, Variant};

/// The fields of [`Settings`] that an optimizer may or may not use. All use `seed`. `bounds` is also the box that whoever
/// evaluates clips candidates to, and `ars_version` is only a record of what the evaluation does.
pub const FIELDS: [&str; 14] = [
    "variant",
    "lambda0",
    "eta_m",
    "eta_c",
    "kappa",
    "patience",
    "starts",
    "batch",
    "sigma",
    "active",
    "restarts",
    "step_size",
    "noise",
    "top_directions",
];

impl OptimizerKind {
    /// The [`FIELDS`] that this optimizer uses. The variant only matters for SynCMA.
    pub fn fields(self, variant: Variant) -> &'static [&'static str] {
        match (self, variant) {
            (Self::SynCma, Variant::Published) => &["variant", "lambda0", "batch", "sigma"],
            (Self::SynCma, Variant::Steady) => {
                &["variant", "lambda0", "kappa", "patience", "starts", "batch", "sigma", "top_directions"]
            }
            (Self::SynCma, Variant::Exact | Variant::Adaptive | Variant::Matrix) => {
                &["variant", "lambda0", "eta_m", "eta_c", "batch", "sigma"]
            }
            (Self::CmaEs, _) => &["batch", "sigma", "active", "restarts"],
            (Self::DdCma | Self::TrCma | Self::Annealing, _) => &["batch", "sigma"],
            (Self::Ars, _) => &["batch", "step_size", "noise", "top_directions"],
            (Self::DifferentialEvolution | Self::RandomSearch | Self::Turbo, _) => &["batch"],
        }
    }

    /// Whether a field has an effect on this optimizer. Every field that is not one of [`FIELDS`] has.
    pub fn uses(self, variant: Variant, field: &str) -> bool {
        !FIELDS.contains(&field) || self.fields(variant).contains(&field)
    }
}

impl Settings {
    /// The fields that are set although the optimizer does not use them.
    pub fn unused(&self) -> Vec<&'static str> {
        let set = [
            self.variant != Variant::default(),
            self.lambda0.is_some(),
            self.eta_m.is_some(),
            self.eta_c.is_some(),
            self.kappa.is_some(),
            self.patience.is_some(),
            self.starts.is_some(),
            self.batch.is_some(),
            self.sigma.is_some(),
            self.active.is_some(),
            self.restarts != Default::default(),
            self.step_size.is_some(),
            self.noise.is_some(),
            self.top_directions.is_some(),
        ];
        let set = FIELDS.into_iter().zip(set).filter(|(_, set)| *set).map(|(field, _)| field);
        set.filter(|field| !self.optimizer.uses(self.variant, field)).collect()
    }

    /// These settings without the fields that the optimizer does not use. For settings that several optimizers share.
    pub fn only_used(self) -> Self {
        let uses = |field| self.optimizer.uses(self.variant, field);
        Self {
            lambda0: self.lambda0.filter(|_| uses("lambda0")),
            eta_m: self.eta_m.filter(|_| uses("eta_m")),
            eta_c: self.eta_c.filter(|_| uses("eta_c")),
            kappa: self.kappa.filter(|_| uses("kappa")),
            patience: self.patience.filter(|_| uses("patience")),
            starts: self.starts.filter(|_| uses("starts")),
            batch: self.batch.filter(|_| uses("batch")),
            sigma: self.sigma.filter(|_| uses("sigma")),
            active: self.active.filter(|_| uses("active")),
            restarts: if uses("restarts") { self.restarts } else { Default::default() },
            step_size: self.step_size.filter(|_| uses("step_size")),
            noise: self.noise.filter(|_| uses("noise")),
            top_directions: self.top_directions.filter(|_| uses("top_directions")),
            variant: if uses("variant") { self.variant } else { Variant::default() },
            ..self
        }
    }

    pub(super) fn check_used(&self) -> Result<(), SettingsError> {
        match self.unused().first() {
            Some(field) => Err(SettingsError::unused(self.optimizer, self.variant, field, &FIELDS)),
            None => Ok(()),
        }
    }
}
