//! In: settings, rows, policies, snapshots. Out: a run folder, and the same data read back.
//! Must not know: how a search works, the terminal, flags, pictures.
//!
//! This is the only reader and writer of run folders. Writers hold the folder's lock. Readers need none, because every
//! file except metrics.csv is either complete or absent, and only complete lines of metrics.csv count.
//!
//! `run_file` is run.toml, with the `program` that made the run; `metrics` writes metrics.csv, a `generation_row` at a time;
//! `checkpoint` is the snapshot that a run continues from; `robot` is the copy of a user's own task; `policies` finds
//! a policy in a folder, a file or the program.

mod checkpoint;
mod generation_row;
mod lock;
mod metrics;
mod policies;
mod program;
mod robot;
mod run_file;

pub use checkpoint::Checkpoint;
pub use generation_row::GenerationRow;
pub use lock::LockedFolder;
pub use metrics::Metrics;
pub use policies::{SHIPPED, find_policy};
pub use program::{Program, mujoco_version};
pub use run_file::{Drift, FORMAT, RunFile, RunState};

use crate::policy::PolicyFile;
use crate::{Error, Result};
use std::path::{Path, PathBuf};

const RUN: &str = "run.toml";
const METRICS: &str = "metrics.csv";
const CHECKPOINT: &str = "checkpoint.bin";
const PREVIOUS: &str = "checkpoint.previous.bin";
pub const FINAL: &str = "final.json";
pub const BEST: &str = "best.json";
/// The prefix of a baseline's folder, which lies inside the folder of its run.
const BASELINE_PREFIX: &str = "baseline-";

/// The folder of the run's own copy of its robot.
const ROBOT: &str = "robot";

/// Everything that a run writes, besides its robot. run.toml comes first, because without it there is no run.
const FILES: [&str; 10] =
    [RUN, CHECKPOINT, PREVIOUS, METRICS, BEST, FINAL, "curves.svg", "curves.png", "curves.csv", "report.html"];

/// The score of a policy, as far as a comparison needs it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Score {
    pub mean: f64,
    /// The number of episodes in which the physics broke down.
    pub diverged: u64,
}

/// A folder that holds a run, or may hold one.
#[derive(Clone, Debug, PartialEq, Eq)]
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

    /// Whether there is a run here.
    pub fn is_taken(&self) -> bool {
        self.file(RUN).is_file()
    }

    /// Returns the first folder beside this one that is free: its name with -2, -3, ….
    pub fn another(&self) -> Folder {
        let name = |n: u32| PathBuf::from(format!("{}-{n}", self.0.display()));
        Folder((2..).map(name).find(|path| !path.exists()).unwrap_or_else(|| name(2)))
    }

    /// Returns the folder of one of this run's baselines.
    pub fn baseline(&self, optimizer: &str) -> Folder {
        Folder(self.file(&format!("{BASELINE_PREFIX}{optimizer}")))
    }

    /// Reads run.toml.
    ///
    /// # Errors
    /// If the file is missing, cannot be read, or is wrong or of another format.
    pub fn read_run(&self) -> Result<RunFile> {
        RunFile::read(&self.file(RUN))
    }

    /// Returns the complete rows of metrics.csv.
    ///
    /// # Errors
    /// If the file cannot be read, or if a complete row is wrong.
    pub fn read_metrics(&self) -> Result<Vec<GenerationRow>> {
        generation_row::read(&self.file(METRICS))
    }

    /// Returns the checkpoints of this run.
    pub fn checkpoint(&self) -> Checkpoint {
        Checkpoint::new(self.file(CHECKPOINT), self.file(PREVIOUS))
    }

    /// Reads a policy of this run, if it has been written.
    ///
    /// # Errors
    /// If the file exists but cannot be read or is wrong.
    pub fn read_policy(&self, name: &str) -> Result<Option<PolicyFile>> {
        let file = self.file(name);
        if file.exists() { PolicyFile::read(&file).map(Some) } else { Ok(None) }
    }

    /// Returns the score of the final policy of a finished run. An unfinished run has none, even if an earlier
    /// end left a policy behind. Older runs do not record their state, and count as finished if they have a final
    /// policy.
    ///
    /// # Errors
    /// If the final policy cannot be read or has no score.
    pub fn final_score(&self, run: &RunFile) -> Result<Option<Score>> {
        let policy = match &run.state {
            Some(RunState::Running | RunState::Stopped) => None,
            Some(RunState::Finished { .. }) | None => self.read_policy(FINAL)?,
        };
        let Some(policy) = policy else { return Ok(None) };
        let field = |name: &str| policy.score.as_ref().and_then(|score| score.get(name));
        let diverged = field("diverged").and_then(serde_json::Value::as_u64).unwrap_or(0);
        match field("mean").and_then(serde_json::Value::as_f64) {
            Some(mean) => Ok(Some(Score { mean, diverged })),
            None => {
                let what = "field `score.mean`: a finished run's final policy has a number here";
                Err(Error::input(self.file(FINAL), what))
            }
        }
    }

    /// Returns this run's folder and those of its baselines. If there is no run here, returns all runs below. Links to
    /// folders are followed only at the first level, so that a cycle of links ends.
    ///
    /// # Errors
    /// If a folder cannot be read.
    pub fn runs(&self) -> Result<Vec<Folder>> {
        let mut found = Vec::new();
        self.find(&mut found)?;
        Ok(found)
    }

    fn find(&self, found: &mut Vec<Folder>) -> Result<()> {
        let below = if self.is_taken() {
            found.push(self.clone());
            self.below(BASELINE_PREFIX)?
        } else {
            self.below("")?
        };
        below.into_iter().try_for_each(|folder| folder.find(found))
    }

    /// Returns the folders in this one whose names begin with `beginning`.
    fn below(&self, beginning: &str) -> Result<Vec<Folder>> {
        let entries = std::fs::read_dir(&self.0).map_err(|e| Error::input(&self.0, e))?;
        let mut below: Vec<PathBuf> = entries
            .flatten()
            .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
            .filter(|entry| entry.file_name().to_string_lossy().starts_with(beginning))
            .map(|entry| entry.path())
            .collect();
        below.sort();
        Ok(below.into_iter().map(Folder).collect())
    }
}
