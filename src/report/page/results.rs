//! The statistics, and every run's own scores.

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

/// The comparison.
pub fn statistics(comparison: &Comparison) -> Table {
    let mut rows = comparison.rows().into_iter();
    let header = rows.next().unwrap_or_default();
    Table {
        class: "wide",
        caption: format!("{}: final held-out return, with 95 % bootstrap intervals", comparison.task),
        header,
        rows: rows.map(|row| row.into_iter().map(Cell::Text).collect()).collect(),
    }
}

/// How to read it: each term, and what it means.
pub fn terms(comparison: &Comparison) -> Vec<(&'static str, String)> {
    let mut notes = vec![
        ("n", "runs that differ in nothing but the seed; only finished ones have a final return.".to_string()),
        (
            "IQM",
            "the interquartile mean of the final returns: a quarter of the runs, rounded down, is left out at either \
             end and the rest averaged. A lucky seed does not carry it, and it uses more of the data than the median."
                .to_string(),
        ),
        (
            "[low, high]",
            format!(
                "the 95 % bootstrap interval: the runs are redrawn {} times with replacement, and 95 % of the redrawn \
                 statistics lie inside. One run alone has none.",
                thousands(RESAMPLES as f64, 0)
            ),
        ),
    ];
    if let Some(baseline) = &comparison.baseline {
        notes.push((
            "P(better)",
            format!(
                "the probability of improvement: how likely a run of this method ends above a run of {baseline}, a tie \
                 counting half. 0.5 means that neither is better; an interval that holds 0.5 decides nothing."
            ),
        ));
    }
    notes
}

/// A row per run: what its policies are worth on fresh seeds.
pub fn runs(groups: &[Group]) -> Result<Table> {
    let header = ["run", "training episodes", "final policy", "best policy"].map(String::from).to_vec();
    let mut rows = Vec::new();
    for group in groups {
        for run in &group.runs {
            let trained = run.rows.last().map_or(0.0, |row| row.episodes as f64);
            rows.push(vec![
                Cell::Text(format!("{}, seed {}", group.label, run.seed)),
                Cell::number(trained, thousands(trained, 0)),
                // A run that goes on after an earlier end still has the policy of then.
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
    let spread = part("std").map_or(String::new(), |std| format!(" ± {}", score(std)));
    Ok(Some(Cell::Number { exact, shown: score(exact), spread }))
}
