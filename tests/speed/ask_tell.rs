//! Runs an optimizer on standard input and output, one JSON document per line, for programs that have the objective.
//!
//! `{"settings": {"optimizer": "cma-es", "sigma": 2.0}, "mean": [0.0, 0.0]}` starts a search, and `{"losses": [3.0,
//! …]}` tells it the losses of its latest candidates. The answer is `{"candidates": [[…], …]}`, or `{"stop":
//! "reason"}`.

use locomotion::optim::{AnyOptimizer, Optimizer, Settings};
use nalgebra::DVector;
use serde::Deserialize;
use serde_json::json;
use std::error::Error;
use std::io::{BufRead, Write, stdin, stdout};

#[derive(Deserialize)]
#[serde(untagged)]
enum Request {
    Start { settings: Box<Settings>, mean: Vec<f64> },
    Tell { losses: Vec<f64> },
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut search: Option<AnyOptimizer> = None;
    let mut output = stdout().lock();
    for line in stdin().lock().lines() {
        match (serde_json::from_str(&line?)?, &mut search) {
            (Request::Start { settings, mean }, _) => search = Some(settings.build(DVector::from_vec(mean))?),
            (Request::Tell { losses }, Some(search)) => search.tell(&losses),
            (Request::Tell { .. }, None) => return Err("told losses before a search was started".into()),
        }
        let Some(search) = &mut search else { continue };
        let answer = match search.stop() {
            Some(reason) => json!({ "stop": reason.to_string() }),
            None => {
                let candidates = search.ask();
                let columns: Vec<&[f64]> = candidates.as_slice().chunks_exact(candidates.nrows()).collect();
                json!({ "candidates": columns })
            }
        };
        writeln!(output, "{answer}")?;
        output.flush()?;
    }
    Ok(())
}
