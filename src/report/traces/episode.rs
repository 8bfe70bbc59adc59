//! One episode, recorded step by step.

use crate::policy::LinearPolicy;
use crate::sim::{Outcome, Reward, Simulator, rollout};

/// Everything about an episode of T steps; matrices are stored row by row.
pub struct Episode {
    pub outcome: Outcome,
    /// The time limit ended it; may coincide with a termination.
    pub truncated: bool,
    /// T + 1 rows: the reset's and one after every action.
    pub observations: Vec<f64>,
    /// T rows, as applied. Simulation and reward used them as f64; Gymnasium's action spaces are f32, and so are these.
    pub actions: Vec<f32>,
    /// T numbers.
    pub rewards: Vec<f64>,
    pub infos: Vec<Info>,
}

/// A table of T + 1 rows that belongs to the states, not to the steps.
pub struct Info {
    pub name: &'static str,
    /// 0: a plain vector.
    pub columns: usize,
    pub values: Vec<f64>,
}

impl Episode {
    pub fn record(simulator: &mut Simulator, policy: &LinearPolicy, seed: u64) -> Self {
        simulator.reset(seed);
        let mut observations = simulator.observation().to_vec();
        let (mut actions, mut rewards, mut truncated) = (Vec::new(), Vec::new(), false);
        let mut infos = Infos::new(simulator);
        let outcome = rollout(simulator, policy, seed, |simulator, action, step| {
            observations.extend_from_slice(simulator.observation());
            actions.extend(action.iter().map(|&a| a as f32));
            rewards.push(step.reward.total());
            truncated = step.truncated;
            infos.add(simulator, &step.reward);
        });
        Self { outcome, truncated, observations, actions, rewards, infos: infos.finish() }
    }
}

/// State and parts of the reward while they are recorded.
struct Infos {
    qpos: Vec<f64>,
    qvel: Vec<f64>,
    x_position: Vec<f64>,
    parts: Vec<Reward>,
    width: (usize, usize),
}

impl Infos {
    fn new(simulator: &Simulator) -> Self {
        let (qpos, qvel) = (simulator.qpos().to_vec(), simulator.qvel().to_vec());
        let width = (qpos.len(), qvel.len());
        Self { qpos, qvel, x_position: vec![simulator.x_position()], parts: Vec::new(), width }
    }

    fn add(&mut self, simulator: &Simulator, reward: &Reward) {
        self.qpos.extend_from_slice(simulator.qpos());
        self.qvel.extend_from_slice(simulator.qvel());
        self.x_position.push(simulator.x_position());
        self.parts.push(*reward);
    }

    /// Names and signs are those of Gymnasium's v5 infos: costs are negative. A reset pays nothing: row 0 is 0.
    fn finish(self) -> Vec<Info> {
        let part = |name, of: fn(&Reward) -> Option<f64>| {
            let paid: Option<Vec<f64>> = self.parts.iter().map(of).collect();
            paid.map(|paid| Info { name, columns: 0, values: [0.0].into_iter().chain(paid).collect() })
        };
        let rewards = [
            part("reward_forward", |r| Some(r.forward)),
            part("reward_ctrl", |r| Some(-r.control)),
            part("reward_survive", |r| r.alive),
            part("reward_contact", |r| r.contact.map(|cost| -cost)),
        ];
        let mut infos = vec![
            Info { name: "qpos", columns: self.width.0, values: self.qpos },
            Info { name: "qvel", columns: self.width.1, values: self.qvel },
            Info { name: "x_position", columns: 0, values: self.x_position },
        ];
        infos.extend(rewards.into_iter().flatten());
        infos
    }
}
