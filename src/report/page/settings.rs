//! Lists every setting, and the versions of everything else that produced the numbers.

use super::table::{Cell, Table};
use crate::report::repetitions::Group;
use crate::report::runs::Run;
use crate::run_folder::{Program, mujoco_version};
use std::collections::BTreeSet;

const UNSET: &str = "not set";

/// Returns the settings that all groups share, then those that differ.
pub fn settings(groups: &[Group]) -> Vec<Table> {
    let told: Vec<Vec<(&str, String)>> = groups.iter().map(|group| group.settings().told()).collect();
    let names: BTreeSet<&str> = told.iter().flatten().map(|(name, _)| *name).collect();
    let value = |told: &Vec<(&str, String)>, wanted: &str| -> String {
        let found = told.iter().find(|(name, _)| *name == wanted);
        found.map_or(UNSET, |(_, value)| value).to_string()
    };
    let (mut common, mut apart) = (Vec::new(), Vec::new());
    for name in names {
        let mut values: Vec<String> = told.iter().map(|told| value(told, name)).collect();
        let alike = values.windows(2).all(|pair| pair[0] == pair[1]);
        values.truncate(if alike { 1 } else { values.len() });
        let row = std::iter::once(Cell::code(name)).chain(values.into_iter().map(Cell::Text)).collect();
        if alike { common.push(row) } else { apart.push(row) }
    }
    let labels = groups.iter().map(|group| group.label.clone());
    let header: Vec<String> = std::iter::once("setting".to_string()).chain(labels).collect();
    let apart = Table { class: "wide words", caption: "Settings that differ".into(), header, rows: apart };
    let caption = if groups.len() > 1 { "Settings in common" } else { "Settings" };
    let common = pairs(caption, ["setting", "value"], common);
    if apart.rows.is_empty() { vec![common] } else { vec![apart, common] }
}

fn pairs(caption: &str, header: [&str; 2], rows: Vec<Vec<Cell>>) -> Table {
    Table { class: "pairs", caption: caption.into(), header: header.map(String::from).to_vec(), rows }
}

/// Returns the versions of the program, MuJoCo and the model, for the runs and for this page, and warnings about them.
pub fn provenance(groups: &[Group]) -> (Table, Vec<String>) {
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
        let told = |run: &Run| part(&run.program).clone().unwrap_or_else(|| "not recorded".into());
        let known: BTreeSet<String> = runs(groups).map(told).collect();
        mixed |= known.len() > 1;
        vec![Cell::text(name), Cell::Code(known.into_iter().collect())]
    };
    let mut rows: Vec<Vec<Cell>> = parts.into_iter().map(&mut row).collect();
    let here = format!("locomotion {}, MuJoCo {}", env!("CARGO_PKG_VERSION"), mujoco_version());
    rows.push(vec![Cell::text("this page"), Cell::code(here)]);
    let mut notes = Vec::new();
    if mixed {
        notes.push("The runs were not all made with the same versions; compare them with care.".into());
    }
    let drifted = runs(groups).filter(|run| run.drifts > 0).count();
    if drifted > 0 {
        notes.push(format!("{drifted} of the runs changed versions along the way; their run.toml says when."));
    }
    (pairs("What produced the numbers", ["part", "version"], rows), notes)
}

fn runs(groups: &[Group]) -> impl Iterator<Item = &Run> {
    groups.iter().flat_map(|group| &group.runs)
}
