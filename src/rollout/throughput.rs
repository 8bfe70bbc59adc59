//! Measures how fast episodes run, compared with a bare MuJoCo loop that takes the same steps.

use super::{Evaluator, Job};
use crate::Result;
use crate::policy::LinearPolicy;
use crate::sim::numpy_rng::NumpyRng;
use crate::sim::{Simulator, Task, rollout};
use crate::statistics::quantile;
use serde::Serialize;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Environment steps per second. A step is one action, which lasts `frame_skip` physics steps.
#[derive(Clone, Debug, Serialize)]
pub struct Throughput {
    pub task: String,
    pub frame_skip: usize,
    /// Policy rollouts (policy, observation, reward, reset) on one thread.
    pub policy_steps_per_second: f64,
    /// A bare mj_step loop on one thread, with the same controls and start states.
    pub raw_steps_per_second: f64,
    /// Policy rollouts relative to the bare loop: the median over the rounds.
    pub ratio: f64,
    pub threads: usize,
    pub threads_policy_steps_per_second: f64,
    pub threads_raw_steps_per_second: f64,
    /// Rollouts on all threads relative to one thread: the median over the rounds.
    pub scaling: f64,
    /// The same for the bare loop, which shows what the machine itself allows.
    pub raw_scaling: f64,
    pub rounds: usize,
}

/// The start state and controls of an episode, enough for a bare loop to take the same steps. It is not a
/// [`Recording`](super::Recording), which keeps the reset's state only together with the states of every step. What a
/// timed loop replays should be small.
struct Tape {
    qpos: Vec<f64>,
    qvel: Vec<f64>,
    /// One after the other, `actions` numbers each.
    controls: Vec<f64>,
}

/// The four rates measured in one round.
#[derive(Default)]
struct Rates {
    policy: f64,
    raw: f64,
    threads_policy: f64,
    threads_raw: f64,
}

/// Measures `rounds` rounds. Each one times rollouts and the bare loop, on one thread and on all, directly after one
/// another.
///
/// # Errors
/// If the threads cannot be started.
///
/// # Panics
/// If `rounds` is 0, or if `seconds` is negative or not finite.
pub fn measure(task: &Arc<Task>, threads: usize, rounds: usize, seconds: f64) -> Result<Throughput> {
    let (one, many) = (Evaluator::new(task, 1)?, Evaluator::new(task, threads)?);
    let (policies, jobs, tapes) = workload(task, &one, seconds / (4 * rounds) as f64);
    let steps: usize = tapes.iter().map(|tape| tape.controls.len() / task.actions).sum();
    let rate = |work: &dyn Fn()| {
        let start = Instant::now();
        work();
        steps as f64 / start.elapsed().as_secs_f64()
    };
    let (run, replay) =
        (|on: &Evaluator| drop(on.run(&policies, &jobs)), |on: &Evaluator| drop(on.map(&tapes, bare_loop)));
    // A first pass warms up caches and clocks and is not counted.
    run(&many);
    replay(&many);
    let mut measured: Vec<Rates> = Vec::new();
    for round in 0..rounds {
        let mut now = Rates::default();
        // The order changes from round to round, so that a drifting clock favors neither.
        let mut turns: [(&mut f64, &dyn Fn()); 4] = [
            (&mut now.policy, &|| run(&one)),
            (&mut now.raw, &|| replay(&one)),
            (&mut now.threads_policy, &|| run(&many)),
            (&mut now.threads_raw, &|| replay(&many)),
        ];
        turns.rotate_left(round % 4);
        for (slot, work) in turns {
            *slot = rate(work);
        }
        measured.push(now);
    }
    let middle = |of: &dyn Fn(&Rates) -> f64| quantile(&measured.iter().map(of).collect::<Vec<_>>(), 0.5);
    Ok(Throughput {
        task: task.name().to_string(),
        frame_skip: task.definition.frame_skip,
        policy_steps_per_second: middle(&|r| r.policy),
        raw_steps_per_second: middle(&|r| r.raw),
        ratio: middle(&|r| r.policy / r.raw),
        threads: many.threads(),
        threads_policy_steps_per_second: middle(&|r| r.threads_policy),
        threads_raw_steps_per_second: middle(&|r| r.threads_raw),
        scaling: middle(&|r| r.threads_policy / r.policy),
        raw_scaling: middle(&|r| r.threads_raw / r.raw),
        rounds,
    })
}

/// Returns small random policies (drawn by numpy's `default_rng(i)` for episode i, so that others can run them too),
/// enough episodes to fill `seconds` on one thread, and their tapes.
fn workload(task: &Arc<Task>, one: &Evaluator, seconds: f64) -> (Vec<LinearPolicy>, Vec<Job>, Vec<Tape>) {
    let (mut policies, mut jobs, mut tapes) = (Vec::new(), Vec::new(), Vec::new());
    let start = Instant::now();
    while jobs.len() < 2 || start.elapsed() < Duration::from_secs_f64(seconds) {
        let seed = jobs.len() as u64;
        let mut rng = NumpyRng::new(seed);
        let weights: Vec<f64> = (0..task.observations * task.actions).map(|_| rng.uniform(-0.05, 0.05)).collect();
        let policy = LinearPolicy::from_rows(&weights, task.observations, None);
        tapes.extend(one.map(&[seed], |sim, &seed| record(sim, &policy, seed)));
        jobs.push(Job { policy: policies.len(), seed });
        policies.push(policy);
    }
    // An even number, so that two threads can share the work evenly.
    if jobs.len() % 2 == 1 {
        policies.pop();
        jobs.pop();
        tapes.pop();
    }
    (policies, jobs, tapes)
}

fn record(simulator: &mut Simulator, policy: &LinearPolicy, seed: u64) -> Tape {
    simulator.reset(seed);
    let mut tape = Tape { qpos: simulator.qpos().to_vec(), qvel: simulator.qvel().to_vec(), controls: Vec::new() };
    rollout(simulator, policy, seed, |_, action, _| tape.controls.extend_from_slice(action));
    tape
}

fn bare_loop(simulator: &mut Simulator, tape: &Tape) {
    let task = simulator.task().clone();
    let data = simulator.data_mut();
    data.reset();
    data.qpos_mut().copy_from_slice(&tape.qpos);
    data.qvel_mut().copy_from_slice(&tape.qvel);
    for control in tape.controls.chunks_exact(task.actions) {
        data.ctrl_mut().copy_from_slice(control);
        for _ in 0..task.definition.frame_skip {
            data.step();
        }
    }
}
