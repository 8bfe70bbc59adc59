//! What a run depends on besides its settings: the task's file, its model, their location, and the run that a baseline
//! belongs to.

use super::folder::{SMALL, own_task, refused, resume, train_in};
use super::resume::long_run;
use super::train::{ok, quick, read};
use crate::common::{locomotion, stderr, stdout};
use locomotion::report::runs::collect;
use std::path::Path;
use std::process::Command;

fn edit(file: &Path, from: &str, to: &str) {
    let text = std::fs::read_to_string(file).unwrap();
    assert!(text.contains(from), "`{from}` is not in {}", file.display());
    std::fs::write(file, text.replacen(from, to, 1)).unwrap();
}

#[test]
fn a_run_does_not_continue_with_an_edited_task_or_model() {
    let place = tempfile::tempdir().unwrap();
    let (original, run) = (own_task(place.path()), place.path().join("run"));
    let start = [&["--env", "robot.toml", "--out", "run", "--budget", "16"], &SMALL[..]].concat();
    ok(&train_in(place.path(), &start));
    let longer = ["--budget", "24"];
    // The run has its own copy. What happens to the original does not matter, unless it is named.
    edit(&original, "horizon = 60", "horizon = 61");
    refused(&resume(&run, &["--env", original.to_str().unwrap()]), 3, &["has changed since the run began", "--env"]);
    let task = run.join("robot/robot.toml");

    edit(&task, "about = \"", "about = \"really, ");
    ok(&resume(&run, &[]));
    let original = std::fs::read_to_string(&task).unwrap();
    edit(&task, "horizon = 60", "horizon = 61");
    refused(&resume(&run, &longer), 3, &["task (SHA-256) ", ", now ", "run.toml", "--allow-drift"]);
    std::fs::write(&task, &original).unwrap();
    let motors = run.join("robot/motors.xml");
    edit(&motors, "joint=\"leg_joint\"", "joint=\"leg_joint\" gear=\"0.9\"");
    refused(&resume(&run, &longer), 3, &["compiled model (SHA-256) ", ", now "]);
    let path = run.to_str().unwrap();
    let output = locomotion(&["train", "--resume", path, "--budget", "24", "--allow-drift"]);
    ok(&output);
    assert!(stderr(&output).contains("note: continuing although the run was made with a different compiled model"));
    assert!(read(&run, "run.toml").contains("after_generation = 2"), "it is recorded");

    // No flag permits a task of another size.
    edit(&task, "skip = 1 # x", "skip = 2 # x");
    refused(&resume(&run, &["--budget", "32", "--allow-drift"]), 3, &["33 weights", "10 observations and 3 actions"]);
}

