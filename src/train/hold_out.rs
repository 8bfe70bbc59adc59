//! Held-out evaluation: the center plays on the same seeds every time, and a policy that would be the new best must
//! confirm itself on fresh ones.

use super::Training;
use super::objective::{CONFIRM_SEED, HELDOUT_SEED};
use super::state::Contender;
use crate::optim::Optimizer;
use crate::rollout::{Start, Work};
use crate::run_folder::GenerationRow;
use crate::settings::Due;
use crate::sim::{EpisodeOutcome, merit, returns};
use crate::statistics::standard_deviation;
use crate::{Error, Result};
use serde_json::json;

impl Training {
    /// Evaluates the center before any training. Returns `None` if told to stop.
    pub(super) fn origin(&mut self) -> Result<Option<GenerationRow>> {
        let center = self.center();
        let Some(answer) = self.outcomes(&[(&center, HELDOUT_SEED, self.heldout.episodes)]) else { return Ok(None) };
        let heldout = merit(&answer[0]);
        self.state.heldout = Some(heldout);
        let diagnostics = self.state.optimizer.diagnostics();
        Ok(Some(GenerationRow {
            generation: 0,
            episodes: 0,
            steps: 0,
            seconds: 0.0,
            center_return: f64::NAN,
            heldout: Some((heldout, standard_deviation(&returns(&answer[0])))),
            best_return: None,
            batch: [f64::NAN; 5],
            sigma: diagnostics.sigma,
            center_step: f64::NAN,
            condition: diagnostics.condition,
            diverged: 0,
        }))
    }

    /// Completes the pending generation. If an evaluation is due, the center plays on the held-out seeds, and if a
    /// confirmation is due, a policy that would be the new best must confirm it on fresh ones.
    pub(super) fn hold_out(&mut self) -> Result<Option<GenerationRow>> {
        let Some(mut row) = self.state.pending.clone() else { return Err(Error::failed("no generation to complete")) };
        // After the last generation too, so that the best sample since the previous evaluation is confirmed.
        let last = self.reason_to_stop(self.state.cost).is_some();
        let due = self.heldout.due(self.state.generation, self.state.episodes, self.state.cost, last);
        if due != Due::Nothing {
            let episodes = self.heldout.confirming;
            let fresh = CONFIRM_SEED + self.state.generation * episodes as u64;
            let mut center = self.center();
            let challenger = self.state.challenger.clone().filter(|_| due == Due::Confirmation);
            let mut asked = vec![(&center, HELDOUT_SEED, self.heldout.episodes)];
            asked.extend(challenger.iter().map(|challenger| (challenger, fresh, episodes)));
            let Some(mut answers) = self.outcomes(&asked) else { return Ok(None) };
            // A few episodes may reach the target by luck.
            let target = self.settings().target.and_then(|target| target.0);
            if self.heldout.episodes < episodes && target.is_some_and(|target| merit(&answers[0]) >= target) {
                let Some(mut more) = self.outcomes(&[(&center, HELDOUT_SEED, episodes)]) else { return Ok(None) };
                answers[0] = more.remove(0);
            }

            let heldout = merit(&answers[0]);
            let better = |value: f64, best: &Option<Contender>| {
                value > best.as_ref().map_or(f64::NEG_INFINITY, |best| best.value)
            };
            let mut best = self.state.best.clone();
            if let (Some(challenger), Some(answer)) = (challenger, answers.get(1))
                && better(merit(answer), &best)
            {
                best = Some(Contender { value: merit(answer), ..challenger });
            }
            if due == Due::Confirmation && better(heldout, &best) {
                let Some(answer) = self.outcomes(&[(&center, fresh, episodes)]) else { return Ok(None) };
                center.value = merit(&answer[0]);
                if better(center.value, &best) {
                    best = Some(center);
                }
            }
            row.heldout = Some((heldout, standard_deviation(&returns(&answers[0]))));
            row.best_return = best.as_ref().map(|best| best.value);
            self.state.heldout = Some(heldout);
            if due == Due::Confirmation {
                self.state.challenger = None;
            }
            if best != self.state.best {
                self.state.best = best;
                self.write_best(json!({ "mean": row.best_return, "episodes": episodes, "first_seed": fresh }))?;
            }
        }
        self.state.pending = None;
        Ok(Some(row))
    }

    /// Plays episodes of each policy: (policy, first seed, number of episodes on consecutive seeds). Returns `None` if told to
    /// stop.
    pub(super) fn outcomes(&mut self, asked: &[(&Contender, u64, usize)]) -> Option<Vec<Vec<EpisodeOutcome>>> {
        let mut work = Work::new(usize::MAX, None);
        for (contender, first, episodes) in asked {
            let policy = work.policy(&contender.weights, contender.normalizer.as_ref());
            (0..*episodes as u64).for_each(|i| work.job(policy, Start::Seed(first + i)));
        }
        let mut parts = self.compute(&work, self.state.generation)?.into_iter().flat_map(|part| part.outcomes);
        Some(asked.iter().map(|(_, _, episodes)| parts.by_ref().take(*episodes).collect()).collect())
    }
}
