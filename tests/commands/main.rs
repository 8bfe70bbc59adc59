//! The commands as a person or a script uses them.

#![cfg(feature = "cli")]

#[path = "../common/mod.rs"]
mod common;
mod fields;
mod serve_optimizer;
mod shell;
mod tensorboard;

use common::{locomotion, policy_json, stderr, stdout};
use serde_json::Value;
use std::io::Read;
use std::process::{Command, Stdio};

#[test]
fn eval_prints_the_same_bytes_for_any_number_of_threads() {
    let folder = tempfile::tempdir().unwrap();
    for (task, observations, actions) in [("hopper", 11, 3), ("ant", 111, 8)] {
        let file = folder.path().join(format!("{task}.json"));
        std::fs::write(&file, policy_json(task, observations, actions, 0.01).to_string()).unwrap();
        let run = |threads: &str| {
            let path = file.to_str().unwrap();
            let output = locomotion(&["eval", path, "--episodes", "11", "--seed", "5", "--threads", threads, "--json"]);
            assert!(output.status.success(), "{}", stderr(&output));
            output.stdout
        };
        let one = run("1");
        assert_eq!(run("2"), one, "{task}: 2 threads");
        assert_eq!(run("7"), one, "{task}: 7 threads");
        let report: Value = serde_json::from_slice(&one).unwrap();
        let seeds: Vec<u64> =
            report["episodes"].as_array().unwrap().iter().map(|e| e["seed"].as_u64().unwrap()).collect();
        assert_eq!(seeds, (5..16).collect::<Vec<_>>(), "episode i uses reset seed 5 + i");
        assert!(report["mean"].is_number() && report["median"].is_number() && report["task"] == task);
    }
}

#[test]
fn envs_lists_the_twelve_tasks_with_the_papers_layouts() {
    let document: Value = serde_json::from_slice(&locomotion(&["envs", "--json"]).stdout).unwrap();
    let tasks = document["tasks"].as_array().unwrap();
    assert_eq!(tasks.len(), 12);
    let sizes = |name: &str| {
        let task = tasks.iter().find(|task| task["task"] == name).unwrap();
        (task["observations"].as_u64().unwrap(), task["actions"].as_u64().unwrap())
    };
    let expected = [
        ("swimmer", (8, 2)),
        ("hopper", (11, 3)),
        ("half-cheetah", (17, 6)),
        ("walker", (17, 6)),
        ("ant", (111, 8)),
        ("humanoid", (376, 17)),
        ("ant-v5", (105, 8)),
        ("humanoid-v5", (348, 17)),
    ];
    for (name, size) in expected {
        assert_eq!(sizes(name), size, "{name}");
    }
    let text = stdout(&locomotion(&["envs"]));
    assert!(tasks.iter().all(|task| text.contains(task["task"].as_str().unwrap())), "{text}");
}

#[test]
fn a_shown_task_is_a_working_start_for_your_own() {
    let folder = tempfile::tempdir().unwrap();
    let (task, policy) = (folder.path().join("robot.toml"), folder.path().join("policy.json"));
    let shown = stdout(&locomotion(&["envs", "--show", "swimmer"]));
    std::fs::write(&task, shown.replace("\"swimmer\"", "\"my-swimmer\"")).unwrap();
    std::fs::copy(common::root().join("assets/models/swimmer.xml"), folder.path().join("swimmer.xml")).unwrap();
    let eval = |name: &str, env: &str| {
        std::fs::write(&policy, policy_json(name, 8, 2, 0.3).to_string()).unwrap();
        let output = locomotion(&["eval", policy.to_str().unwrap(), "--env", env, "--episodes", "2", "--json"]);
        assert!(output.status.success(), "{}", stderr(&output));
        serde_json::from_slice::<Value>(&output.stdout).unwrap()["episodes"].clone()
    };
    assert_eq!(eval("my-swimmer", task.to_str().unwrap()), eval("swimmer", "swimmer"));
}

#[test]
fn a_closed_pipe_is_not_an_error() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_locomotion"))
        .args(["envs", "--json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let mut talk = String::new();
    child.stderr.take().unwrap().read_to_string(&mut talk).unwrap();
    assert_eq!((child.wait().unwrap().code(), talk.as_str()), (Some(0), ""));
}

/// It does not depend on the folder that it was built in.
#[test]
fn a_program_that_was_moved_finds_the_library_next_to_it() {
    const LIBRARY: &str = "libmujoco.so.3.17.0";
    let library = common::root().join(".mujoco").join(LIBRARY);
    if !library.exists() {
        return; // MUJOCO_DYNAMIC_LINK_DIR names another one
    }
    for (place, found) in [("bin", "bin"), ("lib", "bin/../lib")] {
        let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let (program, shelf) = (folder.path().join("bin/locomotion"), folder.path().join(place));
        std::fs::create_dir_all(program.parent().unwrap()).unwrap();
        std::fs::create_dir_all(&shelf).unwrap();
        std::fs::hard_link(env!("CARGO_BIN_EXE_locomotion"), &program).unwrap();
        std::fs::copy(&library, shelf.join(LIBRARY)).unwrap();
        let mut command = Command::new(&program);
        let output = command.arg("--version").env_remove("LD_LIBRARY_PATH").env("LD_DEBUG", "libs").output().unwrap();
        let used = format!("calling init: {}", folder.path().join(found).join(LIBRARY).display());
        assert!(output.status.success() && stderr(&output).contains(&used), "{}", stderr(&output));
    }
}

#[test]
fn throughput_compares_rollouts_with_the_bare_loop() {
    let output =
        locomotion(&["bench", "throughput", "--env", "swimmer", "--seconds", "0.4", "--rounds", "2", "--json"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    let row = &document["tasks"][0];
    assert_eq!(row["task"], "swimmer");
    for field in ["policy_steps_per_second", "raw_steps_per_second", "ratio", "scaling", "raw_scaling"] {
        assert!(row[field].as_f64().unwrap() > 0.0, "{field}: {row}");
    }
}

#[test]
fn a_shipped_policy_belongs_to_the_task_of_its_name() {
    let document: Value = serde_json::from_slice(&locomotion(&["envs", "--json"]).stdout).unwrap();
    for task in document["tasks"].as_array().unwrap() {
        let name = task["task"].as_str().unwrap();
        let file = common::root().join(format!("policies/{name}.json"));
        let policy: Value = serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
        assert_eq!(policy["task"], name);
    }
}

#[test]
fn the_help_names_every_optimizer() {
    let help = stdout(&locomotion(&["train", "--help"]));
    let help: Vec<&str> = help.split(|c: char| !(c.is_alphanumeric() || c == '-')).collect();
    for optimizer in locomotion::optim::OptimizerKind::ALL {
        assert!(help.contains(&optimizer.name()), "{}", optimizer.name());
    }
}
