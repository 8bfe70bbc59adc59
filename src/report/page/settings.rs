//! Every setting, and what made the numbers besides.

use super::markup::{element, escape, table};
use crate::report::repetitions::Group;
use crate::report::runs::Run;
use crate::run_folder::{Program, mujoco_version};
use std::collections::BTreeSet;

const UNSET: &str = "the optimizer's own";

/// What all groups have in common, then what tells them apart.
pub fn settings(groups: &[Group]) -> String {
    let told: Vec<Vec<(&str, String)>> = groups.iter().map(|group| group.settings().told()).collect();
    let names: BTreeSet<&str> = told.iter().flatten().map(|(name, _)| *name).collect();
    let value = |told: &Vec<(&str, String)>, wanted: &str| -> String {
        let found = told.iter().find(|(name, _)| *name == wanted);
        escape(found.map_or(UNSET, |(_, value)| value))
    };
    let (mut common, mut apart) = (Vec::new(), Vec::new());
    for name in names {
        let mut values: Vec<String> = told.iter().map(|told| value(told, name)).collect();
        let alike = values.windows(2).all(|pair| pair[0] == pair[1]);
        values.truncate(if alike { 1 } else { values.len() });
        let row = std::iter::once(element("code", name)).chain(values).collect();
        if alike { common.push(row) } else { apart.push(row) }
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
    type Part = (&'static str, fn(&Program) -> &Option<String>);
    let parts: [Part; 6] = [
        ("program", |program| &program.version),
        ("build, digest of its sources", |program| &program.sources),
        ("MuJoCo", |program| &program.mujoco),
        ("task, SHA-256", |program| &program.task_sha256),
        ("model file, SHA-256", |program| &program.model_sha256),
        ("compiled model, SHA-256", |program| &program.compiled_sha256),
    ];
    let mut mixed = false;
    let mut row = |(name, part): Part| {
        let told = |run: &Run| part(&run.program).clone().unwrap_or_else(|| "not told".into());
        let known: BTreeSet<String> = runs(groups).map(told).collect();
        mixed |= known.len() > 1;
        vec![escape(name), known.iter().map(|version| element("code", version)).collect::<Vec<_>>().join("<br>")]
    };
    let mut rows: Vec<Vec<String>> = parts.into_iter().map(&mut row).collect();
    let here = format!("locomotion {}, MuJoCo {}", env!("CARGO_PKG_VERSION"), mujoco_version());
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
