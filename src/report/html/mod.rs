//! An episode as one self-contained web page: the robot in three dimensions, played, turned and zoomed by the reader.

mod recording;
mod scene;

use crate::policy::LinearPolicy;
use crate::report::draft::Draft;
use crate::sim::{Outcome, Simulator};
use crate::{Error, Result};
use recording::Recording;
use std::fs;
use std::path::Path;

const PAGE: &str = include_str!("../../../assets/report/replay.html");
/// Rules for everything inside an element of class `replay`.
pub const STYLE: &str = include_str!("../../../assets/report/replay.css");
/// Defines `replay(container, data)`; a page may call it for several episodes.
pub const SCRIPT: &str = concat!(
    include_str!("../../../assets/report/shapes.js"),
    include_str!("../../../assets/report/scene.js"),
    include_str!("../../../assets/report/replay.js")
);

/// Plays the policy from `reset(seed)` and writes the page; `seconds` limits what is shown, not the return told.
pub fn write(
    simulator: &mut Simulator,
    policy: &LinearPolicy,
    seed: u64,
    seconds: Option<f64>,
    file: &Path,
    force: bool,
) -> Result<Outcome> {
    let draft = Draft::file(file, force)?;
    let (data, outcome) = data(simulator, policy, seed, seconds)?;
    let title = format!("{}, seed {seed}: return {:.1}", simulator.task().name(), outcome.value);
    let page = fill(PAGE, &[("title", &title), ("style", STYLE), ("script", SCRIPT), ("data", &data)]);
    fs::write(draft.path(), page).map_err(|e| Error::output(file, e))?;
    draft.publish()?;
    Ok(outcome)
}

/// What `replay` needs, as JSON that may stand inside a script element.
pub fn data(
    simulator: &mut Simulator,
    policy: &LinearPolicy,
    seed: u64,
    seconds: Option<f64>,
) -> Result<(String, Outcome)> {
    let recording = Recording::new(simulator, policy, seed, seconds)?;
    let json = serde_json::to_string(&recording.replay(simulator.task()))
        .map_err(|e| Error::failed(format!("cannot write JSON: {e}")))?;
    Ok((json.replace('<', "\\u003c"), recording.outcome))
}

/// Puts each value in the place of its `{{name}}`, in one pass, so that no value is searched for names.
pub(super) fn fill(page: &str, values: &[(&str, &str)]) -> String {
    let mut parts = page.split("{{");
    let mut text = parts.next().unwrap_or_default().to_string();
    for part in parts {
        let (name, rest) = part.split_once("}}").unwrap_or(("", part));
        let value = values.iter().find(|(known, _)| *known == name).map_or("", |(_, value)| value);
        text += value;
        text += rest;
    }
    text
}
