//! How far a run has come, and how far it still has to go.

use super::Training;
use super::objective::SCORE_EPISODES;
use crate::run_folder::GenerationRow;

/// What has just happened in a run.
pub enum Moment<'a> {
    /// A generation is finished. The first row is that of generation 0, before any training.
    Generation(&'a GenerationRow),
    /// The training is over, and the policies are being scored.
    Scoring,
}

/// Numbers of episodes of all kinds: training, held-out evaluations and scores.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    pub done: u64,
    /// An estimate.
    pub left: u64,
}

impl Training {
    /// Counts what has been played and estimates what is left: the rest of the budget, its evaluations and the scores.
    pub(super) fn progress(&self) -> Progress {
        let (state, heldout) = (&self.state, &self.heldout);
        let budget = self.settings().budget.unwrap_or(state.episodes);
        let cost = state.cost.max(1);
        let generations = budget.saturating_sub(state.episodes) / cost;
        let confirmations = generations.div_ceil(heldout.generations_between(cost));
        let points = heldout.points(budget).saturating_sub(heldout.points(state.episodes)).min(generations);
        let held_out =
            points * heldout.episodes as u64 + confirmations * (heldout.episodes + heldout.confirming) as u64;
        Progress { done: self.played, left: generations * (cost + 1) + held_out + 2 * SCORE_EPISODES as u64 }
    }
}
