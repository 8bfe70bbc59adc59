//! The settings of all optimizers, which are checked before a search starts.

use std::str::FromStr;

use nalgebra::DVector;
use serde::{Deserialize, Serialize};

use super::SettingsError;
use super::bounds::Bounds;
use crate::suggest::{UnknownName, find};

/// The optimizers by name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OptimizerKind {
    #[default]
    #[serde(rename = "syncma")]
    SynCma,
    CmaEs,
    Ars,
    RandomSearch,
    // A checkpoint stores the position in this list, so new ones come last.
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

    /// The smallest batch that it can work with, and why.
    fn least_batch(self) -> (usize, &'static str) {
        match self {
            Self::RandomSearch | Self::Annealing | Self::Turbo => (1, "use at least 1 candidate"),
            Self::DifferentialEvolution => (4, "differential evolution combines 4 members: use at least 4"),
            _ => (2, "ranking needs at least 2 candidates per generation"),
        }
    }

    /// Whether a batch size that suits the other optimizers does not suit this one: annealing goes step by step, and TuRBO
    /// fits a costly model for every batch.
    pub fn has_own_batch(self) -> bool {
        matches!(self, Self::Annealing | Self::Turbo)
    }

    /// Whether it searches a box or draws from one and therefore needs bounds.
    pub fn needs_box(self) -> bool {
        matches!(self, Self::DifferentialEvolution | Self::RandomSearch | Self::Turbo)
    }
}

/// The names of all optimizers.
pub fn names() -> [&'static str; OptimizerKind::ALL.len()] {
    OptimizerKind::ALL.map(OptimizerKind::name)
}

/// The variants of SynCMA.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Variant {
    /// The equations as printed in the paper, with the constants of its reference code. Biased toward the origin; only for
    /// reproducing the paper.
    Published,
    /// The paper's theory with its history terms corrected: moment matching of a three-part mixture, invariant.
    Exact,
    /// `exact` with a step-size rule.
    #[default]
    Adaptive,
    // A checkpoint stores the position in this list, so new ones come last.
    /// `adaptive` for a matrix of weights with covariance A ⊗ B, A over its rows and B over its columns.
    Matrix,
    /// Mirrored pairs move the mean by the ranks of their ends, and the width follows a timetable. For noisy returns.
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

/// The default standard deviation of a candidate's coordinate at the start, as in the SynCMA paper's experiments.
pub const SIGMA: f64 = 0.1;

/// Widths and steps outside of this range overflow or underflow when they are squared and multiplied.
const LEAST: f64 = 1e-300;
const MOST: f64 = 1e50;

/// Whether and how CMA-ES starts again after it has stopped.
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

/// Settings of any optimizer. `None` means the default of the optimizer. [`build`](Settings::build) refuses a field that is
/// set although the optimizer does not use it; [`OptimizerKind::fields`] lists those that it uses.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    pub optimizer: OptimizerKind,
    /// SynCMA: the variant.
    pub variant: Variant,
    /// SynCMA: weight λ0 of all earlier generations relative to the present one; 0 means no memory.
    pub lambda0: Option<f64>,
    /// SynCMA: KL penalty η_m on changes of the mean.
    pub eta_m: Option<f64>,
    /// SynCMA: KL penalty η_c on changes of the covariance.
    pub eta_c: Option<f64>,
    /// SynCMA `steady`: how far the mean moves at the start, in widths per coordinate, κ.
    pub kappa: Option<f64>,
    /// SynCMA `steady`: the number of candidates after which the width has halved, τ.
    pub patience: Option<f64>,
    /// SynCMA `steady`: how many searches take turns at first; the one that comes furthest goes on.
    pub starts: Option<usize>,
    /// Candidates per generation, N.
    pub batch: Option<usize>,
    /// Standard deviation of a candidate's coordinate at the start.
    pub sigma: Option<f64>,
    /// The box of the search. `ask` does not clip: the caller applies [`Bounds::apply`] before evaluating. Random search
    /// and TuRBO stay inside the box, differential evolution starts in it, and some searches take their first width from it.
    pub bounds: Bounds,
    /// CMA-ES: whether it also learns from the worst candidates.
    pub active: Option<bool>,
    /// CMA-ES: restarts.
    pub restarts: Restarts,
    /// ARS: step size α.
    pub step_size: Option<f64>,
    /// ARS: standard deviation ν of the exploration noise.
    pub noise: Option<f64>,
    /// ARS: whether policies whiten their observations (v2) or not (v1). This is only a record; the caller that evaluates
    /// policies does the whitening.
    pub ars_version: super::ars::Version,
    /// ARS and SynCMA `steady`: the number b of best directions, or pairs, that take part in a step.
    pub top_directions: Option<usize>,
    /// Seed of all random numbers.
    pub seed: u64,
    /// SynCMA `matrix`: the number of rows p and columns q of the matrix that the search vector holds row by row; 1 × n by
    /// default. Other optimizers ignore it.
    pub shape: Option<(usize, usize)>,
}

