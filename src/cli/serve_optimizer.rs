//! An optimizer for programs in any language: JSON lines on stdin, an answer to each on stdout.

use super::{print, say};
use crate::error::Kind;
use crate::optim::used_settings::FIELDS;
use crate::optim::{AnyOptimizer, Bounds, Diagnostics, Optimizer};
use crate::settings::PartialSettings;
use crate::train::check_memory;
use crate::{Error, Result};
use clap::Args;
use nalgebra::{DMatrix, DVector};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::io::{BufRead, Read, stdin};

/// The longest line that is read, in bytes.
const LONGEST: u64 = 64 << 20;

#[derive(Args)]
#[command(after_help = PROTOCOL)]
pub struct ServeOptimizer {}

const PROTOCOL: &str = r#"Messages, one JSON document per line:
  {"start": {"dimension": 5, "optimizer": "cma-es", "sigma": 0.5, "seed": 1}}
  {"tell": [3.1, 0.2, null, 1.7]}

`start` begins a search from 0, or from "mean": [...]. The other names are settings of `train`. `tell` gives the losses of the latest candidates in their order; null means that one has failed. The answer to both:
  {"generation": 0, "candidates": [[...], ...], "center": [...], "sigma": 0.5, "condition": 1.0, "stop": null}

`stop` is the reason why the optimizer has ended; there are no candidates then. A wrong line is answered by {"error", "hint", "line", "code"} and changes nothing. The exit code is that of the last wrong line, or 0. docs/python.md has a client."#;

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Request {
    Start(Map<String, Value>),
    Tell(Vec<Option<f64>>),
}

#[derive(Serialize)]
struct Answer {
    generation: u64,
    /// The points to evaluate.
    candidates: Vec<Vec<f64>>,
    /// The point to use if the search ended now.
    center: Vec<f64>,
    sigma: f64,
    condition: f64,
    stop: Option<String>,
}

struct Search {
    optimizer: AnyOptimizer,
    bounds: Bounds,
    /// The number of candidates that wait for their losses.
    asked: usize,
}

impl ServeOptimizer {
    /// Answers line by line until the input ends. Returns the code of the last line that was refused, or 0.
    pub fn run(self) -> Result<u8> {
        let (mut input, mut search, mut code) = (stdin().lock(), None, 0);
        for number in 1_u64.. {
            let mut line = Vec::new();
            let failed = |e| Error::input("standard input", e);
            if (&mut input).take(LONGEST).read_until(b'\n', &mut line).map_err(failed)? == 0 {
                break;
            }
            let answer = if line.len() as u64 == LONGEST && !line.ends_with(b"\n") {
                input.skip_until(b'\n').map_err(failed)?;
                Err(wrong(format!("the line is longer than {} MiB", LONGEST >> 20)))
            } else if line.trim_ascii().is_empty() {
                continue;
            } else {
                answer(&mut search, &line)
            };
            let text = answer.unwrap_or_else(|error| {
                code = error.exit_code();
                say(&format!("error: line {number}: {}", error.message));
                json!({ "error": error.message, "hint": error.hint, "line": number, "code": code }).to_string()
            });
            print(&(text + "\n"))?;
        }
        Ok(code)
    }
}

/// An input that cannot be understood.
fn wrong(what: impl Into<String>) -> Error {
    Error { kind: Kind::Input, ..Error::failed(what) }
}

fn answer(search: &mut Option<Search>, line: &[u8]) -> Result<String> {
    match (request(line)?, &mut *search) {
        (Request::Start(start), _) => *search = Some(Search::new(start)?),
        (Request::Tell(losses), Some(search)) => search.tell(&losses)?,
        (Request::Tell(_), None) => {
            let first = r#"begin with {"start": {"dimension": 5, "optimizer": "cma-es"}}"#;
            return Err(wrong("there is no search to tell losses to").hint(first));
        }
    }
    let answer = search.as_mut().map(Search::answer);
    serde_json::to_string(&answer).map_err(|e| Error::failed(format!("cannot write JSON: {e}")))
}

