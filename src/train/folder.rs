//! The run folder: settings and provenance in run.toml, policies, and who may go on writing into it.

use super::settings::PartialSettings;
use crate::atomic;
use crate::policy::PolicyFile;
use crate::sim::Task;
use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

const FORMAT: &str = "locomotion-run/1";

/// run.toml.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunFile {
    pub format: String,
    pub program: Program,
    pub settings: PartialSettings,
    /// Every time the run went on under another program, MuJoCo or model.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub drift: Vec<Drift>,
}

/// What decides the numbers besides the settings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Program {
    pub version: String,
    pub mujoco: String,
    pub model_sha256: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Drift {
    pub after_generation: u64,
    pub from: Program,
    pub to: Program,
}

impl Program {
    pub fn here(task: &Task) -> Self {
        Self {
            version: env!("CARGO_PKG_VERSION").into(),
            mujoco: mujoco_version(),
            model_sha256: task.model_sha256.clone(),
        }
    }
}

/// The version of the MuJoCo library in use.
pub fn mujoco_version() -> String {
    mujoco_rs::mujoco_version().to_string()
}

/// A folder a run writes to.
#[derive(Clone, Debug)]
pub struct Folder(PathBuf);

impl Folder {
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self(path.into())
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    pub fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// Whether a run lives here.
    pub fn is_taken(&self) -> bool {
        self.file("run.toml").exists()
    }

    /// Makes the folder and writes run.toml; an old run is removed first.
    pub fn start(&self, run: &RunFile) -> Result<()> {
        std::fs::create_dir_all(&self.0).map_err(|e| Error::output(&self.0, e))?;
        for name in FILES {
            match std::fs::remove_file(self.file(name)) {
                Err(e) if e.kind() != std::io::ErrorKind::NotFound => return Err(Error::output(self.file(name), e)),
                _ => {}
            }
        }
        self.write_run(run)
    }

    pub fn write_run(&self, run: &RunFile) -> Result<()> {
        let text = toml::to_string(run).map_err(|e| Error::failed(format!("cannot write run.toml: {e}")))?;
        atomic::write(&self.file("run.toml"), text.as_bytes())
    }

    pub fn read_run(&self) -> Result<RunFile> {
        let path = self.file("run.toml");
        let text = std::fs::read_to_string(&path).map_err(|e| Error::input(&path, e))?;
        let run: RunFile = toml::from_str(&text).map_err(|e| Error::input(&path, e.to_string().trim_end()))?;
        if run.format != FORMAT {
            let what = format!("field `format`: this program reads \"{FORMAT}\", the file says \"{}\"", run.format);
            return Err(Error::input(&path, what));
        }
        Ok(run)
    }

    pub fn write_policy(&self, name: &str, policy: &PolicyFile) -> Result<()> {
        let mut text = serde_json::to_string(policy).map_err(|e| Error::failed(format!("cannot write {name}: {e}")))?;
        text.push('\n');
        atomic::write(&self.file(name), text.as_bytes())
    }
}

const FILES: &[&str] = &[
    "checkpoint.bin",
    "checkpoint.previous.bin",
    "metrics.csv",
    "best.json",
    "final.json",
    "curves.svg",
    "curves.png",
    "curves.csv",
];

impl RunFile {
    pub fn new(settings: PartialSettings, task: &Task) -> Self {
        Self { format: FORMAT.into(), program: Program::here(task), settings, drift: Vec::new() }
    }
}
