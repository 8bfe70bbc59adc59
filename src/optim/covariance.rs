//! A covariance C = LLᵀ together with its Cholesky factor L.

use nalgebra::DMatrix;
use serde::{Deserialize, Serialize};

use super::linalg::{self, NotPositiveDefinite};
use super::packed;

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(try_from = "Unfactorized")]
pub struct Covariance {
    /// C, in the lower triangle.
    #[serde(with = "packed")]
    matrix: DMatrix<f64>,
    /// L. It is not stored because it follows from C.
    #[serde(skip)]
    factor: DMatrix<f64>,
}

#[derive(Deserialize)]
struct Unfactorized {
    #[serde(with = "packed")]
    matrix: DMatrix<f64>,
}

impl TryFrom<Unfactorized> for Covariance {
    type Error = NotPositiveDefinite;
    fn try_from(Unfactorized { matrix }: Unfactorized) -> Result<Self, NotPositiveDefinite> {
        Self::new(matrix)
    }
}

impl Covariance {
    /// Only the lower triangle is read.
    ///
    /// # Errors
    /// If the matrix is not positive definite.
    pub fn new(matrix: DMatrix<f64>) -> Result<Self, NotPositiveDefinite> {
        if !matrix.is_square() {
            return Err(NotPositiveDefinite);
        }
        let factor = linalg::cholesky(&matrix)?;
        Ok(Self { matrix, factor })
    }

    /// sigma² I.
    pub fn isotropic(n: usize, sigma: f64) -> Self {
        let diagonal = |value| DMatrix::from_diagonal_element(n, n, value);
        Self { matrix: diagonal(sigma * sigma), factor: diagonal(sigma) }
    }

    /// The number of rows and of columns.
    pub fn size(&self) -> usize {
        self.matrix.nrows()
    }

    /// L.
    pub fn factor(&self) -> &DMatrix<f64> {
        &self.factor
    }

    /// C with both triangles filled.
    pub fn full(&self) -> DMatrix<f64> {
        let mut full = self.matrix.clone();
        linalg::mirror(&mut full);
        full
    }

    /// Changes C in place (lower triangle) and factorizes the result. If rounding or overflow makes it no longer positive
    /// definite, a multiple of I of the old size replaces it, so that it can still be sampled.
    ///
    /// # Errors
    /// If the changed matrix was not positive definite and has been replaced.
    pub fn reshape(&mut self, change: impl FnOnce(&mut DMatrix<f64>)) -> Result<(), NotPositiveDefinite> {
        let sigma = self.variance().sqrt();
        change(&mut self.matrix);
        let factorized = linalg::cholesky_into(&self.matrix, &mut self.factor);
        if factorized.is_err() {
            *self = Self::isotropic(self.size(), sigma);
        }
        factorized
    }

    /// Typical variance of one coordinate, tr C / n.
    pub fn variance(&self) -> f64 {
        self.matrix.trace() / self.size() as f64
    }

    /// The geometric mean of the eigenvalues, det(C)^(1/n).
    pub fn geometric_mean(&self) -> f64 {
        let logarithms: f64 = self.factor.diagonal().iter().map(|pivot| pivot.ln()).sum();
        (2.0 * logarithms / self.size() as f64).exp()
    }

    /// A lower bound on the condition number of C.
    pub fn condition(&self) -> f64 {
        linalg::condition(&self.factor)
    }
}
