//! Chooses the policies to show: those of the best, median and worst seed of the best method.

use crate::Result;
use crate::film::html;
use crate::plot::numbers::{score, thousands};
use crate::policy::PolicyFile;
use crate::report::repetitions::Group;
use crate::report::runs::Run;
use crate::run_folder::{BEST, FINAL};
use crate::sim::{Simulator, Task};
use crate::statistics::interquartile_mean;
use serde_json::Value;
use std::path::PathBuf;
use std::sync::Arc;

/// A longer part of an episode would make the page heavier and only repeat the gait.
const SECONDS: f64 = 10.0;

/// An episode on the page.
pub struct Pick<'a> {
    what: &'static str,
    label: &'a str,
    run: &'a Run,
    file: &'static str,
}

impl Pick<'_> {
    /// The path of the policy file.
    pub fn policy(&self) -> PathBuf {
        self.run.folder.file(self.file)
    }

    pub fn seed(&self) -> u64 {
        self.run.seed
    }
}

/// What the page shows of an episode: a title, a description, and the data to replay it if that is possible.
pub struct Replay {
    pub what: &'static str,
    pub about: String,
    pub data: Option<String>,
}

/// Picks the final policies of finished runs, because the seeds are ranked by those. A single run shows its best
/// policy.
pub fn pick(groups: &[Group]) -> Vec<Pick<'_>> {
    let all = || groups.iter().flat_map(|group| group.runs.iter().map(|run| (group.label.as_str(), run)));
    if let (1, Some((label, run))) = (all().count(), all().next()) {
        let file = [BEST, FINAL].into_iter().find(|file| run.folder.file(file).exists());
        return file.map(|file| Pick { what: "The best policy", label, run, file }).into_iter().collect();
    }
    let value = |group: &&Group| interquartile_mean(&ranked(group).iter().map(|(score, _)| *score).collect::<Vec<_>>());
    let finished = groups.iter().filter(|group| group.runs.iter().any(|run| run.final_score.is_some()));
    let Some(group) = finished.max_by(|a, b| value(a).total_cmp(&value(b))) else {
        // No run has finished, so show the best confirmed policy so far.
        let known = all().filter(|(_, run)| run.folder.file(BEST).exists());
        let so_far = |run: &Run| run.rows.last().and_then(|row| row.best_return).unwrap_or(f64::NEG_INFINITY);
        let best = known.max_by(|a, b| so_far(a.1).total_cmp(&so_far(b.1)));
        let show = |(label, run)| Pick { what: "The best so far", label, run, file: BEST };
        return best.map(show).into_iter().collect();
    };
    let runs = ranked(group);
    let last = runs.len() - 1;
    let places: &[(&'static str, usize)] = match runs.len() {
        1 => &[("The only finished seed", 0)],
        2 => &[("Best seed", 1), ("Worst seed", 0)],
        _ => &[("Best seed", last), ("Median seed", last / 2), ("Worst seed", 0)],
    };
    let show = |(what, at): &(&'static str, usize)| Pick { what, label: &group.label, run: runs[*at].1, file: FINAL };
    places.iter().map(show).collect()
}

/// Returns the finished runs, worst first.
fn ranked(group: &Group) -> Vec<(f64, &Run)> {
    let mut runs: Vec<(f64, &Run)> = group.runs.iter().filter_map(|run| Some((run.final_score?, run))).collect();
    runs.sort_by(|a, b| a.0.total_cmp(&b.0));
    runs
}

/// Plays the chosen episodes.
pub fn replays(picks: &[Pick], task: &Arc<Task>) -> Result<Vec<Replay>> {
    let mut simulator = Simulator::new(task.clone());
    picks.iter().map(|pick| replay(pick, task, &mut simulator)).collect()
}

fn replay(pick: &Pick, task: &Task, simulator: &mut Simulator) -> Result<Replay> {
    let path = pick.policy();
    let file = PolicyFile::read(&path)?;
    let policy = file.policy_for(&path, task.name(), task.observations, task.actions)?;
    let part = |field: &str| file.score.as_ref().and_then(|score| score.get(field));
    let seed = part("first_seed").and_then(Value::as_u64).unwrap_or(0);
    let scored = match (part("mean").and_then(Value::as_f64), part("episodes").and_then(Value::as_u64)) {
        (Some(mean), Some(n)) => format!(": mean return {} over {n} episodes", score(mean)),
        _ => String::new(),
    };
    let (data, outcome) = match html::data(simulator, &policy, seed, Some(SECONDS)) {
        Ok(recorded) => recorded,
        Err(error) => {
            let about = format!(" of {}, seed {}, cannot be shown: {error}.", pick.label, pick.run.seed);
            return Ok(Replay { what: pick.what, about, data: None });
        }
    };
    let long = outcome.length as f64 * task.dt();
    let cut = if long > SECONDS { format!(", its first {SECONDS} of {long:.0} seconds") } else { String::new() };
    let about = format!(
        ", {}, seed {}{scored}. The replay shows the episode with reset seed {}{cut}.",
        pick.label,
        pick.run.seed,
        thousands(seed as f64, 0)
    );
    Ok(Replay { what: pick.what, about, data: Some(data) })
}
