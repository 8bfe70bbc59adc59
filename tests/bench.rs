//! `bench synthetic` and `bench rover` give the same numbers however a benchmark was run.

#![cfg(feature = "cli")]

mod common;

use common::{locomotion, stderr, stdout};
use locomotion::benchmark::outcome::Record;
use locomotion::benchmark::{Description, Function, Problem, Synthetic, Trial, TrialOutcome};
use locomotion::optim::{Bounds, Optimizer, Settings};
use locomotion::random::{Purpose, stream};
use locomotion::statistics::median;
use nalgebra::DVector;
use rand::RngExt;
use serde_json::Value;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

const TINY: &[&str] = &["--functions", "sphere,rastrigin", "--dim", "6", "--trials", "3", "--budget", "1000"];

/// Runs a tiny `bench synthetic` in a folder and returns its JSON.
fn synthetic(folder: &Path, more: &[&str]) -> Value {
    let out = folder.to_str().unwrap();
    let start = ["bench", "synthetic", "--optimizers", "syncma:published:2,random-search", "--json", "--out", out];
    let output = locomotion(&[&start[..], TINY, more].concat());
    assert!(output.status.success(), "{}", stderr(&output));
    serde_json::from_str(&stdout(&output)).unwrap()
}

fn bytes(folder: &Path, figures: &[&str]) -> Vec<Vec<u8>> {
    let endings = ["txt", "csv", "md", "json"].map(|ending| format!("synthetic.{ending}"));
    let figures = figures.iter().map(|name| format!("synthetic-{name}.svg"));
    endings.into_iter().chain(figures).map(|name| std::fs::read(folder.join(name)).unwrap()).collect()
}

/// The best values and evaluations to 0.5 of a plain loop over ask and tell.
fn plain(function: Function, moved: bool, settings: &Settings) -> (f64, f64) {
    let mut results = (Vec::new(), Vec::new());
    for seed in 0..3 {
        let mut random = stream(seed, Purpose::Start, 0, 0);
        let start = DVector::from_fn(6, |_, _| random.random_range(-5.0..10.0));
        let problem = Synthetic { function, dim: 6, moved, rotated: false }.instance(seed);
        let mut search = Settings { seed, ..settings.clone() }.only_used().build(start).unwrap();
        let mut values = Vec::new();
        while values.len() < 1000 {
            let losses: Vec<f64> = search.ask().column_iter().map(|x| problem.value(x.as_slice())).collect();
            values.extend(&losses);
            search.tell(&losses);
        }
        values.truncate(1000);
        results.0.push(values.iter().copied().fold(f64::INFINITY, f64::min));
        results.1.push(values.iter().position(|v| *v <= 0.5).map_or(f64::INFINITY, |at| at as f64 + 1.0));
    }
    (median(&results.0), median(&results.1))
}

#[test]
fn the_table_is_that_of_a_plain_loop_over_ask_and_tell() {
    let folder = tempfile::tempdir().unwrap();
    let json = synthetic(folder.path(), &[]);
    let bounds = Bounds::Clip { low: -5.0, high: 10.0 };
    let usual = Settings { batch: Some(12), sigma: Some(0.1), ..Settings::default() };
    let variant = "published".parse().unwrap();
    let settings = [
        Settings { variant, lambda0: Some(2.0), ..usual.clone() },
        Settings { optimizer: "random-search".parse().unwrap(), bounds, ..usual },
    ];
    for (column, moved) in [(0, false), (1, true)] {
        for (row, settings) in settings.iter().enumerate() {
            for (at, function) in [Function::Sphere, Function::Rastrigin].into_iter().enumerate() {
                let cell = &json["columns"][column]["optimizers"][row]["problems"][at];
                let (best, evaluations) = plain(function, moved, settings);
                assert_eq!(cell["median"].as_f64(), Some(best), "{cell}");
                assert_eq!(cell["evaluations"].as_f64(), evaluations.is_finite().then_some(evaluations), "{cell}");
            }
        }
    }
    let sphere = &json["columns"][0]["optimizers"][0]["problems"][0];
    assert_eq!((sphere["problem"].as_str(), sphere["successes"].as_u64()), (Some("sphere"), Some(3)));
}

