//! An episode depends only on its seed and its policy, broken physics is noticed, and the hot loop does not allocate.

#![cfg(feature = "cli")]

mod common;

use locomotion::policy::LinearPolicy;
use locomotion::random::{Purpose, stream};
use locomotion::rollout::{Evaluator, Job};
use locomotion::sim::{EpisodeOutcome, NAMES, Simulator, Task, find, rollout};
use rand::RngExt;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::Arc;

thread_local! {
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

/// Counts the allocations of this thread.
struct Counting;

// SAFETY: passes every call on to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.with(|count| count.set(count.get() + 1));
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn random_policy(task: &Task, seed: u64, scale: f64) -> LinearPolicy {
    let mut rng = stream(seed, Purpose::Start, 0, 0);
    let weights: Vec<f64> = (0..task.actions * task.observations).map(|_| rng.random_range(-scale..scale)).collect();
    LinearPolicy::from_rows(&weights, task.observations, None)
}

/// Every bit of an episode: its outcome and final state.
fn all_of(simulator: &mut Simulator, policy: &LinearPolicy, seed: u64) -> (EpisodeOutcome, Vec<u64>) {
    let outcome = rollout(simulator, policy, seed, |_, _, _| ());
    let state = [simulator.qpos(), simulator.qvel(), simulator.observation()].concat();
    (outcome, common::bits(&state))
}

#[test]
fn the_past_of_a_simulator_leaves_no_trace() {
    for name in NAMES {
        let task = find(name).unwrap();
        let policy = random_policy(&task, 1, 0.2);
        let fresh = all_of(&mut Simulator::new(task.clone()), &policy, 7);
        let mut used = Simulator::new(task.clone());
        for unrelated in 0..50 {
            rollout(&mut used, &random_policy(&task, 100 + unrelated, 1.0), unrelated, |_, _, _| ());
        }
        assert_eq!(all_of(&mut used, &policy, 7), fresh, "{name}");
    }
}

#[test]
fn an_episode_goes_on_from_a_snapshot_as_it_would_have() {
    for name in NAMES {
        let task = find(name).unwrap();
        let policy = random_policy(&task, 1, 0.2);
        let mut action = vec![0.0; task.actions];
        let mut go_on = |simulator: &mut Simulator| -> Vec<u64> {
            let mut seen = Vec::new();
            for _ in 0..40 {
                policy.act(simulator.observation(), &mut action);
                seen.push(simulator.step(&action).reward.total());
                seen.extend_from_slice(simulator.observation());
            }
            common::bits(&[&seen, simulator.qpos(), simulator.qvel()].concat())
        };
        let (mut simulator, mut other) = (Simulator::new(task.clone()), Simulator::new(task.clone()));
        simulator.reset(3);
        go_on(&mut simulator);
        let moment = simulator.snapshot();
        let followed = go_on(&mut simulator);
        simulator.restore(&moment);
        assert_eq!(go_on(&mut simulator), followed, "{name}: in the same simulation");
        other.reset(4);
        go_on(&mut other);
        other.restore(&moment);
        assert_eq!(go_on(&mut other), followed, "{name}: in one that did something else");
        let untouched: Vec<u64> = {
            let mut fresh = Simulator::new(task.clone());
            fresh.reset(3);
            go_on(&mut fresh);
            go_on(&mut fresh)
        };
        assert_eq!(untouched, followed, "{name}: a snapshot changes nothing");
    }
}

#[test]
fn any_number_of_threads_gives_the_same_outcomes() {
    let task = find("hopper").unwrap();
    let policies: Vec<LinearPolicy> = (0..9).map(|seed| random_policy(&task, seed, 0.5)).collect();
    let jobs: Vec<Job> = (0..27).map(|i| Job { policy: i % 9, seed: (i * i) as u64 }).collect();
    let one = Evaluator::new(&task, 1).unwrap().run(&policies, &jobs);
    assert!(one.iter().zip(&jobs).all(|(outcome, job)| outcome.seed == job.seed), "outcome i belongs to job i");
    for threads in [2, 7] {
        assert_eq!(Evaluator::new(&task, threads).unwrap().run(&policies, &jobs), one, "{threads} threads");
    }
}

#[test]
fn a_step_does_not_allocate() {
    for name in NAMES {
        let task = find(name).unwrap();
        let policy = random_policy(&task, 3, 0.2);
        let mut simulator = Simulator::new(task);
        let mut at_first_step = None;
        rollout(&mut simulator, &policy, 0, |_, _, _| {
            let now = ALLOCATIONS.with(Cell::get);
            assert_eq!(*at_first_step.get_or_insert(now), now, "{name}");
        });
    }
}

fn breaking_task(folder: &std::path::Path) -> Arc<Task> {
    let source = common::root();
    let model = std::fs::read_to_string(source.join("assets/models/half_cheetah.xml")).unwrap();
    let strong = model.replace("gear=\"120\"", "gear=\"120e9\"");
    assert_ne!(model, strong, "the gain is in the model");
    std::fs::write(folder.join("half_cheetah.xml"), strong).unwrap();
    std::fs::copy(source.join("envs/half-cheetah.toml"), folder.join("robot.toml")).unwrap();
    Task::load(&folder.join("robot.toml")).unwrap()
}

#[test]
fn a_diverging_episode_ends_is_counted_and_leaks_no_nan() {
    let folder = tempfile::tempdir().unwrap();
    let task = breaking_task(folder.path());
    let policy = random_policy(&task, 1, 1.0);
    let mut simulator = Simulator::new(task.clone());
    let outcome = rollout(&mut simulator, &policy, 0, |_, action, step| {
        assert!(action.iter().all(|a| a.abs() <= 1.0));
        assert!(step.diverged || step.reward.total().is_finite());
    });
    assert!(outcome.diverged && !outcome.terminated, "{outcome:?}");
    assert!(outcome.length < task.definition.horizon, "it ends there: {outcome:?}");
    assert!(outcome.value.is_finite() && outcome.value <= 0.0, "a failure keeps no gain: {outcome:?}");
    assert!(outcome.loss().is_nan(), "and ranks last");

    let harmless = LinearPolicy::from_rows(&vec![0.0; task.actions * task.observations], task.observations, None);
    let after = all_of(&mut simulator, &harmless, 3);
    assert_eq!(after, all_of(&mut Simulator::new(task), &harmless, 3), "the next episode is sound again");
    assert!(!after.0.diverged);
}

#[test]
fn the_program_reports_a_divergence_and_prints_no_nan() {
    let folder = tempfile::tempdir().unwrap();
    breaking_task(folder.path());
    let policy = folder.path().join("policy.json");
    std::fs::write(&policy, common::policy_json("half-cheetah", 17, 6, 0.7).to_string()).unwrap();
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_locomotion"))
        .current_dir(&folder)
        .args(["eval", "policy.json", "--env", "robot.toml", "--episodes", "3", "--json"])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", common::stderr(&output));
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["diverged"], 3);
    assert!(report["mean"].is_number() && report["episodes"][0]["return"].is_number(), "{report}");
    assert!(!folder.path().join("MUJOCO_LOG.TXT").exists(), "no stray file in the user's folder");
}
