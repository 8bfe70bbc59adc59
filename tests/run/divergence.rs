//! Breaking the physics never pays, whatever the sign of the returns, and everybody who shows a score says so.

use super::train::{ok, read};
use crate::common::{locomotion, root, stdout};
use locomotion::sim::{EpisodeOutcome, merit, returns};
use std::path::{Path, PathBuf};

/// A swimmer that is paid −1 per step and breaks down when it moves, so that an early end costs least.
fn breaking_swimmer(folder: &Path) -> PathBuf {
    let model = std::fs::read_to_string(root().join("assets/models/swimmer.xml")).unwrap();
    let strong = model.replace("gear=\"150\"", "gear=\"1e6\"");
    assert_ne!(model, strong);
    std::fs::write(folder.join("swimmer.xml"), strong).unwrap();
    let text = std::fs::read_to_string(root().join("envs/swimmer.toml")).unwrap();
    let text = text.split("\n[defaults").next().unwrap().replace("horizon = 1000", "horizon = 50");
    let paid = text.replace("[reward]\n", "[reward]\nalive = { bonus = -1.0, terminal = true }\n");
    assert_ne!(text, paid);
    let task = folder.join("robot.toml");
    std::fs::write(&task, paid).unwrap();
    task
}

#[test]
fn a_diverged_episode_ranks_below_every_honest_one() {
    let episode = |value, diverged| EpisodeOutcome { seed: 0, value, length: 3, terminated: false, diverged };
    let (honest, broken) = (episode(-1e9, false), episode(-3.0, true));
    assert!(merit(&[broken]) < merit(&[honest]));
    assert!(merit(&[episode(1e9, false), broken]) < merit(&[honest]), "one of many is enough");
    assert_eq!(returns(&[honest, broken]), [-1e9, -1e9], "in statistics it is no better than the worst");
    assert_eq!(merit(&[honest, episode(-1.0, false)]), (-1e9 - 1.0) / 2.0);
}

#[test]
fn breaking_the_physics_reaches_no_target_and_is_reported() {
    let place = tempfile::tempdir().unwrap();
    let (task, run) = (breaking_swimmer(place.path()), place.path().join("run"));
    let small = ["--batch", "8", "--heldout-episodes", "4", "--heldout-every", "1", "--budget", "80"];
    let fixed = ["train", "--env", task.to_str().unwrap(), "--out", run.to_str().unwrap(), "--init", "uniform"];
    let output = locomotion(&[&fixed[..], &small, &["--target", "-5"]].concat());
    ok(&output);
    let text = stdout(&output);
    assert!(text.contains("done: the budget of 80 episodes is used"), "{text}");
    assert!(text.contains("diverged") && text.contains("the physics broke down in"), "{text}");

    let policy: serde_json::Value = serde_json::from_str(&read(&run, "final.json")).unwrap();
    let lost = policy["score"]["diverged"].as_u64().expect("they are counted");
    let eval = locomotion(&["eval", run.join("final.json").to_str().unwrap(), "--seed", "1500000", "--json"]);
    ok(&eval);
    let report: serde_json::Value = serde_json::from_slice(&eval.stdout).unwrap();
    assert_eq!((report["diverged"].as_u64(), &report["mean"]), (Some(lost), &policy["score"]["mean"]));

    // A report reads such a run, and no threshold counts as reached.
    let seen = locomotion::report::runs::collect(std::slice::from_ref(&run)).unwrap().remove(0);
    assert!(seen.diverged && seen.episodes_to(-40.0).is_none());
    assert!(seen.rows.iter().all(|row| row.best_return.is_none_or(f64::is_finite)));
    assert!(stdout(&locomotion(&["policies"])).contains("diverged"));
}