#[test]
fn a_torn_line_is_run_again_and_the_tables_have_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let first = synthetic(folder.path(), &[]);
    let whole = bytes(folder.path(), &["at-0", "moved"]);
    let file = folder.path().join("synthetic-trials.jsonl");
    let text = std::fs::read_to_string(&file).unwrap();
    assert_eq!(text.lines().count(), 2 * 2 * 2 * 3);
    // This is what a kill in the middle of the twentieth line would leave.
    let torn = text.lines().take(19).map(|line| line.len() + 1).sum::<usize>() + 100;
    std::fs::write(&file, &text[..torn]).unwrap();
    assert_eq!(synthetic(folder.path(), &[]), first);
    assert_eq!(bytes(folder.path(), &["at-0", "moved"]), whole);
    let again = std::fs::read_to_string(&file).unwrap();
    let sorted = |text: &str| {
        let mut lines: Vec<String> = text.lines().map(String::from).collect();
        lines.sort();
        lines
    };
    assert_eq!(sorted(&again), sorted(&text), "what was there is kept, what was missing is run");
    // If nothing is missing, nothing runs. With other settings, no result is reused.
    assert_eq!(synthetic(folder.path(), &[]), first);
    assert_eq!(std::fs::read_to_string(&file).unwrap(), again);
    assert_ne!(synthetic(folder.path(), &["--sigma", "0.2"]), first);
    assert_eq!(std::fs::read_to_string(&file).unwrap().lines().count(), 48);
    assert_eq!(synthetic(folder.path(), &[]), first);
}

fn trial(contestant: &str, dim: usize, budget: u64) -> Trial {
    let synthetic = Synthetic { function: Function::Sphere, dim, moved: true, rotated: true };
    Trial {
        program: "",
        problem: Description::Synthetic(synthetic),
        contestant: contestant.parse().unwrap(),
        batch: Some(12),
        sigma: 0.1,
        budget,
        target: Some(0.5),
        seed: 2,
    }
}

fn outcome(contestant: &str, dim: usize, budget: u64) -> TrialOutcome {
    trial(contestant, dim, budget).run(&AtomicBool::new(false)).unwrap().unwrap()
}

#[test]
fn every_evaluation_counts_and_a_last_generation_is_cut_at_the_budget() {
    // A curve of 100 evaluations has all of them. Cut anywhere, inside of a generation or not, it is the start of that
    // curve.
    let long = outcome("cma-es", 6, 100);
    assert_eq!(long.curve.len(), 100);
    assert!(long.curve.is_sorted_by(|a, b| a >= b));
    for budget in [1, 5, 12, 30, 99] {
        let cut = outcome("cma-es", 6, budget);
        assert_eq!(cut.curve, long.curve[..budget as usize], "{budget}");
        assert_eq!(cut.best, cut.curve[budget as usize - 1]);
        let problem = trial("cma-es", 6, budget).problem.instance(2);
        assert_eq!(Some(problem.value(&cut.point)), cut.best, "the point is the best one's");
    }
}

#[test]
fn the_best_of_a_search_that_stops_itself_holds_to_the_end() {
    let outcome = outcome("cma-es", 2, 200_000);
    let best = outcome.best.unwrap();
    assert!(best < 1e-10 && outcome.reached.is_some());
    assert_eq!(outcome.curve.len(), 101);
    assert_eq!(outcome.curve[50..], [Some(best); 51], "it stopped long before");
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let mut results = Vec::new();
    for threads in ["1", "3"] {
        let json = synthetic(folder.path(), &["--rotate", "--threads", threads]);
        results.push((json, bytes(folder.path(), &["at-0", "moved-rotated"])));
        std::fs::remove_file(folder.path().join("synthetic-trials.jsonl")).unwrap();
    }
    assert_eq!(results[0], results[1]);
}

#[test]
fn the_markdown_starts_with_a_command_that_reproduces_it() {
    let folder = tempfile::tempdir().unwrap();
    synthetic(folder.path(), &["--seed", "4"]);
    let read = || std::fs::read_to_string(folder.path().join("synthetic.md")).unwrap();
    let text = read();
    let command = text.strip_prefix("```sh\nlocomotion ").and_then(|rest| rest.lines().next()).unwrap().to_string();
    std::fs::remove_file(folder.path().join("synthetic.md")).unwrap();
    let output = locomotion(&command.split(' ').collect::<Vec<_>>());
    assert!(output.status.success(), "{}", stderr(&output));
    assert_eq!(read(), text);
}

fn json(arguments: &[&str], folder: &Path) -> Value {
    let output = locomotion(&[arguments, &["--json", "--out", folder.to_str().unwrap()]].concat());
    assert!(output.status.success(), "{}", stderr(&output));
    serde_json::from_str(&stdout(&output)).unwrap()
}

