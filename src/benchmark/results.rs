//! Stores results as JSON lines, one per trial, written as each trial ends.

use super::Trial;
use crate::benchmark::TrialOutcome;
use crate::{Error, Result};
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A line of the file: a trial and its outcome.
#[derive(Deserialize)]
struct Line {
    trial: Value,
    outcome: TrialOutcome,
}

/// The results in a file, keyed by everything that decides them.
pub struct Results {
    path: PathBuf,
    kept: Mutex<(File, HashMap<String, TrialOutcome>)>,
}

impl Results {
    /// Reads the existing results. A last line without a newline was being written when the program was killed. It is
    /// cut off, and its trial runs again.
    ///
    /// # Errors
    /// If the file cannot be read or written, if another process holds it, or if a line of it is not a result.
    pub fn open(path: &Path) -> Result<Self> {
        let folder = path.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(folder).map_err(|e| Error::output(folder, e))?;
        let failed = |e| Error::output(path, e);
        let mut file = OpenOptions::new().create(true).append(true).read(true).open(path).map_err(failed)?;
        // Two programs would repeat each other's trials, and one might cut off a line that the other is writing.
        if let Err(TryLockError::WouldBlock) = file.try_lock() {
            return Err(Error::output(path, "another benchmark is writing to it")
                .hint("wait, or choose another `out`")
                .naming(&["out"]));
        }
        let mut text = String::new();
        file.read_to_string(&mut text).map_err(|e| Error::input(path, e))?;
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        let mut known = HashMap::new();
        for (at, line) in text[..whole].lines().enumerate() {
            let line: Line = serde_json::from_str(line).map_err(|e| {
                Error::input(path, format!("line {}: {e}", at + 1))
                    .hint("delete that line to run its trial again, or choose another `out`")
                    .naming(&["out"])
            })?;
            known.insert(line.trial.to_string(), line.outcome);
        }
        if whole < text.len() {
            file.set_len(whole as u64).map_err(failed)?;
        }
        Ok(Self { path: path.to_path_buf(), kept: Mutex::new((file, known)) })
    }

    /// Returns the result of this trial, if there is one of the right shape.
    pub fn of(&self, trial: &Trial) -> Option<TrialOutcome> {
        let fits = |outcome: &&TrialOutcome| outcome.fits(trial.problem.dim(), trial.budget);
        self.lock().1.get(&key(trial)).filter(fits).cloned()
    }

    /// Appends one line in a single write.
    pub(super) fn keep(&self, trial: &Trial, outcome: TrialOutcome) -> Result<()> {
        let line = format!("{}\n", json!({ "trial": trial, "outcome": outcome }));
        let (file, known) = &mut *self.lock();
        file.write_all(line.as_bytes()).map_err(|e| Error::output(&self.path, e))?;
        known.insert(key(trial), outcome);
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, (File, HashMap<String, TrialOutcome>)> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn key(trial: &Trial) -> String {
    json!(trial).to_string()
}
