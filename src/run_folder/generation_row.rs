//! A row of metrics.csv: its columns, its number format, and reading it back.

use crate::{Error, Result};
use serde::{Deserialize, Serialize, Serializer};
use std::path::Path;

/// One generation. Returns are the task's own, undiscounted and unshifted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GenerationRow {
    pub generation: u64,
    /// The training episodes so far.
    pub episodes: u64,
    /// The environment steps of training so far.
    pub steps: u64,
    pub seconds: f64,
    /// The return of one episode of the center, or −∞ if it diverged.
    pub center_return: f64,
    /// The mean and standard deviation of the center on the held-out seeds, if it was evaluated. The mean is −∞ if an
    /// episode diverged.
    pub heldout: Option<(f64, f64)>,
    /// The mean return with which the best policy so far won, on the fresh seeds of that evaluation. The best of many
    /// such means is optimistic; the score in the policy's file is not.
    pub best_return: Option<f64>,
    /// The maximum, upper quartile, median, lower quartile and minimum of the candidates that did not diverge.
    pub batch: [f64; 5],
    pub sigma: f64,
    /// How far the center moved in this generation, in units of sigma.
    pub center_step: f64,
    pub condition: f64,
    /// The number of diverged episodes in this generation.
    pub diverged: u64,
}

/// Declares a line of the file and the names of its columns.
macro_rules! columns {
    ($($(#[$how:meta])* $name:ident: $type:ty,)*) => {
        #[derive(Serialize, Deserialize)]
        struct Line {
            $($(#[$how])* $name: $type,)*
        }
        const COLUMNS: &[&str] = &[$(stringify!($name)),*];

        impl Line {
            /// The cells by the names of their columns. JSON has no infinite numbers, so those are null as well.
            fn named(&self) -> serde_json::Value {
                [$((stringify!($name), serde_json::json!(self.$name))),*].into_iter().collect()
            }
        }
    };
}

columns! {
    generation: u64,
    episodes: u64,
    steps: u64,
    #[serde(serialize_with = "milliseconds")]
    seconds: f64,
    #[serde(serialize_with = "shortest")]
    center_return: f64,
    #[serde(serialize_with = "shortest_or_empty")]
    heldout_mean: Option<f64>,
    #[serde(serialize_with = "shortest_or_empty")]
    heldout_sd: Option<f64>,
    #[serde(serialize_with = "shortest_or_empty")]
    best_return: Option<f64>,
    #[serde(serialize_with = "shortest")]
    batch_max: f64,
    #[serde(serialize_with = "shortest")]
    batch_q75: f64,
    #[serde(serialize_with = "shortest")]
    batch_median: f64,
    #[serde(serialize_with = "shortest")]
    batch_q25: f64,
    #[serde(serialize_with = "shortest")]
    batch_min: f64,
    #[serde(serialize_with = "shortest")]
    sigma: f64,
    #[serde(serialize_with = "shortest", default = "unknown")]
    center_step: f64,
    #[serde(serialize_with = "shortest")]
    condition: f64,
    diverged: u64,
}

/// The only column that the earliest runs did not have.
const LATER: &str = "center_step";

fn unknown() -> f64 {
    f64::NAN
}

fn milliseconds<S: Serializer>(seconds: &f64, serializer: S) -> std::result::Result<S::Ok, S::Error> {
    serializer.collect_str(&format_args!("{seconds:.3}"))
}

/// Writes the shortest decimal number that reads back as the same value, without an exponent.
fn shortest<S: Serializer>(number: &f64, serializer: S) -> std::result::Result<S::Ok, S::Error> {
    serializer.collect_str(number)
}

fn shortest_or_empty<S: Serializer>(number: &Option<f64>, serializer: S) -> std::result::Result<S::Ok, S::Error> {
    match number {
        Some(number) => serializer.collect_str(number),
        None => serializer.serialize_str(""),
    }
}

impl From<&GenerationRow> for Line {
    fn from(row: &GenerationRow) -> Self {
        let [batch_max, batch_q75, batch_median, batch_q25, batch_min] = row.batch;
        Self {
            generation: row.generation,
            episodes: row.episodes,
            steps: row.steps,
            // The clock of the log ticks in milliseconds.
            seconds: (row.seconds * 1e3).round() / 1e3,
            center_return: row.center_return,
            heldout_mean: row.heldout.map(|(mean, _)| mean),
            heldout_sd: row.heldout.map(|(_, sd)| sd),
            best_return: row.best_return,
            batch_max,
            batch_q75,
            batch_median,
            batch_q25,
            batch_min,
            sigma: row.sigma,
            center_step: row.center_step,
            condition: row.condition,
            diverged: row.diverged,
        }
    }
}

impl From<Line> for GenerationRow {
    fn from(line: Line) -> Self {
        Self {
            generation: line.generation,
            episodes: line.episodes,
            steps: line.steps,
            seconds: line.seconds,
            center_return: line.center_return,
            heldout: line.heldout_mean.map(|mean| (mean, line.heldout_sd.unwrap_or(f64::NAN))),
            best_return: line.best_return,
            batch: [line.batch_max, line.batch_q75, line.batch_median, line.batch_q25, line.batch_min],
            sigma: line.sigma,
            center_step: line.center_step,
            condition: line.condition,
            diverged: line.diverged,
        }
    }
}

/// Returns the first line of the file.
pub(super) fn header() -> String {
    COLUMNS.join(",")
}

impl GenerationRow {
    /// Returns the center's mean return on the held-out seeds, if it was evaluated and no episode diverged.
    pub fn heldout_mean(&self) -> Option<f64> {
        self.heldout.map(|(mean, _)| mean).filter(|mean| mean.is_finite())
    }

    /// Returns the row as a JSON object with the names of the columns. What is not known is null.
    pub fn named(&self) -> serde_json::Value {
        Line::from(self).named()
    }

    /// Returns the row as a line with its newline.
    pub(super) fn line(&self) -> Result<Vec<u8>> {
        let failed = |e: String| Error::failed(format!("cannot write a row of metrics.csv: {e}"));
        let mut writer = csv::WriterBuilder::new().has_headers(false).from_writer(Vec::new());
        writer.serialize(Line::from(self)).map_err(|e| failed(e.to_string()))?;
        writer.into_inner().map_err(|e| failed(e.to_string()))
    }
}

/// Reads all complete lines. A last line without a newline is still being written and is left out.
pub(super) fn read(file: &Path) -> Result<Vec<GenerationRow>> {
    let text = std::fs::read_to_string(file).map_err(|e| Error::input(file, e))?;
    parse(&text[..text.rfind('\n').map_or(0, |end| end + 1)]).map_err(|what| Error::input(file, what))
}

/// Finds columns by their names, so that there may be others in between.
pub(super) fn parse(text: &str) -> std::result::Result<Vec<GenerationRow>, String> {
    if text.is_empty() {
        return Ok(Vec::new());
    }
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let header = reader.headers().map_err(|e| e.to_string())?.clone();
    if let Some(missing) = COLUMNS.iter().find(|name| **name != LATER && !header.iter().any(|known| known == **name)) {
        return Err(format!("line 1: there is no column `{missing}`"));
    }
    let mut rows: Vec<GenerationRow> = Vec::new();
    for line in reader.deserialize::<Line>() {
        let row = GenerationRow::from(line.map_err(|e| explain(&e, &header))?);
        if rows.last().is_some_and(|last| last.episodes > row.episodes || last.steps > row.steps) {
            let line = rows.len() + 2;
            return Err(format!("line {line}, columns `episodes`, `steps`: fewer than on the line before"));
        }
        rows.push(row);
    }
    Ok(rows)
}

fn explain(error: &csv::Error, header: &csv::StringRecord) -> String {
    let line = error.position().map_or(0, csv::Position::line);
    match error.kind() {
        csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
            format!("line {line}: {len} fields, the header has {expected_len}")
        }
        csv::ErrorKind::Deserialize { err, .. } => {
            let column = err.field().and_then(|at| header.get(at as usize));
            let column = column.map_or(String::new(), |name| format!(", column `{name}`"));
            format!("line {line}{column}: {}", err.kind())
        }
        _ => format!("line {line}: {error}"),
    }
}
