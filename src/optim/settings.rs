//! What a user can set, checked before anything runs.

use std::str::FromStr;

use nalgebra::DVector;
use serde::{Deserialize, Serialize};

use super::bounds::Bounds;
use crate::names::{UnknownName, find};

/// The optimisers by name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OptimizerKind {
    #[default]
    #[serde(rename = "syncma")]
    SynCma,
    CmaEs,
    Ars,
    RandomSearch,
    // Checkpoints know these by their place: new ones come last.
    DdCma,
    TrCma,
    DifferentialEvolution,
    Annealing,
    Turbo,
}

impl OptimizerKind {
    pub const ALL: [Self; 9] = [
        Self::SynCma,
        Self::CmaEs,
        Self::DdCma,
        Self::TrCma,
        Self::Ars,
        Self::DifferentialEvolution,
        Self::Annealing,
        Self::RandomSearch,
        Self::Turbo,
    ];

    /// The name on the command line and in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::SynCma => "syncma",
            Self::CmaEs => "cma-es",
            Self::DdCma => "dd-cma",
            Self::TrCma => "tr-cma",
            Self::Ars => "ars",
            Self::DifferentialEvolution => "differential-evolution",
            Self::Annealing => "annealing",
            Self::RandomSearch => "random-search",
            Self::Turbo => "turbo",
        }
    }

    /// The smallest batch it can work with, and why.
    fn least_batch(self) -> (usize, &'static str) {
        match self {
            Self::RandomSearch | Self::Annealing | Self::Turbo => (1, "use at least 1 candidate"),
            Self::DifferentialEvolution => (4, "a member and three others make at least 4"),
            _ => (2, "ranking needs at least 2 candidates per generation"),
        }
    }

    /// Whether the size of its batch is its own affair: annealing walks step by step, TuRBO pays for every model.
    pub fn has_own_batch(self) -> bool {
        matches!(self, Self::Annealing | Self::Turbo)
    }

    /// Whether it searches a box or draws from one, so that it cannot do without one.
    pub fn needs_box(self) -> bool {
        matches!(self, Self::DifferentialEvolution | Self::RandomSearch | Self::Turbo)
    }
}

/// The names of all optimisers.
pub fn names() -> [&'static str; OptimizerKind::ALL.len()] {
    OptimizerKind::ALL.map(OptimizerKind::name)
}

/// Which equations SynCMA follows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Variant {
    /// The paper's printed equations with its reference code's constants: drawn to the origin, for reproduction only.
    Published,
    /// The paper's theory as it should read: moment matching of a three-part mixture, invariant.
    Exact,
    /// `exact` with a step-size rule.
    #[default]
    Adaptive,
    // Checkpoints know these by their place: new ones come last.
    /// `adaptive` for a matrix of weights whose covariance is A ⊗ B, A over its rows and B over its columns.
    Matrix,
    /// All candidates move the mean by normal scores of their ranks, and the search keeps its width: for noisy returns.
    Steady,
}

impl Variant {
    pub const ALL: [Self; 5] = [Self::Published, Self::Exact, Self::Adaptive, Self::Matrix, Self::Steady];

    /// The name on the command line and in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Published => "published",
            Self::Exact => "exact",
            Self::Adaptive => "adaptive",
            Self::Matrix => "matrix",
            Self::Steady => "steady",
        }
    }
}

impl FromStr for OptimizerKind {
    type Err = UnknownName;
    fn from_str(name: &str) -> Result<Self, UnknownName> {
        find("optimizer", name, &Self::ALL, Self::name)
    }
}

impl FromStr for Variant {
    type Err = UnknownName;
    fn from_str(name: &str) -> Result<Self, UnknownName> {
        find("variant", name, &Self::ALL, Self::name)
    }
}

/// Standard deviation of a candidate's coordinate at the start in the SynCMA paper's experiments, where nothing is set.
pub const SIGMA: f64 = 0.1;

/// When and how CMA-ES starts again after it has stopped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Restarts {
    #[default]
    None,
    /// Twice the batch at every restart.
    Ipop,
    /// Alternating large and small batches.
    Bipop,
}

