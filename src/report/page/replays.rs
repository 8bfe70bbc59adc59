//! Chooses the policies to show: the best of every method side by side, then other seeds of the best method.

use super::words::count;
use crate::Result;
use crate::film::html::{self, Shown};
use crate::plot::numbers::thousands;
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
/// Browsers draw only about sixteen scenes on one page.
const MOST: usize = 12;

/// An episode on the page.
pub struct Pick<'a> {
    what: String,
    label: &'a str,
    run: &'a Run,
    file: &'static str,
}

impl Pick<'_> {
    /// The path of the policy file.
    pub fn policy(&self) -> PathBuf {
        self.run.folder.file(self.file)
    }

    /// A name for its film.
    pub fn film(&self) -> String {
        format!("{}-seed-{}", self.label, self.run.seed)
    }

    fn name(&self) -> String {
        format!("{}, seed {}", self.label, self.run.seed)
    }
}

/// Episodes that belong side by side.
pub struct Row<T> {
    /// A sentence about them, empty if each speaks for itself.
    pub about: String,
    pub items: Vec<T>,
}

/// What the page shows of an episode: a title, a description, and the data to replay it if that is possible.
pub struct Replay {
    pub what: String,
    pub about: String,
    pub data: Option<String>,
}

/// Picks the final policies of finished runs, because the seeds are ranked by those. A single run, and runs of which none
/// has finished, show their best policy so far.
pub fn pick(groups: &[Group]) -> Vec<Row<Pick<'_>>> {
    let mut finished: Vec<&Group> = groups.iter().filter(|group| !ranked(group).is_empty()).collect();
    let runs: usize = groups.iter().map(|group| group.runs.len()).sum();
    let rows = match finished.len() {
        0 => vec![Row { about: String::new(), items: groups.iter().filter_map(best_so_far).collect() }],
        _ if runs == 1 => vec![Row { about: String::new(), items: groups.iter().filter_map(only).collect() }],
        1 => vec![Row { about: String::new(), items: seeds(finished[0], true) }],
        methods => {
            finished.sort_by(|a, b| middle(b).total_cmp(&middle(a)));
            finished.truncate(MOST - 2);
            let cut = match methods > finished.len() {
                true => format!(" These are the best {} of {methods} methods.", finished.len()),
                false => String::new(),
            };
            let about = format!("The final policy of each method's best seed, side by side.{cut}");
            let best = Row {
                about,
                items: finished.iter().filter_map(|group| seeds(group, true).into_iter().next()).collect(),
            };
            let about = format!("Other seeds of {}, the best method:", finished[0].label);
            vec![best, Row { about, items: seeds(finished[0], false) }]
        }
    };
    rows.into_iter().filter(|row| !row.items.is_empty()).collect()
}

/// Picks the best policy of the only run. It may not have finished.
fn only(group: &Group) -> Option<Pick<'_>> {
    let run = group.runs.first()?;
    let file = [BEST, FINAL].into_iter().find(|file| run.folder.file(file).exists())?;
    Some(Pick { what: "The best policy".into(), label: &group.label, run, file })
}

/// Picks the best confirmed policy of a group in which no run has finished.
fn best_so_far(group: &Group) -> Option<Pick<'_>> {
    let value = |run: &Run| run.rows.last().and_then(|row| row.best_return).unwrap_or(f64::NEG_INFINITY);
    let known = group.runs.iter().filter(|run| run.folder.file(BEST).exists());
    let run = known.max_by(|a, b| value(a).total_cmp(&value(b)))?;
    Some(Pick { what: "The best so far".into(), label: &group.label, run, file: BEST })
}

/// Picks the best, median and worst seed of a group, with or without the best.
fn seeds(group: &Group, with_best: bool) -> Vec<Pick<'_>> {
    let runs = ranked(group);
    let places = match runs.len() {
        0 => vec![],
        1 => vec![("The only finished seed", 0)],
        2 => vec![("Best seed", 1), ("Worst seed", 0)],
        n => vec![("Best seed", n - 1), ("Median seed", (n - 1) / 2), ("Worst seed", 0)],
    };
    let show = |(what, at): (&str, usize)| {
        let what = format!("{what} of {}", group.label);
        Pick { what, label: &group.label, run: runs[at].1, file: FINAL }
    };
    places.into_iter().skip(usize::from(!with_best)).map(show).collect()
}

fn middle(group: &Group) -> f64 {
    interquartile_mean(&ranked(group).iter().map(|(score, _)| *score).collect::<Vec<_>>())
}

/// Returns the finished runs, worst first.
fn ranked(group: &Group) -> Vec<(f64, &Run)> {
    let mut runs: Vec<(f64, &Run)> = group.runs.iter().filter_map(|run| Some((run.final_score?, run))).collect();
    runs.sort_by(|a, b| a.0.total_cmp(&b.0));
    runs
}

/// Plays the chosen episodes.
pub fn replays(rows: &[Row<Pick>], task: &Arc<Task>) -> Result<Vec<Row<Replay>>> {
    let mut simulator = Simulator::new(task.clone());
    let mut play = |row: &Row<Pick>| {
        let items = row.items.iter().map(|pick| replay(pick, task, &mut simulator)).collect::<Result<_>>()?;
        Ok(Row { about: row.about.clone(), items })
    };
    rows.iter().map(&mut play).collect()
}

fn replay(pick: &Pick, task: &Task, simulator: &mut Simulator) -> Result<Replay> {
    let path = pick.policy();
    let file = PolicyFile::read(&path)?;
    let policy = file.policy_for(&path, task.name(), task.observations, task.actions)?;
    let seed = file.score.as_ref().and_then(|score| score.get("first_seed")).and_then(Value::as_u64).unwrap_or(0);
    let (what, name) = (pick.what.clone(), pick.name());
    let shown = Shown { policy: &policy, name: &name, score: file.score.as_ref() };
    let (data, outcome) = match html::data(simulator, &shown, seed, Some(SECONDS)) {
        Ok(recorded) => recorded,
        Err(error) => {
            let about = format!(", seed {}, cannot be shown: {error}.", pick.run.seed);
            return Ok(Replay { what, about, data: None });
        }
    };
    let long = outcome.length as f64 * task.dt();
    let cut = if long > SECONDS {
        format!(", its first {SECONDS} of {}", count(long.round() as usize, "second"))
    } else {
        String::new()
    };
    let about = format!(", seed {}: the episode with reset seed {}{cut}.", pick.run.seed, thousands(seed as f64, 0));
    Ok(Replay { what, about, data: Some(data) })
}
