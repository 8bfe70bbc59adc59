//! The complete state of a search, which a checkpoint stores.

use crate::optim::{AnyOptimizer, Optimizer};
use crate::policy::{FORMAT, Normalizer, PolicyFile};
use crate::rollout::Observed;
use crate::run_folder::GenerationRow;
use crate::settings::{PartialSettings, Space};
use crate::sim::Task;
use nalgebra::DMatrix;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

#[derive(Serialize, Deserialize)]
pub struct SearchState {
    pub optimizer: AnyOptimizer,
    /// The statistics of what training has seen, if observations are normalized by them.
    pub observed: Option<Observed>,
    /// The normalizer from a file, if observations are normalized by that.
    pub fixed: Option<Normalizer>,
    pub generation: u64,
    pub episodes: u64,
    pub steps: u64,
    /// The training episodes of the latest generation.
    pub cost: u64,
    /// The share of an episode that the center has lasted lately.
    pub lasted: f64,
    pub seconds: f64,
    /// The latest held-out mean of the center.
    pub heldout: Option<f64>,
    pub best: Option<Contender>,
    /// The best sample since the last held-out evaluation, not yet confirmed.
    pub challenger: Option<Contender>,
    /// A generation that was told but still awaits its held-out evaluation.
    pub pending: Option<GenerationRow>,
    /// The bytes of metrics.csv that belong to this state.
    pub metrics: u64,
}

/// A policy that is, or may become, the best.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Contender {
    pub weights: Vec<f64>,
    pub normalizer: Option<Normalizer>,
    /// The mean return that it is judged by.
    pub value: f64,
    pub generation: u64,
    pub from: Source,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Source {
    /// The center of the distribution.
    Center,
    /// One of its samples.
    Sample,
}

impl SearchState {
    /// The current normalizer, which is frozen within a generation. It treats left and right alike if policies do.
    pub fn normalizer(&self, space: &Space) -> Option<Normalizer> {
        let of = |observed: &Observed| match space.mirrored() {
            Some(images) => observed.with_images(images).normalizer(),
            None => observed.normalizer(),
        };
        self.observed.as_ref().map(of).or_else(|| self.fixed.clone())
    }

    /// The center as it would be deployed now.
    pub fn center(&self, settings: &PartialSettings, space: &Space) -> Contender {
        let center = self.optimizer.center();
        let point = settings.bounds().apply(DMatrix::from_column_slice(center.len(), 1, center.as_slice()));
        Contender {
            weights: space.weights(point.as_slice()),
            normalizer: self.normalizer(space),
            value: self.heldout.unwrap_or(f64::NAN),
            generation: self.generation,
            from: Source::Center,
        }
    }
}

impl Contender {
    /// The policy file. A coordinate that never moved has no deviation a file could hold: its weights become 0 instead,
    /// which acts the same.
    pub fn file(&self, task: &Task, score: Value, provenance: Value) -> PolicyFile {
        let mut rows: Vec<Vec<f64>> = self.weights.chunks(task.observations).map(<[f64]>::to_vec).collect();
        let mut normalizer = self.normalizer.clone();
        if let Some(normalizer) = &mut normalizer {
            for j in (0..task.observations).filter(|&j| normalizer.std[j].is_infinite()).collect::<Vec<_>>() {
                rows.iter_mut().for_each(|row| row[j] = 0.0);
                (normalizer.mean[j], normalizer.std[j]) = (0.0, 1.0);
            }
        }
        let mut provenance = provenance;
        provenance["generation"] = json!(self.generation);
        provenance["from"] = json!(self.from);
        PolicyFile {
            format: FORMAT.into(),
            task: task.name().into(),
            observations: task.observations,
            actions: task.actions,
            weights: rows,
            normalizer,
            score: Some(score),
            provenance: Some(provenance),
            other: serde_json::Map::new(),
        }
    }
}