/// Settings of any optimiser. `None` means that optimiser's own default; a field it has no use for is ignored.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// Which optimiser.
    pub optimizer: OptimizerKind,
    /// SynCMA: which equations.
    pub variant: Variant,
    /// SynCMA: weight λ0 of the history against the present generation; 0 forgets at once.
    pub lambda0: Option<f64>,
    /// SynCMA: KL penalty η_m that holds the mean back.
    pub eta_m: Option<f64>,
    /// SynCMA: KL penalty η_c that holds the covariance back.
    pub eta_c: Option<f64>,
    /// SynCMA `steady`: how far the mean follows the natural gradient of the ranks, κ.
    pub kappa: Option<f64>,
    /// Candidates per generation, N.
    pub batch: Option<usize>,
    /// Standard deviation of a candidate's coordinate at the start.
    pub sigma: Option<f64>,
    /// The box candidates are clipped to when they are evaluated; some optimisers draw from it or search it alone.
    pub bounds: Bounds,
    /// CMA-ES: learn from the worst candidates too.
    pub active: Option<bool>,
    /// CMA-ES: restarts.
    pub restarts: Restarts,
    /// ARS: step size α.
    pub step_size: Option<f64>,
    /// ARS: standard deviation ν of the exploration noise.
    pub noise: Option<f64>,
    /// ARS: whether policies whiten their observations (v2) or not (v1); it is the run that has to do it.
    pub ars_version: super::ars::Version,
    /// ARS: how many of the best directions take part in a step, b.
    pub top_directions: Option<usize>,
    /// Seed of everything random.
    pub seed: u64,
    /// SynCMA `matrix`: rows p and columns q of the matrix that the search vector is, row by row; 1 × n unless given.
    pub shape: Option<(usize, usize)>,
}

/// A setting that cannot work, and what would.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("setting `{field}` is {value}\nhint: {remedy}")]
pub struct SettingsError {
    /// The field of [`Settings`], or `mean`.
    pub field: &'static str,
    /// Its value.
    pub value: String,
    /// What to do about it.
    pub remedy: &'static str,
}

impl SettingsError {
    /// For checks an optimiser makes itself.
    pub fn new(field: &'static str, value: impl ToString, remedy: &'static str) -> Self {
        Self { field, value: value.to_string(), remedy }
    }
}

/// For the command line, where a field is a flag.
impl From<SettingsError> for crate::Error {
    fn from(e: SettingsError) -> Self {
        let what = match e.field {
            "mean" => "the start".to_string(),
            "bounds" => "--bound".to_string(),
            field => format!("--{}", field.replace('_', "-")),
        };
        Self::usage(format!("{what} cannot be {}", e.value)).hint(e.remedy)
    }
}

impl Settings {
    /// Everything that can be said without knowing the optimiser.
    pub fn check(&self, mean: &DVector<f64>) -> Result<(), SettingsError> {
        let not_negative = |field, value: Option<f64>| match value {
            Some(v) if !(v.is_finite() && v >= 0.0) => Err(SettingsError::new(field, v, "use a number of at least 0")),
            _ => Ok(()),
        };
        let positive = |field, value: Option<f64>| match value {
            Some(v) if !(v.is_finite() && v > 0.0) => Err(SettingsError::new(field, v, "use a number above 0")),
            _ => Ok(()),
        };
        not_negative("lambda0", self.lambda0)?;
        not_negative("eta_m", self.eta_m)?;
        positive("eta_c", self.eta_c)?;
        positive("kappa", self.kappa)?;
        positive("sigma", self.sigma)?;
        positive("step_size", self.step_size)?;
        positive("noise", self.noise)?;
        let (least, why) = self.optimizer.least_batch();
        if let Some(batch) = self.batch.filter(|&batch| batch < least) {
            return Err(SettingsError::new("batch", batch, why));
        }
        if self.top_directions == Some(0) {
            return Err(SettingsError::new("top_directions", 0, "use at least 1 direction"));
        }
        if let Bounds::Clip { low, high } = self.bounds
            && !(low.is_finite() && high.is_finite() && low < high)
        {
            return Err(SettingsError::new("bounds", format!("[{low}, {high}]"), "use two numbers, the lower first"));
        }
        if mean.is_empty() {
            return Err(SettingsError::new("mean", "empty", "start from a point with at least one coordinate"));
        }
        if let Some((i, v)) = mean.iter().enumerate().find(|(_, v)| !v.is_finite()) {
            return Err(SettingsError::new("mean", format!("{v} in coordinate {i}"), "start from a finite point"));
        }
        if let Some((p, q)) = self.shape.filter(|(p, q)| p.checked_mul(*q) != Some(mean.len())) {
            let remedy = "rows times columns have to be the number of coordinates";
            return Err(SettingsError::new("shape", format!("{p} × {q}"), remedy));
        }
        Ok(())
    }
}