#[test]
fn a_preset_runs_every_optimizer_of_the_paper_in_both_columns() {
    let folder = tempfile::tempdir().unwrap();
    let tiny = ["--functions", "sphere", "--dim", "4", "--trials", "1", "--budget", "60"];
    let json = json(&[&["bench", "synthetic", "--preset", "paper-64"], &tiny[..]].concat(), folder.path());
    let rows = |column: usize| json["columns"][column]["optimizers"].as_array().unwrap().len();
    assert_eq!((rows(0), rows(1)), (6 + 3 * 4, 6 + 3 * 4));
    assert!(folder.path().join("paper-64.md").is_file(), "its tables have a name of their own");
}

#[test]
fn the_papers_numbers_appear_only_next_to_the_same_measurement() {
    let folder = tempfile::tempdir().unwrap();
    let printed = |more: &[&str]| {
        let usual = ["bench", "synthetic", "--functions", "sphere", "--trials", "1", "--shift", "none"];
        let json = json(&[&usual[..], more].concat(), folder.path());
        assert_eq!(json["columns"].as_array().unwrap().len(), 1);
        json["columns"][0]["optimizers"][0]["problems"][0]["printed"]["evaluations"]["median"].as_f64()
    };
    assert_eq!(printed(&["--optimizers", "syncma:published:2"]), Some(555.0));
    assert_eq!(printed(&["--optimizers", "syncma:published"]), Some(555.0));
    assert_eq!(printed(&["--optimizers", "syncma:published:1"]), None);
    assert_eq!(printed(&["--optimizers", "syncma:published:2", "--sigma", "0.2"]), None);
    assert_eq!(printed(&["--optimizers", "syncma:published:2", "--batch", "32"]), None);
    assert_eq!(printed(&["--optimizers", "syncma:published:2", "--budget", "500"]), None);
}

#[test]
fn a_result_of_the_wrong_shape_is_run_again() {
    let folder = tempfile::tempdir().unwrap();
    let first = synthetic(folder.path(), &[]);
    let file = folder.path().join("synthetic-trials.jsonl");
    let text = std::fs::read_to_string(&file).unwrap();
    let mut lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    lines[3]["outcome"]["curve"] = serde_json::json!([]);
    lines[5]["outcome"]["point"] = serde_json::json!([]);
    std::fs::write(&file, lines.iter().map(|line| format!("{line}\n")).collect::<String>()).unwrap();
    assert_eq!(synthetic(folder.path(), &[]), first);
}

#[test]
fn a_search_of_the_largest_width_is_kept_and_read_again() {
    let folder = tempfile::tempdir().unwrap();
    let wild = ["bench", "rover", "--sigma", "1e50", "--optimizers", "annealing", "--trials", "1", "--budget", "20"];
    assert_eq!(json(&wild, folder.path()), json(&wild, folder.path()));
}

/// What a search leaves that never sees a finite value.
fn failed(budget: u64) -> TrialOutcome {
    let mut record = Record::new(budget, Some(0.5));
    let values = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY];
    values.into_iter().cycle().take(budget as usize - 1).for_each(|value| record.count(&[1.0; 6], value));
    record.count(&[0.0, f64::NAN, 0.0, 0.0, 0.0, 0.0], 0.1);
    record.finish()
}

#[test]
fn a_search_without_a_finite_value_is_kept_and_ranks_last() {
    let none = failed(1000);
    assert_eq!((none.best, none.reached, none.point.len()), (None, None, 0));
    let folder = tempfile::tempdir().unwrap();
    let first = synthetic(folder.path(), &[]);
    let file = folder.path().join("synthetic-trials.jsonl");
    let mut lines: Vec<Value> =
        std::fs::read_to_string(&file).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    for line in lines.iter_mut().filter(|line| line["trial"]["contestant"] == "syncma:published:2") {
        line["outcome"] = serde_json::to_value(&none).unwrap();
    }
    let text = lines.iter().map(|line| format!("{line}\n")).collect::<String>();
    std::fs::write(&file, &text).unwrap();
    let second = synthetic(folder.path(), &[]);
    assert_eq!(std::fs::read_to_string(&file).unwrap(), text, "nothing is run again");
    let rows = |json: &Value, row: usize| json["columns"][1]["optimizers"][row].clone();
    assert_eq!((&rows(&first, 0)["rank"], &rows(&first, 1)["rank"]), (&1.0.into(), &2.0.into()));
    assert_eq!((&rows(&second, 0)["rank"], &rows(&second, 1)["rank"]), (&2.0.into(), &1.0.into()));
    for cell in rows(&second, 0)["problems"].as_array().unwrap() {
        assert!(cell["median"].is_null() && cell["evaluations"].is_null(), "{cell}");
        assert_eq!(cell["successes"], 0);
    }
    let table = std::fs::read_to_string(folder.path().join("synthetic.txt")).unwrap();
    let row = table.lines().find(|line| line.trim_start().starts_with("syncma")).unwrap();
    assert!(row.split_whitespace().any(|word| word == "-") && !table.contains("NaN"), "{table}");
}

