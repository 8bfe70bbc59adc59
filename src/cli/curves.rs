//! Curves of finished runs.

use crate::Result;
use crate::report::curve::Axis;
use crate::report::curves::Figure;
use crate::report::{groups, runs};
use crate::run::Folder;
use std::path::PathBuf;

/// Draws the runs' curves into the first one's folder: curves.svg, curves.png and the CSV of what was drawn.
pub fn draw_beside(folders: &[Folder]) -> Result<()> {
    let Some(first) = folders.first() else { return Ok(()) };
    let paths: Vec<PathBuf> = folders.iter().map(|folder| folder.path().to_path_buf()).collect();
    let groups = groups::group(runs::collect(&paths)?)?;
    Figure::new(&groups, Axis::Episodes)?.write(&first.file("curves.svg"), true)?;
    Ok(())
}
