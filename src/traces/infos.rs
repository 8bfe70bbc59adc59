//! The information that a trace holds about the states of an episode besides the observations.

use crate::rollout::Recording;
use crate::sim::Reward;

/// A table of T + 1 rows, one per state rather than one per step.
pub struct Info {
    pub name: &'static str,
    /// 0 stands for a plain vector.
    pub columns: usize,
    pub values: Vec<f64>,
}

/// Lists the states of an episode and the parts of its rewards. Names and signs are those of Gymnasium's v5 infos,
/// where costs are negative. Row 0 is the reset, whose reward is 0.
pub fn infos(episode: &Recording) -> Vec<Info> {
    let rows = episode.x_position.len();
    let part = |name, of: fn(&Reward) -> Option<f64>| {
        let paid: Option<Vec<f64>> = episode.parts.iter().map(of).collect();
        paid.map(|paid| Info { name, columns: 0, values: [0.0].into_iter().chain(paid).collect() })
    };
    let rewards = [
        part("reward_forward", |r| Some(r.forward)),
        part("reward_ctrl", |r| Some(-r.control)),
        part("reward_survive", |r| r.alive),
        part("reward_contact", |r| r.contact.map(|cost| -cost)),
    ];
    let table = |name, values: &[f64]| Info { name, columns: values.len() / rows, values: values.to_vec() };
    let mut infos = vec![
        table("qpos", &episode.qpos),
        table("qvel", &episode.qvel),
        Info { name: "x_position", columns: 0, values: episode.x_position.clone() },
    ];
    infos.extend(rewards.into_iter().flatten());
    infos
}

/// Returns the actions as f32, like Gymnasium's action spaces. The simulation and the reward used them as f64.
pub fn actions(episode: &Recording) -> Vec<f32> {
    episode.actions.iter().map(|&action| action as f32).collect()
}
