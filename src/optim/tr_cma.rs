//! TR-CMA-ES: the mean, shape and step size each fit the selected samples as well as a bound on their change allows.
//!
//! Reference: Abdolmaleki, Price, Lau, Reis & Neumann, "Deriving and Improving CMA-ES with Information Geometric Trust Regions",
//! GECCO 2017. The constants are those of the SynCMA paper's code. That code uses s as a standard deviation when it samples
//! and as a variance when it learns, so its steps shrink on any landscape. Here s is a variance throughout.
//!
//! The new shape maximizes the weighted likelihood subject to KL(old ‖ new) ≤ ε, and so does the new step size. Each
//! solution blends the old value with the data. The weight of the old value is the multiplier λ at which the KL equals ε.
//! Bisection finds λ to the last bit, after one eigenvalue problem for the shape and none for the step size.
//!
//! | symbol | field | start |
//! |---|---|---|
//! | m, S | [`TrState::shape`], as N(m, S) | the given mean, I |
//! | s | [`TrState::variance`] | the given σ²; candidates are drawn from N(m, sS) |
//! | p_c, p_s | [`TrState::p_c`], [`TrState::p_s`] | 0 |
//! | A = Σ w_i d_i d_iᵀ | `root` times its transpose | |

use nalgebra::{DMatrix, DVector};
use serde::{Deserialize, Serialize};

use super::gaussian::{Gaussian, Normal};
use super::linalg;
use super::weights::{Weights, is_flat, ranking};
use super::{Diagnostics, Optimizer, Settings, SettingsError, StopReason, rates, stop};

#[derive(Clone, Debug, Serialize, Deserialize)]
struct TrConstants {
    batch: usize,
    weights: Vec<f64>,
    mu_eff: f64,
    c_c: f64,
    c_s: f64,
    c_1: f64,
    /// The most that the shape may change in a generation, in KL.
    epsilon_shape: f64,
    /// The same for the step size.
    epsilon_step: f64,
    sigma: f64,
    seed: u64,
}

/// Distribution and paths.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TrState {
    pub shape: Gaussian,
    pub variance: f64,
    pub p_c: DVector<f64>,
    pub p_s: DVector<f64>,
}

/// TR-CMA-ES.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TrCma {
    constants: TrConstants,
    generation: u64,
    state: TrState,
    stop: Option<StopReason>,
}

impl TrCma {
    /// A search that starts from N(mean, sigma² I).
    ///
    /// # Errors
    /// If a setting cannot be used; the error names the field and the remedy.
    pub fn new(settings: &Settings, mean: DVector<f64>) -> Result<Self, SettingsError> {
        let (n, sigma) = (mean.len(), settings.first_sigma());
        let shape = Gaussian::isotropic(mean, 1.0);
        let zero = DVector::zeros(n);
        Self::from_state(settings, TrState { shape, variance: sigma * sigma, p_c: zero.clone(), p_s: zero })
    }

    /// A search that starts from any state; `sigma` in the settings is ignored.
    ///
    /// # Errors
    /// If a setting cannot be used; the error names the field and the remedy.
    pub fn from_state(settings: &Settings, state: TrState) -> Result<Self, SettingsError> {
        settings.check(&state.shape.mean)?;
        let dimension = state.shape.mean.len();
        let n = dimension as f64;
        let batch = settings.batch.unwrap_or(rates::default_batch(dimension));
        let Weights { positive: weights, mu_eff, .. } = Weights::new(2 * (batch / 2)); // ln(μ + ½) − ln i for even and odd N
        let constants = TrConstants {
            batch,
            weights,
            mu_eff,
            c_c: rates::covariance_path(n, mu_eff),
            c_s: rates::step_size_path(n, mu_eff),
            c_1: 4.0 * n / ((n + 1.3).powi(2) + mu_eff),
            epsilon_shape: (1.5 * (mu_eff + 1.0 / mu_eff) / ((n + 2.0).powi(2) + mu_eff)).min(0.2),
            epsilon_step: mu_eff * mu_eff / (2.0 * n),
            sigma: state.sigma(),
            seed: settings.seed,
        };
        Ok(Self { constants, generation: 0, state, stop: None })
    }

    /// Learns from candidates that someone else has drawn, as `tell` does from its own.
    ///
    /// # Panics
    /// If there is not one loss per candidate.
    pub fn learn(&mut self, candidates: &DMatrix<f64>, loss: &[f64]) {
        self.update(&self.state.shape.deviations_of(candidates), loss);
    }

    /// Distribution and paths.
    pub fn state(&self) -> &TrState {
        &self.state
    }

    fn draw(&self) -> DMatrix<f64> {
        self.state.shape.deviations(self.constants.batch, self.constants.seed, self.generation)
            * self.state.variance.sqrt()
    }

