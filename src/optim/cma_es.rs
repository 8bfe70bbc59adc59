//! CMA-ES: a Gaussian search that learns its step size and its covariance from the ranks of its samples.
//!
//! Reference: Hansen, "The CMA Evolution Strategy: A Tutorial", arXiv:1604.00772, with active (negative) weights. Equation
//! numbers in `update` are the tutorial's. The eigendecomposition is lazy, as in pycma.
//!
//! | symbol | field | |
//! |---|---|---|
//! | m, σ | `mean`, `sigma` | center and step size of N(m, σ²C) |
//! | C | `c` | shape; its lower triangle is kept |
//! | B, D | `b`, `d` | C = B D² Bᵀ, at most a few generations old |
//! | p_σ, p_c | `p_sigma`, `p_c` | evolution paths of the step size and of the covariance |
//! | g | `generation` | generations told so far |
//! | w_i, μ_eff, c_1, c_μ, c_c, c_σ, d_σ, χ_n | [`CmaConstants`] | |
//! | z_k, y_k | `Samples` | x_k = m + σ y_k, y_k = B D z_k, z_k ~ N(0, I) |

mod constants;
mod restarts;
mod state;
mod termination;

use nalgebra::{DMatrix, DVector};
use rand_distr::{Distribution, StandardNormal};
use serde::{Deserialize, Serialize};

use super::linalg;
use super::weights::{is_flat, ranking};
use super::{Diagnostics, Optimizer, Settings, SettingsError, StopReason, rates};
use crate::random::{Purpose, stream};

pub use constants::CmaConstants;
pub use restarts::Restarting;
pub use termination::Tolerances;

use state::CmaState;

/// Keeps σ far from overflow and underflow even if the caller ignores `stop`.
const SIGMA_RANGE: (f64, f64) = (1e-150, 1e150);

/// CMA-ES.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CmaEs {
    constants: CmaConstants,
    tolerances: Tolerances,
    sigma_start: f64,
    seed: u64,
    restart: u64,
    state: CmaState,
    losses: termination::Losses,
    /// The candidates that are asked but not told yet. A checkpoint leaves them out because drawing them again gives the same.
    #[serde(skip)]
    samples: Option<Samples>,
}

/// A generation's samples, one per column: the steps y = B D z and the standard normal z.
#[derive(Clone, Debug)]
struct Samples {
    y: DMatrix<f64>,
    z: DMatrix<f64>,
}

impl CmaEs {
    /// The tutorial's CMA-ES from N(mean, sigma² I).
    ///
    /// # Errors
    /// If a setting cannot be used; the error names the field and the remedy.
    pub fn new(settings: &Settings, mean: DVector<f64>) -> Result<Self, SettingsError> {
        settings.check(&mean)?;
        Ok(Self::start(settings, mean))
    }

    fn start(settings: &Settings, mean: DVector<f64>) -> Self {
        let n = mean.len();
        let tutorial = CmaConstants::tutorial(n, settings.batch.unwrap_or_else(|| rates::default_batch(n)));
        let k = if settings.active.unwrap_or(true) { tutorial } else { tutorial.without_negative_weights() };
        let sigma = settings.first_sigma();
        Self::with_constants(k, mean, sigma, DMatrix::identity(n, n), settings.seed)
    }

    /// CMA-ES from N(mean, sigma² covariance) with any constants.
    pub fn with_constants(
        k: CmaConstants,
        mean: DVector<f64>,
        sigma: f64,
        covariance: DMatrix<f64>,
        seed: u64,
    ) -> Self {
        let n = mean.len();
        let state = CmaState::new(mean, sigma, covariance);
        let tolerances = Tolerances::pycma(n, k.population());
        let losses = termination::Losses::new();
        Self { constants: k, tolerances, sigma_start: sigma, seed, restart: 0, state, losses, samples: None }
    }

    /// The same search with other stop criteria.
    pub fn with_tolerances(self, tolerances: Tolerances) -> Self {
        Self { tolerances, ..self }
    }

    /// Learns from candidates that someone else has drawn, as `tell` does from its own.
    ///
    /// # Panics
    /// If there is not one loss per candidate.
    pub fn learn(&mut self, x: &DMatrix<f64>, loss: &[f64]) {
        let CmaState { mean, sigma, b, d, .. } = &self.state;
        let mut y = x.clone();
        y.column_iter_mut().for_each(|mut y| y -= mean);
        y /= *sigma;
        let mut z = linalg::transpose_multiply(b, &y);
        z.column_iter_mut().for_each(|mut z| z.component_div_assign(d));
        self.update(Samples { y, z }, loss);
    }

    /// Step size σ.
    pub fn sigma(&self) -> f64 {
        self.state.sigma
    }

    /// The shape C of the sampling covariance σ²C.
    pub fn covariance(&self) -> DMatrix<f64> {
        let mut c = self.state.c.clone();
        linalg::mirror(&mut c);
        c
    }

