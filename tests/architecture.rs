//! Data goes one way: a module may only use the modules below it.

mod common;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What each module under src/ may use of this crate.
fn allowed() -> BTreeMap<&'static str, Vec<&'static str>> {
    let ground = ["Error", "Result", "error", "names", "random", "statistics", "workers"];
    let on_ground = |more: &[&'static str]| [&ground[..], more].concat();
    BTreeMap::from([
        ("error", vec![]),
        ("names", vec![]),
        ("random", vec![]),
        ("workers", vec!["Error", "Result"]),
        ("statistics", on_ground(&[])),
        ("policy", on_ground(&[])),
        ("sim", on_ground(&["policy"])),
        ("evaluate", on_ground(&["policy", "sim"])),
        ("optim", on_ground(&[])),
        ("problem", on_ground(&[])),
        ("experiment", on_ground(&["optim", "problem"])),
        ("report", on_ground(&["policy", "sim", "evaluate", "problem"])),
        ("run", on_ground(&["policy", "sim", "evaluate", "optim"])),
        ("cli", on_ground(&["policy", "sim", "evaluate", "optim", "problem", "experiment", "report", "run"])),
        ("main", vec!["cli"]),
    ])
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            found.push(path);
        }
    }
}

/// The first names after `crate::` in a source text.
fn used(text: &str) -> Vec<String> {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let after = |part: &str| -> Vec<String> {
        match part.strip_prefix('{') {
            Some(list) => {
                let list = &list[..list.find("};").unwrap_or(list.len())];
                list.split(',').map(|item| item.trim().chars().take_while(|c| is_name(*c)).collect()).collect()
            }
            None => vec![part.chars().take_while(|c| is_name(*c)).collect()],
        }
    };
    text.split("crate::").skip(1).flat_map(after).filter(|name| !name.is_empty()).collect()
}

#[test]
fn arrows_point_one_way() {
    let (src, allowed) = (common::root().join("src"), allowed());
    let mut files = Vec::new();
    sources(&src, &mut files);
    assert!(files.len() > 10);
    for file in files {
        let inside = file.strip_prefix(&src).unwrap();
        let module = inside.components().next().unwrap().as_os_str().to_str().unwrap().trim_end_matches(".rs");
        if module == "lib" {
            continue;
        }
        let may = allowed.get(module).unwrap_or_else(|| panic!("module `{module}` has no place in the map"));
        for name in used(&std::fs::read_to_string(&file).unwrap()) {
            assert!(name == module || may.contains(&name.as_str()), "{} uses `{name}`", inside.display());
        }
    }
}
