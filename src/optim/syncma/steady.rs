//! SynCMA for returns that are noisy and dimensions that are many: robots.
//!
//! A batch of 40 cannot teach a covariance of 888 × 888 numbers, and a step-size rule that reads noise as progress lets the
//! search explode. So the width follows a timetable here, and all that is learned goes into the mean. Candidates come in
//! mirrored pairs, and what counts is the difference within each pair, in ranks.
//!
//! ```text
//! quiet   a² = max(1 / (1 + t / τ), 0.6),  t candidates told so far, of generations that differ,  τ = 150 √n
//! draw    x_k = m ± a² σ z_k,  z_k ~ N(0, I),  k = 1 … K = N/2
//! rank    s(x) the normal score of x among all N
//! choose  the b pairs whose better end ranks highest,  b = 3K/10
//! weigh   d_k = s(m + a² σ z_k) − s(m − a² σ z_k)
//! mean    g = Σ d_k z_k / √(Σ d_k²) over the chosen pairs,  m ← m + a κ a² σ g
//! center  h ← λ h + 1,  y ← y + (m − y) / h,  λ = λ0 / (λ0 + 1)
//! ```
//!
//! - *Pairs.* A robot that walks falls when it is pushed far enough in any direction. Both ends of a pair suffer alike from
//!   that, and their difference is left with the slope. Without pairs the search has to be so narrow that a fall is rare,
//!   and then it does not get across the small ridges on the way. ARS (Mania et al. 2018) has pairs for the same reason.
//! - *Choice.* In a pair of which both ends fall, the difference only says which of them falls later. The pairs with a good
//!   end say where a better gait is. ARS's top-b chooses the same pairs by their returns; here ranks do.
//! - *Step.* g is a standard normal vector if the ranks say nothing, so the mean moves a κ widths per coordinate in every
//!   generation. That is a budget for the divergence of successive Gaussians, as in the paper's constrained problem (9):
//!   KL = ½ a² κ² n, which is a² N at κ = √(2N/n), one nat per candidate at first. Long steps get the search out of poor
//!   gaits. As it goes on it becomes quieter: candidates come closer by a², because a gait just found stands next to a fall
//!   on all sides, and steps become shorter than the candidates are wide by a, because small gains drown in the noise. But a
//!   gait that is established is improved by candidates that differ clearly from it, so a² stops at 0.6.
//! - *Center.* What would be deployed is the mean of the remembered generations, a generation τ ago counting λ^τ as
//!   everywhere in SynCMA. The noise in single steps averages out, and the search itself is not held back.
//!
//! | symbol | field | default |
//! |---|---|---|
//! | N | `batch` | 4 + ⌊3 ln n⌋ as CMA-ES, and one more if that is odd |
//! | s | `scores` | the positive normal scores of N, best first; the lower half mirrors them |
//! | b | `top` | 3K/10, rounded up |
//! | κ | `kappa` | √(2N/n) |
//! | τ | `patience` | 150 √n |
//! | σ | `sigma` | 0.1 |
//! | λ | `decay` | λ0 = 2 |
//! | t | `told` | |
//! | m, y, h | `mean`, `center`, `weight` | |

use nalgebra::{DMatrix, DVector};
use serde::{Deserialize, Serialize};

use super::LAMBDA0;
use crate::optim::gaussian::standard_normal;
use crate::optim::rates::default_batch;
use crate::optim::weights::{is_flat, normal_scores, ranking};
use crate::optim::{Diagnostics, Optimizer, Settings, SettingsError, StopReason};

/// The least width, as a share of the first.
const NARROWEST: f64 = 0.6;

/// κ where none is set.
pub fn default_kappa(n: usize, batch: usize) -> f64 {
    (2.0 * batch as f64 / n as f64).sqrt()
}

/// b where none is set.
pub fn default_top(pairs: usize) -> usize {
    (3 * pairs).div_ceil(10)
}

/// τ where none is set.
pub fn default_patience(n: usize) -> f64 {
    150.0 * (n as f64).sqrt()
}

/// SynCMA, variant `steady`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Steady {
    scores: Vec<f64>,
    top: usize,
    kappa: f64,
    patience: f64,
    sigma: f64,
    decay: f64,
    seed: u64,
    generation: u64,
    /// t, the candidates of all generations that were not flat.
    told: u64,
    mean: DVector<f64>,
    center: DVector<f64>,
    weight: f64,
    /// z asked last. It is drawn again from seed and generation after a checkpoint.
    #[serde(skip)]
    asked: Option<DMatrix<f64>>,
}

