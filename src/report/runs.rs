//! Reads run folders: what was asked for, what was measured, what came out.

use super::metrics::{self, MetricsRow};
use crate::policy::PolicyFile;
use crate::{Error, Result};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use toml::{Table, Value};

/// The run folders this program reads.
pub const FORMAT: &str = "locomotion-run/1";

/// One run, finished or not.
#[derive(Clone, Debug)]
pub struct Run {
    pub folder: PathBuf,
    /// The name of the experiment's folder, the one above `seed-<n>`.
    pub label: String,
    pub env: String,
    pub optimizer: String,
    pub seed: u64,
    pub settings: Table,
    /// The versions of program, MuJoCo and model, as far as the run tells them.
    pub program: Table,
    /// How often the run went on under other versions.
    pub drifts: usize,
    pub rows: Vec<MetricsRow>,
    /// The mean return of the final policy on fresh seeds; none while the run goes on.
    pub final_score: Option<f64>,
}

impl Run {
    pub fn read(folder: &Path) -> Result<Self> {
        let file = folder.join("run.toml");
        let text = std::fs::read_to_string(&file).map_err(|e| Error::input(&file, e))?;
        let mut document = document(&text).map_err(|what| Error::input(&file, what))?;
        let Some(Value::Table(settings)) = document.remove("settings") else {
            return Err(Error::input(&file, "table `[settings]` is missing"));
        };
        let word = |field: &str| match settings.get(field) {
            Some(Value::String(word)) => Ok(word.clone()),
            _ => Err(Error::input(&file, format!("field `settings.{field}`: a word is missing"))),
        };
        let seed = settings.get("seed").and_then(Value::as_integer).and_then(|seed| u64::try_from(seed).ok());
        let seed =
            seed.ok_or_else(|| Error::input(&file, "field `settings.seed`: a number of 0 or more is missing"))?;
        let above = folder.canonicalize().unwrap_or_else(|_| folder.to_path_buf());
        let label = above.parent().and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned());
        Ok(Self {
            folder: folder.to_path_buf(),
            label: label.unwrap_or_default(),
            env: word("env")?,
            optimizer: word("optimizer")?,
            seed,
            rows: metrics::read(&folder.join("metrics.csv"))?,
            final_score: final_score(&folder.join("final.json"))?,
            settings,
            program: document.get("program").and_then(Value::as_table).cloned().unwrap_or_default(),
            drifts: document.get("drift").and_then(Value::as_array).map_or(0, Vec::len),
        })
    }

    /// Training episodes until the deployable policy's held-out return was at least `threshold` for the first time.
    pub fn episodes_to(&self, threshold: f64) -> Option<f64> {
        self.rows.iter().find(|row| row.heldout.is_some_and(|value| value >= threshold)).map(|row| row.episodes)
    }
}

/// Every run in these folders, each of them a run or a folder above some; a run named twice is read once.
pub fn collect(folders: &[PathBuf]) -> Result<Vec<Run>> {
    let mut runs = Vec::new();
    let mut seen = BTreeSet::new();
    for folder in folders {
        let mut found = Vec::new();
        find(folder, &mut found)?;
        if found.is_empty() {
            return Err(Error::input(folder, "no run here: neither it nor a folder below has a `run.toml`")
                .hint("name a run folder such as runs/swimmer/syncma/seed-0, or a folder above"));
        }
        for run in found {
            if seen.insert(run.canonicalize().unwrap_or_else(|_| run.clone())) {
                runs.push(Run::read(&run)?);
            }
        }
    }
    Ok(runs)
}

/// Links to folders are not followed below the first, so that a circle of links ends.
fn find(folder: &Path, found: &mut Vec<PathBuf>) -> Result<()> {
    if folder.join("run.toml").is_file() {
        found.push(folder.to_path_buf());
        return Ok(());
    }
    let entries = std::fs::read_dir(folder).map_err(|e| Error::input(folder, e))?;
    let is_folder = |entry: &std::fs::DirEntry| entry.file_type().is_ok_and(|kind| kind.is_dir());
    let mut below: Vec<PathBuf> = entries.flatten().filter(is_folder).map(|entry| entry.path()).collect();
    below.sort();
    below.iter().try_for_each(|folder| find(folder, found))
}

fn document(text: &str) -> std::result::Result<Table, String> {
    let document: Table = text.parse().map_err(|e| format!("not TOML: {e}"))?;
    match document.get("format") {
        Some(Value::String(format)) if format == FORMAT => Ok(document),
        Some(other) => Err(format!("field `format`: this program reads \"{FORMAT}\", the file says {other}")),
        None => Err(format!("field `format` is missing; a run says format = \"{FORMAT}\"")),
    }
}

fn final_score(file: &Path) -> Result<Option<f64>> {
    if !file.exists() {
        return Ok(None);
    }
    let score = PolicyFile::read(file)?.score;
    match score.as_ref().and_then(|score| score.get("mean")).and_then(serde_json::Value::as_f64) {
        Some(mean) => Ok(Some(mean)),
        None => Err(Error::input(file, "field `score.mean`: a finished run's final policy has a number here")),
    }
}
