//! Dependencies point one way: a module may only use the modules below it.

#![cfg(feature = "cli")]

mod common;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The modules of this crate that each module under src/ may use.
fn allowed() -> BTreeMap<&'static str, Vec<&'static str>> {
    let ground = ["Error", "Result", "error", "random", "statistics", "suggest", "threads"];
    let on_ground = |more: &[&'static str]| [&ground[..], more].concat();
    BTreeMap::from([
        ("error", vec![]),
        ("suggest", vec![]),
        ("random", vec![]),
        ("font", vec![]),
        ("atomic", vec!["Error", "Result"]),
        ("input", vec!["Error", "Result"]),
        ("threads", vec![]),
        ("statistics", on_ground(&[])),
        ("policy", on_ground(&["input"])),
        ("sim", on_ground(&["input", "policy"])),
        ("rollout", on_ground(&["policy", "sim"])),
        ("optim", on_ground(&[])),
        ("benchmark", on_ground(&["optim"])),
        ("settings", on_ground(&["input", "optim", "sim"])),
        ("run_folder", on_ground(&["atomic", "input", "optim", "policy", "settings", "sim"])),
        ("train", on_ground(&["optim", "policy", "rollout", "run_folder", "settings", "sim"])),
        ("plot", on_ground(&["atomic", "font"])),
        ("film", on_ground(&["atomic", "font", "policy", "rollout", "sim"])),
        ("traces", on_ground(&["atomic", "policy", "rollout", "sim"])),
        (
            "report",
            on_ground(&["atomic", "benchmark", "film", "optim", "plot", "policy", "run_folder", "settings", "sim"]),
        ),
        (
            "cli",
            on_ground(&[
                "atomic",
                "benchmark",
                "film",
                "optim",
                "plot",
                "policy",
                "report",
                "rollout",
                "run_folder",
                "settings",
                "sim",
                "traces",
                "train",
            ]),
        ),
        ("main", vec!["cli"]),
    ])
}

/// Every source file of a part of the crate, with its path inside src/ and its text.
fn texts(wanted: impl Fn(&str) -> bool) -> Vec<(String, String)> {
    let src = common::root().join("src");
    let mut files = Vec::new();
    sources(&src, &mut files);
    let inside = |file: &PathBuf| file.strip_prefix(&src).unwrap().to_str().unwrap().to_string();
    let all = files.iter().map(|file| (inside(file), std::fs::read_to_string(file).unwrap()));
    all.filter(|(file, _)| wanted(file)).collect()
}

/// Whether a file belongs to the library. A crate that depends on it has no command line.
fn is_library(file: &str) -> bool {
    !file.starts_with("cli/") && file != "main.rs"
}

/// The code of a source text, without comments and unit tests.
fn code(text: &str) -> String {
    let text = text.split("#[cfg(test)]").next().unwrap_or_default();
    let before_comment = |line: &str| line.split("//").next().unwrap_or_default().to_string() + "\n";
    text.lines().map(before_comment).collect()
}

/// The flags that a source text mentions, such as `--budget`, or `--` in front of an inserted value.
fn flags(text: &str) -> Vec<String> {
    let is_flag = |rest: &str| rest.starts_with(|c: char| c.is_ascii_lowercase() || c == '{');
    let code = code(text);
    let found = code.split("--").skip(1).filter(|rest| is_flag(rest));
    found
        .map(|rest| rest.chars().take_while(|c| !c.is_whitespace()).collect())
        .map(|word: String| format!("--{word}"))
        .collect()
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

/// The feature that provides each module according to src/lib.rs, or "" for modules that are always there.
fn features() -> BTreeMap<String, String> {
    let text = std::fs::read_to_string(common::root().join("src/lib.rs")).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let feature = |line: &str| line.strip_prefix("#[cfg(feature = \"")?.strip_suffix("\")]").map(String::from);
    let module = |line: &str| line.strip_prefix("pub mod ")?.strip_suffix(';').map(String::from);
    let pairs = lines.windows(2).filter_map(|pair| Some((module(pair[1])?, feature(pair[0]).unwrap_or_default())));
    pairs.collect()
}

/// A feature and everything that it includes according to Cargo.toml.
fn included(feature: &str, manifest: &toml::Table) -> BTreeSet<String> {
    let named = manifest["features"].get(feature).and_then(|names| names.as_array()).into_iter().flatten();
    let below = named.flat_map(|name| included(name.as_str().unwrap(), manifest));
    below.chain([String::new(), feature.to_string()]).collect()
}

#[test]
fn every_module_uses_only_what_its_feature_brings() {
    let manifest: toml::Table =
        std::fs::read_to_string(common::root().join("Cargo.toml")).unwrap().parse().expect("Cargo.toml is TOML");
    let (features, allowed) = (features(), allowed());
    for (module, feature) in &features {
        let there = included(feature, &manifest);
        for name in allowed[module.as_str()].iter().filter_map(|name| features.get_key_value(*name)) {
            assert!(there.contains(name.1), "`{module}` needs `{feature}` and may use `{}`, which it lacks", name.0);
        }
    }
    let pure = features.iter().filter(|(_, feature)| feature.is_empty()).map(|(module, _)| module.as_str());
    let expected = ["benchmark", "error", "optim", "random", "statistics", "suggest", "threads"];
    assert_eq!(pure.collect::<Vec<_>>(), expected, "what a crate without features gets");
}

#[test]
fn the_library_does_not_speak_of_flags() {
    for (file, text) in texts(is_library) {
        let found = flags(&text);
        assert!(found.is_empty(), "{file} speaks of {found:?}: name settings, and let `cli` say flags");
    }
    assert_eq!(flags("hint(\"try --budget 3\"); format!(\" --{} 4\", x) // --not this"), ["--budget", "--{}"]);
}

#[test]
fn nothing_but_the_command_line_knows_clap() {
    for (file, text) in texts(is_library) {
        assert!(!code(&text).contains("clap"), "{file} knows clap");
    }
    assert!(texts(|file| file.starts_with("cli/")).iter().any(|(_, text)| text.contains("use clap::")));
}

#[test]
fn every_module_says_what_comes_in_what_goes_out_and_what_it_must_not_know() {
    for module in [
        "train",
        "settings",
        "run_folder",
        "benchmark",
        "rollout",
        "plot",
        "film",
        "traces",
        "report",
        "sim",
        "statistics",
        "cli",
    ] {
        let (_, text) = texts(|file| file == format!("{module}/mod.rs")).remove(0);
        let head: String = text.lines().take(4).collect::<Vec<_>>().join(" ");
        for part in ["In: ", "Out: ", "Must not know: "] {
            assert!(head.contains(part), "{module}/mod.rs does not begin with `{part}`");
        }
    }
}

/// What exists only with the command line is used only there. Otherwise the library would not compile without it.
#[test]
fn the_library_does_not_use_what_only_the_command_line_has() {
    const ONLY: &str = "#[cfg(feature = \"cli\")]\npub(crate) use ";
    let library = texts(is_library);
    let mut found = 0;
    for (file, text) in library.iter().filter(|(file, _)| file != "lib.rs") {
        for rest in text.split(ONLY).skip(1) {
            let path = rest.split(';').next().unwrap_or_default();
            let name = path.rsplit("::").next().unwrap_or_default();
            found += 1;
            let outside =
                library.iter().filter(|(other, text)| other != file && code(text).contains(&format!("{name}!(")));
            assert_eq!(outside.map(|(other, _)| other).collect::<Vec<_>>(), [""; 0], "{name} of {file}");
        }
    }
    assert!(found > 0, "for_all_settings is one");
}
