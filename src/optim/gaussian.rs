//! The search distribution N(m, C) together with the Cholesky factor of C, so that it can be sampled at any time.

use nalgebra::{DMatrix, DVector};
use rand_distr::{Distribution, StandardNormal};
use serde::{Deserialize, Serialize};

use super::covariance::Covariance;
use super::linalg::{self, NotPositiveDefinite};
use crate::random::{Purpose, stream};

/// n × N standard normal numbers from a stream that depends on seed and generation only.
pub fn standard_normal(n: usize, batch: usize, seed: u64, generation: u64) -> DMatrix<f64> {
    let mut random = stream(seed, Purpose::Candidates, generation, 0);
    DMatrix::from_fn(n, batch, |_, _| StandardNormal.sample(&mut random))
}

/// A normal distribution from which a search draws candidates, with a covariance of any form.
pub trait Normal {
    fn mean(&self) -> &DVector<f64>;
    /// A batch of deviations from the mean, one per column.
    fn deviations(&self, batch: usize, seed: u64, generation: u64) -> DMatrix<f64>;
    /// The deviation in units in which this distribution is standard normal.
    fn whiten(&self, deviation: &DVector<f64>) -> DVector<f64>;
    /// Typical standard deviation of one coordinate, √(tr C / n).
    fn sigma(&self) -> f64;
    /// A lower bound on the condition number of C.
    fn condition(&self) -> f64;

    /// The mean plus each of the deviations.
    fn points(&self, deviations: &DMatrix<f64>) -> DMatrix<f64> {
        let mut points = deviations.clone();
        points.column_iter_mut().for_each(|mut x| x += self.mean());
        points
    }

    /// The points minus the mean.
    fn deviations_of(&self, points: &DMatrix<f64>) -> DMatrix<f64> {
        let mut deviations = points.clone();
        deviations.column_iter_mut().for_each(|mut d| d -= self.mean());
        deviations
    }
}

/// N(m, C) with C = LLᵀ.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(try_from = "Moments")]
pub struct Gaussian {
    pub mean: DVector<f64>,
    covariance: Covariance,
}

#[derive(Deserialize)]
struct Moments {
    mean: DVector<f64>,
    covariance: Covariance,
}

impl TryFrom<Moments> for Gaussian {
    type Error = NotPositiveDefinite;
    fn try_from(Moments { mean, covariance }: Moments) -> Result<Self, NotPositiveDefinite> {
        if covariance.size() != mean.len() {
            return Err(NotPositiveDefinite);
        }
        Ok(Self { mean, covariance })
    }
}

impl Gaussian {
    /// N(mean, covariance); only the lower triangle is read.
    ///
    /// # Errors
    /// If the covariance is not positive definite, or if its size is not that of the mean.
    pub fn new(mean: DVector<f64>, covariance: DMatrix<f64>) -> Result<Self, NotPositiveDefinite> {
        Moments { mean, covariance: Covariance::new(covariance)? }.try_into()
    }

    /// N(mean, sigma² I).
    pub fn isotropic(mean: DVector<f64>, sigma: f64) -> Self {
        let covariance = Covariance::isotropic(mean.len(), sigma);
        Self { mean, covariance }
    }

    /// L⁻¹ d for every column d.
    pub fn whiten_columns(&self, deviations: &mut DMatrix<f64>) {
        linalg::solve_lower_columns(self.covariance.factor(), deviations);
    }

    /// Changes C in place, as [`Covariance::reshape`] does.
    ///
    /// # Errors
    /// If the changed C was not positive definite and has been replaced.
    pub fn reshape(&mut self, change: impl FnOnce(&mut DMatrix<f64>)) -> Result<(), NotPositiveDefinite> {
        self.covariance.reshape(change)
    }

    /// C with both triangles filled.
    pub fn covariance(&self) -> DMatrix<f64> {
        self.covariance.full()
    }
}

impl Normal for Gaussian {
    fn mean(&self) -> &DVector<f64> {
        &self.mean
    }

    /// d_i = L z_i.
    fn deviations(&self, batch: usize, seed: u64, generation: u64) -> DMatrix<f64> {
        linalg::lower_times(self.covariance.factor(), &standard_normal(self.mean.len(), batch, seed, generation))
    }

    /// L⁻¹ d.
    fn whiten(&self, deviation: &DVector<f64>) -> DVector<f64> {
        let mut white = deviation.clone();
        linalg::solve_lower(self.covariance.factor(), &mut white);
        white
    }

    fn sigma(&self) -> f64 {
        self.covariance.variance().sqrt()
    }

    fn condition(&self) -> f64 {
        self.covariance.condition()
    }
}
