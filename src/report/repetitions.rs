//! Runs that differ in nothing but the seed are repetitions of one experiment.

use super::runs::Run;
use crate::{Error, Result};
use toml::Value;

/// Settings that do not change what is learned, or do so on purpose: the seed.
const APART: &[&str] = &["seed", "threads", "workers", "out", "resume", "config", "baseline", "json", "quiet", "force"];

/// The repetitions of one experiment, seeds ascending.
#[derive(Clone, Debug)]
pub struct Group {
    /// The optimiser, and the settings by which the groups at hand differ.
    pub label: String,
    pub env: String,
    pub optimizer: String,
    pub runs: Vec<Run>,
}

impl Group {
    fn setting(&self, key: &str) -> Option<&Value> {
        self.runs.first().and_then(|run| run.settings.get(key))
    }
}

/// Sorts runs of one task into groups, in order of first appearance.
pub fn group(runs: Vec<Run>) -> Result<Vec<Group>> {
    let mut groups: Vec<Group> = Vec::new();
    for run in runs {
        match groups.iter_mut().find(|group| same_experiment(&group.runs[0], &run)) {
            Some(group) => group.runs.push(run),
            None => groups.push(Group {
                label: run.optimizer.clone(),
                env: run.env.clone(),
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
            let folders = twins.iter().map(|run| format!("\n  {}", run.folder.display())).collect::<String>();
            return Err(Error::usage(format!("the same experiment with seed {} twice:{folders}", twins[0].seed))
                .hint("name only one of them"));
        }
    }
    let labels: Vec<String> = groups.iter().map(|group| label(group, &groups)).collect();
    groups.iter_mut().zip(labels).for_each(|(group, label)| group.label = label);
    Ok(groups)
}

fn same_experiment(a: &Run, b: &Run) -> bool {
    let keys = |run: &'_ Run| run.settings.keys().filter(|key| !APART.contains(&key.as_str())).count();
    let same = |key: &String| APART.contains(&key.as_str()) || a.settings.get(key) == b.settings.get(key);
    keys(a) == keys(b) && a.settings.keys().all(same)
}

fn check_one_task(groups: &[Group]) -> Result<()> {
    let Some(first) = groups.first() else { return Ok(()) };
    match groups.iter().find(|group| group.env != first.env) {
        Some(other) => Err(Error::usage(format!("runs of different tasks: `{}` and `{}`", first.env, other.env))
            .hint("returns of different tasks cannot be compared; name runs of one task")),
        None => Ok(()),
    }
}

/// A setting is named where groups of one optimizer differ in it. Different optimizers are told apart by their names: each
/// has defaults of its own, and the report lists all of them.
fn label(group: &Group, groups: &[Group]) -> String {
    let kin: Vec<&Group> = groups.iter().filter(|other| other.optimizer == group.optimizer).collect();
    let differs = |key: &str| kin.iter().any(|other| other.setting(key) != group.setting(key));
    let settings = &group.runs[0].settings;
    let named = settings.iter().filter(|(key, _)| key.as_str() != "optimizer" && !APART.contains(&key.as_str()));
    let named = named.filter(|(key, _)| differs(key)).map(|(key, value)| format!(" {key}={}", short(value)));
    group.optimizer.clone() + &named.collect::<String>()
}

/// 2.0 as 2, "exact" without its quotes.
pub fn short(value: &Value) -> String {
    match value {
        Value::String(word) => word.clone(),
        Value::Float(number) => number.to_string(),
        other => other.to_string(),
    }
}