fn request(line: &[u8]) -> Result<Request> {
    let text = std::str::from_utf8(line).map_err(|e| wrong(format!("not UTF-8: {e}")))?;
    serde_json::from_str(without_nan(text).trim()).map_err(|e| {
        let what = e.to_string().replace(" at line 1 column", ", at column");
        wrong(what)
            .hint(r#"a line is {"start": {...}} or {"tell": [...]}; `locomotion serve-optimizer --help` shows both"#)
    })
}

/// Python writes numbers that are not finite in its own way. All of them mean that a candidate has failed. A string may
/// contain the same words.
fn without_nan(text: &str) -> String {
    let mut in_string = false;
    let part = |part: &str| {
        if in_string {
            // An odd number of backslashes makes the quote a part of the string.
            let escaped = |body: &str| (body.len() - body.trim_end_matches('\\').len()) % 2 == 1;
            in_string = part.strip_suffix('"').is_none_or(escaped);
            return part.to_string();
        }
        in_string = true;
        ["-Infinity", "Infinity", "NaN"].iter().fold(part.to_string(), |part, word| part.replace(word, "null"))
    };
    text.split_inclusive('"').map(part).collect()
}

impl Search {
    fn new(mut start: Map<String, Value>) -> Result<Self> {
        let dimension: Option<usize> = take(&mut start, "dimension")?;
        let mean: Option<Vec<f64>> = take(&mut start, "mean")?;
        let shape: Option<(usize, usize)> = take(&mut start, "shape")?;
        let settings: PartialSettings =
            serde_json::from_value(Value::Object(start)).map_err(|e| wrong(format!("in `start`: {e}")))?;
        check_belongs(&settings)?;
        settings.check_used_by(&settings)?;
        let n = match (dimension, mean.as_ref().map(Vec::len)) {
            (Some(n), Some(length)) if n != length => {
                return Err(wrong(format!("`mean` has {length} numbers, but `dimension` is {n}")));
            }
            (_, Some(n)) | (Some(n), None) => n,
            (None, None) => return Err(wrong("`start` needs `dimension`, the number of coordinates")),
        };
        let shape = shape.unwrap_or((1, n));
        check_memory(&settings, (n, 0), &format!("the search has {n} dimensions"))?;
        let own = settings.for_optimizer(shape);
        let bounds = own.bounds;
        let optimizer = own.build(mean.map_or_else(|| DVector::zeros(n), DVector::from_vec))?;
        Ok(Self { optimizer, bounds, asked: 0 })
    }

    fn tell(&mut self, losses: &[Option<f64>]) -> Result<()> {
        if let Some(reason) = self.optimizer.stop() {
            return Err(wrong(format!("the search has stopped: {reason}")).hint("`start` begins another one"));
        }
        if losses.len() != self.asked {
            let what = format!("`tell` has {} losses, but there are {} candidates", losses.len(), self.asked);
            return Err(wrong(what).hint("give one loss for each, in their order, and null for one that has failed"));
        }
        self.optimizer.tell(&losses.iter().map(|loss| loss.unwrap_or(f64::NAN)).collect::<Vec<_>>());
        Ok(())
    }

    fn answer(&mut self) -> Answer {
        let stop = self.optimizer.stop();
        let columns = |points: DMatrix<f64>| -> Vec<Vec<f64>> {
            self.bounds.apply(points).column_iter().map(|point| point.iter().copied().collect()).collect()
        };
        let center = self.optimizer.center();
        let center = columns(DMatrix::from_column_slice(center.len(), 1, center.as_slice())).remove(0);
        let candidates = if stop.is_none() { columns(self.optimizer.ask()) } else { Vec::new() };
        self.asked = candidates.len();
        let Diagnostics { generation, sigma, condition } = self.optimizer.diagnostics();
        Answer { generation, candidates, center, sigma, condition, stop: stop.map(|reason| reason.to_string()) }
    }
}

/// Takes a field out of the message.
fn take<T: DeserializeOwned>(from: &mut Map<String, Value>, field: &str) -> Result<Option<T>> {
    let value = from.remove(field).unwrap_or(Value::Null);
    serde_json::from_value(value).map_err(|e| wrong(format!("in `start`, field `{field}`: {e}")))
}

/// Refuses settings of training that say nothing about an optimizer.
fn check_belongs(settings: &PartialSettings) -> Result<()> {
    let known = [&["optimizer", "seed", "bound"][..], &FIELDS].concat();
    let given = settings.entries().into_iter().filter(|(_, value)| value.is_some()).map(|(name, _)| name);
    match given.into_iter().find(|name| !known.contains(name)) {
        Some(name) => Err(Error::usage(format!("`{name}` is a setting of training, not of an optimizer"))
            .hint("leave it out: whoever evaluates the candidates decides it")),
        None => Ok(()),
    }
}
