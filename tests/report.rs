//! The report page agrees with the runs and is self-contained, and its commands reproduce the runs.

#![cfg(feature = "cli")]

mod common;

use common::runs::Fake;
use common::{locomotion, stderr, stdout};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// A real comparison of 2 optimizers × 2 seeds, made once.
fn comparison() -> &'static Path {
    static MADE: OnceLock<tempfile::TempDir> = OnceLock::new();
    let make = || {
        let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let out = folder.path().to_str().unwrap();
        let (budget, heldout) = (["--budget", "64"], ["--heldout-episodes", "2"]);
        let what = ["compare", "--env", "hopper", "--optimizers", "cma-es,ars", "--seeds", "2", "--out", out];
        let output = locomotion(&[&what[..], &budget, &heldout].concat());
        assert!(output.status.success(), "{}", stderr(&output));
        folder
    };
    MADE.get_or_init(make).path()
}

fn run_of(optimizer: &str, seed: u64) -> PathBuf {
    comparison().join(format!("hopper/{optimizer}/seed-{seed}"))
}

fn json(file: &Path) -> Value {
    serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap()
}

/// Returns the page about these folders.
fn page(folders: &[&Path]) -> String {
    let out = tempfile::tempdir().unwrap();
    let file = out.path().join("report.html");
    let folders: Vec<&str> = folders.iter().map(|folder| folder.to_str().unwrap()).collect();
    let output = locomotion(&[&["report"], &folders[..], &["-o", file.to_str().unwrap()]].concat());
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(stdout(&output).contains("report.html"));
    std::fs::read_to_string(file).unwrap()
}

#[test]
fn the_page_shows_every_method_score_and_setting() {
    let page = page(&[comparison()]);
    for part in ["cma-es", "ars", "n = 2", "Which finds the better policy for hopper", "P(better than cma-es)"] {
        assert!(page.contains(part), "`{part}` is missing");
    }
    for (optimizer, seed) in [("cma-es", 0), ("cma-es", 1), ("ars", 0), ("ars", 1)] {
        for name in ["final.json", "best.json"] {
            let mean = json(&run_of(optimizer, seed).join(name))["score"]["mean"].as_f64().unwrap();
            assert!(page.contains(&format!("<data value=\"{mean}\">")), "{optimizer} {seed} {name}: {mean}");
        }
    }
    let program = json(&run_of("ars", 0).join("final.json"))["provenance"]["program"].clone();
    for version in ["version", "mujoco", "model_sha256"] {
        assert!(page.contains(program[version].as_str().unwrap()), "{version}");
    }
    let settings = std::fs::read_to_string(run_of("ars", 0).join("run.toml")).unwrap();
    let keys = settings.split("[settings]\n").nth(1).unwrap().lines().filter_map(|line| line.split(" = ").next());
    for key in keys.filter(|key| *key != "seed") {
        assert!(page.contains(&format!("<code>{key}</code>")), "setting `{key}`");
    }
    assert_eq!(page.matches("class=\"episode\"").count(), 2, "of two seeds the best and the worst are shown");
    assert!(!page.contains("{{"), "every place in the template is filled");
}

#[test]
fn the_replayed_seeds_are_the_best_and_the_worst_of_the_best_method() {
    let page = page(&[comparison()]);
    let score = |optimizer, seed| json(&run_of(optimizer, seed).join("final.json"))["score"]["mean"].as_f64().unwrap();
    let middle = |optimizer| score(optimizer, 0) + score(optimizer, 1);
    let best = if middle("ars") > middle("cma-es") { "ars" } else { "cma-es" };
    let (first, last) = if score(best, 0) > score(best, 1) { (0, 1) } else { (1, 0) };
    assert!(page.contains(&format!("<b>Best seed</b>, {best}, seed {first}:")));
    assert!(page.contains(&format!("<b>Worst seed</b>, {best}, seed {last}:")));
}

#[test]
fn the_page_needs_no_network() {
    let page = page(&[comparison()]);
    // The font of the figures is part of the page.
    let outside = page.replace("xmlns=\"http://www.w3.org/2000/svg\"", "").replace("url(data:", "");
    for load in ["http:", "https:", "src=", "@import", "url(", "import ", "fetch("] {
        assert!(!outside.contains(load), "the page holds `{load}`");
    }
    assert!(page.len() < 3_000_000, "{} bytes", page.len());
}

#[test]
fn the_same_runs_give_the_same_bytes() {
    assert_eq!(page(&[comparison()]), page(&[comparison()]));
}

#[test]
fn the_commands_on_the_page_reproduce_the_policies() {
    let page = page(&[&run_of("ars", 1)]);
    let commands = page.split("<pre><code>").nth(1).unwrap().split("</code>").next().unwrap();
    let program = Path::new(env!("CARGO_BIN_EXE_locomotion")).parent().unwrap();
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap_or_default());
    let place = tempfile::tempdir().unwrap();
    let output =
        Command::new("sh").args(["-c", commands]).env("PATH", path).current_dir(place.path()).output().unwrap();
    assert!(output.status.success(), "{commands}\n{}", stderr(&output));
    assert!(place.path().join("report.html").exists());
    for name in ["final.json", "best.json"] {
        let again = std::fs::read(place.path().join("again/ars/seed-1").join(name)).unwrap();
        assert!(again == std::fs::read(run_of("ars", 1).join(name)).unwrap(), "{name}");
    }
}