#[test]
fn a_run_of_your_own_task_continues_and_is_evaluated_from_any_folder() {
    let (place, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    own_task(place.path());
    let run = place.path().join("run");
    ok(&train_in(place.path(), &[&["--env", "./robot.toml", "--out", "run", "--budget", "16"], &SMALL[..]].concat()));
    ok(&train_in(elsewhere.path(), &["--resume", run.to_str().unwrap(), "--budget", "24"]));
    ok(&train_in(place.path(), &["--resume", "run", "--env", "robot.toml"]));
    assert_eq!(read(&run, "metrics.csv").lines().count(), 5);
    let eval = ["eval", run.to_str().unwrap(), "--episodes", "2"];
    let program = env!("CARGO_BIN_EXE_locomotion");
    ok(&Command::new(program).args(eval).current_dir(elsewhere.path()).output().unwrap());
    assert_eq!(collect(&[run]).unwrap()[0].task, "robot", "a reader sees no path");
}

#[test]
fn a_baseline_has_the_settings_of_the_resumed_run() {
    let place = tempfile::tempdir().unwrap();
    let run = place.path().join("run");
    ok(&quick(&run, &["--seed", "3", "--bound", "2", "--budget", "48"]));
    refused(&resume(&run, &["--baseline", "syncma"]), 2, &["--baseline names the optimizer of the run itself"]);
    ok(&resume(&run, &["--baseline", "cma-es", "--budget", "60"]));
    let baseline = run.join("baseline-cma-es");
    let settings = |folder: &Path| read(folder, "run.toml").parse::<toml::Table>().unwrap()["settings"].clone();
    let (main, other) = (settings(&run), settings(&baseline));
    for key in ["env", "seed", "bound", "budget", "heldout_episodes", "heldout_every"] {
        assert_eq!(main[key], other[key], "{key}");
    }
    assert_eq!(other["budget"].as_integer(), Some(60));
    assert_eq!(other["optimizer"].as_str(), Some("cma-es"));

    // Readers of the run see it too.
    let found: Vec<String> =
        collect(std::slice::from_ref(&run)).unwrap().into_iter().map(|run| run.optimizer).collect();
    assert_eq!(found, ["syncma", "cma-es"]);
    let (path, figure) = (run.to_str().unwrap(), place.path().join("a.svg"));
    ok(&locomotion(&["plot", path, "-o", figure.to_str().unwrap()]));
    let drawn = read(place.path(), "a.csv");
    assert!(drawn.contains("syncma,") && drawn.contains("cma-es,heldout"), "{drawn}");

    // Permission to drift applies to both runs.
    edit(&baseline.join("run.toml"), "mujoco = \"3.17.0\"", "mujoco = \"3.16.0\"");
    refused(&resume(&run, &["--baseline", "cma-es"]), 3, &["MuJoCo 3.16.0, now 3.17.0", "baseline-cma-es"]);
    ok(&resume(&run, &["--baseline", "cma-es", "--allow-drift"]));
}

#[test]
fn the_command_that_continues_keeps_the_baseline() {
    let place = tempfile::tempdir().unwrap();
    let run = place.path().join("run");
    let child = long_run(&run, &["--baseline", "ars"]);
    ok(&Command::new("kill").args(["-INT", &child.id().to_string()]).output().unwrap());
    let output = child.wait_with_output().unwrap();
    let wanted = format!("locomotion train --resume {} --baseline ars", run.display());
    assert!(stdout(&output).contains(&wanted), "{}", stdout(&output));
}

/// Included files, and files in other folders, travel with the run.
#[test]
fn a_run_carries_its_robot() {
    let (place, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    own_task(place.path());
    let (tasks, parts) = (place.path().join("tasks"), place.path().join("parts"));
    std::fs::create_dir_all(&tasks).unwrap();
    std::fs::create_dir_all(&parts).unwrap();
    std::fs::rename(place.path().join("robot.toml"), tasks.join("robot.toml")).unwrap();
    std::fs::rename(place.path().join("hopper.xml"), tasks.join("hopper.xml")).unwrap();
    std::fs::rename(place.path().join("motors.xml"), parts.join("motors.xml")).unwrap();
    edit(&tasks.join("hopper.xml"), "motors.xml", "../parts/motors.xml");
    let run = elsewhere.path().join("run");
    let path = run.to_str().unwrap();
    let start = ["--env", "tasks/robot.toml", "--out", path, "--budget", "16"];
    let output = Command::new(env!("CARGO_BIN_EXE_locomotion"))
        .args([&["train", "--threads", "1"], &start[..], &SMALL[..]].concat())
        .current_dir(place.path())
        .output()
        .unwrap();
    ok(&output);
    drop(place);

    // Every command that the program prints runs as printed.
    let said = stdout(&output);
    let play = said.lines().find_map(|line| line.split_once("play it: locomotion ")).unwrap().1;
    let page = elsewhere.path().join("page.html");
    let (film, traces) = (elsewhere.path().join("a.html"), elsewhere.path().join("a.h5"));
    let commands: [Vec<&str>; 5] = [
        play.split(' ').collect(),
        vec!["train", "--resume", path, "--budget", "24", "--quiet"],
        vec!["render", path, "-o", film.to_str().unwrap(), "--seconds", "0.2"],
        vec!["export", path, "-o", traces.to_str().unwrap(), "--episodes", "1"],
        vec!["report", path, "-o", page.to_str().unwrap()],
    ];
    for command in &commands {
        ok(&locomotion(command));
    }
    let page = std::fs::read_to_string(page).unwrap();
    assert!(page.contains(&format!("--env {path}/robot/tasks/robot.toml")), "the page names the copy");
}

#[test]
fn a_policy_that_is_played_with_another_model_says_so() {
    let place = tempfile::tempdir().unwrap();
    let (task, run) = (own_task(place.path()), place.path().join("run"));
    ok(&train_in(place.path(), &[&["--env", "robot.toml", "--out", "run", "--budget", "16"], &SMALL[..]].concat()));
    let eval = |more: &[&str]| {
        let output = locomotion(&[&["eval", run.to_str().unwrap(), "--episodes", "1"], more].concat());
        ok(&output);
        stderr(&output)
    };
    assert_eq!(eval(&[]), "");
    edit(&place.path().join("hopper.xml"), "gear=\"200\"", "gear=\"190\"");
    assert!(eval(&["--env", task.to_str().unwrap()]).contains("trained with another model"));
    assert_eq!(eval(&[]), "", "the copy has not changed");
}
