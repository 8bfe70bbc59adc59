//! A square root of a covariance that need not be positive definite, as that of `published`.

use nalgebra::{DMatrix, DVector};

use crate::optim::linalg::{self, NotPositiveDefinite};

/// R with C = RRᵀ: the Cholesky factor if C has one, otherwise B √D.
#[derive(Clone, Debug)]
pub enum Root {
    Cholesky(DMatrix<f64>),
    Eigen(DMatrix<f64>),
}

impl Root {
    /// Negative eigenvalues of C count as 0. `None` if C is not finite.
    pub fn of(c: &DMatrix<f64>) -> Option<Self> {
        if let Ok(factor) = linalg::cholesky(c) {
            return Some(Self::Cholesky(factor));
        }
        let mut eigen = linalg::eigen(c)?;
        for (mut column, value) in eigen.vectors.column_iter_mut().zip(&eigen.values) {
            column *= value.max(0.0).sqrt();
        }
        Some(Self::Eigen(eigen.vectors))
    }

    pub fn times(&self, z: &DMatrix<f64>) -> DMatrix<f64> {
        match self {
            Self::Cholesky(l) => linalg::lower_times(l, z),
            Self::Eigen(root) => linalg::multiply(root, z),
        }
    }

    pub fn condition(&self) -> f64 {
        match self {
            Self::Cholesky(l) => linalg::condition(l),
            Self::Eigen(root) => {
                let values = DVector::from_iterator(root.ncols(), root.column_iter().map(|c| c.norm_squared()));
                values.max() / values.min()
            }
        }
    }
}

/// Replaces negative eigenvalues of C by 1e-8.
pub fn clip(c: &mut DMatrix<f64>) -> Result<(), NotPositiveDefinite> {
    let eigen = linalg::eigen(c).ok_or(NotPositiveDefinite)?;
    *c = eigen.compose(|value| if value < 0.0 { 1e-8 } else { value });
    Ok(())
}
