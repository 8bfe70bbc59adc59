//! Figures show everything that was measured, and always the same way.

#![cfg(feature = "cli")]

mod common;

use common::runs::Fake;
use common::{locomotion, stderr, stdout};
use locomotion::plot::{Axis, Curve, Sheet, Style, Yardstick, learning};
use locomotion::report::curves::{curve, figure};
use locomotion::report::repetitions::{Group, group};
use locomotion::report::runs::collect;
use std::path::{Path, PathBuf};

/// Two methods with five seeds each.
fn experiment(root: &Path) -> Vec<PathBuf> {
    let fakes = (0..5).flat_map(|seed| [Fake::new("syncma", seed, 355.0), Fake::new("cma-es", seed, 240.0)]);
    fakes.map(|fake| fake.write(root)).collect()
}

fn groups(folders: &[PathBuf]) -> Vec<Group> {
    group(collect(folders).unwrap()).unwrap()
}

#[test]
fn the_curve_of_one_run_is_what_was_measured() {
    let root = tempfile::tempdir().unwrap();
    let fake = Fake::new("syncma", 3, 355.0);
    let figure = figure(&groups(&[fake.write(root.path())]), Axis::Episodes).unwrap();
    let drawn: Vec<&str> = figure.csv().lines().filter(|line| line.contains(",heldout,")).collect();
    let measured = |g: usize| format!("syncma,heldout,{},1,{v},{v},{v}", g * 100, v = fake.heldout(g));
    assert_eq!(drawn, (1..=10).map(|k| measured(2 * k)).collect::<Vec<_>>());
    let best = figure.csv().lines().filter(|line| line.contains(",best,")).count();
    assert_eq!(best, 18, "the best is known from the third generation on");
}

#[test]
fn the_band_holds_the_median_and_the_order_of_runs_changes_nothing() {
    let root = tempfile::tempdir().unwrap();
    let mut folders = experiment(root.path());
    let drawn = |folders: &[PathBuf], axis| {
        let groups = groups(folders);
        for curve in groups.iter().map(|group| curve(group, Style::new(0, 0), axis)) {
            assert!(curve.heldout.len() >= 10 && curve.best.len() >= 10);
            for p in curve.heldout.iter().chain(&curve.best) {
                assert!(p.low <= p.median && p.median <= p.high, "{p:?}");
            }
        }
        let figure = figure(&groups, axis).unwrap();
        (figure.svg(), figure.png().unwrap(), figure.csv().to_string())
    };
    for axis in [Axis::Episodes, Axis::Steps] {
        let first = drawn(&folders, axis);
        assert_eq!(drawn(&folders, axis), first, "the same bytes twice");
        folders[2..].reverse();
        assert_eq!(drawn(&folders, axis), first, "seeds in another order");
        assert!(first.0.starts_with("<svg "));
        assert!(first.1.starts_with(b"\x89PNG"));
    }
}

/// What a reader may search for is text, and its letters travel with it.
#[test]
fn an_svg_has_real_text_and_is_small() {
    let root = tempfile::tempdir().unwrap();
    let svg = figure(&groups(&experiment(root.path())), Axis::Episodes).unwrap().svg();
    for text in ["syncma (n = 5)", "training episodes", "2.0: doing nothing (W = 0), seeds 0-19", "swimmer"] {
        let shown = |words: &str| svg.contains(&format!(">{words}"));
        // A long label is wrapped.
        assert!(shown(text) || shown(&text[..14]), "{text}");
    }
    assert!(svg.contains("@font-face") && svg.contains("textLength"), "the font is inside, and widths are fixed");
    assert!(svg.len() < 60_000, "{} bytes", svg.len());
}

/// The figure reaches down to what doing nothing returns, however far the data is above it, and other reference values
/// far away take no room beside the curves.
#[test]
fn the_axis_includes_doing_nothing_and_far_yardsticks_take_no_width() {
    let curves = |value: f64| {
        let trace = vec![(100.0, value), (200.0, value + 1.0)];
        [Curve::new("a".into(), Style::new(0, 0), &[trace], &[], &[])]
    };
    let stick = |value, is_origin| Yardstick { value, what: "reference".into(), is_origin };
    let draw = |curves: &[Curve], sticks: &[Yardstick]| {
        learning::draw(Sheet::WIDE, "t", curves, sticks, Axis::Episodes).unwrap().svg("t")
    };
    let with_origin = draw(&curves(350.0), &[stick(0.0, true)]);
    assert!(with_origin.contains(">0<") && with_origin.contains(">350<"), "the axis begins at doing nothing");
    let without = draw(&curves(350.0), &[stick(0.0, false)]);
    assert!(!without.contains(">0: reference<") && without.contains("Below the figure: 0, reference."));
    // The right end of the horizontal axis, as its last tick shows it.
    let end = |svg: &str| {
        let tick = svg.lines().rfind(|line| line.contains(">200<")).unwrap();
        tick.split("x=\"").nth(1).unwrap().split('"').next().unwrap().parse::<f64>().unwrap()
    };
    assert!(end(&without) > 800.0, "{}", end(&without));
    assert!(end(&with_origin) < 700.0, "a value inside the figure has its name beside it");
}

