//! Results as JSON lines, one per trial, added as trials end.

use super::Trial;
use crate::problem::Outcome;
use crate::{Error, Result};
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A line of the file: what was done, and what came out.
#[derive(Deserialize)]
struct Line {
    trial: Value,
    outcome: Outcome,
}

/// The results in a file, under everything that decided them.
pub struct Results {
    path: PathBuf,
    kept: Mutex<(File, HashMap<String, Outcome>)>,
}

impl Results {
    /// Reads what is there. A last line without an end was being written when the program was killed: it is cut off, and
    /// its trial will be run again.
    pub fn open(path: &Path) -> Result<Self> {
        let folder = path.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(folder).map_err(|e| Error::output(folder, e))?;
        let text = match fs::read_to_string(path) {
            Ok(text) => text,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => String::new(),
            Err(e) => return Err(Error::input(path, e)),
        };
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        let mut known = HashMap::new();
        for (at, line) in text[..whole].lines().enumerate() {
            let line: Line = serde_json::from_str(line).map_err(|e| {
                Error::input(path, format!("line {}: {e}", at + 1))
                    .hint("delete that line to have its trial run again, or choose another --out")
            })?;
            known.insert(line.trial.to_string(), line.outcome);
        }
        let failed = |e| Error::output(path, e);
        let file = OpenOptions::new().create(true).append(true).open(path).map_err(failed)?;
        if whole < text.len() {
            file.set_len(whole as u64).map_err(failed)?;
        }
        Ok(Self { path: path.to_path_buf(), kept: Mutex::new((file, known)) })
    }

    /// The result of this trial, if it has been run.
    pub fn of(&self, trial: &Trial) -> Option<Outcome> {
        self.lock().1.get(&key(trial)).cloned()
    }

    /// Adds a line, in one piece.
    pub(super) fn keep(&self, trial: &Trial, outcome: Outcome) -> Result<()> {
        let line = format!("{}\n", json!({ "trial": trial, "outcome": outcome }));
        let (file, known) = &mut *self.lock();
        file.write_all(line.as_bytes()).map_err(|e| Error::output(&self.path, e))?;
        known.insert(key(trial), outcome);
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, (File, HashMap<String, Outcome>)> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn key(trial: &Trial) -> String {
    json!(trial).to_string()
}
