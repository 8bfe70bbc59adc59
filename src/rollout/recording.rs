//! Records one episode, with the requested channels. Films, replays and traces all use it.

use crate::policy::LinearPolicy;
use crate::sim::{EpisodeOutcome, Reward, Simulator, Step, Watch, rollout_watched};
use mujoco_rs::prelude::*;
use std::sync::Arc;

/// What to keep of an episode besides its outcome, actions and rewards.
#[derive(Clone, Copy, Debug, Default)]
pub struct Channels {
    /// The pose after every physics step, because actions are too far apart for smooth pictures.
    pub moments: bool,
    /// The poses of all bodies after every action, and the center of mass of this body together with everything
    /// attached to it.
    pub bodies: Option<usize>,
    /// The observation, the state and the parts of the reward after every action.
    pub states: bool,
    /// Keep only the first seconds. The episode is still simulated to its end, and its outcome is that of the whole.
    pub seconds: Option<f64>,
}

/// Position and quaternion of a body.
pub type Pose = ([f64; 3], [f64; 4]);

/// A recorded episode of T kept actions, with tables stored row by row. An action in which the physics broke down is
/// left out, because its numbers are meaningless.
pub struct Recording {
    pub outcome: EpisodeOutcome,
    /// Whether the time limit ended it. It may coincide with a termination.
    pub truncated: bool,
    /// Seconds of simulated time between two moments.
    pub timestep: f64,
    /// One for the reset, then one per physics step.
    pub moments: Vec<Moment>,
    /// T + 1 rows: the reset and one after every action. Each row has all bodies except the world.
    pub poses: Vec<Pose>,
    /// The requested center of mass, also in T + 1 rows.
    pub centers: Vec<[f64; 3]>,
    /// T + 1 rows each.
    pub observations: Vec<f64>,
    pub qpos: Vec<f64>,
    pub qvel: Vec<f64>,
    pub x_position: Vec<f64>,
    /// T rows, as applied.
    pub actions: Vec<f64>,
    /// T numbers each.
    pub rewards: Vec<f64>,
    pub parts: Vec<Reward>,
}

/// What can be seen at one moment.
#[derive(Clone, Debug, PartialEq)]
pub struct Moment {
    pub time: f64,
    /// The sum of the rewards so far.
    pub value: f64,
    pub qpos: Vec<f64>,
}

impl Recording {
    /// Lets the policy act from `reset(seed)` until the episode ends.
    ///
    /// # Panics
    /// If the policy does not have as many actions as the task, or if `channels.bodies` is not a body of the model.
    pub fn new(simulator: &mut Simulator, policy: &LinearPolicy, seed: u64, channels: Channels) -> Self {
        let timestep = simulator.task().model.ffi().opt.timestep;
        let limit = |count: fn(f64) -> f64, step: f64| {
            channels.seconds.map_or(usize::MAX, |seconds| (count(seconds / step) as usize).max(1))
        };
        let mut recorder = Recorder {
            channels,
            most_moments: limit(f64::round, timestep),
            most_actions: limit(f64::ceil, simulator.task().dt()),
            kept: Self::empty(seed, timestep),
            value: 0.0,
            fresh: Vec::new(),
        };
        simulator.reset(seed);
        recorder.state(simulator);
        if channels.moments {
            recorder.kept.moments.push(Moment { time: 0.0, value: 0.0, qpos: simulator.qpos().to_vec() });
        }
        let outcome = rollout_watched(simulator, policy, seed, &mut recorder);
        Self { outcome, ..recorder.kept }
    }

    fn empty(seed: u64, timestep: f64) -> Self {
        Self {
            outcome: EpisodeOutcome { seed, value: 0.0, length: 0, terminated: false, diverged: false },
            truncated: false,
            timestep,
            moments: Vec::new(),
            poses: Vec::new(),
            centers: Vec::new(),
            observations: Vec::new(),
            qpos: Vec::new(),
            qvel: Vec::new(),
            x_position: Vec::new(),
            actions: Vec::new(),
            rewards: Vec::new(),
            parts: Vec::new(),
        }
    }
}

/// A recording in progress.
struct Recorder {
    channels: Channels,
    most_moments: usize,
    most_actions: usize,
    kept: Recording,
    /// The return so far.
    value: f64,
    /// The poses during the current action.
    fresh: Vec<Vec<f64>>,
}

impl Recorder {
    fn state(&mut self, simulator: &Simulator) {
        let kept = &mut self.kept;
        if let Some(body) = self.channels.bodies {
            // The bodies are where the last stage of the step put them. Updating them would disturb the simulation.
            let data = simulator.data();
            kept.centers.push(data.subtree_com()[body]);
            kept.poses.extend(data.xpos().iter().copied().zip(data.xquat().iter().copied()).skip(1));
        }
        if self.channels.states {
            kept.observations.extend_from_slice(simulator.observation());
            kept.qpos.extend_from_slice(simulator.qpos());
            kept.qvel.extend_from_slice(simulator.qvel());
            kept.x_position.push(simulator.x_position());
        }
    }

    /// Adds the moments of an action. Its reward counts from its end on.
    fn moments(&mut self, value: f64) {
        let last = self.fresh.len().saturating_sub(1);
        for (index, qpos) in self.fresh.drain(..).enumerate() {
            if self.kept.moments.len() > self.most_moments {
                continue;
            }
            let time = self.kept.moments.len() as f64 * self.kept.timestep;
            let value = if index == last { value } else { self.value };
            self.kept.moments.push(Moment { time, value, qpos });
        }
    }
}

impl Watch for Recorder {
    fn physics(&mut self, data: &MjData<Arc<MjModel>>) {
        if self.channels.moments && self.kept.moments.len() <= self.most_moments {
            self.fresh.push(data.qpos().to_vec());
        }
    }

    fn action(&mut self, simulator: &Simulator, action: &[f64], step: &Step) {
        self.kept.truncated = step.truncated;
        if step.diverged {
            return;
        }
        let reward = step.reward.total();
        self.moments(self.value + reward);
        self.value += reward;
        if self.kept.rewards.len() < self.most_actions {
            self.state(simulator);
            self.kept.actions.extend_from_slice(action);
            self.kept.rewards.push(reward);
            self.kept.parts.push(step.reward);
        }
    }
}