    fn update(&mut self, d: &DMatrix<f64>, loss: &[f64]) {
        assert_eq!(loss.len(), d.ncols(), "one loss per candidate");
        self.generation += 1;
        if self.stop.is_some() || is_flat(loss) {
            return;
        }
        let (k, s) = (&self.constants, &mut self.state);
        let (n, mu) = (d.nrows(), k.weights.len());

        // The selected candidates and the step of the mean, which has no bound.
        let mut step = DVector::zeros(n);
        let mut root = DMatrix::zeros(n, mu + 1);
        for ((&w, &i), mut column) in k.weights.iter().zip(&ranking(loss)).zip(root.column_iter_mut()) {
            step.axpy(w, &d.column(i), 1.0);
            column.axpy(w.sqrt(), &d.column(i), 0.0);
        }
        s.shape.mean += &step;

        // Paths: p_c in units of the step size, p_s in the coordinates of the search.
        let old = s.variance;
        s.p_c.axpy((k.c_c * (2.0 - k.c_c) * k.mu_eff / old).sqrt(), &step, 1.0 - k.c_c);
        s.p_s.axpy((k.c_s * (2.0 - k.c_s) * k.mu_eff).sqrt(), &step, 1.0 - k.c_s);

        // Step size: the variance of the selected candidates and of p_s, measured by the old shape.
        let mut white = root.clone();
        white.set_column(mu, &s.p_s);
        s.shape.whiten_columns(&mut white);
        let target = white.norm_squared() / n as f64;
        let blended = |lambda: f64| (target + lambda * old) / (2.0 + lambda);
        let change = |lambda: f64| n as f64 * divergence(blended(lambda) / old);
        s.variance = blended(multiplier(k.epsilon_step, change));

        // Shape: G Gᵀ is the data M = A/s + c_1 p_c p_cᵀ in coordinates in which the old shape is the identity. Its
        // eigenvalues are q.
        root /= old.sqrt();
        root.set_column(mu, &(&s.p_c * k.c_1.sqrt()));
        white.copy_from(&root);
        s.shape.whiten_columns(&mut white);
        let mut gram = DMatrix::zeros(n, n);
        linalg::add_outer(&mut gram, 1.0, &white, &white);
        let Some(q) = linalg::eigenvalues(&gram) else {
            self.stop = Some(StopReason::NotPositiveDefinite);
            return;
        };
        let total = |lambda: f64| lambda + 1.0 + k.c_1;
        let change = |lambda: f64| q.iter().map(|q| divergence((lambda + q.max(0.0)) / total(lambda))).sum();
        let lambda = multiplier(k.epsilon_shape, change);
        let reshaped = s.shape.reshape(|shape| {
            linalg::scale(shape, lambda / total(lambda));
            linalg::add_outer(shape, 1.0 / total(lambda), &root, &root);
        });
        self.stop = match reshaped {
            Ok(()) => stop::out_of_range(s.sigma(), s.shape.condition(), k.sigma),
            Err(linalg::NotPositiveDefinite) => Some(StopReason::NotPositiveDefinite),
        };
    }
}

impl TrState {
    /// Typical standard deviation of one coordinate of a candidate.
    fn sigma(&self) -> f64 {
        self.variance.sqrt() * self.shape.sigma()
    }
}

/// KL(N(0, 1) ‖ N(0, r)).
fn divergence(r: f64) -> f64 {
    0.5 * (1.0 / r - 1.0 + r.ln())
}

/// The least λ ≥ 0 at which `change`, which falls to 0, is at most ε. It is 0 or found by bisection to the last bit.
fn multiplier(epsilon: f64, change: impl Fn(f64) -> f64) -> f64 {
    // A variance of 0 has a divergence that is infinite or not a number. Both are too much.
    let too_much = |lambda: f64| change(lambda).partial_cmp(&epsilon).is_none_or(|order| order.is_gt());
    if !too_much(0.0) {
        return 0.0;
    }
    let (mut low, mut high) = (0.0, 1.0);
    while too_much(high) && high < 1e300 {
        (low, high) = (high, 2.0 * high);
    }
    loop {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            return high;
        }
        if too_much(middle) { low = middle } else { high = middle }
    }
}

impl Optimizer for TrCma {
    fn ask(&mut self) -> DMatrix<f64> {
        self.state.shape.points(&self.draw())
    }

    fn tell(&mut self, loss: &[f64]) {
        self.update(&self.draw(), loss);
    }

    fn center(&self) -> DVector<f64> {
        self.state.shape.mean.clone()
    }

    fn diagnostics(&self) -> Diagnostics {
        let condition = self.state.shape.condition();
        Diagnostics { generation: self.generation, sigma: self.state.sigma(), condition }
    }

    fn stop(&self) -> Option<StopReason> {
        self.stop
    }
}
