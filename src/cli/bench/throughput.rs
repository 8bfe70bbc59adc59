use super::super::number::{between, flag, threads};
use super::super::{print, print_json};
use crate::Result;
use crate::rollout::throughput::{Throughput, measure};
use crate::sim;
use clap::Args;
use serde_json::json;

#[derive(Args)]
pub struct Speed {
    /// Tasks to measure [default: all six]
    #[arg(long, value_name = "TASK|FILE.toml", value_parser = flag::<String>(), hide_possible_values = true)]
    env: Vec<String>,
    /// Threads for the scaling measurement; 0 means one per core
    #[arg(long, default_value_t = 0, allow_negative_numbers = true, value_parser = super::super::threads())]
    threads: usize,
    /// Rounds; each one times rollouts and the bare loop, on one thread and on all, directly after one another
    #[arg(long, default_value_t = 8, allow_negative_numbers = true, value_parser = between(1, u16::MAX))]
    rounds: u16,
    /// Approximate seconds per task
    #[arg(long, default_value_t = 12.0, allow_negative_numbers = true, value_parser = flag::<f64>())]
    seconds: f64,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

impl Speed {
    pub fn run(self) -> Result<()> {
        if !(self.seconds.is_finite() && self.seconds > 0.0) {
            return Err(crate::Error::usage("--seconds must be more than 0"));
        }
        let six = || sim::NAMES[..6].iter().map(|name| name.to_string()).collect();
        let names: Vec<String> = if self.env.is_empty() { six() } else { self.env };
        let tasks = names.iter().map(|name| sim::find(name)).collect::<Result<Vec<_>>>()?;
        let (mut rows, threads) = (Vec::new(), threads(self.threads));
        if !self.json {
            print(HEADER)?;
        }
        for task in &tasks {
            let row = measure(task, threads, self.rounds.into(), self.seconds)?;
            if !self.json {
                print(&line(&row))?;
            }
            rows.push(row);
        }
        if self.json { print_json(&json!({ "unit": "environment steps per second", "tasks": rows })) } else { Ok(()) }
    }
}

const HEADER: &str = "\
environment steps per second: policy rollouts next to a bare mj_step loop with the same controls

                     one thread                     threads
task            rollouts   bare loop   ratio      rollouts   bare loop   scaling (bare)
";

fn line(row: &Throughput) -> String {
    format!(
        "{:<14} {:>9.0}   {:>9.0}   {:>5.3}  {:>2}  {:>8.0}   {:>9.0}   {:>5.2} ({:.2})\n",
        row.task,
        row.policy_steps_per_second,
        row.raw_steps_per_second,
        row.ratio,
        row.threads,
        row.threads_policy_steps_per_second,
        row.threads_raw_steps_per_second,
        row.scaling,
        row.raw_scaling
    )
}
