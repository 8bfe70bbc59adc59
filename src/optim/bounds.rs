//! What happens to a candidate outside the box.

use nalgebra::DMatrix;
use serde::{Deserialize, Serialize};

/// The box a candidate is brought into before it is evaluated. The optimiser never sees the clipped point: it learns
/// from the one it drew, as the reference implementation does, so that its sample stays Gaussian.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Bounds {
    /// Evaluate candidates as they were drawn.
    #[default]
    None,
    /// Evaluate every coordinate clipped to [low, high].
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
