//! A run writes a complete folder, the same bytes for any number of threads, and never overwrites another run.

use crate::common::{locomotion, short_hopper, stderr, stdout};
pub use crate::common::{ok, read, results};
use locomotion::optim::{OptimizerKind, Variant};
use std::path::Path;
use std::process::Output;

/// A small run of a task with short episodes. `more` may override its settings.
pub fn quick(folder: &Path, more: &[&str]) -> Output {
    let task = short_hopper(folder.parent().unwrap());
    let out = folder.to_str().unwrap();
    let usual = [
        ["--budget", "96"],
        ["--batch", "12"],
        ["--sigma", "0.3"],
        ["--heldout-episodes", "3"],
        ["--heldout-every", "2"],
    ];
    let named = more.windows(2).find(|pair| pair[0] == "--optimizer").map(|pair| pair[1].parse().unwrap());
    let used = |flag: &str| named.is_none_or(|kind: OptimizerKind| kind.uses(Variant::default(), &flag[2..]));
    let usual = usual.into_iter().filter(|pair| !more.contains(&pair[0]) && used(pair[0]));
    let usual = usual.flatten().collect::<Vec<_>>();
    locomotion(&[&["train", "--env", &task, "--quiet", "--out", out], &usual[..], more].concat())
}

#[test]
fn every_optimizer_runs_and_writes_a_complete_folder() {
    let folder = tempfile::tempdir().unwrap();
    let named = locomotion::optim::names().map(|name| (name, vec!["--optimizer", name]));
    let others = [
        ("remembering", vec!["--lambda0", "2"]),
        ("matrix", vec!["--variant", "matrix"]),
        ("exact", vec!["--variant", "exact"]),
        ("steady", vec!["--variant", "steady", "--kappa", "2", "--normalize", "bounded", "--survival-steps", "50"]),
        ("published", vec!["--variant", "published"]),
        ("fixed", vec!["--normalize", "none", "--init", "uniform", "--bound", "1", "--survival-shift", "off"]),
    ];
    for (name, more) in named.into_iter().chain(others) {
        let run = folder.path().join(name);
        ok(&quick(&run, &more));
        for file in ["run.toml", "metrics.csv", "checkpoint.bin", "best.json", "final.json", "curves.svg", "curves.png"]
        {
            assert!(run.join(file).exists(), "{name}: {file}");
        }
        let policy = locomotion(&["eval", run.join("best.json").to_str().unwrap(), "--episodes", "3", "--json"]);
        ok(&policy);
        assert!(read(&run, "metrics.csv").lines().count() == 10, "{name}: a header, the start and 96 / 12 rows");
    }
}

#[test]
fn the_score_in_a_policy_is_what_eval_finds() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("run");
    ok(&quick(&run, &[]));
    let file: serde_json::Value = serde_json::from_str(&read(&run, "best.json")).unwrap();
    let first = file["score"]["first_seed"].to_string();
    let path = run.join("best.json");
    let output = locomotion(&["eval", path.to_str().unwrap(), "--seed", &first, "--episodes", "100", "--json"]);
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["mean"], file["score"]["mean"], "a frozen normalizer survives the file to the bit");
}

#[test]
fn any_number_of_threads_gives_the_same_run() {
    let folder = tempfile::tempdir().unwrap();
    let run = |threads: &str| {
        let path = folder.path().join(threads);
        ok(&quick(&path, &["--threads", threads]));
        results(&path)
    };
    let one = run("1");
    for threads in ["2", "5"] {
        assert_eq!(run(threads), one, "{threads} threads");
    }
}

#[test]
fn nothing_is_overwritten_without_force() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("run");
    ok(&quick(&run, &[]));
    let before = results(&run);
    let again = quick(&run, &["--seed", "5"]);
    assert_eq!(again.status.code(), Some(4), "{}", stderr(&again));
    assert!(stderr(&again).contains("a run already exists") && stderr(&again).contains("--resume"));
    assert_eq!(results(&run), before);
    ok(&quick(&run, &["--seed", "5", "--force"]));
    assert_ne!(results(&run).0, before.0);
}

#[test]
fn force_removes_the_baselines_of_the_old_run_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("run");
    ok(&quick(&run, &["--baseline", "random-search"]));
    let baseline = run.join("baseline-random-search");
    assert!(baseline.join("metrics.csv").is_file());
    let notes = [run.join("notes.txt"), run.join("baseline-notes/mine.txt")];
    std::fs::create_dir(run.join("baseline-notes")).unwrap();
    notes.iter().for_each(|file| std::fs::write(file, "mine").unwrap());
    ok(&quick(&run, &["--force"]));
    assert!(!baseline.exists(), "a baseline of another run");
    notes.iter().for_each(|file| assert!(file.is_file(), "{}", file.display()));
}

