//! Pure random search: every candidate is uniform in the box. Any other search should beat it.

use nalgebra::{DMatrix, DVector};
use rand::RngExt;
use serde::{Deserialize, Serialize};

use super::{Bounds, Diagnostics, Optimizer, Settings, SettingsError, StopReason};
use crate::random::{Purpose, stream};

/// The default number of candidates per generation. It does not change the search, only how often it reports.
const BATCH: usize = 100;

/// Random search.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RandomSearch {
    low: f64,
    high: f64,
    batch: usize,
    seed: u64,
    generation: u64,
    best: DVector<f64>,
    best_loss: f64,
}

impl RandomSearch {
    /// A search in the box of the settings. `mean` is the center until losses have been told.
    ///
    /// # Errors
    /// If a setting cannot be used; the error names the field and the remedy.
    pub fn new(settings: &Settings, mean: DVector<f64>) -> Result<Self, SettingsError> {
        settings.check(&mean)?;
        let Bounds::Clip { low, high } = settings.bounds else {
            return Err(SettingsError::new("bounds", "none", "random search draws from a box, so set bounds"));
        };
        Ok(Self {
            low,
            high,
            batch: settings.batch.unwrap_or(BATCH),
            seed: settings.seed,
            generation: 0,
            best: mean,
            best_loss: f64::INFINITY,
        })
    }

    fn candidates(&self) -> DMatrix<f64> {
        let mut random = stream(self.seed, Purpose::Candidates, self.generation, 0);
        DMatrix::from_fn(self.best.len(), self.batch, |_, _| random.random_range(self.low..self.high))
    }
}

impl Optimizer for RandomSearch {
    fn ask(&mut self) -> DMatrix<f64> {
        self.candidates()
    }

    fn tell(&mut self, loss: &[f64]) {
        assert_eq!(loss.len(), self.batch, "one loss per candidate");
        let candidates = self.candidates();
        for (x, &loss) in candidates.column_iter().zip(loss).filter(|(_, loss)| loss.is_finite()) {
            if loss < self.best_loss {
                self.best_loss = loss;
                self.best.copy_from(&x);
            }
        }
        self.generation += 1;
    }

    /// The best candidate so far.
    fn center(&self) -> DVector<f64> {
        self.best.clone()
    }

    fn diagnostics(&self) -> Diagnostics {
        let sigma = (self.high - self.low) / 12f64.sqrt();
        Diagnostics { generation: self.generation, sigma, condition: 1.0 }
    }

    /// Never stops on its own.
    fn stop(&self) -> Option<StopReason> {
        None
    }
}
