//! TuRBO-1: Bayesian optimization inside a trust region that follows the best point and adapts its size.
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
//! It models the values of the losses and not only their ranks. A monotone transformation of the loss therefore changes the
//! search. So does adding a constant, because success is measured relative to |f_best|. A positive factor changes only the
//! rounding, as long as losses differ by more than a millionth, and so does moving the problem together with its box. A batch
//! is chosen by comparing many samples, so after a while rounding alone can make two such searches differ.

pub mod candidates;
pub mod fit;
pub mod gp;
pub mod matern;
pub mod trust;

use nalgebra::{DMatrix, DVector};
use serde::{Deserialize, Serialize};

use super::gaussian::standard_normal;
use super::{Bounds, Diagnostics, Optimizer, Settings, SettingsError, StopReason, rates};
use crate::random::{Purpose, stream};
use candidates::{MOST_COORDINATES, Region, latin_hypercube};
use gp::Gp;
use trust::Trust;

/// The number of candidates that a batch is chosen from, per dimension and at most. Their covariance matrix must fit in memory.
const CHOICES_PER_DIMENSION: usize = 100;
const MOST_CHOICES: usize = 5000;
/// Evaluations after which the search stops. The cost of a model grows with the cube of their number.
pub const MOST_EVALUATIONS: usize = 5000;

/// TuRBO.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Turbo {
    low: f64,
    high: f64,
    batch: usize,
    seed: u64,
    generation: u64,
    evaluations: usize,
    restarts: u64,
    /// The given start, in the unit cube.
    start: DVector<f64>,
    best: DVector<f64>,
    best_loss: f64,
    trust: Trust,
    /// Sides of the region of the last model, in the unit cube.
    sides: DVector<f64>,
    /// The candidates that are asked but not told yet, in the unit cube. Choosing them again would cost another model.
    asked: Option<DMatrix<f64>>,
}

impl Turbo {
    /// Searches the box of the settings. The first point evaluated is `mean`, clipped to the box, so that a search which
    /// starts from a good policy knows about it.
    ///
    /// # Errors
    /// If a setting cannot be used; the error names the field and the remedy.
    pub fn new(settings: &Settings, mean: DVector<f64>) -> Result<Self, SettingsError> {
        settings.check(&mean)?;
        let Bounds::Clip { low, high } = settings.bounds else {
            return Err(SettingsError::new("bounds", "none", "TuRBO searches a box, so set bounds"));
        };
        let d = mean.len();
        if d > MOST_COORDINATES {
            return Err(SettingsError::new(
                "mean",
                format!("{d} numbers"),
                "TuRBO can search at most 21201 dimensions",
            ));
        }
        let batch = settings.batch.unwrap_or(rates::default_batch(d));
        if batch > choices(d) {
            return Err(SettingsError::new(
                "batch",
                batch,
                "TuRBO chooses a batch from 100 points per dimension, at most 5000: use a smaller batch",
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

    /// n_init, the number of points in a region's first design. They are whole batches, so that all generations cost the
    /// same, and at most half of the evaluations, so that some remain for the search in thousands of dimensions.
    fn design(&self) -> usize {
        (2 * self.start.len()).min(MOST_EVALUATIONS / 2).next_multiple_of(self.batch)
    }

    /// The next batch of a region's first design.
    fn designed(&self) -> DMatrix<f64> {
        let mut random = stream(self.seed, Purpose::Start, self.restarts, 1);
        let mut design = latin_hypercube(self.start.len(), self.design(), &mut random);
        if self.restarts == 0 {
            design.set_column(0, &self.start);
        }
        design.columns(self.trust.evaluations(), self.batch).into_owned()
    }

    /// The next batch chosen by the model. Each candidate minimizes one sample of the model.
    fn chosen(&mut self) -> DMatrix<f64> {
        let (x, y) = self.trust.data();
        let (hyper, _) = fit::fit(&x, &y);
        let region = Region::new(self.trust.center(), &hyper.lengthscales, self.trust.length);
        let mut random = stream(self.seed, Purpose::Candidates, self.generation, 1);
        let candidates = region.candidates(choices(x.nrows()), &mut random);
        self.sides = region.sides;
        let normal = standard_normal(candidates.ncols(), self.batch, self.seed, self.generation);
        let samples = Gp::new(&x, &y, hyper).and_then(|gp| gp.samples(&candidates, &normal));
        // If the model breaks down numerically, any candidate is as good as another.
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

/// For every column the row of its smallest entry that no earlier column has taken.
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

    /// The spread of points that are uniform in the trust region. The condition is the squared ratio of its longest side to
    /// its shortest.
    fn diagnostics(&self) -> Diagnostics {
        let typical = self.sides.norm() / (self.sides.len() as f64).sqrt();
        Diagnostics {
            generation: self.generation,
            sigma: (self.high - self.low) * typical / 12f64.sqrt(),
            condition: (self.sides.max() / self.sides.min()).powi(2),
        }
    }

    fn stop(&self) -> Option<StopReason> {
        (self.evaluations >= MOST_EVALUATIONS).then_some(StopReason::EvaluationLimit(MOST_EVALUATIONS as u64))
    }
}
