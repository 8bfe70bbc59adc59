//! What CMA-ES learns: mean, step size, covariance and paths, and the decomposition of the covariance.

use nalgebra::{DMatrix, DVector};
use serde::{Deserialize, Serialize};

use crate::optim::linalg::{self, Eigen};
use crate::optim::packed;

/// The largest condition number of C that f64 can represent well. Beyond it the short axes are lengthened.
const MAX_CONDITION: f64 = 1e15;

/// Distribution and paths. The table in the parent module explains the symbols.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct CmaState {
    pub generation: u64,
    pub mean: DVector<f64>,
    pub sigma: f64,
    pub p_sigma: DVector<f64>,
    pub p_c: DVector<f64>,
    #[serde(with = "packed")]
    pub c: DMatrix<f64>,
    pub b: DMatrix<f64>,
    pub d: DVector<f64>,
    /// The generation after which B and D were computed.
    pub decomposed: u64,
    /// False once C has had an entry that is not finite.
    pub sound: bool,
}

impl CmaState {
    /// N(mean, sigma² c) with paths of 0.
    pub fn new(mean: DVector<f64>, sigma: f64, c: DMatrix<f64>) -> Self {
        let n = mean.len();
        let mut state = Self {
            generation: 0,
            mean,
            sigma,
            p_sigma: DVector::zeros(n),
            p_c: DVector::zeros(n),
            c,
            b: DMatrix::identity(n, n),
            d: DVector::repeat(n, 1.0),
            decomposed: 0,
            sound: true,
        };
        state.decompose();
        state
    }

    /// C = B D² Bᵀ. If C has an entry that is not finite, nothing changes except that the state is not `sound` anymore.
    pub fn decompose(&mut self) {
        self.decomposed = self.generation;
        let Some(Eigen { mut values, vectors }) = linalg::eigen(&self.c) else {
            self.sound = false;
            return;
        };
        let deficit = values.max() / MAX_CONDITION - values.min();
        if deficit > 0.0 {
            values.add_scalar_mut(deficit);
            (0..values.len()).for_each(|i| self.c[(i, i)] += deficit);
        }
        self.d = values.map(f64::sqrt);
        self.b = vectors;
    }

    /// Condition number of the C that was decomposed last.
    pub fn condition(&self) -> f64 {
        (self.d.max() / self.d.min()).powi(2)
    }
}
