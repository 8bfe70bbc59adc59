use super::number::{flag, threads};
use super::policy_arg::PolicyArg;
use super::terminal::count;
use super::{print, print_json};
use crate::rollout::Evaluator;
use crate::sim::{EpisodeOutcome, diverged, returns};
use crate::statistics::{mean, quantile, standard_deviation};
use crate::{Error, Result};
use clap::Args;
use serde::Serialize;

#[derive(Args)]
pub struct Eval {
    #[command(flatten)]
    policy: PolicyArg,
    /// Number of episodes
    #[arg(long, default_value_t = 100, allow_negative_numbers = true, value_parser = super::episodes())]
    episodes: u32,
    /// Reset seed of the first episode, as in Gymnasium's reset(seed=…); episode i uses SEED + i [default: 0, or the first
    /// one after the seeds of training]
    #[arg(long, allow_negative_numbers = true, value_parser = flag::<u64>())]
    seed: Option<u64>,
    /// Threads; 0 means one per core. Results do not depend on it
    #[arg(long, default_value_t = 0, allow_negative_numbers = true, value_parser = super::threads())]
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
    /// The number of episodes on reset seeds that the policy was trained on, if training used the same few all the time.
    trained_on: usize,
    /// The number of episodes that ended because the physics broke down. Each counts as no more than the lowest return.
    diverged: usize,
}

impl Eval {
    pub fn run(self) -> Result<()> {
        let (task, policy, file) = self.policy.open()?;
        let seeds = file.training_seeds();
        let seed = self.seed.unwrap_or_else(|| seeds.map_or(0, |(_, last)| last.saturating_add(1)));
        if seed.checked_add(u64::from(self.episodes)).is_none() {
            return Err(Error::usage("--seed is too large: the last episode's seed does not fit into 64 bits"));
        }
        let evaluator = Evaluator::new(&task, threads(self.threads))?;
        let report = Report::new(task.name(), evaluator.run_seeds(&policy, seed, self.episodes as usize), seeds);
        if self.json { print_json(&report) } else { print(&report.text()) }
    }
}

impl Report {
    fn new(task: &str, episodes: Vec<EpisodeOutcome>, seeds: Option<(u64, u64)>) -> Self {
        let returns = returns(&episodes);
        let trained_on = |episode: &&EpisodeOutcome| seeds.is_some_and(|(a, z)| (a..=z).contains(&episode.seed));
        let lengths: Vec<f64> = episodes.iter().map(|episode| episode.length as f64).collect();
        Self {
            task: task.to_string(),
            mean: mean(&returns),
            median: quantile(&returns, 0.5),
            std: standard_deviation(&returns),
            min: quantile(&returns, 0.0),
            max: quantile(&returns, 1.0),
            mean_length: mean(&lengths),
            trained_on: episodes.iter().filter(trained_on).count(),
            diverged: diverged(&episodes),
            episodes,
        }
    }

    fn text(&self) -> String {
        let first = self.episodes.first().map_or(0, |episode| episode.seed);
        let last = self.episodes.last().map_or(0, |episode| episode.seed);
        let seeds =
            if first == last { format!("reset seed {first}") } else { format!("reset seeds {first} to {last}") };
        let mut text = format!("{}: {}, {seeds}\n\n", self.task, count(self.episodes.len(), "episode"));
        text += &format!("  return   {:.1} ± {:.1} (mean ± standard deviation)\n", self.mean, self.std);
        text += &format!("           median {:.1}, from {:.1} to {:.1}\n", self.median, self.min, self.max);
        text += &format!("  length   {:.1} steps on average\n", self.mean_length);
        let fallen = self.episodes.iter().filter(|episode| episode.terminated).count();
        text += &format!("  ended    {fallen} unhealthy, {} diverged\n", self.diverged);
        if self.diverged > 0 {
            text +=
                "\n  The physics broke down in the diverged episodes; each counts as no more than the lowest return.\n";
        }
        if self.trained_on > 0 {
            let seen = self.trained_on;
            text += &format!("\n  {seen} of these seeds were used in training, so the return is optimistic.\n");
        }
        text
    }
}
