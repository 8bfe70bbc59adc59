//! SynCMA for returns that are noisy and dimensions that are many: robots.
//!
//! A batch of 40 cannot teach a covariance of 888 × 888 numbers, and a step-size rule that reads noise as progress lets the
//! search explode. So here the search keeps its width, and all it has is spent on the mean: every candidate has a say in
//! it, the bad ones as much as the good ones, and only ranks count.
//!
//! ```text
//! draw    x_i = m + σ z_i,  z_i ~ N(0, I),  i = 1 … N
//! rank    x_1 is the best;  u_i = e_i / Σ e²,  e_i the normal scores
//! mean    g = Σ u_i z_i,  m ← m + κ σ g
//! length  p ← (1 − c) p + √(c (2 − c) Σ e²) g,  κ ← min(κ exp(d (‖p‖²/n − 1)), √(2 ε Σ e² / n))
//! center  h ← λ h + 1,  y ← y + (m − y) / h,  λ = λ0 / (λ0 + 1)
//! ```
//!
//! - *Mean.* Normal scores are the weights of the best progress in many dimensions (Arnold 2006; Akimoto, Auger & Hansen
//!   2020). Per candidate they carry a quarter of the noise of CMA-ES's positive weights. g is the natural gradient of the
//!   expected score, and is one unit long along a slope that explains the ranks alone.
//! - *Length.* If the ranks are noise, p is standard normal and κ stays where it is on average. If steps of many generations
//!   agree, p is longer and κ grows; if they undo each other, κ shrinks. Noise alone costs κ² n / (2 Σ e²) nats of
//!   KL(new ‖ old) in a generation, and ε is the most that is allowed: the paper's constrained problem (9).
//! - *Center.* What would be deployed is the mean of the remembered generations, a generation τ ago counting λ^τ as
//!   everywhere in SynCMA. The noise in single steps averages out, and the search itself is not held back.
//!
//! | symbol | field | default |
//! |---|---|---|
//! | N | `batch` | 4 + ⌊3 ln n⌋ as CMA-ES |
//! | u_i, Σ e² | `weights`, `mass` | |
//! | κ | `kappa` | starts at 1.5 and follows its rule; a κ in the settings stays as it is |
//! | σ | `sigma` | 0.1 |
//! | λ | `decay` | λ0 = 2 |
//! | c, d, ε | [`MEMORY`], [`GAIN`], [`MOST_NATS`] | |
//! | m, p, y, h | `mean`, `path`, `center`, `weight` | |

use nalgebra::{DMatrix, DVector};
use serde::{Deserialize, Serialize};

use super::LAMBDA0;
use crate::optim::gaussian::standard_normal;
use crate::optim::rates::default_batch;
use crate::optim::settings::SIGMA;
use crate::optim::weights::{is_flat, normal_scores, ranking};
use crate::optim::{Diagnostics, Optimizer, Settings, SettingsError, StopReason};

/// κ at the start, where nothing is set.
const KAPPA: f64 = 1.5;
/// c: the path remembers about ten generations.
const MEMORY: f64 = 0.1;
/// d.
const GAIN: f64 = 0.05;
/// ε.
const MOST_NATS: f64 = 30.0;

/// SynCMA, variant `steady`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Steady {
    weights: Vec<f64>,
    mass: f64,
    kappa: f64,
    /// None where κ is fixed.
    path: Option<DVector<f64>>,
    sigma: f64,
    decay: f64,
    seed: u64,
    generation: u64,
    mean: DVector<f64>,
    center: DVector<f64>,
    weight: f64,
}

impl Steady {
    /// About to search from `mean`.
    pub fn new(settings: &Settings, mean: DVector<f64>) -> Result<Self, SettingsError> {
        let batch = settings.batch.unwrap_or_else(|| default_batch(mean.len()));
        let scores = normal_scores(batch);
        let mass: f64 = scores.iter().map(|e| e * e).sum();
        let lambda0 = settings.lambda0.unwrap_or(LAMBDA0);
        Ok(Self {
            weights: scores.iter().map(|e| e / mass).collect(),
            mass,
            kappa: settings.kappa.unwrap_or(KAPPA),
            path: settings.kappa.is_none().then(|| DVector::zeros(mean.len())),
            sigma: settings.sigma.unwrap_or(SIGMA),
            decay: lambda0 / (lambda0 + 1.0),
            seed: settings.seed,
            generation: 0,
            center: mean.clone(),
            mean,
            weight: 1.0,
        })
    }

    /// Learns from candidates someone else has drawn, as `tell` does from its own.
    pub fn learn(&mut self, candidates: &DMatrix<f64>, loss: &[f64]) {
        let mut z = candidates.clone();
        z.column_iter_mut().for_each(|mut x| x -= &self.mean);
        self.learn_whitened(&(z / self.sigma), loss);
    }

    /// m, where the next candidates are drawn around; [`center`](Optimizer::center) is the mean of the remembered ones.
    pub fn mean(&self) -> &DVector<f64> {
        &self.mean
    }

    /// κ, how far the mean follows what the ranks say.
    pub fn kappa(&self) -> f64 {
        self.kappa
    }

    fn learn_whitened(&mut self, z: &DMatrix<f64>, loss: &[f64]) {
        assert_eq!(loss.len(), self.weights.len(), "one loss per candidate");
        self.generation += 1;
        if is_flat(loss) {
            return;
        }
        // g = Σ u_i z_i
        let mut g = DVector::zeros(self.mean.len());
        for (&i, u) in ranking(loss).iter().zip(&self.weights) {
            g.axpy(*u, &z.column(i), 1.0);
        }
        // p ← (1 − c) p + √(c (2 − c) Σ e²) g,  κ ← min(κ exp(d (‖p‖²/n − 1)), √(2 ε Σ e² / n))
        if let Some(path) = &mut self.path {
            let n = g.len() as f64;
            path.axpy((MEMORY * (2.0 - MEMORY) * self.mass).sqrt(), &g, 1.0 - MEMORY);
            let surplus = path.norm_squared() / n - 1.0;
            self.kappa = (self.kappa * (GAIN * surplus).exp()).min((2.0 * MOST_NATS * self.mass / n).sqrt());
        }
        // m ← m + κ σ g
        self.mean.axpy(self.kappa * self.sigma, &g, 1.0);
        // h ← λ h + 1,  y ← y + (m − y) / h
        self.weight = self.decay * self.weight + 1.0;
        self.center += (&self.mean - &self.center) / self.weight;
    }

    /// z of this generation, one per column.
    fn draw(&self) -> DMatrix<f64> {
        standard_normal(self.mean.len(), self.weights.len(), self.seed, self.generation)
    }
}

impl Optimizer for Steady {
    fn ask(&mut self) -> DMatrix<f64> {
        let mut candidates = self.draw() * self.sigma;
        candidates.column_iter_mut().for_each(|mut x| x += &self.mean);
        candidates
    }

    fn tell(&mut self, loss: &[f64]) {
        self.learn_whitened(&self.draw(), loss);
    }

    fn center(&self) -> DVector<f64> {
        self.center.clone()
    }

    fn diagnostics(&self) -> Diagnostics {
        Diagnostics { generation: self.generation, sigma: self.sigma, condition: 1.0 }
    }

    /// A search that never narrows has no reason of its own to stop.
    fn stop(&self) -> Option<StopReason> {
        None
    }
}