#[test]
fn json_prints_lines_and_nothing_else_on_stdout() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    let fixed = ["train", "--env", "hopper", "--json", "--out", out.to_str().unwrap()];
    let output = locomotion(&[&fixed[..], &["--budget", "40", "--batch", "10", "--heldout-episodes", "2"]].concat());
    ok(&output);
    let lines: Vec<serde_json::Value> =
        stdout(&output).lines().map(|line| serde_json::from_str(line).expect("a JSON line")).collect();
    let events: Vec<&str> = lines.iter().map(|line| line["event"].as_str().unwrap()).collect();
    // The first of them shows the center before training.
    assert_eq!(events, ["start", "generation", "generation", "generation", "generation", "generation", "end"]);
    assert!(lines[6]["final"]["mean"].is_number() && lines[6]["stop"].as_str().unwrap().contains("budget"));

    // A row has the names and numbers of metrics.csv, and null where there is no finite number.
    let text = read(&out, "metrics.csv");
    let (header, rows) = text.split_once('\n').unwrap();
    for (event, row) in lines[1..6].iter().zip(rows.lines()) {
        let object = event["row"].as_object().unwrap();
        assert_eq!(object.keys().map(String::as_str).collect::<Vec<_>>().join(","), header);
        let number = |cell: &str| cell.parse::<f64>().ok().filter(|number| number.is_finite());
        let cells: Vec<Option<f64>> = row.split(',').map(number).collect();
        assert_eq!(object.values().map(serde_json::Value::as_f64).collect::<Vec<_>>(), cells);
    }
}

#[test]
fn target_and_time_stop_a_run_and_say_so() {
    let folder = tempfile::tempdir().unwrap();
    let stop = |name: &str, more: &[&str]| {
        let out = folder.path().join(name);
        let fixed = ["train", "--env", "hopper", "--batch", "10", "--heldout-every", "1", "--budget", "100000"];
        let output = locomotion(&[&fixed[..], &["--out", out.to_str().unwrap()], more].concat());
        ok(&output);
        stdout(&output)
    };
    assert!(stop("target", &["--target", "1"]).contains("the held-out return has reached the target 1"));
    assert!(stop("time", &["--time", "1s"]).contains("the time is up"));
}

#[test]
fn the_papers_protocol_sets_its_choices_together_and_says_what_differs() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    let fixed = ["train", "--env", "hopper", "--protocol", "paper", "--out", out.to_str().unwrap()];
    let output = locomotion(&[&fixed[..], &["--budget", "80", "--batch", "4", "--heldout-episodes", "2"]].concat());
    ok(&output);
    assert!(stdout(&output).contains("observations, although the paper's code"), "{}", stdout(&output));
    let run: toml::Table = read(&out, "run.toml").parse().unwrap();
    let settings = &run["settings"];
    for (key, value) in [("variant", "published"), ("init", "uniform"), ("bound", "1"), ("normalize", "none")] {
        assert_eq!(settings[key].as_str(), Some(value), "{key}");
    }
    assert_eq!(settings["episodes_per_candidate"].as_integer(), Some(10));
    assert_eq!(settings["sigma"].as_float(), Some(0.1));

    // It trains on seeds 0 to 9, as the paper did. Scores are from other seeds, or say so.
    assert!(stdout(&output).contains("on 100 seeds not used in training"), "{}", stdout(&output));
    let policy: serde_json::Value = serde_json::from_str(&read(&out, "final.json")).unwrap();
    assert_eq!(policy["provenance"]["training_seeds"], serde_json::json!([0, 9]));
    let eval = |more: &[&str]| {
        let output = locomotion(&[&["eval", out.to_str().unwrap(), "--episodes", "3"], more].concat());
        ok(&output);
        stdout(&output)
    };
    assert!(eval(&[]).contains("reset seeds 10 to 12") && !eval(&[]).contains("optimistic"));
    assert!(eval(&["--seed", "8"]).contains("2 of these seeds were used in training"), "{}", eval(&["--seed", "8"]));
}

