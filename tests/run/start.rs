//! A search may start from a policy: a file, a run folder or the name of one that ships with the program.

use super::train::{ok, quick, read, results};
use crate::common::{locomotion, short, stderr};
use serde_json::Value;
use std::path::Path;

fn policy(run: &Path, name: &str) -> Value {
    serde_json::from_str(&read(run, name)).unwrap()
}

fn weights(policy: &Value) -> Vec<f64> {
    let rows = policy["weights"].as_array().unwrap();
    rows.iter().flat_map(|row| row.as_array().unwrap()).map(|w| w.as_f64().unwrap()).collect()
}

#[test]
fn a_search_of_no_width_ends_at_the_policy_that_it_starts_from() {
    let folder = tempfile::tempdir().unwrap();
    let (first, second) = (folder.path().join("first"), folder.path().join("second"));
    ok(&quick(&first, &["--variant", "steady", "--normalize", "running"]));
    ok(&quick(&second, &["--variant", "steady", "--init", first.to_str().unwrap(), "--sigma", "1e-12"]));
    let (start, end) = (policy(&first, "best.json"), policy(&second, "final.json"));
    assert_eq!(end["provenance"]["start"], start["provenance"], "a policy tells where it comes from");
    assert_eq!(end["normalizer"], start["normalizer"], "weights keep the normalizer that they were learned with");
    let (start, end) = (weights(&start), weights(&end));
    assert!(start.iter().any(|w| w.abs() > 1e-3));
    assert!(start.iter().zip(&end).all(|(was, is)| (was - is).abs() < 1e-9), "{start:?} {end:?}");
}

/// What differs between machines is not part of a policy: where its start and its task lie.
#[test]
fn a_policy_is_the_same_wherever_its_start_and_its_task_were() {
    let here = tempfile::tempdir().unwrap();
    let there = tempfile::tempdir().unwrap();
    let trained = |folder: &Path| {
        let (first, second) = (folder.join("first"), folder.join("second"));
        ok(&quick(&first, &[]));
        ok(&quick(&second, &["--init", first.to_str().unwrap()]));
        let policy = read(&second, "final.json");
        assert!(!policy.contains(folder.to_str().unwrap()), "{policy}");
        policy
    };
    assert_eq!(trained(here.path()), trained(there.path()));
}

#[test]
fn a_run_that_has_begun_no_longer_needs_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let run = |name: &str| folder.path().join(name);
    ok(&quick(&run("first"), &[]));
    let file = run("policy.json");
    std::fs::copy(run("first").join("best.json"), &file).unwrap();
    let init = ["--init", file.to_str().unwrap()];
    ok(&quick(&run("whole"), &init));
    ok(&quick(&run("halves"), &[&init[..], &["--budget", "48"]].concat()));
    std::fs::remove_file(&file).unwrap();
    ok(&locomotion(&["train", "--quiet", "--budget", "96", "--resume", run("halves").to_str().unwrap()]));
    assert_eq!(results(&run("halves")), results(&run("whole")));
}

/// The versions of a task differ in their rules, and a policy for one is a good start for the other.
#[test]
fn a_policy_that_ships_is_a_start_for_another_version_of_its_task() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("run");
    let train = ["train", "--env", "hopper-v5", "--init", "hopper", "--budget", "16", "--heldout-episodes", "2"];
    ok(&locomotion(&[&train[..], &["--quiet", "--out", run.to_str().unwrap()]].concat()));
    let metrics = read(&run, "metrics.csv");
    let column = metrics.lines().next().unwrap().split(',').position(|name| name == "heldout_mean").unwrap();
    let before_training: f64 = metrics.lines().nth(1).unwrap().split(',').nth(column).unwrap().parse().unwrap();
    assert!(before_training > 3000.0, "{before_training}");
}

/// A search of symmetric policies cannot start from one that is not, and says what to do.
#[test]
fn a_start_that_is_not_symmetric_is_refused_by_a_symmetric_search() {
    let folder = tempfile::tempdir().unwrap();
    let run = |name: &str| folder.path().join(name).to_str().unwrap().to_string();
    let ant = short(folder.path(), "ant");
    let train = |name: &str, more: &[&str]| {
        let quick = ["train", "--env", &ant, "--budget", "80", "--heldout-episodes", "1"];
        locomotion(&[&quick[..], &["--quiet", "--out", &run(name)], more].concat())
    };
    ok(&train("free", &["--symmetry", "none"]));
    ok(&train("mirrored", &["--symmetry", "mirror"]));
    let refused = train("not", &["--symmetry", "mirror", "--init", &run("free")]);
    let said = stderr(&refused);
    assert_eq!(refused.status.code(), Some(3), "{said}");
    assert!(said.contains("treats left and right differently") && said.contains("set --symmetry to none"), "{said}");
    assert!(!Path::new(&run("not")).exists(), "nothing is left behind");
    ok(&train("again", &["--symmetry", "mirror", "--init", &run("mirrored")]));
    ok(&train("wider", &["--symmetry", "none", "--init", &run("mirrored")]));
}

/// What a run does is on its first screen.
#[test]
fn the_first_screen_tells_which_weights_are_free_and_how_long_training_episodes_are() {
    let folder = tempfile::tempdir().unwrap();
    let (ant, out) = (short(folder.path(), "ant"), folder.path().join("run"));
    let train = ["train", "--env", &ant, "--budget", "40", "--training-steps", "7", "--out", out.to_str().unwrap()];
    let run = locomotion(&[&train[..], &["--inputs", "state"]].concat());
    ok(&run);
    let said = String::from_utf8_lossy(&run.stdout).into_owned() + &stderr(&run);
    for told in [
        "W has 888 numbers",
        "  policies    108 free       left and right are treated alike\n",
        "                             only positions and velocities count\n",
        "at most 7 steps",
    ] {
        assert!(said.contains(told), "{told}: {said}");
    }
}