#[test]
fn one_run_is_enough_and_shows_its_best_policy() {
    let page = page(&[&run_of("ars", 0)]);
    assert!(page.contains("<h1>hopper: ars, seed 0</h1>"));
    assert!(page.contains("<b>The best policy</b>"));
    assert_eq!(page.matches("class=\"episode\"").count(), 1);
}

#[test]
fn runs_in_progress_are_marked_as_such() {
    let root = tempfile::tempdir().unwrap();
    for fake in [
        Fake { finished: false, ..Fake::new("syncma", 0, 350.0) },
        Fake { finished: false, generations: 1, ..Fake::new("ars", 0, 350.0) },
    ] {
        fake.write(root.path());
    }
    let open = page(&[root.path()]);
    assert!(open.contains("No run has finished yet") && open.contains("2 of 2 runs are not finished"));
    assert!(open.contains("No run has written a policy yet") && open.contains("not finished</span>"));
    Fake::new("syncma", 1, 350.0).write(root.path());
    let later = page(&[root.path()]);
    assert!(later.contains("2 of 3 runs are not finished") && later.contains("<b>The only finished seed</b>"));
}

#[test]
fn text_from_settings_is_never_markup() {
    let root = tempfile::tempdir().unwrap();
    let evil = "normalize = \"<img src=x>'&\"\n";
    Fake { extra: evil, ..Fake::new("syncma", 0, 350.0) }.write(&root.path().join("<b>folder"));
    let page = page(&[root.path()]);
    assert!(!page.contains("<img") && !page.contains("<b>folder"));
    assert!(page.contains("&#60;img src=x&#62;&#39;&#38;"));
}

#[test]
fn mistakes_have_their_own_exit_codes() {
    let folder = tempfile::tempdir().unwrap();
    let place = |name: &str| folder.path().join(name).to_str().unwrap().to_string();
    let runs = tempfile::tempdir().unwrap();
    Fake::new("syncma", 0, 350.0).write(runs.path());
    let report = |run: &str, file: &str, force: &[&str]| {
        let output = locomotion(&[&["report", run, "-o", file], force].concat());
        (output.status.code(), stderr(&output))
    };
    let run = runs.path().to_str().unwrap();
    std::fs::write(place("there.html"), "mine").unwrap();
    let (code, words) = report(run, &place("there.html"), &[]);
    assert!(code == Some(4) && words.contains("--force"), "{words}");
    assert_eq!(std::fs::read_to_string(place("there.html")).unwrap(), "mine");
    assert_eq!(report(run, &place("there.html"), &["--force"]).0, Some(0));
    let (code, words) = report(folder.path().to_str().unwrap(), &place("new.html"), &[]);
    assert!(code == Some(3) && words.contains("no run here"), "{words}");
    assert_eq!(report(run, &place("page.pdf"), &[]).0, Some(2));
    assert_eq!(report(run, &place("no/such/folder.html"), &[]).0, Some(4));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is left behind");
}

#[test]
fn a_run_folder_stands_for_its_best_policy() {
    let (run, out) = (run_of("ars", 0), tempfile::tempdir().unwrap());
    let eval = |policy: &Path| {
        let output = locomotion(&["eval", policy.to_str().unwrap(), "--episodes", "3", "--json"]);
        assert!(output.status.success(), "{}", stderr(&output));
        output.stdout
    };
    assert_eq!(eval(&run), eval(&run.join("best.json")));
    assert_ne!(eval(&run), eval(&run.join("final.json")), "the two differ here, so the test can tell");
    let export = |policy: &Path, name: &str| {
        let file = out.path().join(name);
        let (policy, file) = (policy.to_str().unwrap(), file.to_str().unwrap());
        let output = locomotion(&["export", policy, "-o", file, "--episodes", "2"]);
        assert!(output.status.success(), "{}", stderr(&output));
        std::fs::read(file).unwrap()
    };
    assert!(export(&run, "run.h5") == export(&run.join("best.json"), "best.h5"), "the same traces");

    // Without a best policy, the final one is used. Without either, there is a message.
    let bare = out.path().join("run");
    std::fs::create_dir(&bare).unwrap();
    std::fs::copy(run.join("run.toml"), bare.join("run.toml")).unwrap();
    let output = locomotion(&["eval", bare.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(3));
    assert!(stderr(&output).contains("neither `best.json` nor `final.json`"), "{}", stderr(&output));
    std::fs::copy(run.join("final.json"), bare.join("final.json")).unwrap();
    assert_eq!(eval(&bare), eval(&run.join("final.json")));
}