#[test]
fn a_curve_ends_where_fewer_than_three_quarters_of_the_seeds_remain() {
    let root = tempfile::tempdir().unwrap();
    let fake = |seed: u64| Fake { generations: [20, 20, 12, 8][seed as usize], ..Fake::new("syncma", seed, 355.0) };
    let folders: Vec<PathBuf> = (0..4).map(|seed| fake(seed).write(root.path())).collect();
    let curve = curve(&groups(&folders)[0], Style::new(0, 0), Axis::Episodes);
    let seeds: Vec<(f64, usize)> = curve.heldout.iter().map(|p| (p.x, p.seeds)).collect();
    assert_eq!(seeds, [(200.0, 4), (400.0, 4), (600.0, 4), (800.0, 4), (1000.0, 3), (1200.0, 3)]);
}

#[test]
fn groups_are_named_by_their_differences() {
    let root = tempfile::tempdir().unwrap();
    let fake = |optimizer, extra, seed| Fake { extra, ..Fake::new(optimizer, seed, 1.0) }.write(root.path());
    let folders = [
        fake("syncma", "lambda0 = 2.0\n", 0),
        fake("syncma", "lambda0 = 0.5\n", 0),
        fake("syncma", "lambda0 = 2.0\n", 1),
        fake("cma-es", "", 0),
    ];
    let labels: Vec<(String, usize)> =
        groups(&folders).into_iter().map(|group| (group.label, group.runs.len())).collect();
    let expected = [("syncma lambda0=2", 2), ("syncma lambda0=0.5", 1), ("cma-es", 1)];
    assert_eq!(labels, expected.map(|(label, n)| (label.to_string(), n)));
}

#[test]
fn plot_collects_runs_below_a_folder_and_replaces_nothing_unasked() {
    let root = tempfile::tempdir().unwrap();
    experiment(root.path());
    let (runs, out) = (root.path().to_str().unwrap(), root.path().join("a.png"));
    let plot = |more: &[&str]| locomotion(&[&["plot", runs, "-o", out.to_str().unwrap()], more].concat());
    let first = plot(&[]);
    assert!(first.status.success(), "{}", stderr(&first));
    assert_eq!(stdout(&first).lines().count(), 3);
    let files = ["a.svg", "a.png", "a.csv"].map(|name| std::fs::read(root.path().join(name)).unwrap());
    assert_eq!(plot(&[]).status.code(), Some(4));
    assert!(plot(&["--force"]).status.success());
    assert_eq!(files, ["a.svg", "a.png", "a.csv"].map(|name| std::fs::read(root.path().join(name)).unwrap()));
    let left = std::fs::read_dir(root.path()).unwrap().count();
    assert_eq!(left, 4, "no temporary files stay");
}

#[test]
fn wrong_runs_are_named_with_file_line_and_column() {
    let root = tempfile::tempdir().unwrap();
    let folder = Fake::new("syncma", 0, 1.0).write(root.path());
    let out = root.path().join("a.svg");
    let plot = |run: &Path| locomotion(&["plot", run.to_str().unwrap(), "-o", out.to_str().unwrap()]);
    let says = |code: i32, parts: &[&str]| {
        let output = plot(&folder);
        let text = stderr(&output);
        assert_eq!(output.status.code(), Some(code), "{text}");
        parts.iter().for_each(|part| assert!(text.contains(part), "{text}"));
    };
    let (metrics, toml) = (folder.join("metrics.csv"), folder.join("run.toml"));
    let (good_metrics, good_toml) =
        (std::fs::read_to_string(&metrics).unwrap(), std::fs::read_to_string(&toml).unwrap());
    std::fs::write(&metrics, good_metrics.replace("\n3,300,", "\n3,3oo,")).unwrap();
    says(3, &["line 4", "`episodes`", "metrics.csv"]);
    std::fs::write(&metrics, good_metrics.replace("heldout_mean", "other")).unwrap();
    says(3, &["line 1", "`heldout_mean`", "metrics.csv"]);
    std::fs::write(&metrics, common::runs::HEADER).unwrap();
    says(1, &["no run has a held-out evaluation yet"]);
    std::fs::write(&metrics, good_metrics + "21,21").unwrap();
    std::fs::write(&toml, good_toml.replace("run/1", "run/9")).unwrap();
    says(3, &["`format`", "locomotion-run/9", "run.toml"]);
    std::fs::write(&toml, good_toml).unwrap();
    assert!(plot(&folder).status.success(), "a last line that is still being written is left out");
    let empty = root.path().join("empty");
    std::fs::create_dir(&empty).unwrap();
    assert_eq!(plot(&empty).status.code(), Some(3));
}

#[test]
fn one_seed_is_never_counted_twice() {
    let root = tempfile::tempdir().unwrap();
    let other = root.path().join("other");
    let folders = [Fake::new("syncma", 0, 1.0).write(root.path()), Fake::new("syncma", 0, 1.0).write(&other)];
    let error = group(collect(&folders).unwrap()).unwrap_err();
    assert_eq!(error.exit_code(), 2);
    assert!(error.message.contains("appears twice with seed 0"), "{error}");
    assert_eq!(collect(&[folders[0].clone(), root.path().join("swimmer")]).unwrap().len(), 1);
}
