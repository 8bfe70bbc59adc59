//! A run folder belongs to one process, records its progress, and is never continued as something else.

use super::train::{ok, quick, read};
use crate::common::{locomotion, root, short_hopper, stderr, stdout};
use locomotion::report::runs::collect;
use locomotion::run_folder::{Folder, RunState};
use locomotion::settings::PartialSettings;
use locomotion::train::{Resume, RunOptions, Stop, Training};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

pub fn resume(run: &Path, more: &[&str]) -> Output {
    locomotion(&[&["train", "--quiet", "--resume", run.to_str().unwrap()], more].concat())
}

/// Checks that the program failed with this code and that its message has all of these parts.
pub fn refused(output: &Output, code: i32, parts: &[&str]) {
    let said = stderr(output);
    assert_eq!(output.status.code(), Some(code), "{said}");
    parts.iter().for_each(|part| assert!(said.contains(part), "`{part}` is not in: {said}"));
}

/// Continues a run with a larger budget and interrupts it before the first generation is done.
fn interrupt_at_once(run: &Path, budget: u64) {
    let given = PartialSettings { budget: Some(budget), ..PartialSettings::default() };
    let options = RunOptions {
        threads: 1,
        workers: None,
        checkpoint_every: Duration::from_secs(30),
        leave: Arc::new(AtomicBool::new(true)),
        command: |_| String::new(),
    };
    let mut search = Training::resume(&given, &Folder::new(run), Resume::default(), options).unwrap();
    assert_eq!(search.run(&mut |_, _| ()).unwrap(), Stop::Interrupted);
}

#[test]
fn a_second_process_is_refused_and_changes_nothing() {
    let place = tempfile::tempdir().unwrap();
    let run = place.path().join("run");
    ok(&quick(&run, &[]));
    let files = ["run.toml", "metrics.csv", "final.json"];
    let before = files.map(|name| read(&run, name));
    let lock = Folder::new(&run).lock().unwrap();
    let path = run.to_str().unwrap();
    for output in [resume(&run, &["--budget", "108"]), quick(&run, &["--force"])] {
        refused(&output, 1, &["is working on this run", path, "--out", &std::process::id().to_string()]);
    }
    assert_eq!(before, files.map(|name| read(&run, name)));
    drop(lock);
    ok(&resume(&run, &["--budget", "108"]));
}

#[test]
fn taking_the_lock_sweeps_up_what_a_killed_process_left() {
    let place = tempfile::tempdir().unwrap();
    let run = place.path().join("run");
    ok(&quick(&run, &[]));
    let (ours, theirs) = ([".checkpoint.bin.Ab12.tmp", ".run.toml.x.tmp"], ".film.mp4.Ab12.tmp");
    ours.iter().chain([&theirs]).for_each(|name| std::fs::write(run.join(name), "half").unwrap());
    ok(&resume(&run, &[]));
    assert!(ours.iter().all(|name| !run.join(name).exists()));
    assert!(run.join(theirs).exists(), "another command may be writing it");
}

#[test]
fn a_raised_budget_makes_a_finished_trial_unfinished() {
    let place = tempfile::tempdir().unwrap();
    let (out, task) = (place.path().to_str().unwrap(), short_hopper(place.path()));
    let compare = |budget: &str| {
        let fixed = ["compare", "--env", &task, "--optimizers", "cma-es", "--seeds", "1", "--out", out];
        let small = ["--batch", "12", "--heldout-episodes", "2", "--budget", budget];
        ok(&locomotion(&[&fixed[..], &small].concat()));
    };
    let run = place.path().join("hopper/cma-es/seed-0");
    let episodes = || -> u64 {
        let policy: serde_json::Value = serde_json::from_str(&read(&run, "final.json")).unwrap();
        policy["provenance"]["episodes"].as_u64().unwrap()
    };
    compare("48");
    let state = || Folder::new(&run).read_run().unwrap().state.unwrap();
    assert!(matches!(state(), RunState::Finished { budget: Some(48), .. }));
    let written = || std::fs::metadata(run.join("final.json")).unwrap().modified().unwrap();
    let first = written();
    compare("48");
    assert_eq!(written(), first, "what is done is left alone");

    interrupt_at_once(&run, 96);
    assert_eq!(state(), RunState::Stopped);
    assert!(run.join("final.json").exists(), "the policy of the earlier end is kept");
    let seen = &collect(std::slice::from_ref(&run)).unwrap()[0];
    assert_eq!(seen.final_score, None, "but it is no final score");
    compare("96");
    assert_eq!(episodes(), 96);
    assert!(matches!(state(), RunState::Finished { budget: Some(96), .. }));
}

#[test]
fn a_changed_metrics_file_is_refused_before_training_continues() {
    let place = tempfile::tempdir().unwrap();
    let run = place.path().join("run");
    ok(&quick(&run, &[]));
    let good = read(&run, "metrics.csv");
    let extra: String = good.lines().map(|line| format!("{line},1\n")).collect();
    let lost: String =
        good.lines().enumerate().filter(|(at, _)| *at != 3).map(|(_, line)| format!("{line}\n")).collect();
    for (text, says) in [(good.replace('\n', "\r\n"), "CR LF"), (extra, "the columns are"), (lost, "rows are missing")]
    {
        std::fs::write(run.join("metrics.csv"), &text).unwrap();
        let before = read(&run, "run.toml");
        refused(&resume(&run, &["--budget", "108"]), 3, &[says, "metrics.csv", "--force"]);
        assert_eq!((read(&run, "metrics.csv"), read(&run, "run.toml")), (text, before), "nothing is touched");
    }
    std::fs::write(run.join("metrics.csv"), good + "9,1").unwrap();
    ok(&resume(&run, &["--budget", "108"]));
    assert_eq!(read(&run, "metrics.csv").lines().count(), 11, "a torn last row is made again");
}

