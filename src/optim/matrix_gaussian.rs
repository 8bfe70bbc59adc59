//! The search distribution N(M, A ⊗ B) of a matrix W with p rows and q columns: M + L_A Z L_Bᵀ with standard normal Z.
//!
//! | symbol | field | |
//! |---|---|---|
//! | M | `mean` | W flattened row by row |
//! | A = L_A L_Aᵀ | `rows` | p × p, how rows vary together; its determinant is 1 |
//! | B = L_B L_Bᵀ | `columns` | q × q, how columns vary together; it carries the size |
//!
//! The covariance of entries (i, j) and (k, l) is A_ik B_jl. Only the product A ⊗ B has a meaning, so one of the two
//! sizes has to be fixed. The p·q × p·q matrix is never formed.
//!
//! The n = p·q numbers of a deviation D are p rows of q. An n × N batch of deviations in column-major order is therefore also
//! a q × pN matrix, in which every p columns are a block Dᵀ.

use nalgebra::{DMatrix, DVector, Dyn};
use serde::{Deserialize, Serialize};

use super::covariance::Covariance;
use super::gaussian::{Normal, standard_normal};
use super::linalg::{self, NotPositiveDefinite};

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(try_from = "Parts")]
pub struct MatrixGaussian {
    pub mean: DVector<f64>,
    rows: Covariance,
    columns: Covariance,
}

#[derive(Deserialize)]
struct Parts {
    mean: DVector<f64>,
    rows: Covariance,
    columns: Covariance,
}

impl TryFrom<Parts> for MatrixGaussian {
    type Error = NotPositiveDefinite;
    fn try_from(Parts { mean, rows, columns }: Parts) -> Result<Self, NotPositiveDefinite> {
        if rows.size().checked_mul(columns.size()) != Some(mean.len()) {
            return Err(NotPositiveDefinite);
        }
        Ok(Self { mean, rows, columns })
    }
}

impl MatrixGaussian {
    /// N(mean, A ⊗ B); only the lower triangles are read, and the size of A goes to B.
    ///
    /// # Errors
    /// If one of the two matrices is not positive definite.
    pub fn new(mean: DVector<f64>, rows: DMatrix<f64>, columns: DMatrix<f64>) -> Result<Self, NotPositiveDefinite> {
        let size = Covariance::new(rows.clone())?.geometric_mean();
        let (rows, columns) = (Covariance::new(rows / size)?, Covariance::new(columns * size)?);
        Parts { mean, rows, columns }.try_into()
    }

    /// N(mean, sigma² I) for a matrix with this number of rows.
    ///
    /// # Panics
    /// If `rows` is 0 or does not divide the number of entries.
    pub fn isotropic(mean: DVector<f64>, rows: usize, sigma: f64) -> Self {
        assert!(mean.len().is_multiple_of(rows) && rows > 0, "the rows divide the entries");
        let columns = Covariance::isotropic(mean.len() / rows, sigma);
        Self { mean, rows: Covariance::isotropic(rows, 1.0), columns }
    }

    /// p and q.
    pub fn shape(&self) -> (usize, usize) {
        (self.rows.size(), self.columns.size())
    }

    /// A.
    pub fn rows(&self) -> DMatrix<f64> {
        self.rows.full()
    }

    /// B.
    pub fn columns(&self) -> DMatrix<f64> {
        self.columns.full()
    }

    /// Estimates of A and B from deviations, one per column: Σ D B⁻¹ Dᵀ / q and Σ Dᵀ A⁻¹ D / p, in the lower triangles.
    ///
    /// # Panics
    /// If a deviation does not have p·q entries.
    pub fn scatters(&self, deviations: &DMatrix<f64>) -> (DMatrix<f64>, DMatrix<f64>) {
        let (p, q) = self.shape();
        let (mut rows, mut columns) = (DMatrix::zeros(p, p), DMatrix::zeros(q, q));
        let mut by_columns = DMatrix::from_column_slice(q, p * deviations.ncols(), deviations.as_slice());
        let mut by_rows = by_columns.clone();
        linalg::solve_lower_columns(self.columns.factor(), &mut by_columns);
        linalg::add_inner_of_blocks(&mut rows, 1.0 / q as f64, &by_columns);
        linalg::solve_lower_blocks(self.rows.factor(), &mut by_rows);
        linalg::add_outer(&mut columns, 1.0 / p as f64, &by_rows, &by_rows);
        (rows, columns)
    }

    /// tr(B⁻¹ S)/q: the size of a q × q matrix S measured by B. Only the lower triangle of S is read.
    pub fn size_by_columns(&self, s: &DMatrix<f64>) -> f64 {
        linalg::trace_of_product(&linalg::inverse_of_factorized(self.columns.factor()), s) / s.nrows() as f64
    }

    /// Changes B and the shape of A in place (lower triangles).
    ///
    /// # Errors
    /// If one of the changed matrices was not positive definite and has been replaced.
    pub fn reshape(
        &mut self,
        rows: impl FnOnce(&mut DMatrix<f64>),
        columns: impl FnOnce(&mut DMatrix<f64>),
    ) -> Result<(), NotPositiveDefinite> {
        let reshaped = self.rows.reshape(rows);
        let size = self.rows.geometric_mean();
        let resized = self.rows.reshape(|a| linalg::scale(a, 1.0 / size));
        let columns = self.columns.reshape(columns);
        reshaped.and(resized).and(columns)
    }
}

impl Normal for MatrixGaussian {
    fn mean(&self) -> &DVector<f64> {
        &self.mean
    }

    /// D = L_A Z L_Bᵀ.
    fn deviations(&self, batch: usize, seed: u64, generation: u64) -> DMatrix<f64> {
        let (p, q) = self.shape();
        let z = standard_normal(p * q, batch, seed, generation).reshape_generic(Dyn(q), Dyn(p * batch));
        let d = linalg::blocks_times_transposed(&linalg::lower_times(self.columns.factor(), &z), self.rows.factor());
        d.reshape_generic(Dyn(p * q), Dyn(batch))
    }

    /// L_A⁻¹ D L_B⁻ᵀ.
    fn whiten(&self, deviation: &DVector<f64>) -> DVector<f64> {
        let (p, q) = self.shape();
        let mut white = DMatrix::from_column_slice(q, p, deviation.as_slice());
        linalg::solve_lower_columns(self.columns.factor(), &mut white);
        linalg::solve_lower_blocks(self.rows.factor(), &mut white);
        DVector::from_column_slice(white.as_slice())
    }

    fn sigma(&self) -> f64 {
        (self.rows.variance() * self.columns.variance()).sqrt()
    }

    fn condition(&self) -> f64 {
        self.rows.condition() * self.columns.condition()
    }
}