impl Settings {
    /// How many of this many directions take part in a step, for searches that choose the best. `default` says it where
    /// nothing is set.
    pub(super) fn top_of(&self, directions: usize, default: fn(usize) -> usize) -> Result<usize, SettingsError> {
        let top = self.top_directions.unwrap_or(default(directions));
        let remedy = "use at most half the batch, which is the number of directions";
        if top > directions { Err(SettingsError::new("top_directions", top, remedy)) } else { Ok(top) }
    }

    /// The standard deviation of a candidate's coordinate at the start. `adaptive` and `matrix` look at the box first.
    pub(super) fn first_sigma(&self) -> f64 {
        self.sigma.unwrap_or(SIGMA)
    }

    /// Checks the values that do not depend on details of the optimizer.
    ///
    /// # Errors
    /// If a setting cannot be used; the error names the first such field and the remedy.
    pub fn check(&self, mean: &DVector<f64>) -> Result<(), SettingsError> {
        let not_negative = |field, value: Option<f64>| match value {
            Some(v) if !(v.is_finite() && v >= 0.0) => Err(SettingsError::new(field, v, "use a number of at least 0")),
            _ => Ok(()),
        };
        let positive = |field, value: Option<f64>| match value {
            Some(v) if !(v.is_finite() && v > 0.0) => Err(SettingsError::new(field, v, "use a number above 0")),
            Some(v) if !(LEAST..=MOST).contains(&v) => {
                Err(SettingsError::new(field, format!("{v:e}"), "use a number from 1e-300 to 1e50"))
            }
            _ => Ok(()),
        };
        not_negative("lambda0", self.lambda0)?;
        not_negative("eta_m", self.eta_m)?;
        positive("eta_c", self.eta_c)?;
        positive("kappa", self.kappa)?;
        positive("patience", self.patience)?;
        positive("sigma", self.sigma)?;
        positive("step_size", self.step_size)?;
        positive("noise", self.noise)?;
        let (least, why) = self.optimizer.least_batch();
        if let Some(batch) = self.batch.filter(|&batch| batch < least) {
            return Err(SettingsError::new("batch", batch, why));
        }
        if self.starts.is_some_and(|starts| !(1..=1000).contains(&starts)) {
            return Err(SettingsError::new("starts", self.starts.unwrap_or(0), "use a number from 1 to 1000"));
        }
        if self.top_directions == Some(0) {
            return Err(SettingsError::new("top_directions", 0, "use at least 1 direction"));
        }
        if let Bounds::Clip { low, high } = self.bounds
            && !(low >= -MOST && high <= MOST && low < high)
        {
            return Err(SettingsError::new(
                "bounds",
                format!("[{low}, {high}]"),
                "use two numbers within ±1e50, the lower one first",
            ));
        }
        if mean.is_empty() {
            return Err(SettingsError::new("mean", "empty", "start from a point with at least one coordinate"));
        }
        if let Some((i, v)) = mean.iter().enumerate().find(|(_, v)| !v.is_finite()) {
            return Err(SettingsError::new("mean", format!("{v} in coordinate {i}"), "start from a finite point"));
        }
        if let Some((p, q)) = self.shape.filter(|(p, q)| p.checked_mul(*q) != Some(mean.len())) {
            let remedy = "the number of rows times the number of columns must equal the number of coordinates";
            return Err(SettingsError::new("shape", format!("{p} × {q}"), remedy));
        }
        Ok(())
    }
}
