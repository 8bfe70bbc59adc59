//! The report page of a run in progress.

use super::{again, note};
use crate::Result;
use crate::plot::numbers::thousands;
use crate::report::page::{self, Live};
use crate::train::{Moment, Progress};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The shortest time between two versions of the page. Each version plays an episode of the best policy.
const APART: Duration = Duration::from_secs(4);
/// The time after which a new version is due even if nothing was measured since, because it tells the time left.
const STALE: Duration = Duration::from_secs(15);

pub struct LivePage {
    run: PathBuf,
    file: PathBuf,
    quiet: bool,
    written: Option<Instant>,
}

impl LivePage {
    pub fn new(run: &Path, quiet: bool) -> Self {
        Self { run: run.to_path_buf(), file: run.join("report.html"), quiet, written: None }
    }

    /// Writes the page anew after a held-out evaluation, unless the page is recent, and otherwise when the page is old.
    pub fn see(&mut self, moment: &Moment, progress: Progress, left: &str) -> Result<()> {
        let (told, measured) = match moment {
            Moment::Generation(row) => {
                let episodes = thousands(row.episodes as f64, 0);
                (format!("{episodes} training episodes are done, about {left} is left"), row.heldout.is_some())
            }
            Moment::Scoring => (format!("The final policies are being scored, about {left} is left"), true),
        };
        let age = self.written.map(|at| at.elapsed());
        if age.is_some_and(|age| age < if measured { APART } else { STALE }) {
            return Ok(());
        }
        let done = progress.done as f64 / (progress.done + progress.left).max(1) as f64;
        self.write(Some(Live { told: format!("This run is still going on. {told}."), done }))?;
        if self.written.is_none() && !self.quiet {
            note(&format!("open {} in a browser; the page follows the run", self.file.display()));
        }
        self.written = Some(Instant::now());
        Ok(())
    }

    /// Writes the page of the run as it ended. An open page shows it and stops following.
    pub fn end(self) -> Result<()> {
        self.write(None)
    }

    fn write(&self, live: Option<Live>) -> Result<()> {
        page::write_live(std::slice::from_ref(&self.run), again::commands, &self.file, true, live).map(drop)
    }
}
