//! The policies that a run writes: the best so far, and at the end the center as well, both scored.

use super::Training;
use super::objective::{SCORE_EPISODES, SCORE_SEED};
use crate::Result;
use crate::policy::TRAINING_SEEDS;
use crate::run_folder::{BEST, FINAL};
use crate::sim::{EpisodeOutcome, diverged, returns};
use crate::statistics::{mean, quantile, standard_deviation};
use serde_json::{Value, json};

impl Training {
    /// Scores the center and the best policy on unseen seeds and writes them. Returns `None` if told to stop.
    pub(super) fn finish(&mut self) -> Result<Option<()>> {
        let center = self.center();
        let best = self.state.best.clone().unwrap_or_else(|| center.clone());
        let asked = [(&center, SCORE_SEED, SCORE_EPISODES), (&best, SCORE_SEED, SCORE_EPISODES)];
        let Some(outcomes) = self.outcomes(&asked) else { return Ok(None) };
        self.folder.write_policy(FINAL, &center.file(&self.task, score(&outcomes[0]), self.provenance()))?;
        self.folder.write_policy(BEST, &best.file(&self.task, score(&outcomes[1]), self.provenance()))?;
        Ok(Some(()))
    }

    pub(super) fn write_best(&self, score: Value) -> Result<()> {
        match &self.state.best {
            Some(best) => self.folder.write_policy(BEST, &best.file(&self.task, score, self.provenance())),
            None => Ok(()),
        }
    }

    /// Describes how a policy was found, without anything that differs between machines or points in time.
    fn provenance(&self) -> Value {
        let mut provenance = json!({
            "command": (self.command)(&self.settings().clone().with_file_names()),
            "program": self.run.program,
            "episodes": self.state.episodes,
        });
        if let Some((first, last)) = self.objective.fixed_seeds() {
            provenance[TRAINING_SEEDS] = json!([first, last]);
        }
        if let Some(start) = &self.run.start {
            provenance["start"] = serde_json::from_str(start).unwrap_or_default();
        }
        provenance
    }
}

/// Diverged episodes are counted where there are any.
fn score(outcomes: &[EpisodeOutcome]) -> Value {
    let returns = &returns(outcomes);
    let fallen = outcomes.iter().filter(|outcome| outcome.terminated).count();
    let mut score = json!({
        "mean": mean(returns), "std": standard_deviation(returns), "median": quantile(returns, 0.5),
        "min": quantile(returns, 0.0), "max": quantile(returns, 1.0),
        "fell": fallen as f64 / outcomes.len() as f64,
        "episodes": returns.len(), "first_seed": SCORE_SEED,
    });
    if diverged(outcomes) > 0 {
        score["diverged"] = json!(diverged(outcomes));
    }
    score
}
