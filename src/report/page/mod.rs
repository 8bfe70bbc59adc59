//! Writes runs as one self-contained web page: what was asked, how, what came out, what it looks like, how to reproduce
//! it.

mod protocol;
mod question;
mod replays;
mod results;
mod settings;
mod table;
mod words;

use super::comparison::Comparison;
use super::curves;
use super::repetitions::{Group, group};
use super::runs::collect;
use crate::atomic::Draft;
use crate::film::html;
use crate::plot::Axis;
use crate::plot::Sheet;
use crate::{Error, Result};
use askama::Template;
use protocol::Topic;
use replays::{Replay, Row};
use std::io::Write;
use std::path::{Path, PathBuf};
use table::Table;

const STYLE: &str = include_str!("../../../assets/report/report.css");
const SCRIPT: &str = include_str!("../../../assets/report/report.js");

/// Returns the commands that reproduce groups of runs from these folders, and films of the policies that are shown, which
/// have names. Each command comes with a sentence on what it does.
pub type Commands = fn(&[Group], &[PathBuf], &[(PathBuf, String)]) -> Vec<(&'static str, String)>;

/// Everything on the page. The template escapes whatever it does not mark as safe.
#[derive(Template)]
#[template(path = "report.html")]
struct Page {
    title: String,
    live: Option<Live>,
    styles: [&'static str; 2],
    scripts: [&'static str; 2],
    question: String,
    answer: String,
    curves: Option<Curves>,
    statistics: Table,
    terms: Vec<(&'static str, String)>,
    marks: Vec<String>,
    runs: Table,
    task_found: bool,
    replays: Vec<Row<Replay>>,
    protocol: Vec<Topic>,
    settings: Vec<Table>,
    provenance: Table,
    drift: Vec<String>,
    commands: Vec<(&'static str, String)>,
}

/// How far a run in progress has come.
pub struct Live {
    /// A sentence about it.
    pub told: String,
    /// The share of its work that is done, from 0 to 1.
    pub done: f64,
}

/// The same figure for wide and narrow windows, of which one is shown, and how to read its lines.
struct Curves {
    wide: String,
    narrow: String,
    line: &'static str,
}

/// Reads the runs in these folders and writes the page. Returns the number of runs on it.
///
/// # Errors
/// If a run cannot be read, if they are not runs of one task, or if the file cannot be written.
pub fn write(folders: &[PathBuf], commands: Commands, file: &Path, force: bool) -> Result<usize> {
    write_live(folders, commands, file, force, None)
}

/// The same, for a run in progress. An open page follows what is written here. `live` says how far the run is.
///
/// # Errors
/// If a run cannot be read, if they are not runs of one task, or if the file cannot be written.
pub fn write_live(
    folders: &[PathBuf],
    commands: Commands,
    file: &Path,
    force: bool,
    live: Option<Live>,
) -> Result<usize> {
    let mut draft = Draft::file(file, force)?;
    let groups = group(collect(folders)?)?;
    let page = page(&groups, folders, commands, live)?;
    draft.write_all(page.as_bytes()).map_err(|e| Error::output(file, e))?;
    draft.publish()?;
    Ok(groups.iter().map(|group| group.runs.len()).sum())
}

/// Builds the page from runs that were found in `folders`. It depends on nothing but the runs.
fn page(groups: &[Group], folders: &[PathBuf], commands: Commands, live: Option<Live>) -> Result<String> {
    // A user's own task file may have moved since. The page still describes the runs then.
    let task = groups.first().and_then(Group::task);
    let about = task.as_ref().map(|task| task.definition.about.as_str());
    let comparison = Comparison::new(groups);
    let picks = replays::pick(groups);
    let shown = picks.iter().flat_map(|row| &row.items).map(|pick| (pick.policy(), pick.film())).collect::<Vec<_>>();
    let (provenance, drift) = settings::provenance(groups);
    let page = Page {
        title: question::title(groups),
        live,
        styles: [html::STYLE, STYLE],
        scripts: [html::SCRIPT, SCRIPT],
        question: question::question(groups, about),
        answer: question::answer(&comparison),
        curves: curves(groups)?,
        statistics: results::statistics(&comparison),
        terms: results::terms(&comparison),
        marks: comparison.notes(),
        runs: results::runs(groups)?,
        task_found: task.is_some(),
        replays: task.as_ref().map_or(Ok(Vec::new()), |task| replays::replays(&picks, task))?,
        protocol: protocol::protocol(groups, task.as_deref()),
        settings: settings::settings(groups),
        provenance,
        drift,
        commands: commands(groups, folders, &shown),
    };
    page.render().map_err(|e| Error::failed(format!("cannot fill in the page template: {e}")))
}

/// Returns `None` if no run has a held-out evaluation.
fn curves(groups: &[Group]) -> Result<Option<Curves>> {
    let mut rows = groups.iter().flat_map(|group| &group.runs).flat_map(|run| &run.rows);
    if !rows.any(|row| row.heldout_mean().is_some()) {
        return Ok(None);
    }
    let svg = |sheet: Sheet, class: &str| -> Result<String> {
        let svg = curves::figure_on(sheet, groups, Axis::Episodes)?.svg();
        Ok(svg.replacen("<svg ", &format!("<svg role=\"img\" class=\"{class}\" "), 1))
    };
    let several = groups.iter().any(|group| group.runs.len() > 1);
    let line = if several {
        "The line is the median over training seeds, the band the middle half of them; a curve ends where fewer than \
         three quarters of its seeds remain."
    } else {
        "One training seed, so there is no band."
    };
    Ok(Some(Curves { wide: svg(Sheet::WIDE, "on-wide")?, narrow: svg(Sheet::NARROW, "on-narrow")?, line }))
}
