//! The search distribution N(m, C), ready to be sampled at any time: C goes nowhere without its Cholesky factor.

use nalgebra::{DMatrix, DVector};
use rand_distr::{Distribution, StandardNormal};
use serde::{Deserialize, Serialize};

use super::linalg::{self, NotPositiveDefinite};
use super::packed;
use crate::random::{Purpose, stream};

/// n × N standard normal numbers, from a stream that depends on seed and generation alone.
pub fn standard_normal(n: usize, batch: usize, seed: u64, generation: u64) -> DMatrix<f64> {
    let mut random = stream(seed, Purpose::Candidates, generation, 0);
    DMatrix::from_fn(n, batch, |_, _| StandardNormal.sample(&mut random))
}

/// N(m, C) with C = LLᵀ.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(try_from = "Moments")]
pub struct Gaussian {
    pub mean: DVector<f64>,
    /// C, in the lower triangle.
    #[serde(with = "packed")]
    covariance: DMatrix<f64>,
    /// L. Not stored: the same C has the same factor.
    #[serde(skip)]
    factor: DMatrix<f64>,
}

#[derive(Deserialize)]
struct Moments {
    mean: DVector<f64>,
    #[serde(with = "packed")]
    covariance: DMatrix<f64>,
}

impl TryFrom<Moments> for Gaussian {
    type Error = NotPositiveDefinite;
    fn try_from(Moments { mean, covariance }: Moments) -> Result<Self, NotPositiveDefinite> {
        Self::new(mean, covariance)
    }
}

impl Gaussian {
    /// N(mean, covariance); only the lower triangle is read.
    pub fn new(mean: DVector<f64>, covariance: DMatrix<f64>) -> Result<Self, NotPositiveDefinite> {
        if covariance.shape() != (mean.len(), mean.len()) {
            return Err(NotPositiveDefinite);
        }
        let factor = linalg::cholesky(&covariance)?;
        Ok(Self { mean, covariance, factor })
    }

    /// N(mean, sigma² I).
    pub fn isotropic(mean: DVector<f64>, sigma: f64) -> Self {
        let n = mean.len();
        let covariance = DMatrix::from_diagonal_element(n, n, sigma * sigma);
        Self { mean, covariance, factor: DMatrix::from_diagonal_element(n, n, sigma) }
    }

    /// A batch of deviations from the mean, d_i = L z_i, one per column.
    pub fn deviations(&self, batch: usize, seed: u64, generation: u64) -> DMatrix<f64> {
        linalg::lower_times(&self.factor, &standard_normal(self.mean.len(), batch, seed, generation))
    }

    /// The points that lie these deviations from the mean.
    pub fn points(&self, deviations: &DMatrix<f64>) -> DMatrix<f64> {
        let mut points = deviations.clone();
        points.column_iter_mut().for_each(|mut x| x += &self.mean);
        points
    }

    /// How far these points lie from the mean.
    pub fn deviations_of(&self, points: &DMatrix<f64>) -> DMatrix<f64> {
        let mut deviations = points.clone();
        deviations.column_iter_mut().for_each(|mut d| d -= &self.mean);
        deviations
    }

    /// L⁻¹ d: the deviation in units in which this distribution is standard normal.
    pub fn whiten(&self, deviation: &DVector<f64>) -> DVector<f64> {
        let mut white = deviation.clone();
        linalg::solve_lower(&self.factor, &mut white);
        white
    }

    /// The same for every column.
    pub fn whiten_columns(&self, deviations: &mut DMatrix<f64>) {
        linalg::solve_lower_columns(&self.factor, deviations);
    }

    /// Changes C in place (lower triangle) and factorises the result. If rounding or overflow leaves nothing positive
    /// definite, a round Gaussian of the old size takes its place, so that there is still something to sample.
    pub fn reshape(&mut self, change: impl FnOnce(&mut DMatrix<f64>)) -> Result<(), NotPositiveDefinite> {
        let sigma = self.sigma();
        change(&mut self.covariance);
        let factorised = linalg::cholesky_into(&self.covariance, &mut self.factor);
        if factorised.is_err() {
            *self = Self::isotropic(self.mean.clone(), sigma);
        }
        factorised
    }

    /// Typical standard deviation of one coordinate, √(tr C / n).
    pub fn sigma(&self) -> f64 {
        (self.covariance.trace() / self.mean.len() as f64).sqrt()
    }

    /// A lower bound on the condition number of C.
    pub fn condition(&self) -> f64 {
        linalg::condition(&self.factor)
    }

    /// C with both triangles filled.
    pub fn covariance(&self) -> DMatrix<f64> {
        let mut full = self.covariance.clone();
        linalg::mirror(&mut full);
        full
    }
}
