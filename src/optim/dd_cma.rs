//! DD-CMA: CMA-ES with a covariance D C D, in which the diagonal D learns fast and the correlation matrix C slowly.
//!
//! Reference: Akimoto & Hansen, "Diagonal Acceleration for Covariance Matrix Adaptation Evolution Strategies", Evolutionary
//! Computation 28(3), 2020. Numbers in `update` are the steps of a generation in the order of the authors' script.
//!
//! | symbol | field | start |
//! |---|---|---|
//! | m, σ | `mean`, `sigma` | the given mean, 1 |
//! | D | `d` | the given standard deviation in every coordinate |
//! | √C, C^{-1/2} | `root`, `inverse_root` | I; C is a correlation matrix |
//! | S | `axes` | 1; square roots of C's eigenvalues |
//! | Z | `z` | 0; updates that C has not taken in yet, in coordinates in which a sample is standard normal |
//! | p_σ, p_c, p_cD and γ | `p_sigma`, `p_c`, `p_d`: [`Path`] | 0 |

mod constants;
mod state;

use nalgebra::{DMatrix, DVector};
use serde::{Deserialize, Serialize};

use super::gaussian::standard_normal;
use super::linalg;
use super::weights::{is_flat, ranking};
use super::{Diagnostics, Optimizer, Settings, SettingsError, StopReason, stop};

use constants::DdConstants;
pub use state::{DdState, Path};

/// β_thresh: D learns more slowly while the ratio of the axes of C exceeds this.
const ROUND_ENOUGH: f64 = 2.0;

/// DD-CMA.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct DdCma {
    constants: DdConstants,
    generation: u64,
    state: DdState,
    stop: Option<StopReason>,
}

impl DdCma {
    /// A search that starts from N(mean, sigma² I).
    ///
    /// # Errors
    /// If a setting cannot be used; the error names the field and the remedy.
    pub fn new(settings: &Settings, mean: DVector<f64>) -> Result<Self, SettingsError> {
        let scale = DVector::repeat(mean.len(), settings.first_sigma());
        Self::scaled(settings, mean, scale)
    }

    /// A search that starts from N(mean, diag(scale)²). `sigma` in the settings is ignored.
    ///
    /// # Errors
    /// If a setting cannot be used; the error names the field and the remedy.
    pub fn scaled(settings: &Settings, mean: DVector<f64>, scale: DVector<f64>) -> Result<Self, SettingsError> {
        settings.check(&mean)?;
        let constants = DdConstants::new(settings, mean.len(), linalg::root_mean_square(&scale));
        let state = DdState::new(mean, scale);
        Ok(Self { constants, generation: 0, state, stop: None })
    }

    /// The same search with a start of Z other than 0. pypop7 starts it at I, which widens its first generations.
    pub fn with_accumulator(mut self, z: DMatrix<f64>) -> Self {
        self.state.z = z;
        self
    }

    /// Learns from candidates that someone else has drawn, as `tell` does from its own.
    ///
    /// # Panics
    /// If there is not one loss per candidate.
    pub fn learn(&mut self, candidates: &DMatrix<f64>, loss: &[f64]) {
        let DdState { mean, sigma, d, inverse_root, .. } = &self.state;
        let mut y = candidates.clone();
        for mut y in y.column_iter_mut() {
            y -= mean;
            y.component_div_assign(d);
        }
        y /= *sigma;
        self.update(&linalg::multiply(inverse_root, &y), loss);
    }

    /// Distribution and paths.
    pub fn state(&self) -> &DdState {
        &self.state
    }

    fn draw(&self) -> DMatrix<f64> {
        standard_normal(self.state.mean.len(), self.constants.batch, self.constants.seed, self.generation)
    }

