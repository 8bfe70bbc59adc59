//! The reward of a step, summed in the same order as in Gymnasium.

use super::definition::{Alive, Contact, Position, RewardRule};
use super::numpy_sum::{numpy_sum_of_squares, sum_by};
use super::task::Task;
use mujoco_rs::prelude::*;
use std::sync::Arc;

/// The parts of one step's reward. Costs are positive here and subtracted in [`Reward::total`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Reward {
    pub forward: f64,
    pub alive: Option<f64>,
    pub control: f64,
    pub contact: Option<f64>,
}

impl Reward {
    /// (forward + alive) − (control + contact). A part that the task does not have is left out of the sum, so that it
    /// does not affect the rounding either.
    pub fn total(&self) -> f64 {
        let gain = self.alive.map_or(self.forward, |alive| self.forward + alive);
        let cost = self.contact.map_or(self.control, |contact| self.control + contact);
        gain - cost
    }
}

impl RewardRule {
    pub(super) fn pay(&self, velocity: f64, action: &[f64], forces: &[f64], healthy: bool) -> Reward {
        let paid = |alive: &Alive| if healthy || alive.terminal { alive.bonus } else { 0.0 };
        Reward {
            forward: self.forward * velocity,
            alive: self.alive.as_ref().map(paid),
            control: self.control * numpy_sum_of_squares(action),
            contact: self.contact.as_ref().map(|contact| contact.cost(forces)),
        }
    }
}

impl Contact {
    fn cost(&self, forces: &[f64]) -> f64 {
        let limit = self.clip.unwrap_or(f64::INFINITY);
        let squares = sum_by(forces.len(), &|i| {
            let force = forces[i].clamp(-limit, limit);
            force * force
        });
        let cost = self.weight * squares;
        self.at_most.map_or(cost, |most| cost.min(most))
    }
}

/// Returns the x coordinate that measures the distance covered. Bodies lag one physics stage behind qpos, as in
/// Gymnasium.
pub(super) fn position(task: &Task, data: &MjData<Arc<MjModel>>) -> f64 {
    match &task.definition.reward.position {
        Position::Qpos(index) => data.qpos()[*index],
        Position::Body(_) => data.xpos()[task.body][0],
        Position::CenterOfMass => {
            let masses = data.model().body_mass();
            let moment = masses.iter().zip(data.xipos()).fold(0.0, |sum, (mass, at)| sum + mass * at[0]);
            moment / task.total_mass
        }
    }
}
