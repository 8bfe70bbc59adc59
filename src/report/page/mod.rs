//! Runs as one self-contained web page: what was asked, how, what came out, how it looks, how to do it again.

mod markup;
mod protocol;
mod question;
mod replays;
mod results;
mod settings;

use super::comparison::Comparison;
use super::curves;
use super::repetitions::{Group, group};
use super::runs::collect;
use crate::atomic::Draft;
use crate::film::html::{self, fill};
use crate::plot::Axis;
use crate::plot::Sheet;
use crate::{Error, Result, sim};
use markup::{element, escape};
use std::io::Write;
use std::path::{Path, PathBuf};

const PAGE: &str = include_str!("../../../assets/report/report.html");
const STYLE: &str = include_str!("../../../assets/report/report.css");

/// Says how groups of runs from these folders, and the policies shown with their training seeds, are made again: what a
/// command does, and the command.
pub type Commands = fn(&[Group], &[PathBuf], &[(PathBuf, u64)]) -> Vec<(&'static str, String)>;

/// Reads the runs in these folders and writes the page; returns how many runs it is about.
pub fn write(folders: &[PathBuf], commands: Commands, file: &Path, force: bool) -> Result<usize> {
    let mut draft = Draft::file(file, force)?;
    let groups = group(collect(folders)?)?;
    draft.write_all(page(&groups, folders, commands)?.as_bytes()).map_err(|e| Error::output(file, e))?;
    draft.publish()?;
    Ok(groups.iter().map(|group| group.runs.len()).sum())
}

/// The page; `folders` are where its runs were found. It depends on nothing but the runs.
pub fn page(groups: &[Group], folders: &[PathBuf], commands: Commands) -> Result<String> {
    // A user's own task may have moved since; the runs can still be told about.
    let task = groups.first().and_then(|group| sim::find(&group.env).ok());
    let about = task.as_ref().map(|task| task.definition.about.as_str());
    let comparison = Comparison::new(groups);
    let picks = replays::pick(groups);
    let shown: Vec<(PathBuf, u64)> = picks.iter().map(|pick| (pick.policy(), pick.seed())).collect();
    let values = [
        ("title", escape(&question::title(groups))),
        ("style", format!("{}{STYLE}", html::STYLE)),
        ("question", question::question(groups, about)),
        ("answer", question::answer(&comparison)),
        ("protocol", protocol::protocol(groups, task.as_deref())),
        ("curves", curve_section(groups)?),
        ("statistics", results::statistics(&comparison)),
        ("runs", results::runs(groups)?),
        ("replays", replays::replays(&picks, task.as_ref())?),
        ("settings", settings::settings(groups)),
        ("provenance", settings::provenance(groups)),
        ("commands", commands(groups, folders, &shown).iter().map(block).collect()),
        ("script", html::SCRIPT.to_string()),
    ];
    let values: Vec<(&str, &str)> = values.iter().map(|(name, value)| (*name, value.as_str())).collect();
    Ok(fill(PAGE, &values))
}

fn block((what, commands): &(&str, String)) -> String {
    format!("<p>{}</p>\n<pre><code>{}</code></pre>\n", escape(what), escape(commands))
}

fn curve_section(groups: &[Group]) -> Result<String> {
    let drawn =
        groups.iter().flat_map(|group| &group.runs).flat_map(|run| &run.rows).any(|row| row.heldout_mean().is_some());
    if !drawn {
        return Ok(element("p", "No run has had a held-out evaluation yet, so there is nothing to draw.") + "\n");
    }
    // One for each width of the window; the other is not shown.
    let svg = |sheet: Sheet, class: &str| -> Result<String> {
        let svg = curves::figure_on(sheet, groups, Axis::Episodes)?.svg()?;
        Ok(svg.replacen("<svg ", &format!("<svg role=\"img\" class=\"{class}\" "), 1))
    };
    let several = groups.iter().any(|group| group.runs.len() > 1);
    let line = if several {
        "The line is the median over training seeds, the band the middle half of them; a curve ends where fewer than \
         three quarters of its seeds remain."
    } else {
        "One training seed, so there is no band."
    };
    let caption = format!(
        "Return of the deployable policy, the center of the search, on held-out reset seeds against training episodes. \
         {line} Dotted lines of the same colour are the best policy so far, confirmed on fresh seeds; level lines are \
         returns worth comparing with, explained below the table."
    );
    let drawings = svg(Sheet::WIDE, "on-wide")? + &svg(Sheet::NARROW, "on-narrow")?;
    Ok(format!("<figure class=\"curves\">\n{drawings}\n{}\n</figure>\n", element("figcaption", &caption)))
}
