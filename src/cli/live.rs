//! The report page of a run that is still going on.

use super::{again, note};
use crate::Result;
use crate::report::page;
use crate::train::Moment;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The least time between two versions of the page. Each plays an episode of the best policy.
const APART: Duration = Duration::from_secs(4);

pub struct LivePage {
    run: PathBuf,
    file: PathBuf,
    written: Option<Instant>,
}

impl LivePage {
    pub fn new(run: &Path) -> Self {
        Self { run: run.to_path_buf(), file: run.join("report.html"), written: None }
    }

    /// Writes the page anew after a held-out evaluation, unless it is recent.
    pub fn see(&mut self, moment: &Moment, left: &str) -> Result<()> {
        let Moment::Generation(row) = moment else { return Ok(()) };
        if row.heldout.is_none() || self.written.is_some_and(|at| at.elapsed() < APART) {
            return Ok(());
        }
        let told = format!(
            "This run is still going on: {} episodes done, {left} left. The page reloads itself.",
            row.episodes
        );
        self.write(Some(told))?;
        if self.written.is_none() {
            note(&format!("open {} in a browser; it reloads itself", self.file.display()));
        }
        self.written = Some(Instant::now());
        Ok(())
    }

    /// Writes the page of the run as it ended, which no longer reloads itself.
    pub fn end(self) -> Result<()> {
        self.write(None)
    }

    fn write(&self, live: Option<String>) -> Result<()> {
        page::write_live(std::slice::from_ref(&self.run), again::commands, &self.file, true, live).map(drop)
    }
}