/// Candidates that do not differ have the same return if they start from the same reset.
#[test]
fn with_common_resets_only_the_candidates_make_a_difference() {
    let folder = tempfile::tempdir().unwrap();
    let spread = |name: &str, resets: &str| {
        let run = folder.path().join(name);
        ok(&quick(&run, &["--budget", "12", "--variant", "steady", "--sigma", "1e-200", "--resets", resets]));
        let metrics = read(&run, "metrics.csv");
        // The row of generation 0 has no candidates.
        let mut lines = metrics.lines().filter(|line| !line.starts_with("0,"));
        let (names, cells) = (lines.next().unwrap().split(','), lines.next().unwrap().split(','));
        let of = |wanted: &str| names.clone().zip(cells.clone()).find(|(name, _)| *name == wanted).unwrap().1;
        of("batch_max").parse::<f64>().unwrap() - of("batch_min").parse::<f64>().unwrap()
    };
    assert_eq!(spread("common", "common"), 0.0);
    assert!(spread("own", "own") > 0.0);
}

/// The curve of a run begins before training and has at least 20 points. What is trained does not depend on them.
#[test]
fn the_learning_curve_begins_at_episode_0_and_training_does_not_depend_on_it() {
    let folder = tempfile::tempdir().unwrap();
    let task = short_hopper(folder.path());
    let train = |name: &str, more: &[&str]| {
        let path = folder.path().join(name);
        let fixed = ["train", "--env", &task, "--budget", "240", "--batch", "6", "--sigma", "0.3", "--out"];
        ok(&locomotion(&[&fixed[..], &[path.to_str().unwrap(), "--quiet"], more].concat()));
        path
    };
    let (usual, rare) = (train("usual", &[]), train("rare", &["--heldout-every", "40"]));
    let cells = |line: &str| line.split(',').map(String::from).collect::<Vec<_>>();
    let rows: Vec<Vec<String>> = read(&usual, "metrics.csv").lines().skip(1).map(cells).collect();
    assert_eq!(rows[0][..3], ["0", "0", "0"], "before training");
    let seen: Vec<&Vec<String>> = rows.iter().filter(|row| !row[5].is_empty()).collect();
    assert!(seen.len() > 20, "{} evaluations", seen.len());
    assert_eq!(seen.last().unwrap()[1], "240");
    let weights = |path: &Path| -> serde_json::Value {
        let file: serde_json::Value = serde_json::from_str(&read(path, "final.json")).unwrap();
        serde_json::json!([file["weights"], file["normalizer"], file["score"]])
    };
    assert_eq!(weights(&usual), weights(&rare), "held-out episodes teach nothing");
}

#[test]
fn a_screen_fits_80_columns_and_shows_lengths() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("r");
    let fixed =
        ["train", "--env", "hopper", "--budget", "48", "--batch", "12", "--heldout-episodes", "2", "--threads", "1"];
    let output = locomotion(&[&fixed[..], &["--out", out.to_str().unwrap(), "--baseline", "random-search"]].concat());
    ok(&output);
    let text = stdout(&output);
    assert!(text.contains("· 1 thread\n"), "{text}");
    let path = out.to_str().unwrap();
    let wide = text.lines().find(|line| line.chars().count() > 80 && !line.contains(path));
    assert_eq!(wide, None);
    assert!(text.contains("  length  ") && !text.contains('\x1b'), "{text}");
    assert!(text.contains("verdict: ") && text.contains("curves.svg"), "{text}");
}

/// A robot that counts as fallen at once cannot learn, and the user hears why.
#[test]
fn episodes_that_end_at_once_get_a_hint() {
    let folder = tempfile::tempdir().unwrap();
    let text = std::fs::read_to_string(crate::common::root().join("envs/hopper.toml")).unwrap();
    let strict = text.replace("0.7", "1.24");
    assert_ne!(strict, text);
    std::fs::write(folder.path().join("strict.toml"), strict).unwrap();
    std::fs::copy(crate::common::root().join("assets/models/hopper.xml"), folder.path().join("hopper.xml")).unwrap();
    let (task, out) = (folder.path().join("strict.toml"), folder.path().join("r"));
    let files = ["--env", task.to_str().unwrap(), "--out", out.to_str().unwrap()];
    let output =
        locomotion(&[&["train", "--budget", "60", "--batch", "12", "--heldout-episodes", "2"], &files[..]].concat());
    ok(&output);
    assert!(stderr(&output).contains("most episodes end within a few steps"), "{}", stderr(&output));
    assert_eq!(stderr(&output).matches("most episodes").count(), 1);
}
