//! One episode of a policy.

use super::simulator::{Simulator, Step};
use crate::policy::LinearPolicy;
use crate::statistics::mean;
use mujoco_rs::prelude::*;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// How an episode went.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct EpisodeOutcome {
    /// Gymnasium's reset seed.
    pub seed: u64,
    /// The sum of the rewards. If the episode diverged, this is the sum before that, or 0 if that is lower. It cannot be
    /// compared with other returns then; see [`returns`] and [`merit`].
    #[serde(rename = "return")]
    pub value: f64,
    /// The number of actions taken.
    pub length: usize,
    pub terminated: bool,
    /// Whether the physics broke down; see [`Step::diverged`].
    pub diverged: bool,
}

impl EpisodeOutcome {
    /// Whether the episode ended before its time: the robot fell, or the physics broke down.
    pub fn fell(&self) -> bool {
        self.terminated || self.diverged
    }

    /// The value that an optimizer minimizes. A diverged episode is NaN, which ranks last.
    pub fn loss(&self) -> f64 {
        if self.diverged { f64::NAN } else { -self.value }
    }
}

/// The returns of a policy's episodes, for statistics. A diverged episode has no return of its own, and counts as no more
/// than the lowest of the others.
pub fn returns(outcomes: &[EpisodeOutcome]) -> Vec<f64> {
    let honest = outcomes.iter().filter(|outcome| !outcome.diverged).map(|outcome| outcome.value);
    let lowest = honest.fold(f64::INFINITY, f64::min);
    let value = |outcome: &EpisodeOutcome| if outcome.diverged { outcome.value.min(lowest) } else { outcome.value };
    outcomes.iter().map(value).collect()
}

/// The mean return that a policy is judged by. If an episode diverged it is −∞, so that broken physics ranks below
/// every valid episode, whatever the sign of the returns.
pub fn merit(outcomes: &[EpisodeOutcome]) -> f64 {
    if diverged(outcomes) > 0 { f64::NEG_INFINITY } else { mean(&returns(outcomes)) }
}

/// The number of episodes that diverged.
pub fn diverged(outcomes: &[EpisodeOutcome]) -> usize {
    outcomes.iter().filter(|outcome| outcome.diverged).count()
}

/// Observes an episode while it is computed.
pub trait Watch {
    /// Called after every physics step. An action lasts several of them.
    fn physics(&mut self, _: &MjData<Arc<MjModel>>) {}
    /// Called after every action.
    fn action(&mut self, simulator: &Simulator, action: &[f64], step: &Step);
}

/// Lets the policy act from `reset(seed)` until the episode ends. `watch` sees every step and the action taken.
///
/// # Panics
/// If the policy does not have as many actions as the task.
pub fn rollout(
    simulator: &mut Simulator,
    policy: &LinearPolicy,
    seed: u64,
    watch: impl FnMut(&Simulator, &[f64], &Step),
) -> EpisodeOutcome {
    rollout_of(usize::MAX, simulator, policy, seed, watch)
}

/// A [`rollout`] that is cut off after `steps` if the episode has not ended by then.
///
/// # Panics
/// As for [`rollout`].
pub fn rollout_of(
    steps: usize,
    simulator: &mut Simulator,
    policy: &LinearPolicy,
    seed: u64,
    watch: impl FnMut(&Simulator, &[f64], &Step),
) -> EpisodeOutcome {
    rollout_unless(&NEVER, steps, simulator, policy, seed, watch)
}

/// A [`rollout_of`] that ends at the next step once `leave` is set. Its outcome is meaningless then.
///
/// # Panics
/// As for [`rollout`].
pub fn rollout_unless(
    leave: &AtomicBool,
    steps: usize,
    simulator: &mut Simulator,
    policy: &LinearPolicy,
    seed: u64,
    watch: impl FnMut(&Simulator, &[f64], &Step),
) -> EpisodeOutcome {
    simulator.reset(seed);
    segment_unless(leave, steps, simulator, policy, seed, watch)
}

/// Lets the policy act from the present moment of an episode that began with `reset(seed)`, for `steps` or until the episode
/// ends. The outcome counts this part of it alone. It ends at the next step once `leave` is set, and is meaningless then.
///
/// # Panics
/// As for [`rollout`].
pub fn segment_unless(
    leave: &AtomicBool,
    steps: usize,
    simulator: &mut Simulator,
    policy: &LinearPolicy,
    seed: u64,
    watch: impl FnMut(&Simulator, &[f64], &Step),
) -> EpisodeOutcome {
    go_on(leave, steps, simulator, policy, seed, &mut Actions(watch))
}

/// A function that watches actions only.
struct Actions<F>(F);

impl<F: FnMut(&Simulator, &[f64], &Step)> Watch for Actions<F> {
    fn action(&mut self, simulator: &Simulator, action: &[f64], step: &Step) {
        (self.0)(simulator, action, step);
    }
}

/// A [`rollout`] whose observer also sees every physics step.
///
/// # Panics
/// As for [`rollout`].
pub fn rollout_watched(
    simulator: &mut Simulator,
    policy: &LinearPolicy,
    seed: u64,
    watch: &mut impl Watch,
) -> EpisodeOutcome {
    simulator.reset(seed);
    go_on(&NEVER, usize::MAX, simulator, policy, seed, watch)
}

/// A `leave` flag that is never set, for episodes that run to their end.
pub static NEVER: AtomicBool = AtomicBool::new(false);

/// The part of an episode from the present moment on, at most this many steps of it.
fn go_on(
    leave: &AtomicBool,
    steps: usize,
    simulator: &mut Simulator,
    policy: &LinearPolicy,
    seed: u64,
    watch: &mut impl Watch,
) -> EpisodeOutcome {
    let mut action = vec![0.0; policy.actions()];
    let mut outcome = EpisodeOutcome { seed, value: 0.0, length: 0, terminated: false, diverged: false };
    loop {
        policy.act(simulator.observation(), &mut action);
        let step = simulator.step_finely(&action, |data| watch.physics(data));
        outcome.length += 1;
        if step.diverged {
            outcome.value = outcome.value.min(0.0);
        } else {
            outcome.value += step.reward.total();
        }
        watch.action(simulator, &action, &step);
        if step.ends() || outcome.length >= steps || leave.load(Ordering::Relaxed) {
            return EpisodeOutcome {
                terminated: step.terminated && !step.diverged,
                diverged: step.diverged,
                ..outcome
            };
        }
    }
}
