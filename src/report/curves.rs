//! The learning curves of runs.

use super::repetitions::{Group, group};
use super::runs::collect;
use super::styles::styles;
use crate::plot::{Axis, Curve, Figure, Sheet, Style, Trace, Yardstick, csv, learning};
use crate::run_folder::GenerationRow;
use crate::{Error, Result};
use std::path::{Path, PathBuf};

/// Whether there is something to draw: a held-out return. A run that was stopped early, or whose physics broke down, has none.
pub fn can_draw(groups: &[Group]) -> bool {
    groups.iter().flat_map(|group| &group.runs).flat_map(|run| &run.rows).any(|row| row.heldout_mean().is_some())
}

/// Draws the figure of some groups of runs.
///
/// # Errors
/// If no run has a held-out return.
pub fn figure(groups: &[Group], axis: Axis) -> Result<Figure> {
    figure_on(Sheet::WIDE, groups, axis)
}

/// Draws the figure of some groups of runs on this sheet.
///
/// # Errors
/// If no run has a held-out return.
pub fn figure_on(sheet: Sheet, groups: &[Group], axis: Axis) -> Result<Figure> {
    let styles = styles(groups.iter().map(|group| group.optimizer.as_str()));
    let curves: Vec<Curve> = groups.iter().zip(styles).map(|(group, style)| curve(group, style, axis)).collect();
    let curves: Vec<Curve> = curves.into_iter().filter(|curve| !curve.heldout.is_empty()).collect();
    let Some(first) = groups.first().filter(|_| !curves.is_empty()) else {
        return Err(Error::failed("nothing to draw: no run has a held-out evaluation yet"));
    };
    let drawing = learning::draw(sheet, &first.task, &curves, &yardsticks(first), axis)?;
    let title = format!("{}: return over training {}", first.task, axis.name());
    Ok(Figure::new(title, drawing, csv(&curves, axis)))
}

/// Returns the held-out return of a group's deployable policy, its best return so far, and its return in training.
pub fn curve(group: &Group, style: Style, axis: Axis) -> Curve {
    let x = |row: &GenerationRow| match axis {
        Axis::Episodes => row.episodes as f64,
        Axis::Steps => row.steps as f64,
    };
    let traces = |value: fn(&GenerationRow) -> Option<f64>| -> Vec<Trace> {
        let trace = |rows: &[GenerationRow]| rows.iter().filter_map(|row| Some((x(row), value(row)?))).collect();
        group.runs.iter().map(|run| trace(&run.rows)).collect()
    };
    Curve::new(
        group.label.clone(),
        style,
        &traces(GenerationRow::heldout_mean),
        &traces(|row| row.best_return.filter(|best| best.is_finite())),
        &traces(|row| Some(row.center_return).filter(|value| value.is_finite())),
    )
}

/// Reads the runs in these folders, draws them and writes the three files.
///
/// # Errors
/// If a run cannot be read, if they are not runs of one task or have no held-out return, or if a file cannot be written.
pub fn write(folders: &[PathBuf], axis: Axis, file: &Path, force: bool) -> Result<Vec<PathBuf>> {
    figure(&group(collect(folders)?)?, axis)?.write(file, force)
}

/// Returns the task's reference values, or none for a user's own task whose file has moved.
pub(super) fn yardsticks(group: &Group) -> Vec<Yardstick> {
    let known = group.task().map(|task| task.definition.yardsticks.clone()).unwrap_or_default();
    let is_origin = |what: &str| what.starts_with("doing nothing");
    known
        .into_iter()
        .map(|known| Yardstick { value: known.value, is_origin: is_origin(&known.what), what: known.what })
        .collect()
}
