//! TuRBO-1: Bayesian optimisation inside a trust region that follows the best point and adapts its size.
//!
//! Reference: Eriksson, Pearce, Gardner, Turner & Poloczek, "Scalable Global Optimization via Local Bayesian Optimization",
//! NeurIPS 2019. The constants are the paper's.
//!
//! | symbol | here | |
//! |---|---|---|
//! | n_init | `design` | evaluations before a region's first model: 2d, rounded up to whole batches |
//! | b | `batch` | candidates per generation |
//! | L, τ_succ, τ_fail, f_best | [`trust`] | the trust region's rules |
//! | n_cand | `choices` | candidates a batch is chosen from |
//!
//! It models losses, so it sees their values and not only their ranks: a monotone transformation of the loss changes the
//! search, and so does a constant added to it, as success is measured by |f_best|. A positive factor changes nothing but
//! rounding, as long as losses differ by more than a millionth. Nor does moving the problem together with its box; but a batch is chosen by comparing many samples, so that
//! after a while rounding alone can lead two such searches apart.

pub mod candidates;
pub mod fit;
pub mod gp;
pub mod matern;
pub mod trust;

use nalgebra::{DMatrix, DVector};
use serde::{Deserialize, Serialize};

use super::gaussian::standard_normal;
use super::{Bounds, Optimizer, Settings, SettingsError, StopReason, Vitals};
use crate::random::{Purpose, stream};
use candidates::{MOST_COORDINATES, Region, latin_hypercube};
use gp::Gp;
use trust::Trust;

/// Candidates a batch is chosen from: so many per dimension, and no more than a covariance matrix has room for.
const CHOICES_PER_DIMENSION: usize = 100;
const MOST_CHOICES: usize = 5000;
/// Evaluations after which the search ends itself: a model costs the cube of what it has seen.
pub const MOST_EVALUATIONS: usize = 5000;

/// The optimiser. `ask`, `tell` and the rest are of [`Optimizer`].
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Turbo {
    low: f64,
    high: f64,
    batch: usize,
    seed: u64,
    generation: u64,
    evaluations: usize,
    restarts: u64,
    /// Where the user starts, in the unit cube.
    start: DVector<f64>,
    best: DVector<f64>,
    best_loss: f64,
    trust: Trust,
    /// Sides of the region of the last model, in the unit cube.
    sides: DVector<f64>,
    /// The candidates asked and not told yet, in the unit cube. Choosing them again would cost another model.
    asked: Option<DMatrix<f64>>,
}

impl Turbo {
    /// In the box of the settings. `mean`, brought into the box, is the first point evaluated, so that a search which starts
    /// from a good policy knows of it. From W = 0 it is one point of the design among others: on Swimmer five seeds with it
    /// and five without do not tell them apart.
    pub fn new(settings: &Settings, mean: DVector<f64>) -> Result<Self, SettingsError> {
        let Bounds::Clip { low, high } = settings.bounds else {
            return Err(SettingsError::new("bounds", "none", "TuRBO searches a box: give it one"));
        };
        let d = mean.len();
        if d > MOST_COORDINATES {
            return Err(SettingsError::new(
                "mean",
                format!("{d} numbers"),
                "TuRBO can search at most 21201 dimensions",
            ));
        }
        let batch = settings.batch.unwrap_or(4 + (3.0 * (d as f64).ln()) as usize);
        if batch > choices(d) {
            return Err(SettingsError::new(
                "batch",
                batch,
                "TuRBO chooses among 100 points per dimension, at most 5000",
            ));
        }
        Ok(Self {
            low,
            high,
            batch,
            seed: settings.seed,
            generation: 0,
            evaluations: 0,
            restarts: 0,
            start: mean.map(|v| ((v - low) / (high - low)).clamp(0.0, 1.0)),
            best: mean,
            best_loss: f64::INFINITY,
            trust: Trust::new(d, batch),
            sides: DVector::repeat(d, 1.0),
            asked: None,
        })
    }

    /// Points of the region's first design, n_init. Whole batches, so that all generations cost the same; at most half of
    /// the evaluations, so that in thousands of dimensions some are left for the search.
    fn design(&self) -> usize {
        (2 * self.start.len()).min(MOST_EVALUATIONS / 2).next_multiple_of(self.batch)
    }

