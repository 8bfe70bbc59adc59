//! A run that is killed at any moment and resumed ends with the same bytes as one that was left alone.

use super::train::{ok, quick, read, results};
use crate::common::{locomotion, root, short, stderr, stdout};
use rand::RngExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

const KINDS: [&[&str]; 9] = [
    &["--sigma", "0.3", "--variant", "steady", "--lambda0", "2"],
    &["--sigma", "0.3", "--variant", "adaptive", "--lambda0", "2"],
    &["--sigma", "0.3", "--variant", "matrix"],
    &["--sigma", "0.3", "--variant", "exact"],
    &["--sigma", "0.3", "--variant", "published"],
    &["--sigma", "0.3", "--optimizer", "cma-es"],
    &["--optimizer", "ars"],
    &["--symmetry", "mirror", "--inputs", "state", "--segments", "1"],
    // A short episode of Ant lasts to its end, so that candidates share it.
    &["--symmetry", "mirror", "--segments", "4"],
];

/// Starts a run, or continues it. Hopper has no left and right.
fn spawn(folder: &Path, more: &[&str]) -> Child {
    let robot = if more.contains(&"--symmetry") { "ant" } else { "hopper" };
    Command::new(env!("CARGO_BIN_EXE_locomotion"))
        .args(["train", "--env", &short(folder.parent().unwrap(), robot)])
        .args(["--budget", "300", "--batch", "12", "--quiet"])
        .args(["--heldout-episodes", "3", "--heldout-every", "2", "--checkpoint-every", "0"])
        .args(["--resume", folder.to_str().unwrap()])
        .args(more)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

fn finish(folder: &Path, more: &[&str]) {
    ok(&spawn(folder, more).wait_with_output().unwrap());
}

#[test]
fn a_killed_run_ends_with_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let mut rng = rand::rng();
    for (kind, more) in KINDS.iter().enumerate() {
        let (whole, killed) =
            (folder.path().join(format!("whole-{kind}")), folder.path().join(format!("killed-{kind}")));
        let started = std::time::Instant::now();
        finish(&whole, more);
        let alone = started.elapsed().as_secs_f64();
        for _ in 0..2 {
            let mut child = spawn(&killed, more);
            std::thread::sleep(Duration::from_secs_f64(rng.random_range(0.0..alone * 0.8)));
            child.kill().unwrap();
            child.wait().unwrap();
        }
        finish(&killed, more);
        assert_eq!(results(&killed), results(&whole), "{more:?}");
    }
}

/// A run that has begun and is far from its end.
pub fn long_run(run: &Path, more: &[&str]) -> Child {
    let child = Command::new(env!("CARGO_BIN_EXE_locomotion"))
        .args(["train", "--budget", "100000", "--batch", "40", "--out", run.to_str().unwrap()])
        .args(if more.contains(&"--env") { &[][..] } else { &["--env", "swimmer"] })
        .args(more)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    while !run.join("metrics.csv").exists() {
        std::thread::sleep(Duration::from_millis(20));
    }
    child
}

/// Whether nohup started these tests. The programs that they start then ignore hangups too.
fn hangups_are_ignored() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).unwrap();
    u64::from_str_radix(mask.trim(), 16).unwrap() & 1 == 1
}

#[test]
fn a_signal_saves_stops_soon_and_says_how_to_continue() {
    let folder = tempfile::tempdir().unwrap();
    for (signal, code) in [("INT", 130), ("TERM", 143), ("USR1", 143), ("HUP", 129)] {
        if signal == "HUP" && hangups_are_ignored() {
            continue;
        }
        let run = folder.path().join(signal);
        let child = long_run(&run, &[]);
        std::thread::sleep(Duration::from_millis(700));
        let told = std::time::Instant::now();
        ok(&Command::new("kill").args([&format!("-{signal}"), &child.id().to_string()]).output().unwrap());
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(code), "{signal}: {}", stderr(&output));
        assert!(told.elapsed() < Duration::from_secs(5), "{signal}: it took {:?}", told.elapsed());
        let text = stdout(&output);
        assert!(text.contains("saved") && text.contains("locomotion train --resume"), "{signal}: {text}");
        assert!(run.join("checkpoint.bin").exists());
    }
}

#[test]
fn a_longer_budget_continues_where_the_run_ended() {
    let folder = tempfile::tempdir().unwrap();
    let (whole, parts) = (folder.path().join("whole"), folder.path().join("parts"));
    ok(&quick(&parts, &["--heldout-every", "1"]));
    ok(&locomotion(&["train", "--resume", parts.to_str().unwrap(), "--budget", "192", "--quiet"]));
    ok(&quick(&whole, &["--heldout-every", "1", "--budget", "192"]));
    assert_eq!(results(&parts), results(&whole));
    assert_eq!(results(&parts).2.len(), 2 + 192 / 12, "a header, the start and the generations");
}

