//! One robot in one MuJoCo simulation: reset, observe, step.

use super::definition::Noise;
use super::numpy_rng::NumpyRng;
use super::reward::{Reward, position};
use super::task::Task;
use mujoco_rs::prelude::*;
use std::sync::Arc;

/// A simulation of a task. An episode depends only on its seed and actions, never on what was simulated before.
pub struct Simulator {
    task: Arc<Task>,
    data: MjData<Arc<MjModel>>,
    observation: Vec<f64>,
    /// The x coordinate that the next reward is measured from.
    x: f64,
    steps: usize,
}

/// A moment of an episode, from which any simulation of the same task can go on.
#[derive(Clone, Debug, PartialEq)]
pub struct Snapshot {
    state: Box<[f64]>,
    observation: Vec<f64>,
    x: f64,
    steps: usize,
}

/// All that a MuJoCo step depends on, the solver's warm start included.
const STATE: u32 = MjtState::mjSTATE_INTEGRATION as u32;

/// The result of one action.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    pub reward: Reward,
    /// Whether the robot is no longer healthy.
    pub terminated: bool,
    /// Whether the horizon is reached.
    pub truncated: bool,
    /// Whether the physics broke down: MuJoCo reset the state by itself, or a number is not finite. The episode is over
    /// then, and its reward and observation are meaningless.
    pub diverged: bool,
}

impl Step {
    pub fn ends(&self) -> bool {
        self.terminated || self.truncated || self.diverged
    }
}

impl Simulator {
    pub fn new(task: Arc<Task>) -> Self {
        let data = MjData::new(task.model.clone());
        let observation = vec![0.0; task.observations];
        Self { task, data, observation, x: 0.0, steps: 0 }
    }

    pub fn task(&self) -> &Arc<Task> {
        &self.task
    }

    /// Gymnasium's `reset(seed=seed)`. Noise is added to every coordinate, and quaternions are not normalized
    /// afterwards.
    pub fn reset(&mut self, seed: u64) {
        self.data.reset();
        let mut rng = NumpyRng::new(seed);
        let reset = &self.task.definition.reset;
        add_noise(self.data.qpos_mut(), reset.qpos, &mut rng);
        add_noise(self.data.qvel_mut(), reset.qvel, &mut rng);
        self.data.forward();
        self.steps = 0;
        self.observe();
    }

    /// The present moment.
    pub fn snapshot(&self) -> Snapshot {
        let (state, observation) = (self.data.state(STATE), self.observation.clone());
        Snapshot { state, observation, x: self.x, steps: self.steps }
    }

    /// Goes back to a moment. What follows is what would have followed then, to the last bit.
    ///
    /// # Panics
    /// If the snapshot is of another task.
    pub fn restore(&mut self, moment: &Snapshot) {
        // Warnings of broken physics are not part of the state.
        self.data.reset();
        self.data.set_state(&moment.state, STATE).expect("a snapshot of the same task");
        self.observation.clone_from(&moment.observation);
        (self.x, self.steps) = (moment.x, moment.steps);
    }

    /// The observation after the latest reset or step.
    pub fn observation(&self) -> &[f64] {
        &self.observation
    }

    pub fn qpos(&self) -> &[f64] {
        self.data.qpos()
    }

    pub fn qvel(&self) -> &[f64] {
        self.data.qvel()
    }

    /// Returns the x coordinate that the reward measures.
    pub fn x_position(&self) -> f64 {
        position(&self.task, &self.data)
    }

    /// The underlying simulation, for reading.
    pub fn data(&self) -> &MjData<Arc<MjModel>> {
        &self.data
    }

    /// The underlying simulation, for renderers and benchmarks.
    pub fn data_mut(&mut self) -> &mut MjData<Arc<MjModel>> {
        &mut self.data
    }

    /// Holds the action for `frame_skip` physics steps. Actions are not clipped here, because the policy does that.
    ///
    /// # Panics
    /// If the action does not have the length of the task's actions.
    pub fn step(&mut self, action: &[f64]) -> Step {
        self.step_finely(action, |_| ())
    }

    /// A [`step`](Self::step) in which `watch` sees the simulation after every physics step.
    ///
    /// # Panics
    /// If the action does not have the length of the task's actions.
    pub fn step_finely(&mut self, action: &[f64], mut watch: impl FnMut(&mut MjData<Arc<MjModel>>)) -> Step {
        let before = self.x;
        self.data.ctrl_mut().copy_from_slice(action);
        for _ in 0..self.task.definition.frame_skip {
            self.data.step();
            watch(&mut self.data);
        }
        if self.task.uses_forces {
            self.data.rne_post_constraint();
        }
        self.steps += 1;
        self.observe();

        let definition = &self.task.definition;
        let velocity = (self.x - before) / self.task.dt();
        let healthy = definition.healthy.iter().all(|rule| rule.holds(self.data.qpos(), self.data.qvel()));
        let forces = self.data.cfrc_ext().as_flattened();
        let reward = definition.reward.pay(velocity, action, forces, healthy);
        Step {
            reward,
            terminated: !healthy,
            truncated: self.steps >= definition.horizon,
            diverged: self.broke_down() || !reward.total().is_finite(),
        }
    }

    fn observe(&mut self) {
        self.x = self.x_position();
        let mut rest = self.observation.as_mut_slice();
        for part in &self.task.definition.observation {
            rest = part.write(&self.data, rest);
        }
    }

    /// MuJoCo resets a broken simulation by itself and only counts a warning.
    fn broke_down(&self) -> bool {
        const BROKEN: [MjtWarning; 4] = [
            MjtWarning::mjWARN_BADQPOS,
            MjtWarning::mjWARN_BADQVEL,
            MjtWarning::mjWARN_BADQACC,
            MjtWarning::mjWARN_BADCTRL,
        ];
        let warnings = self.data.warning();
        BROKEN.into_iter().any(|kind| warnings[kind as usize].number > 0)
    }
}

fn add_noise(state: &mut [f64], noise: Noise, rng: &mut NumpyRng) {
    for x in state {
        *x += match noise {
            Noise::Uniform(scale) => rng.uniform(-scale, scale),
            Noise::Normal(scale) => scale * rng.standard_normal(),
        };
    }
}