    fn update(&mut self, z: &DMatrix<f64>, loss: &[f64]) {
        assert_eq!(loss.len(), z.ncols(), "one loss per candidate");
        self.generation += 1;
        if self.stop.is_some() || is_flat(loss) {
            return;
        }
        let (k, s) = (&self.constants, &mut self.state);
        let n = z.nrows();
        let rank = ranking(loss);

        // Mean (1): dz is the step in standard normal coordinates, dx in the coordinates of the search, both without σ.
        let mut dz = DVector::zeros(n);
        k.positive.iter().zip(&rank).for_each(|(&w, &i)| dz.axpy(w, &z.column(i), 1.0));
        let dx = (&s.root * &dz).component_mul(&s.d);
        s.mean.axpy(s.sigma, &dx, 1.0);

        // Step size (2)-(3) and paths (4), which stall (h = 0) while p_σ is long.
        s.p_sigma.walk(k.c_sigma, k.mu_eff, 1.0, &dz);
        let (length, gamma) = (s.p_sigma.value.norm(), s.p_sigma.gamma);
        let h = if length * length / gamma < (2.0 + 4.0 / (n as f64 + 1.0)) * n as f64 { 1.0 } else { 0.0 };
        s.sigma *= (k.c_sigma / k.d_sigma * (length / k.chi_n - gamma.sqrt())).exp();
        s.p_c.walk(k.full.c_c, k.mu_eff, h, &dx);
        s.p_d.walk(k.diagonal.c_c, k.mu_eff, h, &dx);

        // Accumulated update of C (5): a column per sample and one for the path, then minus the identity.
        let squares: Vec<f64> = z.column_iter().map(|z| z.norm_squared()).collect();
        let zeta = s.whiten(&s.p_c.value);
        let mut columns = z.clone().insert_column(z.ncols(), 0.0);
        columns.set_column(z.ncols(), &zeta);
        let mut weighted = columns.clone();
        weighted.column_mut(z.ncols()).scale_mut(k.full.c_1);
        for (r, &i) in rank.iter().enumerate() {
            weighted.column_mut(i).scale_mut(k.full.c_mu * k.full.weigh(r, squares[i], n));
        }
        linalg::add_outer(&mut s.z, 1.0, &weighted, &columns);
        let measure = k.full.c_1 * s.p_c.gamma + k.full.c_mu * k.full.weights.iter().sum::<f64>();
        (0..n).for_each(|j| s.z[(j, j)] -= measure);

        // D (6), more slowly if C is elongated.
        let zeta = s.whiten(&s.p_d.value);
        let mut delta = zeta.map(|v| k.diagonal.c_1 * (v * v - s.p_d.gamma));
        for (r, &i) in rank.iter().enumerate() {
            let w = k.diagonal.c_mu * k.diagonal.weigh(r, squares[i], n);
            delta.zip_apply(&z.column(i), |d, v| *d += w * v * v);
        }
        delta.add_scalar_mut(-k.diagonal.c_mu * k.diagonal.weights.iter().sum::<f64>());
        let caution = 1.0 / (s.axes.max() / s.axes.min() - ROUND_ENOUGH + 1.0).max(1.0);
        s.d.zip_apply(&delta, |d, v| *d *= (caution / 2.0 * v).exp());

        // C (7), every `gap` generations.
        let learned = !self.generation.is_multiple_of(k.gap) || s.decode().is_some();
        self.stop = if learned {
            let diagnostics = self.diagnostics();
            stop::out_of_range(diagnostics.sigma, diagnostics.condition, self.constants.sigma)
        } else {
            Some(StopReason::NotPositiveDefinite)
        };
    }
}

impl Optimizer for DdCma {
    fn ask(&mut self) -> DMatrix<f64> {
        let DdState { mean, sigma, d, root, .. } = &self.state;
        let mut x = linalg::multiply(root, &self.draw());
        for mut x in x.column_iter_mut() {
            x.component_mul_assign(d);
            x *= *sigma;
            x += mean;
        }
        x
    }

    fn tell(&mut self, loss: &[f64]) {
        self.update(&self.draw(), loss);
    }

    fn center(&self) -> DVector<f64> {
        self.state.mean.clone()
    }

    /// `condition` is that of D² or of C, whichever is larger.
    fn diagnostics(&self) -> Diagnostics {
        let DdState { sigma, d, axes, .. } = &self.state;
        let ratio = (d.max() / d.min()).max(axes.max() / axes.min());
        Diagnostics {
            generation: self.generation,
            sigma: sigma * linalg::root_mean_square(d),
            condition: ratio * ratio,
        }
    }

    fn stop(&self) -> Option<StopReason> {
        self.stop
    }
}