#[test]
fn an_older_run_is_read_and_continues_with_a_note() {
    let place = tempfile::tempdir().unwrap();
    let run = place.path().join("run");
    ok(&quick(&run, &[]));
    let mut document: toml::Table = read(&run, "run.toml").parse().unwrap();
    ["state", "given"].iter().for_each(|table| drop(document.remove(*table).unwrap()));
    let program = document["program"].as_table_mut().unwrap();
    ["sources", "task_sha256", "compiled_sha256"].iter().for_each(|key| drop(program.remove(*key).unwrap()));
    std::fs::write(run.join("run.toml"), document.to_string()).unwrap();

    assert!(collect(std::slice::from_ref(&run)).unwrap()[0].final_score.is_some(), "it has finished");
    let path = run.to_str().unwrap();
    ok(&locomotion(&["eval", path, "--episodes", "2"]));
    let output = locomotion(&["train", "--resume", path, "--budget", "108"]);
    ok(&output);
    assert!(stderr(&output).contains("note: an older program started this run"), "{}", stderr(&output));
    assert!(read(&run, "run.toml").contains("sources = "), "now it is recorded");
}

#[test]
fn an_edited_run_file_does_not_accept_the_checkpoint() {
    let place = tempfile::tempdir().unwrap();
    let run = place.path().join("run");
    ok(&quick(&run, &[]));
    let good = read(&run, "run.toml");
    std::fs::write(run.join("run.toml"), good.replace("seed = 0", "seed = 5")).unwrap();
    refused(&resume(&run, &[]), 3, &["made with `seed` = 0, but run.toml says 5", "checkpoint.bin"]);
    let normalize = good.lines().find(|line| line.starts_with("normalize = ")).unwrap();
    let was = normalize.split('"').nth(1).unwrap();
    for other in ["none", "running", "bounded"].into_iter().filter(|other| *other != was) {
        std::fs::write(run.join("run.toml"), good.replace(normalize, &format!("normalize = \"{other}\""))).unwrap();
        let told = format!("made with `normalize` = \"{was}\", but run.toml says \"{other}\"");
        refused(&resume(&run, &[]), 3, &[&told, "checkpoint.bin"]);
    }
    let sources = good.lines().find(|line| line.starts_with("sources = ")).unwrap();
    std::fs::write(run.join("run.toml"), good.replace(sources, "sources = \"0123456789ab\"")).unwrap();
    refused(&resume(&run, &[]), 3, &["build", "0123456789ab, now ", "--allow-drift"]);
    ok(&resume(&run, &["--allow-drift"]));
}

#[test]
fn contestants_that_are_the_same_are_refused_and_others_share_no_folder() {
    let place = tempfile::tempdir().unwrap();
    let list = |optimizers: &str| {
        let out = place.path().to_str().unwrap();
        locomotion(&["compare", "--env", "hopper", "--optimizers", optimizers, "--seeds", "2", "--out", out, "--list"])
    };
    let twins = list("syncma,syncma:steady");
    refused(&twins, 2, &["`syncma` and `syncma:steady`", "syncma-steady/seed-0"]);
    let output = list("syncma,syncma:adaptive,syncma:adaptive:2,cma-es");
    ok(&output);
    let text = stdout(&output);
    let mut folders: Vec<&str> = text.lines().filter_map(|line| line.split("--resume ").nth(1)).collect();
    folders.sort();
    folders.dedup();
    assert_eq!(folders.len(), 8, "{folders:?}");
}

/// A copy of hopper with short episodes and its model split into two files, as a user's own task.
pub fn own_task(place: &Path) -> PathBuf {
    let text = std::fs::read_to_string(root().join("envs/hopper.toml")).unwrap();
    let task = text.replace("horizon = 1000", "horizon = 60").replace("name = \"hopper\"", "name = \"robot\"");
    let task: String = task.split("\n[defaults").next().unwrap().into();
    std::fs::write(place.join("robot.toml"), task).unwrap();
    let model = std::fs::read_to_string(root().join("assets/models/hopper.xml")).unwrap();
    let (from, to) = (model.find("<actuator>").unwrap(), model.find("</actuator>").unwrap() + "</actuator>".len());
    std::fs::write(place.join("motors.xml"), format!("<mujoco>{}</mujoco>", &model[from..to])).unwrap();
    let outer = format!("{}<include file=\"motors.xml\"/>{}", &model[..from], &model[to..]);
    std::fs::write(place.join("hopper.xml"), outer).unwrap();
    place.join("robot.toml")
}

/// Trains in a folder, as if called from there.
pub fn train_in(place: &Path, arguments: &[&str]) -> Output {
    let program = env!("CARGO_BIN_EXE_locomotion");
    let small = ["train", "--quiet", "--threads", "1"];
    Command::new(program).args(small).args(arguments).current_dir(place).stdin(Stdio::null()).output().unwrap()
}

pub const SMALL: [&str; 8] =
    ["--batch", "8", "--heldout-episodes", "2", "--heldout-every", "1", "--optimizer", "cma-es"];
