//! What this program is made of: licenses that may be passed on, no crate that nobody uses, no unsafe code unnoticed.

#![cfg(feature = "cli")]

mod common;

use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

/// Licenses that permit use and copies without conditions beyond naming the authors.
const FREE: [&str; 12] = [
    "MIT",
    "MIT-0",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "ISC",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
];

/// HDF5 itself, with a license of its own in BSD style.
const OWN_LICENSE: [&str; 1] = ["hdf5-metno-src"];

/// The crates that are built into the program on Linux.
fn packages() -> Vec<Value> {
    let arguments = ["metadata", "--offline", "--locked", "--format-version", "1"];
    let platform = ["--filter-platform", "x86_64-unknown-linux-gnu"];
    let output =
        Command::new(env!("CARGO")).args(arguments).args(platform).current_dir(common::root()).output().unwrap();
    common::ok(&output);
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    document["packages"].as_array().unwrap().clone()
}

/// Whether an SPDX expression can be fulfilled with free licenses alone. The old form `MIT/Apache-2.0` means OR.
fn is_free(expression: &str) -> bool {
    let flat = expression.replace(['(', ')'], "").replace('/', " OR ");
    // Without parentheses, AND binds more tightly. With them, the stricter reading is that all parts must hold.
    if expression.contains('(') {
        let parts = expression.split(" AND ").map(|part| part.replace(['(', ')'], ""));
        return parts.into_iter().all(|part| is_free(&part));
    }
    flat.split(" OR ").any(|choice| choice.split(" AND ").all(|name| FREE.contains(&name.trim())))
}

#[test]
fn every_crate_has_a_free_license() {
    let packages = packages();
    assert!(packages.len() > 100);
    let license = |package: &Value| package["license"].as_str().unwrap_or("none").to_string();
    let others: Vec<String> = packages
        .iter()
        .filter(|package| !is_free(&license(package)) && !OWN_LICENSE.iter().any(|name| package["name"] == *name))
        .map(|package| format!("{} {}: {}", package["name"], package["version"], license(package)))
        .collect();
    assert!(others.is_empty(), "{others:#?}");
    assert!(is_free("(MIT OR Apache-2.0) AND Unicode-3.0") && is_free("MIT/Unlicense") && is_free("GPL-3.0 OR MIT"));
    assert!(!is_free("GPL-3.0") && !is_free("MIT AND GPL-3.0") && !is_free("(MIT OR ISC) AND GPL-3.0"));
}

#[test]
fn every_crate_comes_from_the_registry() {
    for package in packages().iter().filter(|package| package["name"] != "locomotion") {
        let source = package["source"].as_str().unwrap_or("a path");
        assert!(source.starts_with("registry+"), "{} comes from {source}", package["name"]);
    }
}

fn texts(folder: &Path) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(texts(&path));
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            found.push((path.display().to_string(), std::fs::read_to_string(&path).unwrap()));
        }
    }
    found
}

#[test]
fn every_dependency_is_used() {
    let manifest: toml::Table = common::read(&common::root(), "Cargo.toml").parse().unwrap();
    for (table, folders) in [
        ("dependencies", &["src"][..]),
        ("dev-dependencies", &["tests", "examples", "src"]),
        ("build-dependencies", &["build"]),
    ] {
        let sources: Vec<_> = folders.iter().flat_map(|folder| texts(&common::root().join(folder))).collect();
        for name in manifest[table].as_table().unwrap().keys() {
            let path = format!("{}::", name.replace('-', "_"));
            assert!(sources.iter().any(|(_, text)| text.contains(&path)), "nothing in {folders:?} uses `{name}`");
        }
    }
}

/// docs/design.md gives the reason for each.
#[test]
fn unsafe_code_is_where_the_design_says() {
    let is_code = |line: &&str| !line.trim_start().starts_with("//");
    let unsafe_files: BTreeSet<String> = texts(&common::root().join("src"))
        .into_iter()
        .filter(|(_, text)| text.lines().filter(is_code).any(|line| line.contains("unsafe ")))
        .map(|(file, _)| file.split_once("/src/").unwrap().1.to_string())
        .collect();
    assert_eq!(unsafe_files, BTreeSet::from(["sim/task.rs".to_string()]));
    let design = common::read(&common::root(), "docs/design.md");
    assert!(unsafe_files.iter().all(|file| design.contains(&format!("`src/{file}`"))));
}
