//! docs/output.md names every column and field that the program writes for other programs, and no others.

use crate::common::{locomotion, ok, read, root, stdout};
use locomotion::rollout::broker::{Counts, Standing, WorkerRate};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Objects whose fields are described elsewhere.
const OPEN: [&str; 4] = ["settings", "row", "provenance", "score"];

/// The tables of the page by heading: every name, and whether it is written only sometimes.
fn documented() -> BTreeMap<String, BTreeMap<String, bool>> {
    let mut tables: BTreeMap<String, BTreeMap<String, bool>> = BTreeMap::new();
    let mut heading = String::new();
    for line in read(&root(), "docs/output.md").lines() {
        if let Some(text) = line.strip_prefix('#') {
            heading = text.trim_start_matches('#').replace('`', "").trim().to_string();
        }
        if let Some((name, meaning)) = line.strip_prefix("| `").and_then(|row| row.split_once("` | ")) {
            let first = tables.entry(heading.clone()).or_default().insert(name.into(), meaning.starts_with("only "));
            assert!(first.is_none(), "{heading}: `{name}` stands there twice");
        }
    }
    tables
}

/// The paths of all fields that hold a value.
fn fields(value: &Value, path: &str, found: &mut BTreeSet<String>) {
    let open = OPEN.iter().any(|name| path == *name || path.ends_with(&format!(".{name}")));
    match value {
        Value::Object(object) if !open => object.iter().for_each(|(name, value)| {
            fields(value, &if path.is_empty() { name.clone() } else { format!("{path}.{name}") }, found)
        }),
        Value::Array(list) if list.iter().any(Value::is_object) => {
            list.iter().for_each(|entry| fields(entry, &format!("{path}[]"), found))
        }
        _ => drop(found.insert(path.to_string())),
    }
}

/// Whether a path is an object of which other paths name the fields: it was null somewhere.
fn is_parent(path: &str, all: &BTreeSet<String>) -> bool {
    all.iter().any(|other| other.strip_prefix(path).is_some_and(|rest| rest.starts_with(['.', '['])))
}

fn check(heading: &str, written: &BTreeSet<String>) {
    let tables = documented();
    let named = tables.get(heading).unwrap_or_else(|| panic!("docs/output.md has no table `{heading}`"));
    let written: BTreeSet<&String> = written.iter().filter(|path| !is_parent(path, written)).collect();
    for name in &written {
        assert!(named.contains_key(*name), "{heading}: `{name}` is written, but docs/output.md does not name it");
    }
    for (name, sometimes) in named {
        assert!(*sometimes || written.contains(name), "{heading}: `{name}` is in docs/output.md, but is not written");
    }
}

fn check_json<'a>(heading: &str, documents: impl IntoIterator<Item = &'a Value>) {
    let mut written = BTreeSet::new();
    documents.into_iter().for_each(|document| fields(document, "", &mut written));
    check(heading, &written);
}

fn check_csv(heading: &str, folder: &Path, file: &str) {
    let text = read(folder, file);
    let columns = text.lines().next().unwrap().split(',');
    // Thresholds differ from task to task.
    let general = |column: &str| match column.rsplit_once('_') {
        Some((name, number)) if number.parse::<f64>().is_ok() => format!("{name}_R"),
        _ => column.to_string(),
    };
    check(heading, &columns.map(general).collect());
}

fn json(arguments: &[&str]) -> Value {
    let output = locomotion(arguments);
    ok(&output);
    serde_json::from_slice(&output.stdout).unwrap()
}

const SMALL: [&str; 6] = ["--budget", "24", "--batch", "12", "--heldout-episodes", "2"];

#[test]
fn every_event_and_column_of_a_training_is_documented() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("run");
    let train = ["train", "--env", "hopper", "--json", "--out", run.to_str().unwrap()];
    let output = locomotion(&[&train, &SMALL[..]].concat());
    ok(&output);
    let mut events: Vec<Value> = stdout(&output).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    // What a run with workers adds.
    let worker = WorkerRate { name: "host/1".into(), threads: 2, episodes_per_second: 3.0 };
    let standing = Standing { workers: vec![worker], counts: Counts::default() };
    let kind = |event: &Value| event["event"].as_str().unwrap().to_string();
    let last = events.len() - 1;
    assert_eq!([kind(&events[0]), kind(&events[1]), kind(&events[last])], ["start", "generation", "end"]);
    events[1]["workers"] = serde_json::to_value(&standing).unwrap();
    events[last]["workers"] = serde_json::to_value(standing.counts).unwrap();
    for name in ["start", "generation", "end"] {
        check_json(name, events.iter().filter(|event| kind(event) == name));
    }
    check_csv("metrics.csv", &run, "metrics.csv");
    let row: BTreeSet<String> = events[1]["row"].as_object().unwrap().keys().cloned().collect();
    check("metrics.csv", &row);
    check_csv("curves.csv and comparison-curves.csv", &run, "curves.csv");
}

#[test]
fn every_field_of_the_other_documents_is_documented() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().to_str().unwrap();
    check_json("eval --json", [&json(&["eval", "hopper", "--episodes", "2", "--json"])]);
    check_json("policies --json", [&json(&["policies", "--json"])]);
    check_json("envs --json", [&json(&["envs", "--json"])]);
    check_json("optimizers --json", [&json(&["optimizers", "--json"])]);
    let compare = ["compare", "--env", "hopper", "--optimizers", "ars,cma-es", "--seeds", "2", "--json", "--out", out];
    check_json("compare --json", [&json(&[&compare, &SMALL[..]].concat())]);
    let hopper = folder.path().join("hopper");
    check_csv("comparison.csv", &hopper, "comparison.csv");
    check_csv("curves.csv and comparison-curves.csv", &hopper, "comparison-curves.csv");
    let synthetic = ["bench", "synthetic", "--functions", "sphere", "--optimizers", "cma-es", "--dim", "2"];
    let few = ["--trials", "1", "--budget", "400", "--out", out, "--json"];
    check_json("bench synthetic --json and bench rover --json", [&json(&[&synthetic, &few[..]].concat())]);
    check_csv("synthetic.csv and rover.csv", folder.path(), "synthetic.csv");
    let speed = ["bench", "throughput", "--env", "swimmer", "--seconds", "0.1", "--rounds", "1", "--json"];
    check_json("bench throughput --json", [&json(&speed)]);
}
