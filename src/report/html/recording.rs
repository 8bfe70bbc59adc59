//! An episode as the page replays it: poses of all bodies after every action, small numbers as text.

use super::scene::{Scene, tracked};
use crate::policy::LinearPolicy;
use crate::sim::{Outcome, Simulator, Task, rollout};
use crate::{Error, Result};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;

/// One frame per state: the reset's and one after every action.
pub struct Recording {
    pub outcome: Outcome,
    /// Per frame, the point the camera follows.
    track: Vec<[f64; 3]>,
    /// Per frame and moving body, position and quaternion.
    poses: Vec<([f64; 3], [f64; 4])>,
    /// Per step.
    rewards: Vec<f64>,
    actions: Vec<f64>,
}

/// What the page's script reads. Lists of numbers are little-endian binary in base64.
#[derive(Serialize)]
pub struct Replay<'a> {
    task: &'a str,
    about: &'a str,
    /// Seconds per frame.
    dt: f64,
    #[serde(flatten)]
    outcome: Outcome,
    scene: Scene,
    /// f32: 3 per frame.
    track: String,
    /// i16: 7 per frame and body; position from the tracked point in units of reach/32767, quaternion in 1/32767.
    poses: String,
    /// f64: exactly what was paid, 1 per step.
    rewards: String,
    /// i16: in 1/32767.
    actions: String,
}

impl Recording {
    pub fn new(simulator: &mut Simulator, policy: &LinearPolicy, seed: u64, seconds: Option<f64>) -> Result<Self> {
        let body = tracked(simulator.task());
        let most = seconds.map_or(usize::MAX, |seconds| (seconds / simulator.task().dt()).ceil() as usize);
        let (mut track, mut poses) = (Vec::new(), Vec::new());
        let (mut rewards, mut actions) = (Vec::new(), Vec::new());
        // Bodies stand where the last stage of the step saw them; bringing them up to date would disturb the simulation.
        let mut look = |simulator: &Simulator| {
            let data = simulator.data();
            track.push(data.subtree_com()[body]);
            poses.extend(data.xpos().iter().copied().zip(data.xquat().iter().copied()).skip(1));
        };
        simulator.reset(seed);
        look(simulator);
        let outcome = rollout(simulator, policy, seed, |simulator, action, step| {
            // The state after a breakdown means nothing.
            if rewards.len() < most && !step.diverged {
                look(simulator);
                rewards.push(step.reward.total());
                actions.extend_from_slice(action);
            }
        });
        if rewards.is_empty() {
            let message = format!("the physics broke down at the first step of the episode with reset seed {seed}");
            return Err(Error::failed(message).hint("choose another `--seed`"));
        }
        Ok(Self { outcome, track, poses, rewards, actions })
    }

    pub fn replay<'a>(&self, task: &'a Task) -> Replay<'a> {
        let bodies = self.poses.len() / self.track.len();
        let from_track = || {
            let rows = self.track.iter().zip(self.poses.chunks(bodies.max(1)));
            rows.flat_map(|(center, row)| row.iter().map(move |(at, quat)| (minus(at, center), quat)))
        };
        let farthest = from_track().flat_map(|(offset, _)| offset).fold(1e-3, |most: f64, x| most.max(x.abs()));
        let small = |x: f64| ((x * 32767.0).round() as i16).to_le_bytes();
        let poses = from_track().flat_map(|(offset, quat)| offset.map(|x| x / farthest).into_iter().chain(*quat));
        Replay {
            task: task.name(),
            about: &task.definition.about,
            dt: task.dt(),
            outcome: self.outcome,
            scene: Scene::new(task, farthest),
            track: text(self.track.iter().flatten().flat_map(|&x| (x as f32).to_le_bytes())),
            poses: text(poses.flat_map(small)),
            rewards: text(self.rewards.iter().flat_map(|x| x.to_le_bytes())),
            actions: text(self.actions.iter().copied().flat_map(small)),
        }
    }
}

fn minus(a: &[f64; 3], b: &[f64; 3]) -> [f64; 3] {
    std::array::from_fn(|i| a[i] - b[i])
}

fn text(bytes: impl Iterator<Item = u8>) -> String {
    STANDARD.encode(bytes.collect::<Vec<u8>>())
}
