//! Augmented Random Search: a step along the best random directions, each weighted by the difference of its two ends.
//!
//! Reference: Mania, Guy & Recht, "Simple random search of static linear policies is competitive for reinforcement learning",
//! NeurIPS 2018, algorithms V1, V2 and their top-b forms V1-t, V2-t. V2 is V1 with a policy that whitens its observations by
//! their running mean and deviation. That happens where policies are evaluated; here the version is only a record.
//!
//! | symbol | field | |
//! |---|---|---|
//! | W | `w` | the policy, flattened |
//! | δ_k | `directions` | N(0, I); candidates 2k and 2k + 1 are W + νδ_k and W − νδ_k |
//! | N, b | `directions`, `top` | directions drawn, and the number of them that take part in the step |
//! | ν, α | `noise`, `step_size` | length of exploration and of the step |
//! | r = −loss | | σ_R is the deviation of the 2b returns that take part |

use nalgebra::{DMatrix, DVector};
use serde::{Deserialize, Serialize};

use super::gaussian::standard_normal;
use super::{Diagnostics, Optimizer, Settings, SettingsError, StopReason};

/// Defaults: 8 directions, of which the better half is used, ν and α. The paper tunes all of them for each task. Such values
/// are in the files of the tasks.
const BATCH: usize = 16;
pub(super) const NOISE: f64 = 0.03;
pub(super) const STEP_SIZE: f64 = 0.02;

/// b where none is set: the better half of the directions.
pub(super) fn default_top(directions: usize) -> usize {
    directions.div_ceil(2)
}

/// Whether the policy whitens its observations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Version {
    /// Raw observations.
    V1,
    /// Observations whitened by their running mean and standard deviation.
    #[default]
    V2,
}

/// Augmented Random Search.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Ars {
    version: Version,
    directions: usize,
    top: usize,
    noise: f64,
    step_size: f64,
    seed: u64,
    generation: u64,
    w: DVector<f64>,
}

impl Ars {
    /// A search that starts from W = `mean`. `batch` counts both ends of each direction.
    ///
    /// # Errors
    /// If a setting cannot be used; the error names the field and the remedy.
    pub fn new(settings: &Settings, mean: DVector<f64>) -> Result<Self, SettingsError> {
        settings.check(&mean)?;
        let batch = settings.batch.unwrap_or(BATCH);
        if !batch.is_multiple_of(2) {
            return Err(SettingsError::new(
                "batch",
                batch,
                "ARS evaluates both ends of a direction: use an even number",
            ));
        }
        let directions = batch / 2;
        let top = settings.top_of(directions, default_top)?;
        Ok(Self {
            version: settings.ars_version,
            directions,
            top,
            noise: settings.noise.unwrap_or(NOISE),
            step_size: settings.step_size.unwrap_or(STEP_SIZE),
            seed: settings.seed,
            generation: 0,
            w: mean,
        })
    }

    /// δ of this generation, one per column.
    fn deltas(&self) -> DMatrix<f64> {
        standard_normal(self.w.len(), self.directions, self.seed, self.generation)
    }
}

impl Optimizer for Ars {
    fn ask(&mut self) -> DMatrix<f64> {
        let delta = self.deltas();
        DMatrix::from_fn(self.w.len(), 2 * self.directions, |i, k| {
            let sign = if k % 2 == 0 { 1.0 } else { -1.0 };
            self.w[i] + sign * self.noise * delta[(i, k / 2)]
        })
    }

    fn tell(&mut self, loss: &[f64]) {
        assert_eq!(loss.len(), 2 * self.directions, "one loss per candidate");
        let delta = self.deltas();
        self.generation += 1;

        // The b best directions by max(r⁺, r⁻). A direction with a failed end never takes part.
        let ends = |k: usize| (-loss[2 * k], -loss[2 * k + 1]);
        let better_end = |k: &usize| ends(*k).0.max(ends(*k).1);
        let mut best: Vec<usize> = (0..self.directions).collect();
        best.retain(|&k| ends(k).0.is_finite() && ends(k).1.is_finite());
        best.sort_by(|j, k| better_end(k).total_cmp(&better_end(j)));
        best.truncate(self.top);

        // W ← W + α / (b σ_R) Σ (r⁺ − r⁻) δ. Equal returns teach nothing.
        let returns: Vec<f64> = best.iter().flat_map(|&k| [ends(k).0, ends(k).1]).collect();
        let sigma_r = standard_deviation(&returns);
        if !(sigma_r > 0.0 && sigma_r.is_finite()) {
            return;
        }
        let b = best.len() as f64;
        for k in best {
            let (plus, minus) = ends(k);
            self.w.axpy(self.step_size / b * ((plus - minus) / sigma_r), &delta.column(k), 1.0);
        }
    }

    fn center(&self) -> DVector<f64> {
        self.w.clone()
    }

    fn diagnostics(&self) -> Diagnostics {
        Diagnostics { generation: self.generation, sigma: self.noise, condition: 1.0 }
    }

    /// Never stops on its own.
    fn stop(&self) -> Option<StopReason> {
        None
    }
}

/// The population standard deviation, as in the authors' code; NaN for no values.
fn standard_deviation(values: &[f64]) -> f64 {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    (values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / count).sqrt()
}
