//! Minari's layout: one group per episode, named `episode_0`, `episode_1`, …

use super::Sink;
use super::infos::{actions, infos};
use super::storage::{self, attribute, table};
use crate::rollout::Recording;
use hdf5::{File, Group, Result};

pub struct Groups<'a> {
    file: &'a File,
}

impl<'a> Groups<'a> {
    pub fn new(file: &'a File) -> Self {
        Self { file }
    }
}

impl Sink for Groups<'_> {
    fn write(&mut self, index: usize, episode: &Recording) -> Result<()> {
        let group = storage::group(self.file, &format!("episode_{index}"))?;
        let steps = episode.rewards.len();
        let mut flags = vec![false; steps];
        table(&group, "observations", episode.observations.len() / (steps + 1), &episode.observations)?;
        table(&group, "actions", episode.actions.len() / steps, &actions(episode))?;
        table(&group, "rewards", 0, &episode.rewards)?;
        flags[steps - 1] = episode.outcome.terminated;
        table(&group, "terminations", 0, &flags)?;
        flags[steps - 1] = episode.truncated;
        table(&group, "truncations", 0, &flags)?;

        let folder = storage::group(&group, "infos")?;
        for info in &infos(episode) {
            table(&folder, info.name, info.columns, &info.values)?;
        }
        attributes(&group, index, episode)
    }
}

/// Writes Minari's attributes of an episode. Its standard deviation is that of the population.
fn attributes(group: &Group, index: usize, episode: &Recording) -> Result<()> {
    let rewards = &episode.rewards;
    let steps = rewards.len() as f64;
    let sum = episode.outcome.value;
    let mean = sum / steps;
    let squares: f64 = rewards.iter().map(|reward| (reward - mean) * (reward - mean)).sum();
    attribute(group, "id", index as i64)?;
    attribute(group, "seed", episode.outcome.seed as i64)?;
    attribute(group, "total_steps", rewards.len() as i64)?;
    attribute(group, "rewards_sum", sum)?;
    attribute(group, "rewards_mean", mean)?;
    attribute(group, "rewards_std", (squares / steps).sqrt())?;
    attribute(group, "rewards_max", rewards.iter().copied().fold(f64::NEG_INFINITY, f64::max))?;
    attribute(group, "rewards_min", rewards.iter().copied().fold(f64::INFINITY, f64::min))
}
