//! Pure random search: every candidate uniform in the box, whatever came before. The yardstick any search has to beat.

use nalgebra::{DMatrix, DVector};
use rand::RngExt;
use serde::{Deserialize, Serialize};

use super::{Bounds, Diagnostics, Optimizer, Settings, SettingsError, StopReason};
use crate::random::{Purpose, stream};

/// Candidates per generation where nothing is set. It changes no result, only how often one is reported.
const BATCH: usize = 100;

/// The optimiser. `ask`, `tell` and the rest are of [`Optimizer`].
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
    /// In the box of the settings; `mean` is the answer until a candidate has been told.
    pub fn new(settings: &Settings, mean: DVector<f64>) -> Result<Self, SettingsError> {
        let Bounds::Clip { low, high } = settings.bounds else {
            return Err(SettingsError::new("bounds", "none", "random search draws from a box: give it one"));
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

    /// There is always another sample.
    fn stop(&self) -> Option<StopReason> {
        None
    }
}
