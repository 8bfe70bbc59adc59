//! What `exact`, `adaptive` and `matrix` have in common: (1) draw and (2) rank, when nothing can be learned, and when to
//! stop. What comes after (2) is in the file of each variant.

use nalgebra::{DMatrix, DVector};
use serde::{Deserialize, Serialize};

use crate::optim::gaussian::Normal;
use crate::optim::invigo::{Penalty, WeightedSample};
use crate::optim::linalg::NotPositiveDefinite;
use crate::optim::weights::{is_flat, ranking};
use crate::optim::{Diagnostics, Optimizer, Settings, StopReason, stop};

/// What a variant learns from a ranked generation.
pub trait Update<G> {
    /// Changes the mean, step size and covariance of `p`: everything after (2).
    ///
    /// # Errors
    /// If the covariance would not be positive definite.
    fn update(&mut self, p: &mut G, q: &WeightedSample, eta: Penalty) -> Result<(), NotPositiveDefinite>;
}

/// A search that draws candidates from the Gaussian `G`, ranks them, and changes `G` by the equations of the variant `U`.
/// A checkpoint stores the fields in this order.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct GaussianSearch<G, U> {
    batch: usize,
    weights: Vec<f64>,
    penalty: Penalty,
    seed: u64,
    /// Standard deviation at the start.
    sigma: f64,
    generation: u64,
    gaussian: G,
    /// The deviations asked last. They are drawn again from seed and generation after a checkpoint.
    #[serde(skip)]
    asked: Option<DMatrix<f64>>,
    update: U,
    stop: Option<StopReason>,
}

impl<G: Normal, U: Update<G>> GaussianSearch<G, U> {
    pub(super) fn start(
        settings: &Settings,
        (batch, weights): (usize, Vec<f64>),
        penalty: Penalty,
        gaussian: G,
        update: U,
    ) -> Self {
        let (seed, sigma) = (settings.seed, gaussian.sigma());
        Self { batch, weights, penalty, seed, sigma, generation: 0, gaussian, asked: None, update, stop: None }
    }

    /// The search distribution.
    pub fn gaussian(&self) -> &G {
        &self.gaussian
    }

    /// Learns from candidates that someone else has drawn, as `tell` does from its own.
    ///
    /// # Panics
    /// If there is not one loss per candidate.
    pub fn learn(&mut self, candidates: &DMatrix<f64>, loss: &[f64]) {
        self.learn_deviations(&self.gaussian.deviations_of(candidates), loss);
    }

    /// One generation. There is nothing to learn after the search has stopped or if all candidates have equal losses.
    fn learn_deviations(&mut self, d: &DMatrix<f64>, loss: &[f64]) {
        assert_eq!(loss.len(), d.ncols(), "one loss per candidate");
        self.asked = None;
        self.generation += 1;
        if self.stop.is_some() || is_flat(loss) {
            return;
        }
        let q = WeightedSample::select(d, &ranking(loss), &self.weights); // (2)
        self.stop = match self.update.update(&mut self.gaussian, &q, self.penalty) {
            Ok(()) => stop::out_of_range(self.gaussian.sigma(), self.gaussian.condition(), self.sigma),
            Err(NotPositiveDefinite) => Some(StopReason::NotPositiveDefinite),
        };
    }

    /// d_i = L z_i (1), one per column.
    fn draw(&self) -> DMatrix<f64> {
        self.gaussian.deviations(self.batch, self.seed, self.generation)
    }
}

impl<G: Normal, U: Update<G>> Optimizer for GaussianSearch<G, U> {
    /// The candidates x_i = m + d_i (1).
    fn ask(&mut self) -> DMatrix<f64> {
        let d = self.draw();
        let candidates = self.gaussian.points(&d);
        self.asked = Some(d);
        candidates
    }

    fn tell(&mut self, loss: &[f64]) {
        let d = self.asked.take().unwrap_or_else(|| self.draw());
        self.learn_deviations(&d, loss);
    }

    fn center(&self) -> DVector<f64> {
        self.gaussian.mean().clone()
    }

    fn diagnostics(&self) -> Diagnostics {
        let (sigma, condition) = (self.gaussian.sigma(), self.gaussian.condition());
        Diagnostics { generation: self.generation, sigma, condition }
    }

    fn stop(&self) -> Option<StopReason> {
        self.stop
    }
}
