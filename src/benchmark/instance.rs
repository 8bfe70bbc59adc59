//! Moves and rotates a synthetic function, so that no search benefits from where the optimum or the axes happen to be.

use super::{Function, Problem};
use crate::random::{Purpose, stream};
use nalgebra::{DMatrix, DVector};
use rand::RngExt;
use rand_distr::{Distribution, StandardNormal};
use serde::Serialize;

/// A moved optimum is uniform in this interval in every coordinate.
pub const MOVED: (f64, f64) = (-3.0, 3.0);

/// A function and how it is transformed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Synthetic {
    pub function: Function,
    pub dim: usize,
    /// Whether the optimum is drawn from [`MOVED`] or stays at the paper's place.
    pub moved: bool,
    /// Whether the function is rotated about its optimum.
    pub rotated: bool,
}

impl Synthetic {
    /// Draws the optimum and rotation for this seed. They are the same for every function.
    pub fn instance(&self, seed: u64) -> Instance {
        let Self { function, dim, .. } = *self;
        let optimum = self.moved.then(|| {
            let mut random = stream(seed, Purpose::Optimum, 0, 0);
            DVector::from_fn(dim, |_, _| random.random_range(MOVED.0..MOVED.1))
        });
        Instance { function, dim, optimum, rotation: self.rotated.then(|| rotation(dim, seed)) }
    }
}

/// x ↦ f(R (x − x*) + a), where a is the minimum of f, so that x* becomes the minimum.
#[derive(Clone, Debug)]
pub struct Instance {
    function: Function,
    dim: usize,
    optimum: Option<DVector<f64>>,
    rotation: Option<DMatrix<f64>>,
}

impl Instance {
    /// The point at which the value is 0.
    pub fn optimum(&self) -> DVector<f64> {
        self.optimum.clone().unwrap_or_else(|| DVector::from_element(self.dim, self.function.argmin()))
    }

    pub fn rotation(&self) -> Option<&DMatrix<f64>> {
        self.rotation.as_ref()
    }
}

impl Problem for Instance {
    fn dim(&self) -> usize {
        self.dim
    }

    fn bounds(&self) -> (f64, f64) {
        Function::START
    }

    fn value(&self, x: &[f64]) -> f64 {
        if self.optimum.is_none() && self.rotation.is_none() {
            return self.function.value(x);
        }
        let mut away = DVector::from_column_slice(x);
        match &self.optimum {
            Some(optimum) => away -= optimum,
            None => away.add_scalar_mut(-self.function.argmin()),
        }
        let turned = match &self.rotation {
            Some(rotation) => rotation * away,
            None => away,
        };
        self.function.value(turned.add_scalar(self.function.argmin()).as_slice())
    }
}

/// Draws a rotation uniformly: the Q of a Gaussian matrix whose R has a positive diagonal, as nalgebra's does (Mezzadri
/// 2007). If it is a reflection, one axis is flipped.
fn rotation(n: usize, seed: u64) -> DMatrix<f64> {
    let mut random = stream(seed, Purpose::Rotation, 0, 0);
    let gaussian: DMatrix<f64> = DMatrix::from_fn(n, n, |_, _| StandardNormal.sample(&mut random));
    let mut q = gaussian.qr().q();
    if q.determinant() < 0.0 {
        q.column_mut(0).neg_mut();
    }
    q
}