#[test]
fn other_settings_or_another_program_are_not_a_resume() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("run");
    ok(&quick(&run, &[]));
    let resume = |more: &[&str]| locomotion(&[&["train", "--quiet", "--resume", run.to_str().unwrap()], more].concat());
    let other = resume(&["--sigma", "0.7"]);
    assert_eq!(other.status.code(), Some(2));
    assert!(stderr(&other).contains("--sigma is 0.7, but the run was started with 0.3"), "{}", stderr(&other));

    let text = read(&run, "run.toml");
    std::fs::write(run.join("run.toml"), text.replace("mujoco = \"3.17.0\"", "mujoco = \"3.16.0\"")).unwrap();
    let drifted = resume(&[]);
    assert_eq!(drifted.status.code(), Some(3));
    assert!(stderr(&drifted).contains("MuJoCo 3.16.0, now 3.17.0"), "{}", stderr(&drifted));
    ok(&resume(&["--allow-drift"]));
    assert!(read(&run, "run.toml").contains("[[drift]]"), "it is recorded");
}

/// Older versions stored settings that the optimizer did not use. Such a run continues as if they were not there.
#[test]
fn a_stored_setting_without_effect_is_dropped() {
    let folder = tempfile::tempdir().unwrap();
    let (whole, old) = (folder.path().join("whole"), folder.path().join("old"));
    let kind = ["--optimizer", "cma-es", "--heldout-every", "1"];
    ok(&quick(&whole, &[&kind[..], &["--budget", "144"]].concat()));
    ok(&quick(&old, &kind));
    let text = read(&old, "run.toml");
    assert!(!text.contains("lambda0") && !text.contains("variant"), "{text}");
    let stored = text.replace("[settings]\n", "[settings]\nvariant = \"adaptive\"\nlambda0 = 4.0\nkappa = 2.0\n");
    assert_ne!(stored, text);
    std::fs::write(old.join("run.toml"), stored).unwrap();
    let resume = |more: &[&str]| locomotion(&[&["train", "--quiet", "--resume", old.to_str().unwrap()], more].concat());
    let refused = resume(&["--lambda0", "4"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(stderr(&refused).contains("cma-es does not use --lambda0"), "{}", stderr(&refused));
    ok(&resume(&["--budget", "144"]));
    assert_eq!(results(&old), results(&whole));
    assert!(!read(&old, "run.toml").contains("lambda0"));
}

fn signal(name: &str, child: &Child) {
    ok(&Command::new("kill").args([&format!("-{name}"), &child.id().to_string()]).output().unwrap());
}

/// An episode of a million steps takes minutes.
#[test]
fn a_signal_is_obeyed_in_the_middle_of_an_episode() {
    let place = tempfile::tempdir().unwrap();
    let text = std::fs::read_to_string(root().join("envs/half-cheetah.toml")).unwrap();
    let long = text.replace("horizon = 1000\n", "horizon = 1000000\n");
    assert_ne!(text, long);
    let task = place.path().join("robot.toml");
    std::fs::write(&task, long).unwrap();
    std::fs::copy(root().join("assets/models/half_cheetah.xml"), place.path().join("half_cheetah.xml")).unwrap();
    let run = place.path().join("run");
    let child = long_run(&run, &["--env", task.to_str().unwrap()]);
    std::thread::sleep(Duration::from_millis(500));
    let told = std::time::Instant::now();
    signal("INT", &child);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{}", stderr(&output));
    assert!(told.elapsed() < Duration::from_secs(3), "{:?}", told.elapsed());
    assert!(run.join("checkpoint.bin").exists());
}

/// A program that was started by nohup outlives its terminal.
#[test]
fn an_ignored_hangup_stays_ignored() {
    let place = tempfile::tempdir().unwrap();
    let run = place.path().join("run");
    let program = env!("CARGO_BIN_EXE_locomotion");
    let mut child = Command::new("nohup")
        .args([program, "train", "--env", "hopper", "--batch", "12", "--time", "2s", "--out", run.to_str().unwrap()])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    while !run.join("metrics.csv").exists() {
        std::thread::sleep(Duration::from_millis(20));
    }
    signal("HUP", &child);
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert!(run.join("final.json").exists());
}

/// A file is complete or absent, also where a signal ends the program in the middle of it.
#[test]
fn a_signal_leaves_no_half_file() {
    let place = tempfile::tempdir().unwrap();
    let seen = || std::fs::read_dir(place.path()).unwrap().flatten().map(|entry| entry.path()).collect::<Vec<_>>();
    let root = place.path().to_str().unwrap();
    let file = place.path().join("traces.h5");
    for (target, code, name) in [(["-o", file.to_str().unwrap()], 130, "INT"), (["--minari", "a/b-v0"], 143, "TERM")] {
        let more: &[&str] = if target[0] == "-o" { &[] } else { &["--root", root] };
        let child = Command::new(env!("CARGO_BIN_EXE_locomotion"))
            .args(["export", "half-cheetah", "--episodes", "100000"])
            .args(target)
            .args(more)
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        while seen().is_empty() {
            std::thread::sleep(Duration::from_millis(5));
        }
        std::thread::sleep(Duration::from_millis(300));
        signal(name, &child);
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(code));
        let left = Command::new("find").args([root, "-name", ".*.tmp"]).output().unwrap();
        assert_eq!(stdout(&left), "", "{name}");
        let _ = std::fs::remove_dir_all(place.path().join("a"));
    }
}
