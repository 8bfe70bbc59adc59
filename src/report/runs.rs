//! Runs as a report sees them: their settings, measurements and results.

use crate::error::visible;
use crate::run_folder::{Folder, GenerationRow, Program};
use crate::settings::PartialSettings;
use crate::{Error, Result};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// One run, finished or not.
#[derive(Clone, Debug)]
pub struct Run {
    pub folder: Folder,
    /// The name of a built-in task, or the path of a user's own TOML file.
    pub env: String,
    /// The same, or the path of the run's own copy.
    pub robot: String,
    /// The name of the task as shown to readers.
    pub task: String,
    pub optimizer: String,
    pub seed: u64,
    pub settings: PartialSettings,
    /// The versions that produced the numbers, as far as the run recorded them.
    pub program: Program,
    /// How often the run continued with a different program, task or model.
    pub drifts: usize,
    pub rows: Vec<GenerationRow>,
    /// The mean return of the final policy on fresh seeds, or `None` while the run is unfinished.
    pub final_score: Option<f64>,
    /// Whether the physics broke down in some episode of that score.
    pub diverged: bool,
}

impl Run {
    /// Reads the run in this folder.
    ///
    /// # Errors
    /// If a file of the run is missing or wrong.
    pub fn read(folder: Folder) -> Result<Self> {
        let run = folder.read_run()?;
        let missing = |field: &str| {
            Error::input(folder.file("run.toml"), format!("field `settings.{field}` is missing; every run has one"))
        };
        let env = run.settings.env.clone().ok_or_else(|| missing("env"))?;
        let score = folder.final_score(&run)?;
        Ok(Self {
            task: visible(&shown(&env)),
            robot: folder.env(&run),
            env,
            optimizer: run.settings.optimizer.ok_or_else(|| missing("optimizer"))?.name().to_string(),
            seed: run.settings.seed.ok_or_else(|| missing("seed"))?,
            rows: folder.read_metrics()?,
            final_score: score.map(|score| score.mean),
            diverged: score.is_some_and(|score| score.diverged > 0),
            settings: run.settings,
            program: run.program,
            drifts: run.drift.len(),
            folder,
        })
    }

    /// Returns how many training episodes it took until the deployable policy's held-out return first reached
    /// `threshold`.
    pub fn episodes_to(&self, threshold: f64) -> Option<f64> {
        let there = |row: &&GenerationRow| row.heldout_mean().is_some_and(|value| value >= threshold);
        self.rows.iter().find(there).map(|row| row.episodes as f64)
    }
}

/// Returns the name of a built-in task, or the file name of a user's own. Its folder does not matter to a reader.
fn shown(env: &str) -> String {
    match Path::new(env).file_stem() {
        Some(stem) if env.ends_with(".toml") => stem.to_string_lossy().into_owned(),
        _ => env.to_string(),
    }
}

/// Reads every run in these folders. A folder may hold a run with its baselines, or further folders with runs. A run
/// that is named twice is read once.
///
/// # Errors
/// If there is no run in one of the folders, or if a run cannot be read.
pub fn collect(folders: &[PathBuf]) -> Result<Vec<Run>> {
    let mut runs = Vec::new();
    let mut seen = BTreeSet::new();
    for folder in folders {
        let found = Folder::new(folder).runs()?;
        if found.is_empty() {
            return Err(Error::input(folder, "no run here: neither this folder nor any below it has a `run.toml`")
                .hint("name a run folder such as runs/swimmer/syncma/seed-0, or a folder above it"));
        }
        for run in found {
            if seen.insert(run.path().canonicalize().unwrap_or_else(|_| run.path().to_path_buf())) {
                runs.push(Run::read(run)?);
            }
        }
    }
    Ok(runs)
}

/// Reads exactly the runs in these folders.
///
/// # Errors
/// If one of them is not a run, or cannot be read.
pub fn read(folders: &[PathBuf]) -> Result<Vec<Run>> {
    folders.iter().map(|folder| Run::read(Folder::new(folder))).collect()
}
