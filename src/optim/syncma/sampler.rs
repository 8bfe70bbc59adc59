//! What `exact`, `adaptive` and `matrix` have in common: (1) draw and (2) rank, and when nothing can be learned.

use nalgebra::DMatrix;
use serde::{Deserialize, Serialize};

use crate::optim::gaussian::Normal;
use crate::optim::invigo::{Penalty, WeightedSample};
use crate::optim::linalg::NotPositiveDefinite;
use crate::optim::weights::{is_flat, ranking};
use crate::optim::{Diagnostics, Settings, StopReason, stop};

/// Draws candidates from a Gaussian and ranks them. A checkpoint stores the fields in this order.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Sampler<G> {
    batch: usize,
    weights: Vec<f64>,
    pub penalty: Penalty,
    seed: u64,
    /// Standard deviation at the start.
    sigma: f64,
    generation: u64,
    pub gaussian: G,
    /// The deviations asked last. They are drawn again from seed and generation after a checkpoint.
    #[serde(skip)]
    asked: Option<DMatrix<f64>>,
}

impl<G: Normal> Sampler<G> {
    pub fn new(settings: &Settings, batch: usize, weights: Vec<f64>, penalty: Penalty, gaussian: G) -> Self {
        let (seed, sigma) = (settings.seed, gaussian.sigma());
        Self { batch, weights, penalty, seed, sigma, generation: 0, gaussian, asked: None }
    }

    /// d_i = L z_i (1), one per column.
    fn draw(&self) -> DMatrix<f64> {
        self.gaussian.deviations(self.batch, self.seed, self.generation)
    }

    /// The candidates x_i = m + d_i (1).
    pub fn ask(&mut self) -> DMatrix<f64> {
        let d = self.draw();
        let candidates = self.gaussian.points(&d);
        self.asked = Some(d);
        candidates
    }

    /// The deviations of the candidates asked last.
    pub fn asked(&mut self) -> DMatrix<f64> {
        self.asked.take().unwrap_or_else(|| self.draw())
    }

    /// Counts a generation and ranks it (2). There is nothing to learn after the search has stopped or if all candidates
    /// have equal losses.
    pub fn rank(&mut self, d: &DMatrix<f64>, loss: &[f64], stopped: bool) -> Option<WeightedSample> {
        assert_eq!(loss.len(), d.ncols(), "one loss per candidate");
        self.asked = None;
        self.generation += 1;
        (!stopped && !is_flat(loss)).then(|| WeightedSample::select(d, &ranking(loss), &self.weights))
    }

    /// The reason to stop after an update with this result, if there is one.
    pub fn stop_after(&self, matched: Result<(), NotPositiveDefinite>) -> Option<StopReason> {
        match matched {
            Ok(()) => stop::out_of_range(self.gaussian.sigma(), self.gaussian.condition(), self.sigma),
            Err(NotPositiveDefinite) => Some(StopReason::NotPositiveDefinite),
        }
    }

    pub fn diagnostics(&self) -> Diagnostics {
        let (sigma, condition) = (self.gaussian.sigma(), self.gaussian.condition());
        Diagnostics { generation: self.generation, sigma, condition }
    }
}
