//! Differential evolution, DE/rand/1/bin: every member competes with a combination of three others.
//!
//! Reference: Storn & Price, "Differential Evolution: A Simple and Efficient Heuristic for Global Optimization over Continuous
//! Spaces", Journal of Global Optimization 11, 1997; F and CR as in pypop7's CDE, which the SynCMA paper ran.
//!
//! | symbol | | |
//! |---|---|---|
//! | N | `members` columns | `batch`, or 100 |
//! | F | `SCALE` | v = x_a + F (x_b − x_c) |
//! | CR | `CROSSOVER` | the probability that a coordinate comes from v; at least one always does |

use nalgebra::{DMatrix, DVector};
use rand::RngExt;
use rand::seq::index;
use serde::{Deserialize, Serialize};

use super::{Bounds, Diagnostics, Optimizer, Settings, SettingsError, StopReason};
use crate::random::{Purpose, stream};

const SCALE: f64 = 0.5;
const CROSSOVER: f64 = 0.9;
const BATCH: usize = 100;

/// Differential evolution.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct DifferentialEvolution {
    seed: u64,
    generation: u64,
    members: DMatrix<f64>,
    /// The loss of each member; infinite until known and if it failed.
    losses: Vec<f64>,
}

impl DifferentialEvolution {
    /// The first member is `mean`. The others are uniform in the box of the settings. Later generations may leave the box.
    ///
    /// # Errors
    /// If a setting cannot be used; the error names the field and the remedy.
    pub fn new(settings: &Settings, mean: DVector<f64>) -> Result<Self, SettingsError> {
        settings.check(&mean)?;
        let Bounds::Clip { low, high } = settings.bounds else {
            return Err(SettingsError::new(
                "bounds",
                "none",
                "differential evolution draws its members from a box, so set bounds",
            ));
        };
        let batch = settings.batch.unwrap_or(BATCH);
        let mut random = stream(settings.seed, Purpose::Start, 0, 1);
        let mut members = DMatrix::from_fn(mean.len(), batch, |_, _| random.random_range(low..high));
        members.set_column(0, &mean);
        Ok(Self { seed: settings.seed, generation: 0, members, losses: vec![f64::INFINITY; batch] })
    }

    /// The challengers of this generation. In the first generation they are the members themselves.
    fn candidates(&self) -> DMatrix<f64> {
        let mut trials = self.members.clone();
        if self.generation == 0 {
            return trials;
        }
        let (n, batch) = trials.shape();
        let mut random = stream(self.seed, Purpose::Candidates, self.generation, 0);
        for i in 0..batch {
            // Three members other than i: draw from all but the last, and replace i by the last.
            let others = index::sample(&mut random, batch - 1, 3);
            let [a, b, c] = [0, 1, 2].map(|k| if others.index(k) == i { batch - 1 } else { others.index(k) });
            let always = random.random_range(0..n);
            for j in 0..n {
                if random.random::<f64>() <= CROSSOVER || j == always {
                    let x = &self.members;
                    trials[(j, i)] = x[(j, a)] + SCALE * (x[(j, b)] - x[(j, c)]);
                }
            }
        }
        trials
    }

    fn best(&self) -> usize {
        (0..self.losses.len()).min_by(|&a, &b| self.losses[a].total_cmp(&self.losses[b])).unwrap_or(0)
    }
}

impl Optimizer for DifferentialEvolution {
    fn ask(&mut self) -> DMatrix<f64> {
        self.candidates()
    }

    /// A better challenger replaces its member.
    fn tell(&mut self, loss: &[f64]) {
        assert_eq!(loss.len(), self.losses.len(), "one loss per candidate");
        let trials = self.candidates();
        for (i, &loss) in loss.iter().enumerate().filter(|(_, loss)| loss.is_finite()) {
            if loss < self.losses[i] {
                self.losses[i] = loss;
                self.members.set_column(i, &trials.column(i));
            }
        }
        self.generation += 1;
    }

    /// The best member.
    fn center(&self) -> DVector<f64> {
        self.members.column(self.best()).into()
    }

    /// `sigma` is the spread of the population.
    fn diagnostics(&self) -> Diagnostics {
        let sigma = self.members.row_iter().map(|row| row.variance()).sum::<f64>() / self.members.nrows() as f64;
        Diagnostics { generation: self.generation, sigma: sigma.sqrt(), condition: 1.0 }
    }

    /// Stops when all members are equal, because then all challengers are, too.
    fn stop(&self) -> Option<StopReason> {
        let alike = self.members.row_iter().all(|row| row.max() == row.min());
        alike.then_some(StopReason::StepTooSmall(f64::MIN_POSITIVE))
    }
}
