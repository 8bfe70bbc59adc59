//! States what was asked and what came out, in a few sentences.

use super::words::{count, list};
use crate::plot::numbers::{score, thousands};
use crate::report::comparison::{Comparison, Entry};
use crate::report::repetitions::Group;
use crate::report::table::shown;

/// With at least this many seeds, a percentile bootstrap interval is about as wide as it should be.
const ENOUGH: usize = 5;

pub fn title(groups: &[Group]) -> String {
    let labels: Vec<&str> = groups.iter().map(|group| group.label.as_str()).collect();
    let seed = match groups {
        [one] if one.runs.len() == 1 => format!(", seed {}", one.runs[0].seed),
        _ => String::new(),
    };
    format!("{}: {}{seed}", groups.first().map_or("", |group| &group.task), list(&labels, "and"))
}

pub fn question(groups: &[Group], about: Option<&str>) -> String {
    let task = groups.first().map_or(String::new(), |group| match about {
        Some(about) => format!("{} ({about})", group.task),
        None => group.task.clone(),
    });
    let labels: Vec<&str> = groups.iter().map(|group| group.label.as_str()).collect();
    let within = budget(groups).map_or("its budget".to_string(), |budget| format!("{budget} training episodes"));
    match groups {
        [one] if one.runs.len() == 1 => {
            format!("How good a policy does {} find for {task} within {within}, from one seed?", one.label)
        }
        [one] => format!(
            "How good a policy does {} find for {task} within {within}, and how much does that depend on the seed?",
            one.label
        ),
        _ => format!(
            "Which finds the better policy for {task} within {within}: {}? And how sure is that?",
            list(&labels, "or")
        ),
    }
}

/// Returns the budget, if all groups have the same one.
fn budget(groups: &[Group]) -> Option<String> {
    let mut budgets = groups.iter().map(|group| group.settings().budget);
    let first = budgets.next()??;
    budgets.all(|other| other == Some(first)).then(|| thousands(first as f64, 0))
}

pub fn answer(comparison: &Comparison) -> String {
    let mut ranked: Vec<(&Entry, f64)> =
        comparison.groups.iter().filter_map(|entry| Some((entry, entry.merit?))).collect();
    ranked.sort_by(|a, b| b.1.total_cmp(&a.1));
    let mut said = Vec::new();
    match ranked.first() {
        None => said.push("No run has finished yet, so there is no final score.".to_string()),
        Some((best, _)) if best.finished == 1 && ranked.len() == 1 => {
            let value = best.iqm.map_or(String::new(), |iqm| score(iqm.value));
            said.push(format!("The final policy's mean return is {value}."));
        }
        Some((_, value)) if *value == f64::NEG_INFINITY => {
            said.push("The physics broke down in runs of every optimizer, so none came out highest.".to_string());
        }
        Some((best, _)) => {
            let lead = if ranked.len() > 1 { format!("{} came out highest", best.label) } else { best.label.clone() };
            let value = shown(&best.iqm, score);
            let runs = count(best.finished, "finished run");
            said.push(format!("{lead}: final return {value} (interquartile mean of {runs}, 95% interval)."));
        }
    }
    let fewest = comparison.groups.iter().map(|entry| entry.finished).filter(|n| *n > 0).min().unwrap_or(0);
    let versus = |entry| against_baseline(entry, comparison.baseline.as_deref()?, fewest < ENOUGH);
    said.extend(comparison.groups.iter().filter_map(versus));
    if (2..ENOUGH).contains(&fewest) {
        said.push(format!("With only {fewest} seeds, the intervals are narrower than they should be."));
    }
    let (runs, finished) =
        comparison.groups.iter().fold((0, 0), |sum, entry| (sum.0 + entry.runs, sum.1 + entry.finished));
    if finished < runs {
        said.push(format!(
            "{} of {} not finished: in progress or interrupted. They count in the curves, not in the final scores.",
            runs - finished,
            count(runs, "run") + if runs - finished == 1 { " is" } else { " are" },
        ));
    }
    said.join(" ")
}

fn against_baseline(entry: &Entry, baseline: &str, few: bool) -> Option<String> {
    let estimate = entry.improvement?;
    let verdict = match estimate.interval {
        _ if few => ", but with so few seeds this may be chance",
        Some(trust) if trust.low > 0.5 => ", more often than by chance",
        Some(trust) if trust.high < 0.5 => ", less often than by chance",
        _ => ", which may be chance",
    };
    let chance = shown(&entry.improvement, |p| thousands(p, 2));
    Some(format!("A run of {} ends above one of {baseline} with probability {chance}{verdict}.", entry.label))
}
