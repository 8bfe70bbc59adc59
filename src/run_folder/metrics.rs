//! Writes metrics.csv. It is cut back to the checkpoint when a run resumes.

use super::generation_row::{GenerationRow, header, parse};
use super::{LockedFolder, METRICS};
use crate::{Error, Result};
use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::path::PathBuf;

/// An open metrics.csv.
pub struct Metrics {
    path: PathBuf,
    file: File,
    length: u64,
}

impl Metrics {
    /// Creates a new file with only the header.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn start(folder: &LockedFolder) -> Result<Self> {
        let mut metrics = Self::open(folder)?;
        metrics.cut()?;
        metrics.append(format!("{}\n", header()).as_bytes())?;
        Ok(metrics)
    }

    /// Continues after the first `length` bytes, which hold the rows of `generations` generations. Those are checked
    /// first, so that a file that somebody edited is neither cut in the middle of a row nor appended to.
    ///
    /// # Errors
    /// If the file cannot be read or written, or if the rows are not those of the run.
    pub fn resume(folder: &LockedFolder, length: u64, generations: u64) -> Result<Self> {
        let mut metrics = Self::open(folder)?;
        let mut bytes = Vec::new();
        metrics.file.read_to_end(&mut bytes).map_err(|e| Error::input(&metrics.path, e))?;
        let present = bytes.len();
        let kept = bytes
            .get(..length as usize)
            .ok_or_else(|| format!("{present} bytes, but the checkpoint was made after {length}: rows are missing"));
        kept.and_then(|kept| check(kept, generations)).map_err(|what| {
            Error::input(&metrics.path, what)
                .hint("the file was changed after the run wrote it: restore it, or start the run again with `force`")
                .naming(&["force"])
        })?;
        metrics.length = length;
        metrics.cut()?;
        Ok(metrics)
    }

    fn open(folder: &LockedFolder) -> Result<Self> {
        let path = folder.file(METRICS);
        let file = OpenOptions::new().create(true).append(true).read(true).open(&path);
        Ok(Self { file: file.map_err(|e| Error::output(&path, e))?, path, length: 0 })
    }

    fn cut(&self) -> Result<()> {
        self.file.set_len(self.length).map_err(|e| Error::output(&self.path, e))
    }

    /// Appends a row.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write(&mut self, row: &GenerationRow) -> Result<()> {
        self.append(&row.line()?)
    }

    /// Flushes the rows to disk and returns the length of the file in bytes.
    ///
    /// # Errors
    /// If the file cannot be synced.
    pub fn sync(&mut self) -> Result<u64> {
        self.file.sync_data().map_err(|e| Error::output(&self.path, e))?;
        Ok(self.length)
    }

    fn append(&mut self, bytes: &[u8]) -> Result<()> {
        self.file.write_all(bytes).map_err(|e| Error::output(&self.path, e))?;
        self.length += bytes.len() as u64;
        Ok(())
    }
}

/// Checks that this is what a run writes: the right columns and line endings, and a row for every generation up to this
/// one.
fn check(bytes: &[u8], generations: u64) -> std::result::Result<(), String> {
    let text = std::str::from_utf8(bytes).map_err(|e| format!("not UTF-8: {e}"))?;
    if let Some(line) = text.split('\n').position(|line| line.contains('\r')) {
        return Err(format!("line {} ends in CR LF, but a run writes only LF", line + 1));
    }
    let found = text.lines().next().unwrap_or_default();
    if found != header() {
        return Err(format!("line 1: the columns are `{found}`, this program writes `{}`", header()));
    }
    let last = parse(text)?.last().map_or(0, |row| row.generation);
    if !text.ends_with('\n') || last != generations {
        let what = format!(
            "the rows up to the checkpoint end with generation {last}, but it is from generation {generations}"
        );
        return Err(what);
    }
    Ok(())
}
