//! Learning curves as files: SVG, PNG and the CSV of what was drawn.

use super::curve::{Axis, Curve, csv};
use super::draft::Draft;
use super::drawing::Drawing;
use super::figure;
pub use super::figure::Sheet;
use super::groups::{Group, group};
use super::runs::collect;
use crate::sim::{self, Yardstick};
use crate::{Error, Result};
use std::path::{Path, PathBuf};

/// A figure of some groups of runs, ready to be written.
pub struct Figure {
    pub(super) title: String,
    pub(super) drawing: Drawing,
    /// Empty where there are no numbers to give.
    pub(super) csv: String,
}

impl Figure {
    pub fn new(groups: &[Group], axis: Axis) -> Result<Self> {
        Self::on(Sheet::WIDE, groups, axis)
    }

    pub fn on(sheet: Sheet, groups: &[Group], axis: Axis) -> Result<Self> {
        let curves: Vec<Curve> = groups.iter().map(|group| Curve::new(group, axis)).collect();
        let curves: Vec<Curve> = curves.into_iter().filter(|curve| !curve.heldout.is_empty()).collect();
        let Some(first) = groups.first().filter(|_| !curves.is_empty()) else {
            return Err(Error::failed("nothing to draw: no run has a held-out evaluation yet"));
        };
        let drawing = figure::draw(sheet, &first.env, &curves, &yardsticks(&first.env), axis)?;
        let title = format!("{}: return over training {}", first.env, axis.name());
        Ok(Self { title, drawing, csv: csv(&curves, axis) })
    }

    pub fn svg(&self) -> Result<String> {
        self.drawing.svg(&self.title)
    }

    pub fn png(&self) -> Result<Vec<u8>> {
        self.drawing.png()
    }

    /// What was drawn: a line per point of every curve.
    pub fn csv(&self) -> &str {
        &self.csv
    }

    /// Writes all beside each other: `file` with the endings svg, png and csv. Returns what was written.
    pub fn write(&self, file: &Path, force: bool) -> Result<Vec<PathBuf>> {
        let parts = [("svg", self.svg()?.into_bytes()), ("png", self.png()?), ("csv", self.csv.clone().into_bytes())];
        let mut drafts = Vec::new();
        for (ending, bytes) in parts.iter().filter(|(_, bytes)| !bytes.is_empty()) {
            let target = file.with_extension(ending);
            let draft = Draft::file(&target, force)?;
            std::fs::write(draft.path(), bytes).map_err(|e| Error::output(&target, e))?;
            drafts.push((draft, target));
        }
        drafts.into_iter().map(|(draft, target)| draft.publish().map(|()| target)).collect()
    }
}

/// Reads the runs in these folders, draws them and writes the three files.
pub fn write(folders: &[PathBuf], axis: Axis, file: &Path, force: bool) -> Result<Vec<PathBuf>> {
    Figure::new(&group(collect(folders)?)?, axis)?.write(file, force)
}

/// The task's yardsticks; none for a user's own task that is no longer where it was.
pub(super) fn yardsticks(env: &str) -> Vec<Yardstick> {
    sim::find(env).map(|task| task.definition.yardsticks.clone()).unwrap_or_default()
}