    /// The next batch of the design that a region starts from.
    fn designed(&self) -> DMatrix<f64> {
        let mut random = stream(self.seed, Purpose::Start, self.restarts, 1);
        let mut design = latin_hypercube(self.start.len(), self.design(), &mut random);
        if self.restarts == 0 {
            design.set_column(0, &self.start);
        }
        design.columns(self.trust.evaluations(), self.batch).into_owned()
    }

    /// A batch that the model takes for the best, each by one of its samples.
    fn chosen(&mut self) -> DMatrix<f64> {
        let (x, y) = self.trust.data();
        let (hyper, _) = fit::fit(&x, &y);
        let region = Region::new(self.trust.center(), &hyper.lengthscales, self.trust.length);
        let mut random = stream(self.seed, Purpose::Candidates, self.generation, 1);
        let candidates = region.candidates(choices(x.nrows()), &mut random);
        self.sides = region.sides;
        let normal = standard_normal(candidates.ncols(), self.batch, self.seed, self.generation);
        let samples = Gp::new(&x, &y, hyper).and_then(|gp| gp.samples(&candidates, &normal));
        // Without a sound model any candidate is as good as another.
        let chosen = samples.map_or_else(|_| (0..self.batch).collect(), |samples| least(&samples));
        candidates.select_columns(&chosen)
    }

    fn in_the_box(&self, points: &DMatrix<f64>) -> DMatrix<f64> {
        points.map(|v| (self.low + v * (self.high - self.low)).clamp(self.low, self.high))
    }
}

/// n_cand in d dimensions.
fn choices(d: usize) -> usize {
    (CHOICES_PER_DIMENSION * d).min(MOST_CHOICES)
}

/// The row of the least entry of every column, no row twice.
fn least(samples: &DMatrix<f64>) -> Vec<usize> {
    let mut taken = vec![false; samples.nrows()];
    let chosen = samples.column_iter().filter_map(|sample| {
        let free = (0..sample.len()).filter(|&i| !taken[i]);
        let best = free.min_by(|&i, &j| sample[i].total_cmp(&sample[j]))?;
        taken[best] = true;
        Some(best)
    });
    chosen.collect()
}

impl Optimizer for Turbo {
    fn ask(&mut self) -> DMatrix<f64> {
        let points = self.asked.take().unwrap_or_else(|| match self.trust.evaluations() < self.design() {
            true => self.designed(),
            false => self.chosen(),
        });
        let candidates = self.in_the_box(&points);
        self.asked = Some(points);
        candidates
    }

    fn tell(&mut self, loss: &[f64]) {
        assert_eq!(loss.len(), self.batch, "one loss per candidate");
        let candidates = self.ask();
        let Some(points) = self.asked.take() else { return };
        for (x, &loss) in candidates.column_iter().zip(loss).filter(|(_, loss)| loss.is_finite()) {
            if loss < self.best_loss {
                self.best_loss = loss;
                self.best.copy_from(&x);
            }
        }
        if self.trust.evaluations() < self.design() {
            self.trust.learn(&points, loss);
        } else {
            self.trust.judge(&points, loss);
        }
        if self.trust.is_exhausted() {
            self.trust = Trust::new(self.start.len(), self.batch);
            self.sides.fill(1.0);
            self.restarts += 1;
        }
        self.generation += 1;
        self.evaluations += loss.len();
    }

    /// The best candidate so far, over all restarts.
    fn center(&self) -> DVector<f64> {
        self.best.clone()
    }

    /// Of points spread evenly over the trust region.
    fn vitals(&self) -> Vitals {
        let typical = self.sides.norm() / (self.sides.len() as f64).sqrt();
        Vitals {
            generation: self.generation,
            sigma: (self.high - self.low) * typical / 12f64.sqrt(),
            condition: (self.sides.max() / self.sides.min()).powi(2),
        }
    }

    fn stop(&self) -> Option<StopReason> {
        (self.evaluations >= MOST_EVALUATIONS).then_some(StopReason::EvaluationLimit(MOST_EVALUATIONS as u64))
    }
}
