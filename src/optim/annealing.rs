//! Simulated annealing: a random walk that goes downhill always and uphill the less often the colder it gets.
//!
//! Reference: Kirkpatrick, Gelatt & Vecchi, "Optimization by Simulated Annealing", Science 220, 1983; steps and cooling as in
//! pypop7's NSA with the SynCMA paper's settings. With T = 0.99^t · 100 it is a hill climber after some 1,000 steps.
//!
//! One candidate at a time, as the method is. With `batch` there are that many walks side by side, all from the same start,
//! which know nothing of one another; the best point any of them has seen is the answer.

use nalgebra::{DMatrix, DVector};
use rand::RngExt;
use serde::{Deserialize, Serialize};

use super::gaussian::standard_normal;
use super::settings::SIGMA;
use super::{Diagnostics, Optimizer, Settings, SettingsError, StopReason};
use crate::random::{Purpose, stream};

/// Losses are accepted that are worse by about this much at the start, and by this factor less at every step.
const TEMPERATURE: f64 = 100.0;
const COOLING: f64 = 0.99;
const COLDEST: f64 = 1e-200;

/// The optimiser. `ask`, `tell` and the rest are of [`Optimizer`].
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Annealing {
    sigma: f64,
    seed: u64,
    generation: u64,
    temperature: f64,
    /// Where each walk stands, one per column.
    walkers: DMatrix<f64>,
    /// The loss there; infinite before it is known.
    losses: Vec<f64>,
    best: DVector<f64>,
    best_loss: f64,
}

impl Annealing {
    /// From `mean`, which is the first candidate.
    pub fn new(settings: &Settings, mean: DVector<f64>) -> Result<Self, SettingsError> {
        let walks = settings.batch.unwrap_or(1);
        Ok(Self {
            sigma: settings.sigma.unwrap_or(SIGMA),
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
            // All walks start at the mean; only the first has to look what it is like there.
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
        // The look at the start was no step.
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

    /// There is always another step.
    fn stop(&self) -> Option<StopReason> {
        None
    }
}
