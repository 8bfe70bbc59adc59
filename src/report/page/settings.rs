//! Every setting, and what made the numbers besides.

use super::markup::{element, escape, table};
use crate::report::repetitions::{Group, short};
use crate::report::runs::Run;
use std::collections::BTreeSet;
use toml::Value;

const UNSET: &str = "the optimizer's own";

/// What all groups have in common, then what tells them apart.
pub fn settings(groups: &[Group]) -> String {
    let keys: BTreeSet<&String> =
        runs(groups).flat_map(|run| run.settings.keys()).filter(|key| *key != "seed").collect();
    let of = |group: &Group, key: &str| group.runs.first().and_then(|run| run.settings.get(key)).cloned();
    let told = |value: &Option<Value>| escape(&value.as_ref().map_or(UNSET.to_string(), short));
    let (mut common, mut apart) = (Vec::new(), Vec::new());
    for key in keys {
        let values: Vec<Option<Value>> = groups.iter().map(|group| of(group, key)).collect();
        let name = element("code", key);
        match values.split_first() {
            Some((first, rest)) if rest.iter().all(|other| other == first) => common.push(vec![name, told(first)]),
            _ => apart.push(std::iter::once(name).chain(values.iter().map(told)).collect()),
        }
    }
    let labels = groups.iter().map(|group| group.label.clone());
    let header: Vec<String> = std::iter::once("setting".to_string()).chain(labels).collect();
    let mut html = String::new();
    if !apart.is_empty() {
        html += &table("wide", "Settings that differ", &header, &apart);
    }
    let caption = if groups.len() > 1 { "Settings in common" } else { "Settings" };
    html + &table("pairs", caption, &["setting", "value"].map(String::from), &common)
}

/// Versions of program, MuJoCo and model: those of the runs, and those that made this page.
pub fn provenance(groups: &[Group]) -> String {
    let parts = [("program", "version"), ("MuJoCo", "mujoco"), ("model, SHA-256", "model_sha256")];
    let mut mixed = false;
    let mut row = |(name, key): (&str, &str)| {
        let known: BTreeSet<String> =
            runs(groups).map(|run| run.program.get(key).map_or("not told".to_string(), short)).collect();
        mixed |= known.len() > 1;
        vec![escape(name), known.iter().map(|version| element("code", version)).collect::<Vec<_>>().join("<br>")]
    };
    let mut rows: Vec<Vec<String>> = parts.into_iter().map(&mut row).collect();
    let here = format!("locomotion {}, MuJoCo {}", env!("CARGO_PKG_VERSION"), mujoco_rs::mujoco_version());
    rows.push(vec!["this page".into(), element("code", &here)]);
    let mut html = table("pairs", "What made the numbers", &["part", "version"].map(String::from), &rows);
    if mixed {
        html += &element("p", "The runs were not all made by the same versions: compare them with care.");
    }
    let drifted = runs(groups).filter(|run| run.drifts > 0).count();
    if drifted > 0 {
        let what = format!("{drifted} of the runs changed versions on their way; their run.toml says when.");
        html += &element("p", &what);
    }
    html
}

fn runs(groups: &[Group]) -> impl Iterator<Item = &Run> {
    groups.iter().flat_map(|group| &group.runs)
}
