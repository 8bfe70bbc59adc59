//! run.toml: what was asked for, by which program, and how far it got.

use super::Program;
use crate::settings::{PartialSettings, Resolved};
use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// The run folders that this program reads and writes.
pub const FORMAT: &str = "locomotion-run/1";

/// run.toml. What older programs did not write may be absent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunFile {
    pub format: String,
    #[serde(default)]
    pub program: Program,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<RunState>,
    /// Those of the settings that were asked for; the others are defaults.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub given: Option<PartialSettings>,
    pub settings: PartialSettings,
    /// Every time the run went on under another program, MuJoCo, task or model.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub drift: Vec<Drift>,
}

/// How far a run has got.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "lowercase", deny_unknown_fields)]
pub enum RunState {
    /// A process works on it, or was killed while it did.
    Running,
    /// Saved before its end.
    Stopped,
    /// Ended by a rule; its final policy is scored.
    Finished {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        budget: Option<u64>,
        /// The rule.
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
            program,
            state: Some(RunState::Running),
            given: Some(resolved.given()),
            settings: resolved.settings.clone(),
            drift: Vec::new(),
        }
    }

    pub(super) fn read(file: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(file).map_err(|e| Error::input(file, e))?;
        let wrong = |e: toml::de::Error| Error::input(file, e.to_string().trim_end());
        // Before anything else, which another format may not have.
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

    /// Whether the run has been brought to its end under these settings.
    pub fn has_finished(&self, settings: &PartialSettings) -> bool {
        matches!(self.state, Some(RunState::Finished { .. })) && self.settings == *settings
    }
}
