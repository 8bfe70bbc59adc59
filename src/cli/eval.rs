use super::number::{FlagValue, threads};
use super::policy_arg::PolicyArg;
use super::{print, print_json};
use crate::rollout::Evaluator;
use crate::sim::EpisodeOutcome;
use crate::statistics::{mean, quantile, standard_deviation};
use crate::{Error, Result};
use clap::Args;
use serde::Serialize;

#[derive(Args)]
pub struct Eval {
    #[command(flatten)]
    policy: PolicyArg,
    /// Number of episodes
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..))]
    episodes: u32,
    /// Reset seed of the first episode, as in Gymnasium's reset(seed=…); episode i uses SEED + i
    #[arg(long, default_value_t = 0, allow_negative_numbers = true, value_parser = <u64 as FlagValue>::parse)]
    seed: u64,
    /// Threads; 0 means one per core. Results do not depend on it
    #[arg(long, default_value_t = 0, allow_negative_numbers = true, value_parser = <usize as FlagValue>::parse)]
    threads: usize,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

/// The output of `eval --json`.
#[derive(Serialize)]
struct Report {
    task: String,
    episodes: Vec<EpisodeOutcome>,
    mean: f64,
    median: f64,
    /// Standard deviation of the returns (n − 1).
    std: f64,
    min: f64,
    max: f64,
    mean_length: f64,
    /// The number of episodes that ended because the physics broke down. Each one counts as a failure.
    diverged: usize,
}

impl Eval {
    pub fn run(self) -> Result<()> {
        let (task, policy, _) = self.policy.open()?;
        if self.seed.checked_add(u64::from(self.episodes)).is_none() {
            return Err(Error::usage("--seed is too large: the last episode's seed does not fit into 64 bits"));
        }
        let evaluator = Evaluator::new(&task, threads(self.threads))?;
        let report = Report::new(task.name(), evaluator.run_seeds(&policy, self.seed, self.episodes as usize));
        if self.json { print_json(&report) } else { print(&report.text()) }
    }
}

impl Report {
    fn new(task: &str, episodes: Vec<EpisodeOutcome>) -> Self {
        let returns: Vec<f64> = episodes.iter().map(|episode| episode.value).collect();
        let lengths: Vec<f64> = episodes.iter().map(|episode| episode.length as f64).collect();
        Self {
            task: task.to_string(),
            mean: mean(&returns),
            median: quantile(&returns, 0.5),
            std: standard_deviation(&returns),
            min: quantile(&returns, 0.0),
            max: quantile(&returns, 1.0),
            mean_length: mean(&lengths),
            diverged: episodes.iter().filter(|episode| episode.diverged).count(),
            episodes,
        }
    }

    fn text(&self) -> String {
        let first = self.episodes.first().map_or(0, |episode| episode.seed);
        let last = self.episodes.last().map_or(0, |episode| episode.seed);
        let mut text = format!("{}: {} episodes, reset seeds {first} to {last}\n\n", self.task, self.episodes.len());
        text += &format!("  return   {:.1} ± {:.1} (mean ± standard deviation)\n", self.mean, self.std);
        text += &format!("           median {:.1}, from {:.1} to {:.1}\n", self.median, self.min, self.max);
        text += &format!("  length   {:.1} steps on average\n", self.mean_length);
        let fallen = self.episodes.iter().filter(|episode| episode.terminated).count();
        text += &format!("  ended    {fallen} unhealthy, {} diverged\n", self.diverged);
        text
    }
}
