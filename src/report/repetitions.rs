//! Runs that differ only in the seed are repetitions of one experiment.

use super::runs::Run;
use crate::error::visible;
use crate::settings::PartialSettings;
use crate::sim::{self, Task};
use crate::{Error, Result};
use std::sync::Arc;

/// The repetitions of one experiment, in ascending order of seeds.
#[derive(Clone, Debug)]
pub struct Group {
    /// The optimizer, and the settings in which the given groups differ.
    pub label: String,
    pub env: String,
    /// The name of the task as shown to readers.
    pub task: String,
    pub optimizer: String,
    pub runs: Vec<Run>,
}

impl Group {
    /// Returns the task, from a run's own copy if it has one; or none if a user's own task has moved.
    pub fn task(&self) -> Option<Arc<Task>> {
        self.runs.iter().find_map(|run| sim::find(&run.robot).ok())
    }

    /// Returns the settings that its runs share: all but the seed.
    pub fn settings(&self) -> PartialSettings {
        self.runs.first().map_or_else(PartialSettings::default, |run| seedless(&run.settings))
    }
}

fn seedless(settings: &PartialSettings) -> PartialSettings {
    PartialSettings { seed: None, ..settings.clone() }
}

/// Sorts runs of one task into groups, in order of first appearance.
///
/// # Errors
/// If the runs are of different tasks, or if a seed appears twice in a group.
pub fn group(runs: Vec<Run>) -> Result<Vec<Group>> {
    let mut groups: Vec<Group> = Vec::new();
    for run in runs {
        match groups.iter_mut().find(|group| group.settings() == seedless(&run.settings)) {
            Some(group) => group.runs.push(run),
            None => groups.push(Group {
                label: run.optimizer.clone(),
                env: run.env.clone(),
                task: run.task.clone(),
                optimizer: run.optimizer.clone(),
                runs: vec![run],
            }),
        }
    }
    check_one_task(&groups)?;
    for group in &mut groups {
        group.runs.sort_by_key(|run| run.seed);
        // Counting one seed twice would make the result look more certain than it is.
        if let Some(twins) = group.runs.windows(2).find(|pair| pair[0].seed == pair[1].seed) {
            let folders = twins.iter().map(|run| format!("\n  {}", run.folder.path().display())).collect::<String>();
            return Err(Error::usage(format!(
                "the same experiment appears twice with seed {}:{folders}",
                twins[0].seed
            ))
            .hint("name only one of them"));
        }
    }
    let labels: Vec<String> = groups.iter().map(|group| label(group, &groups)).collect();
    groups.iter_mut().zip(labels).for_each(|(group, label)| group.label = label);
    Ok(groups)
}

fn check_one_task(groups: &[Group]) -> Result<()> {
    let Some(first) = groups.first() else { return Ok(()) };
    match groups.iter().find(|group| group.env != first.env) {
        Some(other) => Err(Error::usage(format!("runs of different tasks: `{}` and `{}`", first.env, other.env))
            .hint("returns of different tasks cannot be compared; name runs of one task")),
        None => Ok(()),
    }
}

/// Names a setting if groups of the same optimizer differ in it. Different optimizers are told apart by their names:
/// each has its own defaults, and the report lists all of them.
fn label(group: &Group, groups: &[Group]) -> String {
    let kin: Vec<_> = groups.iter().filter(|other| other.optimizer == group.optimizer).map(Group::settings).collect();
    let in_all = |told: &(&str, String)| kin.iter().all(|settings| settings.told().contains(told));
    let differs = group.settings().told().into_iter().filter(|told| !in_all(told));
    group.optimizer.clone() + &differs.map(|(name, value)| format!(" {name}={}", visible(&value))).collect::<String>()
}