    /// The evolution paths p_σ and p_c.
    pub fn paths(&self) -> (&DVector<f64>, &DVector<f64>) {
        (&self.state.p_sigma, &self.state.p_c)
    }

    fn sample(&self) -> Samples {
        let CmaState { generation, mean, b, d, .. } = &self.state;
        let mut random = stream(self.seed, Purpose::Candidates, *generation, self.restart);
        let z = DMatrix::from_fn(mean.len(), self.constants.population(), |_, _| StandardNormal.sample(&mut random));
        let mut dz = z.clone();
        dz.column_iter_mut().for_each(|mut z| z.component_mul_assign(d));
        Samples { y: linalg::multiply(b, &dz), z }
    }

    /// One generation, in the order and with the equation numbers of the tutorial's summary (Appendix A).
    ///
    /// If all candidates have equal losses, their ranks are only the order of their indices. Then the generation is counted and
    /// nothing is learned, as in our other searches. The tutorial's code enlarges σ instead; pycma stops, and so does `stop`
    /// after a second such generation.
    fn update(&mut self, Samples { mut y, z }: Samples, loss: &[f64]) {
        let (k, s) = (&self.constants, &mut self.state);
        let (n, batch) = y.shape();
        assert_eq!(loss.len(), batch, "one loss per candidate");
        let rank = ranking(loss);
        self.losses.record(loss, &rank, n);
        self.samples = None;
        s.generation += 1;
        if is_flat(loss) {
            return;
        }

        // Selection and recombination (41)-(42); z_w is y_w before B D.
        let (mut y_w, mut z_w) = (DVector::zeros(n), DVector::zeros(n));
        for (&w, &i) in k.weights.iter().zip(&rank).filter(|(w, _)| **w > 0.0) {
            y_w.axpy(w, &y.column(i), 1.0);
            z_w.axpy(w, &z.column(i), 1.0);
        }
        s.mean.axpy(k.c_m * s.sigma, &y_w, 1.0);

        // Step-size control (43)-(44), C^{-1/2} y_w = B z_w.
        s.p_sigma.gemv((k.c_sigma * (2.0 - k.c_sigma) * k.mu_eff).sqrt(), &s.b, &z_w, 1.0 - k.c_sigma);
        let length = s.p_sigma.norm();
        let log_step = k.c_sigma / k.d_sigma * (length / k.chi_n - 1.0);
        s.sigma = (s.sigma * log_step.exp()).clamp(SIGMA_RANGE.0, SIGMA_RANGE.1);

        // Covariance path (45), which stalls (h_σ = 0) while p_σ is long.
        let age = (s.generation + k.stall_lead) as f64;
        let bias = (1.0 - (1.0 - k.c_sigma).powf(2.0 * age)).sqrt();
        let h = if length / bias < k.stall_length { 1.0 } else { 0.0 };
        s.p_c.axpy(h * (k.c_c * (2.0 - k.c_c) * k.mu_eff).sqrt(), &y_w, 1.0 - k.c_c);

        // Covariance matrix (46)-(47): p_c is one more column beside the steps, and ‖C^{-1/2} y‖ = ‖z‖.
        y = y.insert_column(batch, 0.0);
        y.set_column(batch, &s.p_c);
        let mut weighted = y.clone();
        weighted.column_mut(batch).scale_mut(k.c_1);
        for (&w, &i) in k.weights.iter().zip(&rank) {
            let w = if w < 0.0 { k.at_mean_length(w, z.column(i).norm(), n) } else { w };
            weighted.column_mut(i).scale_mut(k.c_mu * w);
        }
        let lost = k.c_1 * (1.0 - (1.0 - h) * k.c_c * (2.0 - k.c_c)) + k.c_mu * k.weights.iter().sum::<f64>();
        linalg::scale(&mut s.c, 1.0 - lost);
        linalg::add_outer(&mut s.c, 1.0, &weighted, &y);

        if (s.generation - s.decomposed) as f64 >= k.eigen_gap {
            s.decompose();
        }
    }
}

impl Optimizer for CmaEs {
    fn ask(&mut self) -> DMatrix<f64> {
        let samples = self.samples.take().unwrap_or_else(|| self.sample());
        let mut x = &samples.y * self.state.sigma;
        x.column_iter_mut().for_each(|mut x| x += &self.state.mean);
        self.samples = Some(samples);
        x
    }

    fn tell(&mut self, loss: &[f64]) {
        let samples = self.samples.take().unwrap_or_else(|| self.sample());
        self.update(samples, loss);
    }

    fn center(&self) -> DVector<f64> {
        self.state.mean.clone()
    }

    fn diagnostics(&self) -> Diagnostics {
        let CmaState { generation, sigma, d, .. } = &self.state;
        let rms = linalg::root_mean_square(d);
        Diagnostics { generation: *generation, sigma: sigma * rms, condition: self.state.condition() }
    }

    fn stop(&self) -> Option<StopReason> {
        termination::reason(self)
    }
}
