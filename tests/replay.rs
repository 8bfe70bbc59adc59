//! The replay page is self-contained and reports the same return as `eval`.

#![cfg(feature = "cli")]

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use locomotion::film::html::{self, Shown};
use locomotion::policy::LinearPolicy;
use locomotion::rollout::Evaluator;
use locomotion::sim::{self, EpisodeOutcome, Simulator};
use serde_json::Value;

/// The page of a policy that moves a little, its data, and the outcome.
fn page(name: &str, seconds: Option<f64>, weight: f64) -> (String, Value, EpisodeOutcome) {
    let task = sim::find(name).unwrap();
    let weights: Vec<f64> = (0..task.observations * task.actions).map(|k| weight * (k as f64).sin()).collect();
    let policy = LinearPolicy::from_rows(&weights, task.observations, None);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("replay.html");
    let score = serde_json::json!({ "mean": 12.5, "std": 1.5, "episodes": 100 });
    let shown = Shown { policy: &policy, name: "a policy", score: Some(&score) };
    let outcome = html::write(&mut Simulator::new(task.clone()), &shown, 3, seconds, &file, false).unwrap();
    assert_eq!(outcome, Evaluator::new(&task, 1).unwrap().run_seeds(&policy, 3, 1)[0], "{name}");
    let page = std::fs::read_to_string(file).unwrap();
    let after = page.split_once("id=\"data\">").unwrap().1;
    let data: Value = serde_json::from_str(after.split_once("</script>").unwrap().0).unwrap();
    assert_eq!((data["policy"].as_str(), &data["score"]), (Some("a policy"), &score), "{name}");
    (page, data, outcome)
}

fn bytes(data: &Value, field: &str) -> Vec<u8> {
    STANDARD.decode(data[field].as_str().unwrap()).unwrap()
}

#[test]
fn a_thousand_steps_of_ant_stay_small() {
    let (page, _, outcome) = page("ant", None, 0.0);
    assert_eq!(outcome.length, 1000);
    assert!(page.len() < 600_000, "{} bytes", page.len());
}

#[test]
fn the_page_needs_no_network() {
    let (page, ..) = page("hopper", None, 0.1);
    for outside in ["http:", "https:", "src=", "@import", "url(", "import ", "fetch("] {
        assert!(!page.contains(outside), "the page holds `{outside}`");
    }
    assert!(!page.contains("{{"), "every place in the template is filled");
}

#[test]
fn rewards_on_the_page_add_up_to_the_return_exactly() {
    for name in sim::NAMES {
        let (_, data, outcome) = page(name, None, 0.1);
        let rewards = bytes(&data, "rewards");
        let sum = rewards.chunks(8).map(|x| f64::from_le_bytes(x.try_into().unwrap())).sum::<f64>();
        assert_eq!(sum, outcome.value, "{name}");
        assert_eq!(data["return"].as_f64(), Some(outcome.value), "{name}");
    }
}

#[test]
fn every_frame_has_a_pose_for_every_body() {
    for name in sim::NAMES {
        let (_, data, outcome) = page(name, None, 0.1);
        let bodies = data["scene"]["bodies"].as_u64().unwrap() as usize;
        let frames = outcome.length + 1;
        assert_eq!(bytes(&data, "track").len(), 4 * 3 * frames, "{name}");
        let poses = bytes(&data, "poses");
        assert_eq!(poses.len(), 2 * 7 * bodies * frames, "{name}");
        let numbers: Vec<f64> =
            poses.chunks(2).map(|x| f64::from(i16::from_le_bytes([x[0], x[1]])) / 32767.0).collect();
        for pose in numbers.chunks(7) {
            let length = pose[3..].iter().map(|q| q * q).sum::<f64>();
            assert!((length - 1.0).abs() < 1e-3, "{name}: a quaternion has length 1");
        }
        let shapes = data["scene"]["shapes"].as_array().unwrap();
        assert!(shapes.len() >= bodies, "{name}: every body is seen");
        assert!(shapes.iter().all(|shape| shape["body"].as_u64().unwrap() as usize <= bodies));
        assert!(data["scene"]["floor"].is_f64(), "{name} stands on something");
    }
}

#[test]
fn seconds_shorten_the_picture_but_not_the_return() {
    let (_, data, outcome) = page("swimmer", Some(2.0), 0.1);
    assert_eq!(outcome.length, 1000);
    assert_eq!(bytes(&data, "rewards").len(), 8 * 50);
    assert_eq!(data["return"].as_f64(), Some(outcome.value));
}
