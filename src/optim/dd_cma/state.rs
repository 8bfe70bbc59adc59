//! What DD-CMA learns: mean, step size, D, C and paths, and how C takes in its accumulated updates.

use nalgebra::{DMatrix, DVector};
use serde::{Deserialize, Serialize};

use crate::optim::linalg;
use crate::optim::packed;

/// The largest share of any axis that an update of C removes.
const MOST_TAKEN: f64 = 0.75;

/// An evolution path and the share γ of its stationary variance that it has reached.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Path {
    pub value: DVector<f64>,
    pub gamma: f64,
}

impl Path {
    fn new(n: usize) -> Self {
        Self { value: DVector::zeros(n), gamma: 0.0 }
    }

    /// Fades by `rate` and adds a step of variance 1/μ_eff, unless `on` is 0.
    pub(super) fn walk(&mut self, rate: f64, mu_eff: f64, on: f64, step: &DVector<f64>) {
        self.value.axpy(on * (rate * (2.0 - rate) * mu_eff).sqrt(), step, 1.0 - rate);
        self.gamma = (1.0 - rate).powi(2) * self.gamma + on * rate * (2.0 - rate);
    }
}

/// Distribution and paths. The table in the parent module explains the symbols.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct DdState {
    pub mean: DVector<f64>,
    pub sigma: f64,
    pub d: DVector<f64>,
    pub root: DMatrix<f64>,
    pub(super) inverse_root: DMatrix<f64>,
    pub axes: DVector<f64>,
    /// In the lower triangle.
    #[serde(with = "packed")]
    pub z: DMatrix<f64>,
    pub p_sigma: Path,
    pub p_c: Path,
    pub p_d: Path,
}

impl DdState {
    /// N(mean, diag(scale)²) with paths of 0.
    pub fn new(mean: DVector<f64>, scale: DVector<f64>) -> Self {
        let n = mean.len();
        Self {
            mean,
            sigma: 1.0,
            d: scale,
            root: DMatrix::identity(n, n),
            inverse_root: DMatrix::identity(n, n),
            axes: DVector::repeat(n, 1.0),
            z: DMatrix::zeros(n, n),
            p_sigma: Path::new(n),
            p_c: Path::new(n),
            p_d: Path::new(n),
        }
    }

    /// C^{-1/2} D⁻¹ v.
    pub(super) fn whiten(&self, v: &DVector<f64>) -> DVector<f64> {
        &self.inverse_root * v.component_div(&self.d)
    }

    /// C takes in Z and passes the variances of its coordinates to D. `None`, without a change, if that is not a covariance.
    pub(super) fn decode(&mut self) -> Option<()> {
        let n = self.d.len();
        let least = linalg::eigenvalues(&self.z)?.min();
        let alpha = (MOST_TAKEN / least.abs()).min(1.0);
        let mut change = &self.z * alpha;
        (0..n).for_each(|j| change[(j, j)] += 1.0);
        linalg::mirror(&mut change);
        let mut c = linalg::multiply(&self.root, &linalg::multiply(&change, &self.root));
        let scale = c.diagonal().map(f64::sqrt);
        c = DMatrix::from_fn(n, n, |i, j| c[(i, j)] / (scale[i] * scale[j]));
        let eigen = linalg::eigen(&c)?;
        if !(eigen.values.min() > 0.0 && scale.iter().all(|v| v.is_finite())) {
            return None;
        }
        self.d.component_mul_assign(&scale);
        self.axes = eigen.values.map(f64::sqrt);
        self.root = eigen.compose(f64::sqrt);
        self.inverse_root = eigen.compose(|value| value.sqrt().recip());
        [&mut self.root, &mut self.inverse_root].into_iter().for_each(linalg::mirror);
        self.z.fill(0.0);
        Some(())
    }
}
