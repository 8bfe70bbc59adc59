//! The facts that a reader needs to use the numbers: their count, the spaces, the environment and the policy.

use super::Request;
use super::gymnasium::env_spec;
use super::storage::{attribute, text_attribute};
use crate::rollout::Recording;
use crate::statistics::mean;
use hdf5::Location;
use serde_json::{Map, Value, json};

/// A summary of the written episodes.
#[derive(Clone, Debug, Default)]
pub struct Totals {
    /// The returns in the order of the episodes.
    pub returns: Vec<f64>,
    pub steps: usize,
}

impl Totals {
    pub(super) fn add(&mut self, episode: &Recording) {
        self.returns.push(episode.outcome.value);
        self.steps += episode.rewards.len();
    }

    pub fn mean_return(&self) -> f64 {
        mean(&self.returns)
    }
}

/// The contents of Minari's `metadata.json`. Minari expects the spaces and the environment as strings of JSON.
pub struct Metadata(pub(super) Map<String, Value>);

impl Metadata {
    pub fn new(request: &Request, totals: &Totals) -> Self {
        let task = request.task;
        let spec = env_spec(task);
        let rules = task.definition.gymnasium.as_deref().filter(|_| spec.is_some());
        let last = request.first_seed + request.episodes.saturating_sub(1) as u64;
        let found = request.origin.as_ref().map_or(String::new(), |command| format!(", found by `{command}`"));
        let description = format!(
            "Linear policy on `{}` ({}){found}, reset seeds {} to {last}, mean return {}. infos/x_position is the coordinate the \
             reward is measured by; infos/reward_* are the parts of the reward, costs negative; row 0 is the reset.",
            task.name(),
            rules.map_or("a task of its own".into(), |id| format!("Gymnasium's {id}")),
            request.first_seed,
            totals.mean_return(),
        );
        let mut keys = Map::new();
        let mut set = |key: &str, value: Value| keys.insert(key.into(), value);
        set("total_episodes", json!(totals.returns.len()));
        set("total_steps", json!(totals.steps));
        set("data_format", json!("hdf5"));
        set("observation_space", json!(space("float64", task.observations, "-Infinity", "Infinity")));
        set("action_space", json!(space("float32", task.actions, "-1.0", "1.0")));
        if let Some(spec) = spec {
            set("env_spec", json!(spec.to_string()));
            set("requirements", json!([format!("mujoco=={MUJOCO}"), "gymnasium>=1.0"]));
        }
        set("algorithm_name", json!("linear policy"));
        set("description", json!(description));
        set("jpeg_encoding", json!(false));
        set("written_by", json!(concat!("locomotion ", env!("CARGO_PKG_VERSION"))));
        set("model_sha256", json!(task.model_sha256));
        Self(keys)
    }

    /// Writes the metadata as attributes of this file or group.
    ///
    /// # Errors
    /// If HDF5 cannot write them.
    pub fn write_attributes(&self, on: &Location) -> hdf5::Result<()> {
        for (key, value) in &self.0 {
            match value {
                Value::String(text) => text_attribute(on, key, text)?,
                Value::Bool(flag) => attribute(on, key, *flag)?,
                Value::Number(number) if number.is_u64() => attribute(on, key, number.as_i64().unwrap_or(i64::MAX))?,
                Value::Number(number) => attribute(on, key, number.as_f64().unwrap_or(f64::NAN))?,
                other => text_attribute(on, key, &other.to_string())?,
            }
        }
        Ok(())
    }
}

/// The version of MuJoCo that produced the numbers.
const MUJOCO: &str = "3.17.0";

/// Returns a Gymnasium box in Minari's JSON. It is formatted by hand because Minari expects a bare `Infinity`, which
/// JSON libraries refuse.
fn space(dtype: &str, size: usize, low: &str, high: &str) -> String {
    let all = |bound: &str| vec![bound; size].join(", ");
    format!(
        "{{\"type\": \"Box\", \"dtype\": \"{dtype}\", \"shape\": [{size}], \"low\": [{}], \"high\": [{}]}}",
        all(low),
        all(high)
    )
}
