//! Simulated annealing: a random walk that always goes downhill, and uphill less often as the temperature falls.
//!
//! Reference: Kirkpatrick, Gelatt & Vecchi, "Optimization by Simulated Annealing", Science 220, 1983; steps and cooling as in
//! pypop7's NSA with the SynCMA paper's settings. With T = 0.99^t · 100 it is a hill climber after about 1,000 steps.
//!
//! By default there is one walk and one candidate at a time. `batch` sets the number of independent walks, which all start
//! at the same point. The center is the best point that any of them has seen.

use nalgebra::{DMatrix, DVector};
use rand::RngExt;
use serde::{Deserialize, Serialize};

use super::gaussian::standard_normal;
use super::{Diagnostics, Optimizer, Settings, SettingsError, StopReason};
use crate::random::{Purpose, stream};

/// At the start, losses are accepted that are worse by about `TEMPERATURE`. Every step multiplies it by `COOLING`.
const TEMPERATURE: f64 = 100.0;
const COOLING: f64 = 0.99;
const COLDEST: f64 = 1e-200;

/// Simulated annealing.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Annealing {
    sigma: f64,
    seed: u64,
    generation: u64,
    temperature: f64,
    /// The position of each walk, one per column.
    walkers: DMatrix<f64>,
    /// The losses at these positions; infinite until known.
    losses: Vec<f64>,
    best: DVector<f64>,
    best_loss: f64,
}

impl Annealing {
    /// A search that starts from `mean`, which is the first candidate.
    ///
    /// # Errors
    /// If a setting cannot be used; the error names the field and the remedy.
    pub fn new(settings: &Settings, mean: DVector<f64>) -> Result<Self, SettingsError> {
        settings.check(&mean)?;
        let walks = settings.batch.unwrap_or(1);
        Ok(Self {
            sigma: settings.first_sigma(),
            seed: settings.seed,
            generation: 0,
            temperature: TEMPERATURE,
            walkers: DMatrix::from_fn(mean.len(), walks, |i, _| mean[i]),
            losses: vec![f64::INFINITY; walks],
            best: mean,
            best_loss: f64::INFINITY,
        })
    }

    fn candidates(&self) -> DMatrix<f64> {
        let (n, walks) = self.walkers.shape();
        let mut z = standard_normal(n, walks, self.seed, self.generation);
        if self.generation == 0 {
            // All walks start at the mean, so only the first has to evaluate it.
            z.column_mut(0).fill(0.0);
        }
        &self.walkers + z * self.sigma
    }
}

impl Optimizer for Annealing {
    fn ask(&mut self) -> DMatrix<f64> {
        self.candidates()
    }

    fn tell(&mut self, loss: &[f64]) {
        assert_eq!(loss.len(), self.losses.len(), "one loss per candidate");
        let candidates = self.candidates();
        let mut random = stream(self.seed, Purpose::Candidates, self.generation, 1);
        for (k, &loss) in loss.iter().enumerate() {
            let luck: f64 = random.random();
            if !loss.is_finite() {
                continue;
            }
            if loss < self.best_loss {
                self.best_loss = loss;
                self.best.copy_from(&candidates.column(k));
            }
            let gain = self.losses[k] - loss;
            if gain >= 0.0 || luck < (gain / self.temperature).exp() {
                self.losses[k] = loss;
                self.walkers.set_column(k, &candidates.column(k));
            }
        }
        // The evaluation of the start is not a step.
        if self.generation > 0 {
            self.temperature = (COOLING * self.temperature).max(COLDEST);
        }
        self.generation += 1;
    }

    /// The best point so far.
    fn center(&self) -> DVector<f64> {
        self.best.clone()
    }

    fn diagnostics(&self) -> Diagnostics {
        Diagnostics { generation: self.generation, sigma: self.sigma, condition: 1.0 }
    }

    /// Never stops on its own.
    fn stop(&self) -> Option<StopReason> {
        None
    }
}
