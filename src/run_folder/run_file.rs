//! run.toml: the settings of a run, the program that made it, and its progress.

use super::Program;
use crate::settings::{PartialSettings, Resolved};
use crate::{Error, Result, input};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// The format of run folders that this program reads and writes.
pub const FORMAT: &str = "locomotion-run/1";

/// The content of run.toml. Fields that older programs did not write may be missing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunFile {
    pub format: String,
    /// The run's own copy of a user's task, in its folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub robot: Option<String>,
    /// The provenance of the policy that the search starts from, as JSON.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<String>,
    #[serde(default)]
    pub program: Program,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<RunState>,
    /// The settings that the user asked for. The others are defaults.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub given: Option<PartialSettings>,
    pub settings: PartialSettings,
    /// Every time the run continued with a different program, MuJoCo, task or model.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub drift: Vec<Drift>,
}

/// The progress of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "lowercase", deny_unknown_fields)]
pub enum RunState {
    /// A process is working on it, or was killed while it did.
    Running,
    /// It was saved before its end.
    Stopped,
    /// A stopping rule ended it, and its final policy is scored.
    Finished {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        budget: Option<u64>,
        /// The stopping rule.
        because: String,
    },
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Drift {
    pub after_generation: u64,
    pub from: Program,
    pub to: Program,
}

impl RunFile {
    pub fn new(resolved: &Resolved, program: Program) -> Self {
        Self {
            format: FORMAT.into(),
            robot: None,
            start: None,
            program,
            state: Some(RunState::Running),
            given: Some(resolved.given()),
            settings: resolved.settings.clone(),
            drift: Vec::new(),
        }
    }

    pub(super) fn read(file: &Path) -> Result<Self> {
        let text = input::text(file)?;
        let wrong = |e: toml::de::Error| Error::input(file, e.to_string().trim_end());
        // Check the format first, because another format may lack everything else.
        let document: toml::Table = text.parse().map_err(wrong)?;
        match document.get("format") {
            Some(toml::Value::String(format)) if format == FORMAT => toml::from_str(&text).map_err(wrong),
            Some(other) => {
                let what = format!("field `format`: this program reads \"{FORMAT}\", the file says {other}");
                Err(Error::input(file, what))
            }
            None => Err(Error::input(file, format!("field `format` is missing; a run says format = \"{FORMAT}\""))),
        }
    }

    pub(super) fn text(&self) -> Result<String> {
        toml::to_string(self).map_err(|e| Error::failed(format!("cannot write run.toml: {e}")))
    }

    /// Whether the run has finished under these settings.
    pub fn has_finished(&self, settings: &PartialSettings) -> bool {
        matches!(self.state, Some(RunState::Finished { .. })) && self.settings == *settings
    }
}
