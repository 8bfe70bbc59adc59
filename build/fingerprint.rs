//! Tells the program which sources decide its results, so that it never continues another build's unnoticed.

use sha2::{Digest, Sha256};
use std::fs;
use std::path::PathBuf;

/// What the numbers of a benchmark depend on.
const SEARCHES: &[&str] = &["src/optim", "src/benchmark", "src/random.rs", "src/statistics", "Cargo.lock"];

/// What the numbers of a run depend on, besides its settings, its task and MuJoCo.
const TRAINING: &[&str] = &[
    "src/optim",
    "src/policy.rs",
    "src/random.rs",
    "src/rollout",
    "src/settings",
    "src/sim",
    "src/statistics",
    "src/train",
    "Cargo.lock",
];

pub fn tell() {
    fingerprint("SEARCHES", SEARCHES);
    fingerprint("TRAINING", TRAINING);
}

fn fingerprint(name: &str, sources: &[&str]) {
    let mut open: Vec<PathBuf> = sources.iter().map(PathBuf::from).collect();
    let mut files = Vec::new();
    while let Some(path) = open.pop() {
        println!("cargo::rerun-if-changed={}", path.display());
        match fs::read_dir(&path) {
            Ok(entries) => open.extend(entries.flatten().map(|entry| entry.path())),
            Err(_) => files.push(path),
        }
    }
    files.sort();
    let mut digest = Sha256::new();
    for file in files {
        digest.update(file.to_string_lossy().as_bytes());
        digest.update(fs::read(&file).unwrap_or_default());
    }
    let short: String = digest.finalize().iter().take(6).map(|byte| format!("{byte:02x}")).collect();
    println!("cargo::rustc-env={name}={short}");
}
