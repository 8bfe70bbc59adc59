//! One episode of a policy.

use super::simulator::{Simulator, Step};
use crate::policy::LinearPolicy;
use serde::Serialize;

/// How an episode went.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Outcome {
    /// Gymnasium's reset seed.
    pub seed: u64,
    /// Sum of the rewards. A diverged episode is a failure: it keeps no gain, and scores its sum or 0, whichever is less.
    #[serde(rename = "return")]
    pub value: f64,
    /// Actions taken.
    pub length: usize,
    pub terminated: bool,
    /// The physics broke down; see [`Step::diverged`].
    pub diverged: bool,
}

impl Outcome {
    /// What an optimiser is told: less is better, and a diverged episode is NaN, which ranks last.
    pub fn loss(&self) -> f64 {
        if self.diverged { f64::NAN } else { -self.value }
    }
}

/// Lets the policy act from `reset(seed)` until the episode ends; `watch` sees every step and the action taken.
pub fn rollout(
    simulator: &mut Simulator,
    policy: &LinearPolicy,
    seed: u64,
    watch: impl FnMut(&Simulator, &[f64], &Step),
) -> Outcome {
    rollout_of(usize::MAX, simulator, policy, seed, watch)
}

/// A [`rollout`] that is cut off after `steps`, if the episode has not ended by then.
pub fn rollout_of(
    steps: usize,
    simulator: &mut Simulator,
    policy: &LinearPolicy,
    seed: u64,
    mut watch: impl FnMut(&Simulator, &[f64], &Step),
) -> Outcome {
    let mut action = vec![0.0; policy.actions()];
    let mut outcome = Outcome { seed, value: 0.0, length: 0, terminated: false, diverged: false };
    simulator.reset(seed);
    loop {
        policy.act(simulator.observation(), &mut action);
        let step = simulator.step(&action);
        outcome.length += 1;
        if step.diverged {
            outcome.value = outcome.value.min(0.0);
        } else {
            outcome.value += step.reward.total();
        }
        watch(simulator, &action, &step);
        if step.ends() || outcome.length >= steps {
            return Outcome { terminated: step.terminated && !step.diverged, diverged: step.diverged, ..outcome };
        }
    }
}
