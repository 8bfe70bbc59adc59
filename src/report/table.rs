//! Writes a comparison as aligned text, Markdown or CSV. Its JSON is the serialized struct itself.

use super::comparison::{Comparison, Entry, Estimate};
use crate::plot::numbers::{csv_field, mark, score, thousands};

pub(super) const NONE: &str = "-";

/// The columns with the name, the number of runs and their returns.
const RETURNS: usize = 4;

impl Comparison {
    /// For a file: as on the terminal, with a line for each note.
    pub fn text(&self) -> String {
        self.text_with(str::to_string)
    }

    /// For the terminal: the returns, how they compare and how fast they were reached, each narrow enough for 80 columns.
    /// The notes below, one line each, are written as `wrap` breaks them.
    pub fn text_with(&self, wrap: impl Fn(&str) -> String) -> String {
        let head = format!("{}: final held-out return, with 95% bootstrap intervals\n\n", self.task);
        let rows = self.rows();
        let part = |columns: std::ops::Range<usize>| -> Vec<Vec<String>> {
            rows.iter().map(|row| [&row[..1], &row[columns.clone()]].concat()).collect()
        };
        let (all, compared) = (rows[0].len(), RETURNS + usize::from(self.baseline.is_some()));
        let parts = [1..RETURNS, RETURNS..compared, compared..all].into_iter().filter(|columns| !columns.is_empty());
        let text = head + &parts.map(|columns| aligned(&part(columns), 3)).collect::<Vec<_>>().join("\n");
        let notes: String = self.notes().iter().map(|note| wrap(&format!("  {note}")) + "\n").collect();
        if notes.is_empty() { text } else { format!("{text}\n{notes}") }
    }

    /// For a README or a notebook.
    pub fn markdown(&self) -> String {
        let head = format!("**{}**: final held-out return, with 95% bootstrap intervals\n\n", self.task);
        let text = head + &piped(&self.rows());
        text + &self.notes().iter().map(|note| format!("\n- {note}")).collect::<String>() + "\n"
    }

    /// For programs: full precision, one line per group, empty fields for missing numbers.
    pub fn csv(&self) -> String {
        let mut text = "group,optimizer,runs,finished,iqm,iqm_low,iqm_high,median,median_low,median_high,".to_string();
        text += "improvement,improvement_low,improvement_high";
        for threshold in &self.thresholds {
            text += &format!(",reached_{0},episodes_to_{0}", threshold.value);
        }
        text.push('\n');
        for group in &self.groups {
            let words = [csv_field(&group.label), csv_field(&group.optimizer)];
            let mut fields = words.to_vec();
            fields.extend([group.runs.to_string(), group.finished.to_string()]);
            [group.iqm, group.median, group.improvement].iter().for_each(|estimate| fields.extend(numbers(estimate)));
            for reached in &group.reached {
                fields.extend([reached.successes.to_string(), optional(reached.episodes)]);
            }
            text += &(fields.join(",") + "\n");
        }
        text
    }

    /// Returns the header, then one row per group.
    pub(super) fn rows(&self) -> Vec<Vec<String>> {
        let mut header: Vec<String> = ["optimizer", "n", "IQM", "median"].map(String::from).to_vec();
        header.extend(self.baseline.iter().map(|baseline| format!("P(better than {baseline})")));
        header.extend(self.thresholds.iter().map(|threshold| format!("to {}", mark(threshold.value))));
        let row = |group: &Entry| {
            let n = match group.finished == group.runs {
                true => group.runs.to_string(),
                false => format!("{} of {}", group.finished, group.runs),
            };
            let mut cells = vec![group.label.clone(), n, shown(&group.iqm, score), shown(&group.median, score)];
            if self.baseline.is_some() {
                cells.push(shown(&group.improvement, |p| thousands(p, 2)));
            }
            cells.extend(group.reached.iter().map(|reached| {
                let never = || format!("> {}", thousands(reached.budget as f64, 0));
                let episodes = reached.episodes.map_or_else(never, |episodes| thousands(episodes, 0));
                format!("{episodes} ({}/{})", reached.successes, reached.runs)
            }));
            cells
        };
        std::iter::once(header).chain(self.groups.iter().map(row)).collect()
    }

    pub(super) fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if !self.thresholds.is_empty() {
            notes.push(
                "to R: training episodes until the held-out return was at least R: the median over all runs, and how many runs \
                 got there; a run that did not counts as infinite, and > N means that the median is above the budget N"
                    .to_string(),
            );
        }
        for group in self.groups.iter().filter(|group| group.diverged > 0) {
            notes.push(format!(
                "{}: the physics broke down under the final policy of {} of {} runs; such a run loses every comparison",
                group.label, group.diverged, group.finished
            ));
        }
        notes.extend(
            self.thresholds.iter().map(|threshold| format!("R = {}: {}", mark(threshold.value), threshold.what)),
        );
        notes
    }
}

/// Aligns rows of cells in columns `gap` apart, with words to the left and numbers to the right.
pub(super) fn aligned(rows: &[Vec<String>], gap: usize) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max();
    let widths: Vec<usize> = (0..columns).map(|column| width(column).unwrap_or(0)).collect();
    let line = |row: &Vec<String>| {
        let cells = row.iter().zip(&widths).enumerate().map(|(column, (cell, width))| match column {
            0 => format!("  {cell:<width$}"),
            _ => format!("{:gap$}{cell:>width$}", ""),
        });
        cells.collect::<String>().trim_end().to_string() + "\n"
    };
    rows.iter().map(line).collect()
}

/// Formats the rows as a Markdown table with the first one as its header.
pub(super) fn piped(rows: &[Vec<String>]) -> String {
    let line = |cells: &Vec<String>| format!("| {} |\n", cells.join(" | "));
    let Some((header, rest)) = rows.split_first() else { return String::new() };
    let rule: String = header.iter().skip(1).map(|_| "---:|").collect();
    line(header) + &format!("|---|{rule}\n") + &rest.iter().map(line).collect::<String>()
}

pub(super) fn shown(estimate: &Option<Estimate>, number: fn(f64) -> String) -> String {
    match estimate {
        None => NONE.to_string(),
        Some(Estimate { value, interval: None }) => number(*value),
        Some(Estimate { value, interval: Some(i) }) => {
            format!("{} [{}, {}]", number(*value), number(i.low), number(i.high))
        }
    }
}

fn numbers(estimate: &Option<Estimate>) -> [String; 3] {
    let interval = estimate.and_then(|estimate| estimate.interval);
    let parts = [estimate.map(|estimate| estimate.value), interval.map(|i| i.low), interval.map(|i| i.high)];
    parts.map(optional)
}

pub(super) fn optional(value: Option<f64>) -> String {
    value.map_or(String::new(), |value| value.to_string())
}
