//! The files that the program reads, each with commands that read it.

use crate::common::{locomotion, ok, policy_json, root};
use std::fs;
use std::path::{Path, PathBuf};

/// A file to damage inside of a folder, and the commands to run there. Their words are separated by spaces.
pub struct Case {
    pub name: &'static str,
    pub folder: PathBuf,
    pub file: &'static str,
    pub commands: &'static [&'static str],
}

const EVAL: &str = "eval policy.json --env robot.toml --episodes 1 --threads 1";
const RESUME: &str = "train --resume . --budget 36 --time 10s --threads 1 --quiet";
const TASK: &[&str] = &[EVAL, "train --env robot.toml --budget 24 --batch 12 --time 1s --out out --threads 1"];
const CONFIG: &[&str] = &[
    "train --env robot.toml --config config.toml --print-config",
    "train --env hopper --config config.toml --time 1s --out out --threads 1 --quiet",
];
const RUN: &[&str] = &["plot . -o curves.png --force", "eval . --episodes 1 --threads 1", RESUME];
const PAGE: &[&str] = &["report . -o page.html --force", RESUME];

/// One case per kind of file, below `place`.
pub fn cases(place: &Path) -> Vec<Case> {
    let task = place.join("task");
    fs::create_dir_all(&task).unwrap();
    let text = fs::read_to_string(root().join("envs/hopper.toml")).unwrap();
    fs::write(task.join("robot.toml"), text.replace("horizon = 1000", "horizon = 20")).unwrap();
    fs::copy(root().join("assets/models/hopper.xml"), task.join("hopper.xml")).unwrap();
    let mut policy = policy_json("hopper", 11, 3, 0.1);
    policy["normalizer"] = serde_json::json!({ "mean": vec![0.5; 11], "std": vec![2.0; 11] });
    fs::write(task.join("policy.json"), policy.to_string()).unwrap();
    let config = "optimizer = \"syncma\"\nvariant = \"steady\"\nlambda0 = 2.0\nbatch = 12\nsigma = 0.3\nbudget = 24\n\
                  seed = 3\nbound = \"1\"\nnormalize = \"bounded\"\nheldout_episodes = 2\nheldout_every = 1\ntime = \"1s\"\n";
    fs::write(task.join("config.toml"), config).unwrap();

    let run = place.join("run");
    let robot = task.join("robot.toml");
    let fixed = ["train", "--budget", "24", "--batch", "12", "--heldout-episodes", "2", "--quiet"];
    let places = ["--env", robot.to_str().unwrap(), "--out", run.to_str().unwrap()];
    ok(&locomotion(&[&fixed[..], &places].concat()));
    let case = |name, folder: &PathBuf, file, commands| Case { name, folder: folder.clone(), file, commands };
    vec![
        case("task", &task, "robot.toml", TASK),
        case("model", &task, "hopper.xml", &[EVAL]),
        case("policy", &task, "policy.json", &[EVAL]),
        case("settings", &task, "config.toml", CONFIG),
        case("run.toml", &run, "run.toml", RUN),
        case("metrics", &run, "metrics.csv", PAGE),
        case("checkpoint", &run, "checkpoint.bin", &[RESUME]),
        case("best policy", &run, "best.json", RUN),
    ]
}
