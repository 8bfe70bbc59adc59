//! The statistics and the scores of every run.

use super::table::{Cell, Table};
use super::words::count;
use crate::Result;
use crate::plot::numbers::{score, thousands};
use crate::report::comparison::Comparison;
use crate::report::repetitions::Group;
use crate::report::runs::Run;
use crate::run_folder::{BEST, FINAL};
use crate::statistics::RESAMPLES;
use serde_json::Value;

/// Returns the comparison as a table.
pub fn statistics(comparison: &Comparison) -> Table {
    let mut rows = comparison.rows().into_iter();
    let header = rows.next().unwrap_or_default();
    Table {
        class: "wide",
        caption: format!("{}: final held-out return, with 95% bootstrap intervals", comparison.task),
        header,
        rows: rows.map(|row| row.into_iter().map(Cell::Text).collect()).collect(),
    }
}

/// Explains the terms of the comparison.
pub fn terms(comparison: &Comparison) -> Vec<(&'static str, String)> {
    let mut notes = vec![
        ("n", "runs that differ only in the seed; only finished ones have a final return.".to_string()),
        (
            "IQM",
            "the interquartile mean of the final returns: a quarter of the runs, rounded down, is dropped at either \
             end and the rest is averaged. It resists a lucky seed, and it uses more of the data than the median."
                .to_string(),
        ),
        (
            "[low, high]",
            format!(
                "the 95% bootstrap interval: the runs are resampled {} times with replacement, and 95% of the \
                 resampled statistics lie inside. A single run has no interval.",
                thousands(RESAMPLES as f64, 0)
            ),
        ),
    ];
    if let Some(baseline) = &comparison.baseline {
        notes.push((
            "P(better)",
            format!(
                "the probability of improvement: how likely it is that a run of this method ends above a run of \
                 {baseline}; a tie counts half. 0.5 means that neither is better; an interval that contains 0.5 \
                 decides nothing."
            ),
        ));
    }
    notes
}

/// Returns a table with one row per run: the scores of its policies on fresh seeds.
pub fn runs(groups: &[Group]) -> Result<Table> {
    let header = ["run", "training episodes", "final policy", "best policy"].map(String::from).to_vec();
    let mut rows = Vec::new();
    for group in groups {
        for run in &group.runs {
            let trained = run.rows.last().map_or(0.0, |row| row.episodes as f64);
            rows.push(vec![
                Cell::Text(format!("{}, seed {}", group.label, run.seed)),
                Cell::number(trained, thousands(trained, 0)),
                // A run that was continued after it had ended still has its earlier final policy, which does not count.
                run.final_score.map_or(Ok(None), |_| scored(run, FINAL))?.unwrap_or_else(|| Cell::text("not finished")),
                scored(run, BEST)?.unwrap_or_else(|| Cell::text("none yet")),
            ]);
        }
    }
    Ok(Table { class: "wide", caption: format!("Scores of {}", count(rows.len(), "run")), header, rows })
}

fn scored(run: &Run, name: &str) -> Result<Option<Cell>> {
    let Some(policy) = run.folder.read_policy(name)? else { return Ok(None) };
    let part = |field: &str| policy.score.as_ref().and_then(|score| score.get(field)).and_then(Value::as_f64);
    let Some(exact) = part("mean") else { return Ok(Some(Cell::text("not scored"))) };
    let mut spread = part("std").map_or(String::new(), |std| format!(" ± {}", score(std)));
    if let Some(diverged) = part("diverged") {
        spread += &format!(" ({diverged} diverged)");
    }
    Ok(Some(Cell::Number { exact, shown: score(exact), spread }))
}
