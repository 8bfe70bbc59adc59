//! Episodes equal Gymnasium's to the last bit. Data: tests/data/make_golden.py, from Gymnasium 1.4.0 over MuJoCo
//! 3.17.0.

#![cfg(feature = "cli")]

mod common;

use common::{bits, data, digest};
use locomotion::policy::LinearPolicy;
use locomotion::sim::numpy_rng::NumpyRng;
use locomotion::sim::{Simulator, Step, find, rollout};
use serde::Deserialize;
use std::collections::BTreeMap;

#[derive(Deserialize)]
struct Golden {
    task: String,
    policy: String,
    seed: u64,
    length: usize,
    terminated: bool,
    truncated: bool,
    #[serde(rename = "return")]
    value: f64,
    /// Digests of the whole trajectories.
    sha256: BTreeMap<String, String>,
    start: BTreeMap<String, Vec<f64>>,
    /// The trajectories themselves for seeds 0 to 2, to show where a difference begins.
    rewards: Option<Vec<f64>>,
    parts_sha256: Option<BTreeMap<String, String>>,
}

/// Everything in an episode, step by step.
#[derive(Default)]
struct Trajectory {
    arrays: BTreeMap<&'static str, Vec<f64>>,
    parts: BTreeMap<&'static str, Vec<f64>>,
    last: Option<Step>,
}

impl Trajectory {
    fn record(&mut self, simulator: &Simulator, action: &[f64], step: &Step) {
        let reward = [step.reward.total()];
        let seen = [
            ("qpos", simulator.qpos()),
            ("qvel", simulator.qvel()),
            ("obs", simulator.observation()),
            ("action", action),
            ("reward", &reward),
        ];
        for (name, numbers) in seen {
            self.arrays.entry(name).or_default().extend_from_slice(numbers);
        }
        let reward = step.reward;
        self.parts.entry("forward").or_default().push(reward.forward);
        // Gymnasium reports costs as negative numbers.
        self.parts.entry("ctrl").or_default().push(-reward.control);
        self.parts.entry("alive").or_default().push(reward.alive.unwrap_or(0.0));
        self.parts.entry("contact").or_default().push(-reward.contact.unwrap_or(0.0));
        self.last = Some(*step);
    }
}

/// The policies are drawn by numpy: W from seed 1000 + s, random actions from seed 2000 + s, uniform in [−1, 1).
fn run(golden: &Golden, simulator: &mut Simulator) -> Trajectory {
    let task = simulator.task().clone();
    let mut trajectory = Trajectory::default();
    if golden.policy == "linear" {
        let mut rng = NumpyRng::new(1000 + golden.seed);
        let weights: Vec<f64> = (0..task.actions * task.observations).map(|_| rng.uniform(-1.0, 1.0)).collect();
        let policy = LinearPolicy::from_rows(&weights, task.observations, None);
        rollout(simulator, &policy, golden.seed, |sim, action, step| trajectory.record(sim, action, step));
    } else {
        let mut rng = NumpyRng::new(2000 + golden.seed);
        simulator.reset(golden.seed);
        loop {
            let action: Vec<f64> = (0..task.actions).map(|_| rng.uniform(-1.0, 1.0)).collect();
            let step = simulator.step(&action);
            trajectory.record(simulator, &action, &step);
            if step.ends() {
                break;
            }
        }
    }
    trajectory
}

#[test]
fn every_golden_episode_is_bit_equal() {
    let episodes: Vec<Golden> = data("episodes.json");
    assert_eq!(episodes.len(), 120, "12 tasks, 2 policies, 5 seeds");
    for golden in &episodes {
        let name = format!("{} {} seed {}", golden.task, golden.policy, golden.seed);
        let mut simulator = Simulator::new(find(&golden.task).unwrap());
        simulator.reset(golden.seed);
        for (field, ours) in [("qpos", simulator.qpos()), ("qvel", simulator.qvel()), ("obs", simulator.observation())]
        {
            assert_eq!(bits(ours), bits(&golden.start[field]), "{name}: start {field}");
        }
        let trajectory = run(golden, &mut simulator);
        let rewards = &trajectory.arrays["reward"];
        if let Some(theirs) = &golden.rewards {
            let differs = rewards.iter().zip(theirs).position(|(a, b)| a.to_bits() != b.to_bits());
            assert_eq!(differs, None, "{name}: first step whose reward differs");
        }
        assert_eq!(rewards.len(), golden.length, "{name}: length");
        for (field, sum) in &golden.sha256 {
            assert_eq!(&digest(&trajectory.arrays[field.as_str()]), sum, "{name}: {field}");
        }
        for (part, sum) in golden.parts_sha256.iter().flatten() {
            assert_eq!(&digest(&trajectory.parts[part.as_str()]), sum, "{name}: reward part {part}");
        }
        let total = rewards.iter().fold(0.0, |sum, reward| sum + reward);
        assert_eq!(total.to_bits(), golden.value.to_bits(), "{name}: return");
        let last = trajectory.last.unwrap();
        assert_eq!((last.terminated, last.truncated), (golden.terminated, golden.truncated), "{name}: how it ended");
        assert!(!last.diverged, "{name}: diverged");
    }
}
