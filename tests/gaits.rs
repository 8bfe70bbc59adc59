//! Long gaits with many contacts: the shipped policies have the same returns as in Gymnasium, to the last bit.
//! Data: tests/data/make_gaits.py, from Gymnasium 1.4.0 over MuJoCo 3.17.0.

#![cfg(feature = "cli")]

mod common;

use common::{data, root};
use locomotion::policy::PolicyFile;
use locomotion::sim::{NAMES, Simulator, find, rollout};
use serde::Deserialize;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

#[derive(Deserialize)]
struct Expected {
    file: String,
    seed: u64,
    ret: f64,
    length: usize,
    terminated: bool,
}

fn check(folder: &Path, expected: &[Expected]) {
    assert!(!expected.is_empty());
    for episode in expected {
        let path = folder.join(&episode.file);
        let file = PolicyFile::read(&path).unwrap();
        let task = find(&file.task).unwrap();
        let policy = file.policy_for(&path, task.name(), task.observations, task.actions).unwrap();
        let ours = rollout(&mut Simulator::new(task), &policy, episode.seed, |_, _, _| ());
        assert_eq!(ours.value.to_bits(), episode.ret.to_bits(), "{} seed {}", episode.file, episode.seed);
        assert_eq!((ours.length, ours.terminated), (episode.length, episode.terminated), "{}", episode.file);
    }
}

#[test]
fn shipped_policies_return_what_gymnasium_says() {
    let expected: Vec<Expected> = data("gaits.json");
    let files: BTreeSet<&str> = expected.iter().map(|episode| episode.file.as_str()).collect();
    let compared = NAMES.iter().filter(|name| find(name).unwrap().definition.gymnasium.is_some()).count();
    assert_eq!(files.len(), compared, "every task of Gymnasium has its policy");
    check(&root().join("policies"), &expected);
    assert!(expected.iter().filter(|episode| episode.length == 1000).count() >= 8, "gaits that last");
}

/// The same for a folder of other policies, named by LOCOMOTION_REFERENCE, with an expected-returns.json next to them.
#[test]
fn reference_policies_return_what_gymnasium_says() {
    let Some(folder) = std::env::var_os("LOCOMOTION_REFERENCE").map(PathBuf::from) else { return };
    let text = std::fs::read_to_string(folder.join("expected-returns.json")).unwrap();
    check(&folder, &serde_json::from_str::<Vec<Expected>>(&text).unwrap());
}
