//! Writes a benchmark as aligned text, Markdown or CSV. Its JSON is the serialized struct itself.

use super::super::table::{NONE, aligned, optional, piped};
use super::{Benchmark, Cell, Column};
use crate::benchmark::paper::Evaluations;
use crate::plot::numbers::{compact, csv_field, mark, thousands};

/// Rows of cells, the header first.
type Table = Vec<Vec<String>>;

impl Benchmark {
    /// For the terminal.
    pub fn text(&self) -> String {
        let mut text = format!("{}\n{}\n", self.title, self.about);
        for column in &self.columns {
            text += &format!("\n{}\n", column.name);
            self.tables(column).iter().for_each(|table| text += &format!("\n{}", aligned(table, 2)));
        }
        text + &self.notes("  ")
    }

    /// For a README or a notebook, starting with the command that reproduces the table.
    pub fn markdown(&self) -> String {
        let mut text = format!("```sh\n{}\n```\n\n**{}**: {}\n", self.command, self.title, self.about);
        for column in &self.columns {
            text += &format!("\n### {}\n", column.name);
            self.tables(column).iter().for_each(|table| text += &format!("\n{}", piped(table)));
        }
        text + &self.notes("- ")
    }

    /// For programs: full precision, one line per cell, empty fields for missing numbers.
    pub fn csv(&self) -> String {
        let mut text =
            "column,problem,optimizer,trials,median,q25,q75,least,evaluations,successes,mean_rank\n".to_string();
        for column in &self.columns {
            for row in &column.optimizers {
                for cell in &row.problems {
                    let (name, optimizer) = (csv_field(&column.name), csv_field(&row.optimizer));
                    text += &format!("{name},{},{optimizer},{}", cell.problem, self.trials);
                    for number in [cell.median, cell.q25, cell.q75, cell.least, cell.evaluations] {
                        text += &format!(",{}", optional(number));
                    }
                    text += &format!(",{},{}\n", cell.successes, row.rank);
                }
            }
        }
        text
    }

    fn tables(&self, column: &Column) -> Vec<Table> {
        let problems = column.optimizers.first().map_or(0, |row| row.problems.len());
        let mut tables = if problems == 1 { vec![self.detailed(column)] } else { self.wide(column) };
        tables.extend(self.beside_the_paper(column));
        tables
    }

    /// A single problem: one row per optimizer with all its numbers.
    fn detailed(&self, column: &Column) -> Table {
        let cells = column.optimizers.iter().filter_map(|row| Some((row, row.problems.first()?)));
        let problem = column.optimizers.iter().find_map(|row| row.problems.first()).map_or("", |cell| cell.problem);
        let mut header = vec![problem.to_string()];
        header.extend(["median best", "lower quartile", "upper quartile", "min"].map(String::from));
        header.extend(self.target.map(|target| format!("evaluations to {}", mark(target))));
        let rows = cells.map(|(row, cell)| {
            let mut cells = vec![row.optimizer.clone()];
            cells.extend([cell.median, cell.q25, cell.q75, cell.least].map(shown));
            cells.extend(self.target.map(|_| self.evaluations(cell)));
            cells
        });
        std::iter::once(header).chain(rows).collect()
    }

    /// Several problems: one column each, in two tables.
    fn wide(&self, column: &Column) -> Vec<Table> {
        let table = |what: String, last: Option<&str>, show: &dyn Fn(&Cell) -> String| {
            let names = column.optimizers.iter().take(1).flat_map(|row| &row.problems);
            let header = std::iter::once(what).chain(names.map(|cell| cell.short.to_string()));
            let mut rows = vec![header.chain(last.map(String::from)).collect::<Vec<_>>()];
            rows.extend(column.optimizers.iter().map(|row| {
                let cells = std::iter::once(row.optimizer.clone()).chain(row.problems.iter().map(show));
                cells.chain(last.map(|_| thousands(row.rank, 1))).collect()
            }));
            rows
        };
        let mut tables = vec![table("median best value".into(), Some("rank"), &|cell| shown(cell.median))];
        tables.extend(
            self.target
                .map(|target| table(format!("evaluations to {}", mark(target)), None, &|cell| self.evaluations(cell))),
        );
        tables
    }

    /// The paper's numbers next to ours, where both are known.
    fn beside_the_paper(&self, column: &Column) -> Option<Table> {
        let row = column.optimizers.iter().find(|row| row.problems.iter().any(|cell| cell.printed.is_some()))?;
        let header = [row.optimizer.as_str(), "best value", "paper's", "evaluations", "paper's", "ratio"];
        let mut rows = vec![header.map(String::from).to_vec()];
        for (cell, printed) in row.problems.iter().filter_map(|cell| Some((cell, cell.printed?))) {
            let (theirs, ratio) = match (printed.evaluations, cell.evaluations) {
                (Evaluations::Median(theirs), Some(ours)) => (thousands(theirs, 0), thousands(ours / theirs, 2)),
                (Evaluations::Median(theirs), None) => (thousands(theirs, 0), NONE.to_string()),
                (Evaluations::Never, _) => ("never".to_string(), NONE.to_string()),
                (Evaluations::Unknown, _) => (NONE.to_string(), NONE.to_string()),
            };
            let best = printed.best.map_or(NONE.to_string(), |best| thousands(best, 1));
            rows.push(vec![cell.problem.into(), shown(cell.median), best, self.evaluations(cell), theirs, ratio]);
        }
        Some(rows)
    }

    /// Returns the median, followed by the number of successful trials if not all of them reached the target.
    fn evaluations(&self, cell: &Cell) -> String {
        let median = cell.evaluations.map_or("never".to_string(), |n| thousands(n, 0));
        match cell.successes {
            0 => median,
            all if all == self.trials => median,
            some => format!("{median}·{some}"),
        }
    }

    /// Returns the explanations as a paragraph with `mark_of_line` in front of each line, or nothing if there are none.
    fn notes(&self, mark_of_line: &str) -> String {
        let mut notes = Vec::new();
        let several = self.columns.iter().flat_map(|column| &column.optimizers).any(|row| row.problems.len() > 1);
        if several {
            notes.push("rank: place by median best value, 1 for the lowest, averaged over functions".to_string());
        }
        if let Some(target) = self.target {
            notes.push(format!(
                "evaluations to {}: the median over trials; a trial that never gets there counts as infinity",
                mark(target)
            ));
            notes.push(format!("·k: only k of the {} trials got there", self.trials));
        }
        let start = if notes.is_empty() { "" } else { "\n" };
        start.to_string() + &notes.iter().map(|note| format!("{mark_of_line}{note}\n")).collect::<String>()
    }
}

fn shown(value: Option<f64>) -> String {
    value.map_or(NONE.to_string(), compact)
}
