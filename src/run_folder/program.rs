//! Everything besides the settings that decides the numbers of a run.

use crate::sim::Task;
use serde::{Deserialize, Serialize};

/// The program, MuJoCo, task and model. Fields are missing if an older program did not record them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Program {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// A digest of the sources that decide results, and of the versions of all dependencies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sources: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mujoco: Option<String>,
    /// The digest of the task's rules: reset, observation, reward and termination.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task_sha256: Option<String>,
    /// The digest of the MJCF file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model_sha256: Option<String>,
    /// The digest of the model as compiled by MuJoCo, including every file that the MJCF file refers to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compiled_sha256: Option<String>,
}

impl Program {
    pub fn here(task: &Task) -> Self {
        Self {
            version: Some(env!("CARGO_PKG_VERSION").into()),
            sources: Some(env!("TRAINING").into()),
            mujoco: Some(mujoco_version()),
            task_sha256: Some(task.rules_sha256()),
            model_sha256: Some(task.model_sha256.clone()),
            compiled_sha256: Some(task.compiled_sha256()),
        }
    }

    fn parts(&self) -> [(&'static str, Option<&String>); 6] {
        [
            ("program", self.version.as_ref()),
            ("build (digest of its sources)", self.sources.as_ref()),
            ("MuJoCo", self.mujoco.as_ref()),
            ("task (SHA-256)", self.task_sha256.as_ref()),
            ("model file (SHA-256)", self.model_sha256.as_ref()),
            ("compiled model (SHA-256)", self.compiled_sha256.as_ref()),
        ]
    }

    /// Lists what differs in `now`, with both values.
    pub fn changes(&self, now: &Program) -> Vec<String> {
        let pairs = self.parts().into_iter().zip(now.parts());
        let changed = pairs.filter_map(|((what, was), (_, now))| Some((what, was?, now?)).filter(|_| was != now));
        changed.map(|(what, was, now)| format!("{what} {was}, now {now}")).collect()
    }

    /// Lists what is not recorded here.
    pub fn unknown(&self) -> Vec<&'static str> {
        self.parts().into_iter().filter(|(_, value)| value.is_none()).map(|(what, _)| what).collect()
    }
}

/// The version of the MuJoCo library in use.
pub fn mujoco_version() -> String {
    mujoco_rs::mujoco_version().to_string()
}
