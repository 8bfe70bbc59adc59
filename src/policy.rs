//! Linear policies a = clamp(W·z, −1, 1) with z = (s − mean)/std, and their files.

use crate::{Error, Result, input};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::path::Path;

/// The format of policy files that this program reads and writes.
pub const FORMAT: &str = "locomotion-policy/1";

/// The field of a policy's provenance that holds the first and last reset seed of its training, if training used the same
/// few all the time. A score on them would be optimistic.
pub const TRAINING_SEEDS: &str = "training_seeds";

/// A policy that is ready to act. Weights are stored by input, so that all outputs are summed together in ascending
/// order of inputs.
#[derive(Clone, Debug, PartialEq)]
pub struct LinearPolicy {
    actions: usize,
    /// observations × actions.
    by_input: Vec<f64>,
    normalizer: Option<Normalizer>,
}

/// The shift and scale of every input.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Normalizer {
    pub mean: Vec<f64>,
    pub std: Vec<f64>,
}

impl LinearPolicy {
    /// Builds a policy from the search vector, which is W flattened row by row with one row per action.
    ///
    /// # Panics
    /// If `observations` is 0 or does not divide the number of weights.
    pub fn from_rows(weights: &[f64], observations: usize, normalizer: Option<Normalizer>) -> Self {
        let actions = weights.len() / observations;
        assert_eq!(weights.len(), actions * observations, "W has a whole number of rows");
        let by_input =
            (0..observations).flat_map(|j| (0..actions).map(move |i| weights[i * observations + j])).collect();
        Self { actions, by_input, normalizer }
    }

    pub fn actions(&self) -> usize {
        self.actions
    }

    /// Writes the action for observation `s`. Every product is rounded before it is added, in ascending order of
    /// inputs.
    ///
    /// # Panics
    /// If the policy has no actions, or if its normalizer has fewer numbers than it has inputs.
    pub fn act(&self, s: &[f64], action: &mut [f64]) {
        action.fill(0.0);
        let columns = self.by_input.chunks_exact(self.actions);
        for (j, (column, &s)) in columns.zip(s).enumerate() {
            let z = self.normalizer.as_ref().map_or(s, |n| (s - n.mean[j]) / n.std[j]);
            for (a, w) in action.iter_mut().zip(column) {
                *a += w * z;
            }
        }
        for a in action {
            *a = a.clamp(-1.0, 1.0);
        }
    }
}

/// A policy file. Unknown fields are kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PolicyFile {
    pub format: String,
    /// The id of the task.
    pub task: String,
    pub observations: usize,
    pub actions: usize,
    /// One row per action.
    pub weights: Vec<Vec<f64>>,
    pub normalizer: Option<Normalizer>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provenance: Option<Value>,
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl PolicyFile {
    /// Reads and checks a policy file.
    ///
    /// # Errors
    /// If the file cannot be read, or if a field of it is wrong.
    pub fn read(file: &Path) -> Result<Self> {
        Self::from_text(&input::text(file)?, file)
    }

    /// Parses and checks the text of a policy file.
    ///
    /// # Errors
    /// If a field is wrong. The error names `file`.
    pub fn from_text(text: &str, file: &Path) -> Result<Self> {
        Self::parse(text).map_err(|what| Error::input(file, what))
    }

    /// Returns the policy for a task with this name and these sizes.
    ///
    /// # Errors
    /// If the policy is for another task. The error names `file`.
    ///
    /// # Panics
    /// If the fields of this value were changed so that they contradict each other.
    pub fn policy_for(&self, file: &Path, task: &str, observations: usize, actions: usize) -> Result<LinearPolicy> {
        if self.task != task {
            return Err(Error::input(
                file,
                format!("field `task`: the policy is for `{}`, not for `{task}`", self.task),
            ));
        }
        self.check_size(file, task, observations, actions)?;
        Ok(LinearPolicy::from_rows(&self.weights.concat(), observations, self.normalizer.clone()))
    }

    /// Checks that the policy fits a task with these sizes, whichever task it was trained on.
    ///
    /// # Errors
    /// If it does not. The error names `file`.
    pub fn check_size(&self, file: &Path, task: &str, observations: usize, actions: usize) -> Result<()> {
        if (self.observations, self.actions) == (observations, actions) {
            return Ok(());
        }
        let what = format!(
            "fields `observations`, `actions`: the policy has {} and {}, the task `{task}` has {observations} and {actions}",
            self.observations, self.actions
        );
        Err(Error::input(file, what))
    }

    /// The first and last reset seed of training, if it used the same few all the time.
    pub fn training_seeds(&self) -> Option<(u64, u64)> {
        let seeds = self.provenance.as_ref()?.get(TRAINING_SEEDS)?;
        Some((seeds.get(0)?.as_u64()?, seeds.get(1)?.as_u64()?))
    }

    fn parse(text: &str) -> std::result::Result<Self, String> {
        let value: Value = serde_json::from_str(text).map_err(|e| format!("not JSON: {e}"))?;
        match value.get("format") {
            Some(Value::String(format)) if format == FORMAT => {}
            Some(other) => {
                return Err(format!("field `format`: this program reads \"{FORMAT}\", the file says {other}"));
            }
            None => return Err(format!("field `format` is missing; a policy file says \"format\": \"{FORMAT}\"")),
        }
        let policy: Self = serde_json::from_value(value).map_err(|e| e.to_string())?;
        policy.check()?;
        Ok(policy)
    }

    fn check(&self) -> std::result::Result<(), String> {
        let (n, m) = (self.observations, self.actions);
        if n == 0 || m == 0 {
            return Err("fields `observations`, `actions`: both must be at least 1".into());
        }
        if self.weights.len() != m {
            return Err(format!("field `weights`: {} rows, but `actions` is {m}", self.weights.len()));
        }
        for (i, row) in self.weights.iter().enumerate() {
            if row.len() != n {
                return Err(format!("field `weights`: row {i} has {} numbers, but `observations` is {n}", row.len()));
            }
            finite("weights", row)?;
        }
        let Some(normalizer) = &self.normalizer else { return Ok(()) };
        for (field, numbers) in [("normalizer.mean", &normalizer.mean), ("normalizer.std", &normalizer.std)] {
            if numbers.len() != n {
                return Err(format!("field `{field}`: {} numbers, but `observations` is {n}", numbers.len()));
            }
            finite(field, numbers)?;
        }
        match normalizer.std.iter().position(|&std| std <= 0.0) {
            Some(j) => Err(format!("field `normalizer.std`: entry {j} is {}, must be more than 0", normalizer.std[j])),
            None => Ok(()),
        }
    }
}

fn finite(field: &str, numbers: &[f64]) -> std::result::Result<(), String> {
    match numbers.iter().position(|x| !x.is_finite()) {
        Some(at) => Err(format!("field `{field}`: number {at} is not finite")),
        None => Ok(()),
    }
}
