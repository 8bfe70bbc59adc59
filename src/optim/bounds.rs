//! The box of a search.

use nalgebra::DMatrix;
use serde::{Deserialize, Serialize};

/// The box that candidates are clipped to before they are evaluated. Optimizers do not clip: the caller that evaluates
/// applies [`Bounds::apply`]. The optimizer learns from the candidate as it drew it, as the reference implementation does, so that
/// its sample stays Gaussian.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Bounds {
    /// Candidates are evaluated as they were drawn.
    #[default]
    None,
    /// Every coordinate is clipped to [low, high] before the evaluation.
    Clip { low: f64, high: f64 },
}

impl Bounds {
    /// The points to evaluate for these candidates.
    pub fn apply(&self, mut candidates: DMatrix<f64>) -> DMatrix<f64> {
        if let Self::Clip { low, high } = *self {
            candidates.apply(|v| *v = v.clamp(low, high));
        }
        candidates
    }

    /// Width of the box, if there is one.
    pub fn width(&self) -> Option<f64> {
        match *self {
            Self::None => None,
            Self::Clip { low, high } => Some(high - low),
        }
    }
}
