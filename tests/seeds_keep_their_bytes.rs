//! The same seed gives the same bytes as when these digests were recorded, so restructuring the program changes no
//! result. A change that alters results on purpose must record new digests and say so.

#![cfg(feature = "cli")]

mod common;

use sha2::{Digest, Sha256};
use std::path::Path;

fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Digests what decides how a policy acts and its score, but not the program that made it.
fn policy(run: &Path, name: &str) -> String {
    let text = std::fs::read_to_string(run.join(name)).unwrap();
    let file: serde_json::Value = serde_json::from_str(&text).unwrap();
    sha256(serde_json::json!([file["weights"], file["normalizer"], file["score"]]).to_string().as_bytes())
}

/// Every column except the time, and every row except that of generation 0, which shows the center before training.
fn metrics(run: &Path) -> String {
    let text = std::fs::read_to_string(run.join("metrics.csv")).unwrap();
    let header: Vec<&str> = text.lines().next().unwrap().split(',').collect();
    let timeless = |line: &str| {
        let cells = line.split(',').zip(&header).filter(|(_, name)| **name != "seconds");
        cells.map(|(cell, _)| cell).collect::<Vec<_>>().join(",")
    };
    sha256(text.lines().filter(|line| !line.starts_with("0,")).map(timeless).collect::<Vec<_>>().join("\n").as_bytes())
}

/// Trains and compares `[final.json, best.json, metrics.csv]`.
fn holds(env: &str, more: &[&str], expected: [&str; 3]) {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("run");
    let fixed = ["train", "--env", env, "--out", run.to_str().unwrap(), "--quiet", "--threads", "2", "--seed", "7"];
    let small = ["--heldout-episodes", "3", "--heldout-every", "2"];
    let output = common::locomotion(&[&fixed[..], &small, more].concat());
    assert!(output.status.success(), "{more:?}: {}", common::stderr(&output));
    let found = [policy(&run, "final.json"), policy(&run, "best.json"), metrics(&run)];
    assert_eq!(found, expected, "{env} {more:?}");
}

/// Swimmer's episodes never end early, so they are cut short to keep this fast.
#[test]
fn syncma_adaptive_on_swimmer() {
    let folder = tempfile::tempdir().unwrap();
    let text = std::fs::read_to_string(common::root().join("envs/swimmer.toml")).unwrap();
    let short = text.replace("horizon = 1000", "horizon = 60");
    assert_ne!(short, text);
    let task = folder.path().join("swimmer.toml");
    std::fs::write(&task, short).unwrap();
    std::fs::copy(common::root().join("assets/models/swimmer.xml"), folder.path().join("swimmer.xml")).unwrap();
    holds(
        task.to_str().unwrap(),
        &["--variant", "adaptive", "--lambda0", "2", "--batch", "10", "--budget", "40", "--sigma", "0.3"],
        [
            "5e75cd035478d25b918538f9c328aeeba98fae43060e99e635a92552a98a22d1",
            "5e75cd035478d25b918538f9c328aeeba98fae43060e99e635a92552a98a22d1",
            "b637c2869cb26fcc76fe0b7236eb895879da263640114bbfce81017e3a3feea5",
        ],
    );
}

#[test]
fn syncma_steady_with_bounded_inputs_on_hopper() {
    holds(
        "hopper",
        &[
            &["--variant", "steady", "--normalize", "bounded", "--batch", "12", "--budget", "48", "--sigma", "0.3"][..],
            &["--kappa", "0.4", "--patience", "6000", "--top-directions", "4", "--survival-share", "0.1"],
        ]
        .concat(),
        [
            "e8b4c4b7f241429b2b42138338899f4060176ab60d4fe7daca645f36917cde74",
            "5e2fb022af35513ed2de9e74258ce90269810e759ec693773418581ab71a846d",
            "a131e9eef8a81760a59eb4521646b2b5331bd4e749da303b647e9785fffa8496",
        ],
    );
}

#[test]
fn syncma_published_under_the_papers_protocol_on_hopper() {
    holds(
        "hopper",
        &["--protocol", "paper", "--batch", "6", "--budget", "180"],
        [
            "4059b44d96510933327deb8f7bd1825273dfac015ae7289bd687c9e329692cbd",
            "fa198b7aee4445ccf3599532bb5533f6e5ac15f7bf06932013219c7ff190183d",
            "5a6e76335f1f2461c0b927b51c5c29b020216b9415f41648f5d4346d61129f72",
        ],
    );
}

#[test]
fn cma_es_on_hopper() {
    holds(
        "hopper",
        &["--optimizer", "cma-es", "--batch", "12", "--budget", "48", "--sigma", "0.3", "--survival-share", "0"],
        [
            "3a90a1755614117eddd0823d0b4fe0eba18733c88f485d45de6c8ffa543ba450",
            "66484ff3ba078e6dc9e597c7c1526fb167d828dd85be8ad9b10d629abf8e2bbc",
            "5eadfb44fc393a913fba1022299bd457d15bf7b80c614e0f4c6f7dc584bf92fa",
        ],
    );
}

#[test]
fn ars_on_hopper() {
    holds(
        "hopper",
        &["--optimizer", "ars", "--batch", "12", "--budget", "48", "--episodes-per-candidate", "1"],
        [
            "085e0998077cec8964c27f5deef7d2563d3d9e4977cac09307c438699eeb7e42",
            "085e0998077cec8964c27f5deef7d2563d3d9e4977cac09307c438699eeb7e42",
            "3c15248bf2dbac9c4695172b9bd18406504445ef3bd784f9c4b783ef23df56ac",
        ],
    );
}
