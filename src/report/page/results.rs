//! The statistics, and every run's own scores.

use super::markup::{count, element, escape, number, table};
use crate::Result;
use crate::plot::numbers::{score, thousands};
use crate::report::comparison::Comparison;
use crate::report::repetitions::Group;
use crate::report::runs::Run;
use crate::run_folder::{BEST, FINAL};
use crate::statistics::RESAMPLES;
use serde_json::Value;

/// The comparison, and how to read it.
pub fn statistics(comparison: &Comparison) -> String {
    let rows = comparison.rows();
    let Some((header, rows)) = rows.split_first() else { return String::new() };
    let cells: Vec<Vec<String>> = rows.iter().map(|row| row.iter().map(|cell| escape(cell)).collect()).collect();
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
    let terms: String = notes.iter().map(|(term, what)| element("dt", term) + &element("dd", what) + "\n").collect();
    let marks: String = comparison.notes().iter().map(|note| element("li", note) + "\n").collect();
    let marks = if marks.is_empty() { marks } else { format!("<ul class=\"notes\">\n{marks}</ul>\n") };
    let caption = format!("{}: final held-out return, with 95 % bootstrap intervals", comparison.task);
    table("wide", &caption, header, &cells) + &format!("<dl class=\"terms\">\n{terms}</dl>\n") + &marks
}

/// A row per run: what its policies are worth on fresh seeds.
pub fn runs(groups: &[Group]) -> Result<String> {
    let header = ["run", "training episodes", "final policy", "best policy"].map(String::from);
    let mut rows = Vec::new();
    for group in groups {
        for run in &group.runs {
            let trained = run.rows.last().map_or(0.0, |row| row.episodes as f64);
            rows.push(vec![
                escape(&format!("{}, seed {}", group.label, run.seed)),
                number(trained, &thousands(trained, 0)),
                // A run that goes on after an earlier end still has the policy of then.
                run.final_score.map_or(Ok(None), |_| scored(run, FINAL))?.unwrap_or_else(|| "not finished".into()),
                scored(run, BEST)?.unwrap_or_else(|| "none yet".into()),
            ]);
        }
    }
    let note = "Mean ± standard deviation of the return over fresh episodes. The final policy is the center of the search \
                at its end. The best policy is the candidate or center that did best in training and confirmed it on \
                fresh seeds. Scores of unfinished runs are from the fewer episodes of that confirmation.";
    let caption = format!("Scores of {}", count(rows.len(), "run"));
    Ok(table("wide", &caption, &header, &rows) + &format!("<p class=\"note\">{note}</p>\n"))
}

fn scored(run: &Run, name: &str) -> Result<Option<String>> {
    let Some(policy) = run.folder.read_policy(name)? else { return Ok(None) };
    let part = |field: &str| policy.score.as_ref().and_then(|score| score.get(field)).and_then(Value::as_f64);
    let Some(mean) = part("mean") else { return Ok(Some("not scored".into())) };
    let spread = part("std").map_or(String::new(), |std| format!(" ± {}", score(std)));
    Ok(Some(number(mean, &score(mean)) + &spread))
}
