//! An episode in the form that the page replays: the poses of all bodies after every action, packed as text.

use super::Shown;
use super::scene::Scene;
use crate::rollout::Recording;
use crate::sim::{EpisodeOutcome, Task};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;
use serde_json::Value;

/// The data that the page's script reads. Lists of numbers are little-endian binary, encoded in base64.
#[derive(Serialize)]
pub struct Replay<'a> {
    task: &'a str,
    about: &'a str,
    /// The name of the policy.
    policy: &'a str,
    score: Option<Score>,
    /// Seconds per frame.
    dt: f64,
    #[serde(flatten)]
    outcome: EpisodeOutcome,
    scene: Scene,
    /// f32, 3 per frame.
    track: String,
    /// i16, 7 per frame and body: the position relative to the tracked point in units of reach/32767, then the
    /// quaternion in units of 1/32767.
    poses: String,
    /// f64, 1 per step: the exact rewards.
    rewards: String,
    /// i16, in units of 1/32767.
    actions: String,
}

/// The mean return of the policy over several episodes, and its standard deviation.
#[derive(Serialize)]
struct Score {
    mean: f64,
    std: Option<f64>,
    episodes: u64,
}

impl Score {
    /// Reads the score of a policy's file.
    fn new(score: &Value) -> Option<Self> {
        let number = |field: &str| score.get(field)?.as_f64();
        Some(Self { mean: number("mean")?, std: number("std"), episodes: score.get("episodes")?.as_u64()? })
    }
}

impl<'a> Replay<'a> {
    /// Packs a recording that includes the bodies. There is one frame per state: the reset and one after every action.
    pub fn new(recording: &Recording, task: &'a Task, shown: &'a Shown) -> Self {
        let Recording { outcome, centers, poses, rewards, actions, .. } = recording;
        let bodies = poses.len() / centers.len();
        let from_track = || {
            let rows = centers.iter().zip(poses.chunks(bodies.max(1)));
            rows.flat_map(|(center, row)| row.iter().map(move |(at, quat)| (minus(at, center), quat)))
        };
        let farthest = from_track().flat_map(|(offset, _)| offset).fold(1e-3, |most: f64, x| most.max(x.abs()));
        let small = |x: f64| ((x * 32767.0).round() as i16).to_le_bytes();
        let packed = from_track().flat_map(|(offset, quat)| offset.map(|x| x / farthest).into_iter().chain(*quat));
        Self {
            task: task.name(),
            about: &task.definition.about,
            policy: shown.name,
            score: shown.score.and_then(Score::new),
            dt: task.dt(),
            outcome: *outcome,
            scene: Scene::new(task, farthest),
            track: text(centers.iter().flatten().flat_map(|&x| (x as f32).to_le_bytes())),
            poses: text(packed.flat_map(small)),
            rewards: text(rewards.iter().flat_map(|x| x.to_le_bytes())),
            actions: text(actions.iter().copied().flat_map(small)),
        }
    }
}

fn minus(a: &[f64; 3], b: &[f64; 3]) -> [f64; 3] {
    std::array::from_fn(|i| a[i] - b[i])
}

fn text(bytes: impl Iterator<Item = u8>) -> String {
    STANDARD.encode(bytes.collect::<Vec<u8>>())
}