#[test]
fn two_benchmarks_do_not_write_to_one_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = std::fs::File::create(folder.path().join("synthetic-trials.jsonl")).unwrap();
    file.lock().unwrap();
    let output = locomotion(&["bench", "synthetic", "--out", folder.path().to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(4), "{}", stderr(&output));
    assert!(stderr(&output).contains("another benchmark"), "{}", stderr(&output));
}

#[test]
fn an_interrupted_benchmark_keeps_its_results_and_says_how_to_continue() {
    let folder = tempfile::tempdir().unwrap();
    let arguments = ["bench", "synthetic", "--functions", "sphere", "--optimizers", "cma-es", "--shift", "none"];
    let slow = ["--dim", "40", "--trials", "200", "--budget", "20000", "--threads", "1"];
    let child = Command::new(env!("CARGO_BIN_EXE_locomotion"))
        .args([&arguments[..], &slow].concat())
        .args(["--out", folder.path().to_str().unwrap()])
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let kept = || std::fs::read_to_string(folder.path().join("synthetic-trials.jsonl")).unwrap_or_default();
    while !kept().contains('\n') {
        std::thread::sleep(Duration::from_millis(10));
    }
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    assert!(stderr(&output).contains("run the same command again to continue"), "{}", stderr(&output));
    assert!((1..200).contains(&kept().lines().count()));
}

#[test]
fn the_rover_is_measured_and_drawn() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().to_str().unwrap();
    let arguments =
        ["bench", "rover", "--optimizers", "cma-es,random-search", "--trials", "2", "--budget", "200", "--out", out];
    let output = locomotion(&arguments);
    assert!(output.status.success(), "{}", stderr(&output));
    for name in ["rover.txt", "rover.csv", "rover.md", "rover.json", "rover.svg", "rover-curves.svg"] {
        assert!(folder.path().join(name).is_file(), "{name}");
    }
    for name in ["rover.png", "rover-curves.png"] {
        assert!(std::fs::read(folder.path().join(name)).unwrap().starts_with(b"\x89PNG"), "{name}");
    }
}

#[test]
fn wrong_input_is_refused_before_anything_runs() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("none");
    let cases: [(&[&str], &str); 14] = [
        (&["synthetic", "--functions", "spere"], "did you mean `sphere`?"),
        (&["synthetic", "--optimizers", "cmaes"], "did you mean `cma-es`?"),
        (&["synthetic", "--optimizers", "cma-es:exact"], "syncma:VARIANT"),
        (&["synthetic", "--dim", "1"], "--dim"),
        (&["synthetic", "--budget", "0"], "--budget"),
        (&["synthetic", "--trials", "0"], "--trials"),
        (&["synthetic", "--shift", "left"], "--shift"),
        (&["synthetic", "--batch", "1"], "--batch cannot be 1"),
        (&["synthetic", "--batch", "18446744073709551615"], "of memory, but only"),
        (&["synthetic", "--optimizers", "random-search", "--batch", "1000000000000"], "of memory, but only"),
        (&["rover", "--batch", "1000000000000"], "of memory, but only"),
        (&["synthetic", "--optimizers", "cma-es", "--dim", "65535"], "of memory, but only"),
        (
            &["synthetic", "--optimizers", "cma-es,differential-evolution", "--batch", "3"],
            "differential-evolution: --batch",
        ),
        (&["rover", "--sigma", "nan"], "--sigma cannot be NaN"),
    ];
    for (arguments, part) in cases {
        let output = locomotion(&[&["bench"], arguments, &["--out", out.to_str().unwrap()]].concat());
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(stderr(&output).contains(part), "{arguments:?}: {}", stderr(&output));
        assert!(!out.exists(), "{arguments:?}");
    }
    std::fs::write(folder.path().join("synthetic-trials.jsonl"), "nonsense\n").unwrap();
    let output = locomotion(&["bench", "synthetic", "--out", folder.path().to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(3));
    assert!(stderr(&output).contains("line 1"), "{}", stderr(&output));
}
