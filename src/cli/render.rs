use super::chosen::Chosen;
use crate::report::html;
use crate::sim::Simulator;
use crate::{Error, Result};
use clap::Args;
use std::path::PathBuf;

#[derive(Args)]
pub struct Render {
    #[command(flatten)]
    chosen: Chosen,
    /// Where to write; the ending decides the format: .html for a replay to turn and scrub in a browser
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Reset seed of the episode, as in Gymnasium's reset(seed=…)
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Only the first seconds of the episode
    #[arg(long, value_name = "S")]
    seconds: Option<f64>,
    /// Overwrite an existing file
    #[arg(long)]
    force: bool,
}

impl Render {
    pub fn run(self) -> Result<()> {
        if self.output.extension().is_none_or(|ending| !ending.eq_ignore_ascii_case("html")) {
            return Err(Error::usage(format!("`{}` does not end in .html", self.output.display())));
        }
        if self.seconds.is_some_and(|seconds| !(seconds.is_finite() && seconds > 0.0)) {
            return Err(Error::usage("--seconds needs a number more than 0"));
        }
        let (task, policy, _) = self.chosen.open()?;
        let mut simulator = Simulator::new(task);
        let outcome = html::write(&mut simulator, &policy, self.seed, self.seconds, &self.output, self.force)?;
        eprintln!("{}: {} steps, return {:.1}", self.output.display(), outcome.length, outcome.value);
        Ok(())
    }
}
