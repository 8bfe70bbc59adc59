//! The comparison table agrees with the runs.

#![cfg(feature = "cli")]

mod common;

use common::runs::Fake;
use locomotion::report::comparison::Comparison;
use locomotion::report::repetitions::group;
use locomotion::report::runs::collect;
use std::path::PathBuf;

fn compare(folders: &[PathBuf]) -> Comparison {
    Comparison::new(&group(collect(folders).unwrap()).unwrap())
}

fn fakes() -> Vec<Fake> {
    let running = Fake { generations: 6, finished: false, ..Fake::new("syncma", 5, 300.0) };
    let pairs = (0..5).flat_map(|seed| {
        let top = seed as f64;
        [Fake::new("syncma", seed, 355.0 + top), Fake::new("cma-es", seed, 340.0 + 3.0 * top)]
    });
    pairs.chain([running]).collect()
}

#[test]
fn the_table_counts_finishes_thresholds_and_wins() {
    let root = tempfile::tempdir().unwrap();
    let folders: Vec<PathBuf> = fakes().iter().map(|fake| fake.write(root.path())).collect();
    let comparison = compare(&folders);
    assert_eq!((comparison.task.as_str(), comparison.baseline.as_deref()), ("swimmer", Some("cma-es")));
    let [ours, base] = &comparison.groups[..] else { panic!("two groups") };
    assert_eq!((ours.runs, ours.finished, base.runs, base.finished), (6, 5, 5, 5));
    let scores: Vec<f64> =
        fakes().iter().filter(|f| f.optimizer == "syncma" && f.finished).map(|f| f.heldout(20)).collect();
    let middle = ours.median.unwrap();
    assert_eq!(middle.value, locomotion::statistics::median(&scores));
    let trust = middle.interval.unwrap();
    assert!(trust.low <= middle.value && middle.value <= trust.high);
    assert!(base.improvement.is_none());
    assert!(ours.improvement.unwrap().value > 0.5);
    let thresholds: Vec<f64> = comparison.thresholds.iter().map(|threshold| threshold.value).collect();
    let task = locomotion::sim::find("swimmer").unwrap();
    let mut yardsticks: Vec<f64> = task.definition.yardsticks.iter().map(|yardstick| yardstick.value).collect();
    yardsticks.sort_by(f64::total_cmp);
    assert_eq!(thresholds, yardsticks, "the task's yardsticks, ascending");
    let syncma: Vec<Fake> = fakes().into_iter().filter(|fake| fake.optimizer == "syncma").collect();
    for reached in &ours.reached {
        let there = |fake: &&Fake| (1..=fake.generations / 2).any(|k| fake.heldout(2 * k) >= reached.threshold);
        let expected = (syncma.iter().filter(there).count(), 6);
        assert_eq!((reached.successes, reached.runs), expected, "{}", reached.threshold);
    }
    let text = comparison.text();
    for part in ["5 of 6", "IQM", "P(better than cma-es)", "to 325", "Mania et al. 2018"] {
        assert!(text.contains(part), "{text}");
    }
    let table = comparison.text_with(|_| String::new());
    assert!(table.lines().all(|row| row.chars().count() <= 80), "{table}");
    assert!(text.starts_with(table.trim_end()), "only the notes below are wrapped: {table}");
    let width = |text: &str| text.lines().map(|line| line.split(',').count()).collect::<Vec<_>>();
    assert_eq!(width(&comparison.csv()), [19, 19, 19]);
    assert!(comparison.markdown().contains("| syncma |"));
    let json = serde_json::to_value(&comparison).unwrap();
    assert_eq!(json["groups"][0]["reached"][1]["return"], 325.0);
}

#[test]
fn the_order_of_seeds_changes_no_table() {
    let root = tempfile::tempdir().unwrap();
    let mut folders: Vec<PathBuf> = fakes().iter().map(|fake| fake.write(root.path())).collect();
    let first = compare(&folders);
    folders[2..].reverse();
    let again = compare(&folders);
    assert_eq!(serde_json::to_string(&first.groups).unwrap(), serde_json::to_string(&again.groups).unwrap());
}

#[test]
fn one_run_has_no_interval_and_equal_runs_have_one_of_no_width() {
    let root = tempfile::tempdir().unwrap();
    let single = compare(&[Fake::new("ars", 0, 100.0).write(root.path())]);
    assert!(single.groups[0].iqm.unwrap().interval.is_none() && single.baseline.is_none());
    assert!(!single.text().contains("P(better"));
    let mut folders = Vec::new();
    for seed in 0..4 {
        let folder = Fake::new("cma-es", seed, 100.0).write(root.path());
        let mut policy = common::policy_json("swimmer", 8, 2, 0.1);
        policy["score"] = serde_json::json!({ "mean": 99.5 });
        std::fs::write(folder.join("final.json"), policy.to_string()).unwrap();
        folders.push(folder);
    }
    let trust = compare(&folders).groups[0].iqm.unwrap().interval.unwrap();
    assert_eq!((trust.low, trust.high), (99.5, 99.5));
}

/// As in `bench`: a run that never reaches the threshold counts as infinite.
#[test]
fn a_run_that_fails_counts_as_infinite() {
    let root = tempfile::tempdir().unwrap();
    let group = |optimizer, tops: [f64; 5]| -> Vec<PathBuf> {
        let run = |(seed, top): (usize, f64)| Fake::new(optimizer, seed as u64, top).write(root.path());
        tops.into_iter().enumerate().map(run).collect()
    };
    let (few, most) =
        (group("ars", [400.0, 400.0, 100.0, 100.0, 100.0]), group("cma-es", [400.0, 400.0, 400.0, 1.0, 1.0]));
    let comparison = compare(&[few, most].concat());
    let at = comparison.thresholds.iter().position(|threshold| threshold.value == 325.0).unwrap();
    let [few, most] = &comparison.groups[..] else { panic!("two groups") };
    assert_eq!((few.reached[at].successes, few.reached[at].episodes), (2, None), "half of them did not get there");
    let slowest = (0..3).map(|seed| {
        let fake = Fake::new("cma-es", seed, 400.0);
        (1..=10).find(|k| fake.heldout(2 * k) >= 325.0).unwrap() * 200
    });
    assert_eq!(most.reached[at].episodes, slowest.max().map(|episodes| episodes as f64), "the third of five");
    assert!(comparison.text().contains("> 2,000 (2/5)"), "{}", comparison.text());
}
