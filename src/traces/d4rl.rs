//! D4RL's layout: the steps of all episodes one after the other, each with the state and observation before its action.

use super::Sink;
use super::infos::actions;
use super::storage::{self, Growing};
use crate::rollout::Recording;
use crate::sim::Task;
use hdf5::{File, Result};

/// The tables of a file in this layout.
pub struct Flat {
    observations: Growing,
    actions: Growing,
    rewards: Growing,
    /// The robot became unhealthy.
    terminals: Growing,
    /// The time limit ended the episode.
    timeouts: Growing,
    qpos: Growing,
    qvel: Growing,
}

impl Flat {
    /// Creates the empty tables.
    ///
    /// # Errors
    /// If HDF5 cannot create them.
    pub fn new(file: &File, task: &Task) -> Result<Self> {
        let infos = storage::group(file, "infos")?;
        let model = task.model.ffi();
        Ok(Self {
            observations: Growing::new::<f64>(file, "observations", task.observations)?,
            actions: Growing::new::<f32>(file, "actions", task.actions)?,
            rewards: Growing::new::<f64>(file, "rewards", 0)?,
            terminals: Growing::new::<bool>(file, "terminals", 0)?,
            timeouts: Growing::new::<bool>(file, "timeouts", 0)?,
            qpos: Growing::new::<f64>(&infos, "qpos", model.nq as usize)?,
            qvel: Growing::new::<f64>(&infos, "qvel", model.nv as usize)?,
        })
    }
}

impl Sink for Flat {
    fn write(&mut self, _: usize, episode: &Recording) -> Result<()> {
        let steps = episode.rewards.len();
        let but_last = |values: &'_ [f64]| values[..values.len() / (steps + 1) * steps].to_vec();
        let mut flags = vec![false; steps];
        self.observations.append(&but_last(&episode.observations))?;
        self.actions.append(&actions(episode))?;
        self.rewards.append(&episode.rewards)?;
        flags[steps - 1] = episode.outcome.terminated;
        self.terminals.append(&flags)?;
        flags[steps - 1] = episode.truncated;
        self.timeouts.append(&flags)?;
        self.qpos.append(&but_last(&episode.qpos))?;
        self.qvel.append(&but_last(&episode.qvel))
    }
}
