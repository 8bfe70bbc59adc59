//! The report page agrees with the runs and is self-contained, and its commands reproduce the runs.

#![cfg(feature = "cli")]

mod common;

use common::runs::Fake;
use common::{locomotion, stderr, stdout};
use locomotion::report::page::{self, Live};
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
    assert_eq!(page.matches("class=\"episode\"").count(), 3, "the best of both methods, and the worst seed of one");
    assert!(!page.contains("{{"), "every place in the template is filled");
}

#[test]
fn every_method_shows_its_best_seed_and_the_best_method_its_worst() {
    let page = page(&[comparison()]);
    let score = |optimizer, seed| json(&run_of(optimizer, seed).join("final.json"))["score"]["mean"].as_f64().unwrap();
    let middle = |optimizer| score(optimizer, 0) + score(optimizer, 1);
    let ranked = |optimizer| if score(optimizer, 0) > score(optimizer, 1) { (0, 1) } else { (1, 0) };
    let (first, second) = if middle("ars") > middle("cma-es") { ("ars", "cma-es") } else { ("cma-es", "ars") };
    let expected =
        [("Best", first, ranked(first).0), ("Best", second, ranked(second).0), ("Worst", first, ranked(first).1)];
    let figures: Vec<&str> = page.split("<figure class=\"episode\">").skip(1).collect();
    for (figure, (what, optimizer, seed)) in figures.iter().zip(expected) {
        assert!(figure.contains(&format!("<b>{what} seed of {optimizer}</b>, seed {seed}:")), "{figure:.200}");
        let data = figure.split("application/json\">").nth(1).unwrap().split("</script>").next().unwrap();
        let data: Value = serde_json::from_str(data).unwrap();
        assert_eq!(data["policy"], format!("{optimizer}, seed {seed}"));
        assert_eq!(data["score"]["mean"].as_f64(), Some(score(optimizer, seed)));
    }
    // Their films have different names.
    let films: Vec<&str> = page.lines().filter(|line| line.contains("locomotion render")).collect();
    let names: std::collections::BTreeSet<&str> = films.iter().filter_map(|line| line.split(" -o ").nth(1)).collect();
    assert_eq!((films.len(), names.len()), (3, 3), "{films:?}");
}

#[test]
fn every_point_of_a_curve_tells_its_value() {
    let page = page(&[&run_of("ars", 0)]);
    let metrics = std::fs::read_to_string(run_of("ars", 0).join("metrics.csv")).unwrap();
    let mut points = 0;
    for row in metrics.lines().skip(1).map(|line| line.split(',').collect::<Vec<_>>()) {
        let Ok(heldout) = row[5].parse::<f64>() else { continue };
        let told = format!("<title>ars, {} episodes: {}</title>", row[1], locomotion::plot::numbers::score(heldout));
        assert_eq!(page.matches(&told).count() % 2, 0, "in the wide and in the narrow figure: {told}");
        assert!(page.contains(&told), "{told}");
        points += 1;
    }
    assert!(points > 2 && page.matches("class=\"spot\"").count() == 2 * points);
}

#[test]
fn a_page_that_followed_a_run_ends_as_its_report() {
    let root = tempfile::tempdir().unwrap();
    let run = root.path().join("run");
    let (out, small) = (run.to_str().unwrap(), ["--budget", "16", "--heldout-episodes", "1", "--batch", "4"]);
    let output = locomotion(&[&["train", "--env", "hopper", "--live", "--out", out][..], &small].concat());
    assert!(output.status.success(), "{}", stderr(&output));
    let file = run.join("report.html");
    assert!(stderr(&output).contains(file.to_str().unwrap()) && stdout(&output).contains(file.to_str().unwrap()));
    assert!(std::fs::read_to_string(&file).unwrap() == page(&[&run]), "the same bytes");

    // Before, it says how far the run is, and follows it without the network.
    let live = Live { told: "Half of it is <done>.".into(), done: 0.5 };
    page::write_live(std::slice::from_ref(&run), |_, _, _| Vec::new(), &file, true, Some(live)).unwrap();
    let page = std::fs::read_to_string(&file).unwrap();
    for part in [
        "class=\"live\"",
        "Half of it is &#60;done&#62;.",
        "<progress max=\"1\" value=\"0.5\">",
        "http-equiv=\"refresh\"",
    ] {
        assert!(page.contains(part), "no `{part}`");
    }
    let quiet =
        locomotion(&[&["train", "--env", "hopper", "--live", "--quiet", "--force", "--out", out][..], &small].concat());
    assert_eq!((stdout(&quiet), stderr(&quiet)), (String::new(), String::new()));
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
    assert!(open.contains("No policy has been confirmed yet") && open.contains("not finished</span>"));
    Fake::new("syncma", 1, 350.0).write(root.path());
    let later = page(&[root.path()]);
    assert!(
        later.contains("2 of 3 runs are not finished") && later.contains("<b>The only finished seed of syncma</b>")
    );
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

/// A return of 0 by broken physics does not beat an honest negative one.
#[test]
fn a_run_whose_physics_broke_down_does_not_come_out_highest() {
    let root = tempfile::tempdir().unwrap();
    for seed in 0..3 {
        Fake::new("syncma", seed, 300.0).write(root.path());
        Fake { diverged: 1, ..Fake::new("ars", seed, 350.0) }.write(root.path());
    }
    let text = page(&[root.path()]);
    assert!(text.contains("syncma came out highest"), "{text}");
    let all = tempfile::tempdir().unwrap();
    for optimizer in ["syncma", "ars"] {
        Fake { diverged: 100, ..Fake::new(optimizer, 0, 350.0) }.write(all.path());
    }
    let text = page(&[all.path()]);
    assert!(!text.contains("came out highest:") && text.contains("so none came out highest"), "{text}");
}
