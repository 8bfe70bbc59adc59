//! Reads `metrics.csv`: what a figure needs of every generation.

use crate::{Error, Result};
use std::path::Path;

/// One generation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MetricsRow {
    /// Training episodes so far.
    pub episodes: f64,
    /// Environment steps so far.
    pub steps: f64,
    /// Mean return of the deployable policy on seeds never trained on; only some generations are evaluated.
    pub heldout: Option<f64>,
    /// The best confirmed return so far, once there is one.
    pub best: Option<f64>,
}

/// Reads all finished lines. A last line without its end is still being written, and is left out.
pub fn read(file: &Path) -> Result<Vec<MetricsRow>> {
    let text = std::fs::read_to_string(file).map_err(|e| Error::input(file, e))?;
    parse(&text).map_err(|what| Error::input(file, what))
}

fn parse(text: &str) -> std::result::Result<Vec<MetricsRow>, String> {
    let finished = &text[..text.rfind('\n').map_or(0, |end| end + 1)];
    let mut lines = finished.lines().enumerate();
    let Some((_, header)) = lines.next() else { return Ok(Vec::new()) };
    let names: Vec<&str> = header.split(',').collect();
    let column = |name: &'static str| match names.iter().position(|known| *known == name) {
        Some(at) => Ok((name, at)),
        None => Err(format!("line 1: there is no column `{name}`")),
    };
    let columns = [column("episodes")?, column("steps")?, column("heldout_mean")?, column("best_return")?];
    let mut rows: Vec<MetricsRow> = Vec::new();
    for (number, line) in lines.map(|(index, line)| (index + 1, line)) {
        let fields: Vec<&str> = line.split(',').collect();
        if fields.len() != names.len() {
            return Err(format!("line {number}: {} fields, the header has {}", fields.len(), names.len()));
        }
        let optional = |(name, at): (&str, usize)| match fields[at].trim() {
            "" => Ok(None),
            field => match field.parse::<f64>() {
                Ok(value) => Ok(Some(value).filter(|value| value.is_finite())),
                Err(_) => Err(format!("line {number}, column `{name}`: `{field}` is not a number")),
            },
        };
        let count = |column| {
            optional(column)?
                .filter(|value| *value >= 0.0)
                .ok_or_else(|| format!("line {number}, column `{}`: a count of 0 or more is missing", column.0))
        };
        let row = MetricsRow {
            episodes: count(columns[0])?,
            steps: count(columns[1])?,
            heldout: optional(columns[2])?,
            best: optional(columns[3])?,
        };
        if rows.last().is_some_and(|last| last.episodes > row.episodes || last.steps > row.steps) {
            return Err(format!("line {number}, columns `episodes`, `steps`: fewer than on the line before"));
        }
        rows.push(row);
    }
    Ok(rows)
}