impl Steady {
    /// A search that starts from `mean`.
    ///
    /// # Errors
    /// If a setting cannot be used; the error names the field and the remedy.
    pub fn new(settings: &Settings, mean: DVector<f64>) -> Result<Self, SettingsError> {
        let batch = settings.batch.unwrap_or_else(|| default_batch(mean.len()).next_multiple_of(2));
        if batch % 2 == 1 {
            return Err(SettingsError::new("batch", batch, "use an even number: candidates come in mirrored pairs"));
        }
        let pairs = batch / 2;
        let top = settings.top_of(pairs, default_top)?;
        let lambda0 = settings.lambda0.unwrap_or(LAMBDA0);
        Ok(Self {
            scores: normal_scores(batch)[..pairs].to_vec(),
            top,
            kappa: settings.kappa.unwrap_or(default_kappa(mean.len(), batch)),
            patience: settings.patience.unwrap_or(default_patience(mean.len())),
            sigma: settings.first_sigma(),
            decay: lambda0 / (lambda0 + 1.0),
            seed: settings.seed,
            generation: 0,
            told: 0,
            center: mean.clone(),
            mean,
            weight: 1.0,
            asked: None,
        })
    }

    /// Learns from pairs of candidates someone else has drawn, as `tell` does from its own.
    ///
    /// # Panics
    /// If there is not one loss per candidate.
    pub fn learn(&mut self, candidates: &DMatrix<f64>, loss: &[f64]) {
        let pairs = self.scores.len();
        let z = DMatrix::from_fn(self.mean.len(), pairs, |i, k| candidates[(i, 2 * k)] - candidates[(i, 2 * k + 1)]);
        self.learn_whitened(&(z / (2.0 * self.width())), loss);
    }

    pub(super) fn batch(&self) -> usize {
        2 * self.scores.len()
    }

    /// m, where the next candidates are drawn around; [`center`](Optimizer::center) is the mean of the remembered ones.
    pub fn mean(&self) -> &DVector<f64> {
        &self.mean
    }

    fn learn_whitened(&mut self, z: &DMatrix<f64>, loss: &[f64]) {
        assert_eq!(loss.len(), 2 * self.scores.len(), "one loss per candidate");
        let (quiet, width) = (self.quiet(), self.width());
        self.asked = None;
        self.generation += 1;
        if is_flat(loss) {
            return;
        }
        self.told += loss.len() as u64;
        let mut s = vec![0.0; loss.len()];
        ranking(loss).iter().enumerate().for_each(|(rank, &i)| s[i] = self.score(rank));
        // The b pairs whose better end ranks highest.
        let better = |k: usize| s[2 * k].max(s[2 * k + 1]);
        let mut chosen: Vec<usize> = (0..self.scores.len()).collect();
        chosen.sort_by(|&j, &k| better(k).total_cmp(&better(j)));
        chosen.truncate(self.top);
        // g = Σ d_k z_k / √(Σ d_k²),  d_k = s(m + a² σ z_k) − s(m − a² σ z_k)
        let d = |k: usize| s[2 * k] - s[2 * k + 1];
        let length = chosen.iter().map(|&k| d(k).powi(2)).sum::<f64>().sqrt();
        let mut g = DVector::zeros(self.mean.len());
        chosen.iter().for_each(|&k| g.axpy(d(k) / length, &z.column(k), 1.0));
        // m ← m + a κ a² σ g
        self.mean.axpy(quiet * self.kappa * width, &g, 1.0);
        // h ← λ h + 1,  y ← y + (m − y) / h
        self.weight = self.decay * self.weight + 1.0;
        self.center += (&self.mean - &self.center) / self.weight;
    }

    /// The normal score of a rank among all N: the lower half mirrors the upper one.
    fn score(&self, rank: usize) -> f64 {
        match self.scores.get(rank) {
            Some(score) => *score,
            None => -self.scores[2 * self.scores.len() - 1 - rank],
        }
    }

    /// a, with a² = max(1 / (1 + t / τ), 0.6)
    fn quiet(&self) -> f64 {
        (1.0 / (1.0 + self.told as f64 / self.patience)).max(NARROWEST).sqrt()
    }

    /// a² σ, the standard deviation of this generation's candidates.
    fn width(&self) -> f64 {
        self.quiet().powi(2) * self.sigma
    }

    /// z of this generation, one per pair.
    fn draw(&self) -> DMatrix<f64> {
        standard_normal(self.mean.len(), self.scores.len(), self.seed, self.generation)
    }
}

impl Optimizer for Steady {
    fn ask(&mut self) -> DMatrix<f64> {
        let (z, width) = (self.draw(), self.width());
        let sign = |column: usize| if column.is_multiple_of(2) { width } else { -width };
        let pairs = DMatrix::from_fn(self.mean.len(), 2 * z.ncols(), |i, c| self.mean[i] + sign(c) * z[(i, c / 2)]);
        self.asked = Some(z);
        pairs
    }

    fn tell(&mut self, loss: &[f64]) {
        let z = self.asked.take().unwrap_or_else(|| self.draw());
        self.learn_whitened(&z, loss);
    }

    fn center(&self) -> DVector<f64> {
        self.center.clone()
    }

    fn diagnostics(&self) -> Diagnostics {
        Diagnostics { generation: self.generation, sigma: self.width(), condition: 1.0 }
    }

    /// A search whose width follows a timetable has no reason of its own to stop.
    fn stop(&self) -> Option<StopReason> {
        None
    }
}
