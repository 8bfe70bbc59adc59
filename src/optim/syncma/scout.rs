//! A search that finds a place for `steady` to begin.
//!
//! On Hopper, pairs of a set width often find a way to stand and stay there. A search that adapts its width and shape finds
//! a way to hop more often, but noise keeps it from improving that. So each does what it is good at:
//!
//! ```text
//! scout   `adaptive` draws M candidates
//! settle  `steady` goes on from its mean
//! ```
//!
//! | symbol | field | default |
//! |---|---|---|
//! | M | `scout`, those yet to come | 0: there is no scout |
//!
//! The scout has its own first width of 0.1, whatever that of `steady` is.

use nalgebra::{DMatrix, DVector};
use rand::Rng;
use serde::{Deserialize, Serialize};

use super::{Adaptive, Steady};
use crate::optim::{Diagnostics, Optimizer, Settings, SettingsError, StopReason};
use crate::random::{Purpose, stream};

/// `steady` with a scout, or without one.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Scouted {
    /// The scout and how many candidates it has yet to draw.
    scout: Option<(Adaptive, u64)>,
    steady: Steady,
}

impl Scouted {
    /// A search that starts from `mean`.
    ///
    /// # Errors
    /// If a setting cannot be used; the error names the field and the remedy.
    pub fn new(settings: &Settings, mean: DVector<f64>) -> Result<Self, SettingsError> {
        let steady = Steady::new(settings, mean.clone())?;
        let left = settings.scout.unwrap_or(0);
        let scout = Settings {
            lambda0: settings.lambda0,
            batch: Some(steady.batch()),
            seed: stream(settings.seed, Purpose::Start, 0, 1).next_u64(),
            ..Settings::default()
        };
        let scout = if left > 0 { Some((Adaptive::new(&scout, mean)?, left)) } else { None };
        Ok(Self { scout, steady })
    }

    pub(super) fn batch(&self) -> usize {
        self.steady.batch()
    }

    fn now(&self) -> &dyn Optimizer {
        match &self.scout {
            Some((scout, _)) => scout,
            None => &self.steady,
        }
    }
}

impl Optimizer for Scouted {
    fn ask(&mut self) -> DMatrix<f64> {
        match &mut self.scout {
            Some((scout, _)) => scout.ask(),
            None => self.steady.ask(),
        }
    }

    fn tell(&mut self, loss: &[f64]) {
        let Some((scout, left)) = &mut self.scout else {
            self.steady.tell(loss);
            return;
        };
        scout.tell(loss);
        *left = left.saturating_sub(loss.len() as u64);
        if *left == 0 || scout.stop().is_some() {
            self.steady.begin_at(scout.center());
            self.scout = None;
        }
    }

    fn center(&self) -> DVector<f64> {
        self.now().center()
    }

    fn diagnostics(&self) -> Diagnostics {
        self.now().diagnostics()
    }

    fn stop(&self) -> Option<StopReason> {
        None
    }

    fn pairs(&self) -> bool {
        self.scout.is_none()
    }
}
