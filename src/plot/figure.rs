//! A finished figure and its files: SVG, PNG and a CSV of the data in it.

use super::drawing::Drawing;
use crate::atomic::Draft;
use crate::{Error, Result};
use std::io::Write;
use std::path::{Path, PathBuf};

/// A figure, ready to be written.
pub struct Figure {
    title: String,
    drawing: Drawing,
    /// The data in the figure, empty if there are no numbers to list.
    csv: String,
}

impl Figure {
    pub fn new(title: String, drawing: Drawing, csv: String) -> Self {
        Self { title, drawing, csv }
    }

    pub fn svg(&self) -> String {
        self.drawing.svg(&self.title)
    }

    /// # Errors
    /// If the picture cannot be painted or encoded.
    pub fn png(&self) -> Result<Vec<u8>> {
        self.drawing.png()
    }

    /// Returns the data in the figure, one line per point of every curve.
    pub fn csv(&self) -> &str {
        &self.csv
    }

    /// Writes the figure to `file` with the extensions svg, png and csv, and returns the paths.
    ///
    /// # Errors
    /// If a file cannot be written, or exists and `force` is not set. Then none of the files is written.
    pub fn write(&self, file: &Path, force: bool) -> Result<Vec<PathBuf>> {
        let parts = [("svg", self.svg().into_bytes()), ("png", self.png()?), ("csv", self.csv.clone().into_bytes())];
        let mut drafts = Vec::new();
        for (ending, bytes) in parts.iter().filter(|(_, bytes)| !bytes.is_empty()) {
            let target = file.with_extension(ending);
            let mut draft = Draft::file(&target, force)?;
            draft.write_all(bytes).map_err(|e| Error::output(&target, e))?;
            drafts.push((draft, target));
        }
        drafts.into_iter().map(|(draft, target)| draft.publish().map(|()| target)).collect()
    }
}
