//! What several test files share: the program, the reference data, digests.
#![allow(dead_code)]

pub mod redis;
pub mod runs;

use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The program, ready for arguments.
pub fn locomotion(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_locomotion")).args(arguments).output().expect("the program starts")
}

pub fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("stdout is UTF-8")
}

pub fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).expect("stderr is UTF-8")
}

/// A file of tests/data, read as JSON.
pub fn data<T: DeserializeOwned>(name: &str) -> T {
    let file = root().join("tests/data").join(name);
    let text = std::fs::read_to_string(&file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
    serde_json::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}", file.display()))
}

pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_path_buf()
}

/// SHA-256 of the numbers' little-endian bytes.
pub fn digest(numbers: &[f64]) -> String {
    let mut hash = Sha256::new();
    numbers.iter().for_each(|x| hash.update(x.to_le_bytes()));
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A policy file for a task: all weights `weight`.
pub fn policy_json(task: &str, observations: usize, actions: usize, weight: f64) -> serde_json::Value {
    serde_json::json!({
        "format": "locomotion-policy/1", "task": task, "observations": observations, "actions": actions,
        "weights": vec![vec![weight; observations]; actions], "normalizer": null,
    })
}

/// The bits of numbers, so that −0 and 0 differ and NaN equals itself.
pub fn bits(numbers: &[f64]) -> Vec<u64> {
    numbers.iter().map(|x| x.to_bits()).collect()
}

pub fn short_hopper(folder: &Path) -> String {
    short(folder, "hopper")
}

/// A task with episodes of at most 20 steps, as a file in this folder. Every run ends by scoring two policies on 100 seeds,
/// which takes seconds where one of them stays upright for 1,000 steps. Task and model must have the same name.
pub fn short(folder: &Path, name: &str) -> String {
    let (task, model) = (folder.join(format!("{name}.toml")), format!("{name}.xml"));
    if !task.exists() {
        let text = std::fs::read_to_string(root().join("envs").join(format!("{name}.toml"))).unwrap();
        std::fs::copy(root().join("assets/models").join(&model), folder.join(&model)).unwrap();
        std::fs::write(&task, text.replace("horizon = 1000", "horizon = 20")).unwrap();
    }
    task.to_str().unwrap().to_string()
}

pub fn ok(output: &Output) {
    assert!(output.status.success(), "{}", stderr(output));
}

pub fn read(folder: &Path, name: &str) -> String {
    let path = folder.join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// Everything a run leaves that must not depend on time: policies, and metrics without the seconds.
pub fn results(folder: &Path) -> (String, String, Vec<String>) {
    let timeless = |line: &str| {
        let mut cells: Vec<&str> = line.split(',').collect();
        cells.remove(3);
        cells.join(",")
    };
    let metrics = read(folder, "metrics.csv");
    (read(folder, "final.json"), read(folder, "best.json"), metrics.lines().map(timeless).collect())
}
