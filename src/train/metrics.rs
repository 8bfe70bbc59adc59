//! metrics.csv: a row per generation, cut back to the checkpoint when a run is resumed.

use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

/// One generation. Returns are the task's own, undiscounted and unshifted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GenerationRow {
    pub generation: u64,
    /// Training episodes so far.
    pub episodes: u64,
    /// Environment steps of training so far.
    pub steps: u64,
    pub seconds: f64,
    /// One episode of the center.
    pub center_return: f64,
    /// The center on the held-out seeds, where it was evaluated.
    pub heldout: Option<(f64, f64)>,
    /// The best policy so far, as confirmed on fresh seeds.
    pub best_return: Option<f64>,
    /// Maximum, upper quartile, median, lower quartile and minimum of the batch.
    pub batch: [f64; 5],
    pub sigma: f64,
    /// How far the center moved in this generation, in units of sigma.
    pub center_step: f64,
    pub condition: f64,
    /// Diverged episodes of this generation.
    pub diverged: u64,
}

pub const HEADER: &str = "generation,episodes,steps,seconds,center_return,heldout_mean,heldout_sd,best_return,batch_max,\
                          batch_q75,batch_median,batch_q25,batch_min,sigma,center_step,condition,diverged";

impl GenerationRow {
    fn line(&self) -> String {
        let maybe = |x: Option<f64>| x.map_or(String::new(), |x| x.to_string());
        let [max, q75, median, q25, min] = self.batch;
        format!(
            "{},{},{},{:.3},{},{},{},{},{max},{q75},{median},{q25},{min},{},{},{},{}\n",
            self.generation,
            self.episodes,
            self.steps,
            self.seconds,
            self.center_return,
            maybe(self.heldout.map(|(mean, _)| mean)),
            maybe(self.heldout.map(|(_, sd)| sd)),
            maybe(self.best_return),
            self.sigma,
            self.center_step,
            self.condition,
            self.diverged
        )
    }
}

/// The open file.
pub struct Metrics {
    path: PathBuf,
    file: File,
    length: u64,
}

impl Metrics {
    /// Opens the file cut to `length` bytes; 0 means from the start.
    pub fn open(folder: &Path, length: u64) -> Result<Self> {
        let path = folder.join("metrics.csv");
        let wrong = |e| Error::output(&path, e);
        let file = OpenOptions::new().create(true).append(true).open(&path).map_err(wrong)?;
        let present = file.metadata().map_err(wrong)?.len();
        if present < length {
            let what = format!("{present} bytes, but the checkpoint has seen {length}: rows are missing");
            return Err(Error::input(&path, what)
                .hint("restore the file, or start the run again with `force`")
                .naming(&["force"]));
        }
        file.set_len(length).map_err(wrong)?;
        let mut metrics = Self { path, file, length };
        if length == 0 {
            metrics.append(&format!("{HEADER}\n"))?;
        }
        Ok(metrics)
    }

    pub fn write(&mut self, row: &GenerationRow) -> Result<()> {
        self.append(&row.line())
    }

    /// Makes the rows durable and says how many bytes they are.
    pub fn sync(&mut self) -> Result<u64> {
        self.file.sync_data().map_err(|e| Error::output(&self.path, e))?;
        Ok(self.length)
    }

    fn append(&mut self, text: &str) -> Result<()> {
        self.file.write_all(text.as_bytes()).map_err(|e| Error::output(&self.path, e))?;
        self.length += text.len() as u64;
        Ok(())
    }
}
