//! What `exact`, `adaptive` and `matrix` have in common: draw from a Gaussian, rank, let a rule learn from the selected.

use nalgebra::{DMatrix, DVector};
use serde::{Deserialize, Serialize};

use super::LAMBDA0;
use crate::optim::gaussian::Normal;
use crate::optim::invigo::{Penalty, WeightedSample};
use crate::optim::linalg::NotPositiveDefinite;
use crate::optim::weights::{Weights, is_flat, ranking};
use crate::optim::{Optimizer, Settings, SettingsError, StopReason, Vitals, stop};

/// How the Gaussian p and the memory learn from a weighted sample q.
pub trait Rule: Sized {
    /// What candidates are drawn from.
    type Gaussian: Normal;
    /// What is kept of earlier generations.
    type Memory;
    /// Candidates per generation unless the settings say otherwise.
    fn batch(n: usize) -> usize;
    /// The penalties, unless the settings say otherwise.
    fn penalty(p: &Self::Gaussian, mu_eff: f64, lambda0: f64) -> Penalty;
    /// The rule at the start of a search.
    fn start(p: &Self::Gaussian, mu_eff: f64, settings: &Settings) -> Self;
    /// Nothing to remember yet.
    fn no_memory(p: &Self::Gaussian, lambda0: f64) -> Self::Memory;
    /// One generation.
    fn learn(
        &mut self,
        p: &mut Self::Gaussian,
        memory: &mut Self::Memory,
        q: &WeightedSample,
        eta: Penalty,
    ) -> Result<(), NotPositiveDefinite>;
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Constants {
    batch: usize,
    weights: Vec<f64>,
    penalty: Penalty,
    seed: u64,
    /// Standard deviation at the start.
    sigma: f64,
}

/// A search by InvIGO under some rule.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Search<R: Rule> {
    constants: Constants,
    generation: u64,
    gaussian: R::Gaussian,
    memory: R::Memory,
    rule: R,
    stop: Option<StopReason>,
    /// The deviations asked last; drawn again from seed and generation if a checkpoint came between.
    #[serde(skip)]
    asked: Option<DMatrix<f64>>,
}

impl<R: Rule> Search<R> {
    /// About to search from a Gaussian of any shape; `sigma` and `shape` in the settings are not looked at.
    pub fn from_gaussian(settings: &Settings, gaussian: R::Gaussian) -> Result<Self, SettingsError> {
        settings.check(gaussian.mean())?;
        let batch = settings.batch.unwrap_or_else(|| R::batch(gaussian.mean().len()));
        let lambda0 = settings.lambda0.unwrap_or(LAMBDA0);
        let Weights { positive: weights, mu_eff, .. } = Weights::new(batch);
        let default = R::penalty(&gaussian, mu_eff, lambda0);
        let penalty = Penalty {
            mean: settings.eta_m.unwrap_or(default.mean),
            covariance: settings.eta_c.unwrap_or(default.covariance),
        };
        Ok(Self {
            constants: Constants { batch, weights, penalty, seed: settings.seed, sigma: gaussian.sigma() },
            generation: 0,
            memory: R::no_memory(&gaussian, lambda0),
            rule: R::start(&gaussian, mu_eff, settings),
            gaussian,
            stop: None,
            asked: None,
        })
    }

    /// Learns from candidates someone else has drawn, as `tell` does from its own.
    pub fn learn(&mut self, candidates: &DMatrix<f64>, loss: &[f64]) {
        self.learn_deviations(&self.gaussian.deviations_of(candidates), loss);
    }

    /// The search distribution.
    pub fn gaussian(&self) -> &R::Gaussian {
        &self.gaussian
    }

    fn draw(&self) -> DMatrix<f64> {
        self.gaussian.deviations(self.constants.batch, self.constants.seed, self.generation)
    }

    /// A search that has stopped counts generations but no longer moves; nor does it when all candidates fared alike,
    /// where learning would be drifting.
    fn learn_deviations(&mut self, d: &DMatrix<f64>, loss: &[f64]) {
        assert_eq!(loss.len(), d.ncols(), "one loss per candidate");
        self.asked = None;
        self.generation += 1;
        if self.stop.is_some() || is_flat(loss) {
            return;
        }
        let Constants { weights, penalty, sigma, .. } = &self.constants;
        let q = WeightedSample::select(d, &ranking(loss), weights);
        self.stop = match self.rule.learn(&mut self.gaussian, &mut self.memory, &q, *penalty) {
            Ok(()) => stop::out_of_range(self.gaussian.sigma(), self.gaussian.condition(), *sigma),
            Err(NotPositiveDefinite) => Some(StopReason::NotPositiveDefinite),
        };
    }
}

impl<R: Rule> Optimizer for Search<R> {
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

    fn vitals(&self) -> Vitals {
        let (sigma, condition) = (self.gaussian.sigma(), self.gaussian.condition());
        Vitals { generation: self.generation, sigma, condition }
    }

    fn stop(&self) -> Option<StopReason> {
        self.stop
    }
}
