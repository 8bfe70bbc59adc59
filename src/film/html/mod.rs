//! Writes an episode as one self-contained web page, on which the reader can play, turn and zoom the robot in 3D.

mod replay;
mod scene;

use crate::atomic::Draft;
use crate::policy::LinearPolicy;
use crate::rollout::{Channels, Recording};
use crate::sim::{EpisodeOutcome, Simulator};
use crate::{Error, Result};
use askama::Template;
use replay::Replay;
use scene::tracked;
use serde_json::Value;
use std::io::Write;
use std::path::Path;

/// CSS rules for everything inside an element of class `replay`.
pub const STYLE: &str = include_str!("../../../assets/report/replay.css");
/// Defines `replay(container, data)`, which a page may call for several episodes.
pub const SCRIPT: &str = concat!(
    include_str!("../../../assets/report/shapes.js"),
    include_str!("../../../assets/report/scene.js"),
    include_str!("../../../assets/report/recording.js"),
    include_str!("../../../assets/report/controls.js"),
    include_str!("../../../assets/report/replay.js")
);

/// A policy to show, with the name and the score that the page tells.
pub struct Shown<'a> {
    pub policy: &'a LinearPolicy,
    pub name: &'a str,
    /// As it stands in a policy's file.
    pub score: Option<&'a Value>,
}

#[derive(Template)]
#[template(path = "replay.html")]
struct Page<'a> {
    title: &'a str,
    style: &'a str,
    script: &'a str,
    data: &'a str,
}

/// Plays the policy from `reset(seed)` and writes the page. `seconds` limits what is shown, but not the reported
/// return.
///
/// # Errors
/// If the page cannot be built or written, or if the file exists and `force` is not set.
pub fn write(
    simulator: &mut Simulator,
    shown: &Shown,
    seed: u64,
    seconds: Option<f64>,
    file: &Path,
    force: bool,
) -> Result<EpisodeOutcome> {
    let mut draft = Draft::file(file, force)?;
    let (data, outcome) = data(simulator, shown, seed, seconds)?;
    let title = format!("{}, seed {seed}: return {:.1}", simulator.task().name(), outcome.value);
    let page = Page { title: &title, style: STYLE, script: SCRIPT, data: &data };
    let page = page.render().map_err(|e| Error::failed(format!("cannot fill in the page template: {e}")))?;
    draft.write_all(page.as_bytes()).map_err(|e| Error::output(file, e))?;
    draft.publish()?;
    Ok(outcome)
}

/// Returns the data for `replay` as JSON that is safe inside a script element.
///
/// # Errors
/// If the episode cannot be shown or encoded.
pub fn data(
    simulator: &mut Simulator,
    shown: &Shown,
    seed: u64,
    seconds: Option<f64>,
) -> Result<(String, EpisodeOutcome)> {
    let channels = Channels { bodies: Some(tracked(simulator.task())), seconds, ..Channels::default() };
    let recording = Recording::new(simulator, shown.policy, seed, channels);
    if recording.rewards.is_empty() {
        let message = format!("the physics broke down at the first step of the episode with reset seed {seed}");
        return Err(Error::failed(message).hint("choose another `seed`").naming(&["seed"]));
    }
    let json = serde_json::to_string(&Replay::new(&recording, simulator.task(), shown))
        .map_err(|e| Error::failed(format!("cannot write JSON: {e}")))?;
    Ok((json.replace('<', "\\u003c"), recording.outcome))
}
