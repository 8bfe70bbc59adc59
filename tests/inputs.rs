//! Wrong input gets a message that names the file, the field and the remedy, and the right exit code. Nothing panics.

#![cfg(feature = "cli")]

mod common;

use common::{locomotion, policy_json, root, stderr, stdout};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Output;

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// Checks the exit code and the message, and that the message is readable.
fn check(case: &str, output: &Output, code: i32, wanted: &str) -> String {
    let message = stderr(output);
    assert_eq!(output.status.code(), Some(code), "{case}: {message}");
    assert!(message.starts_with("error: "), "{case}: {message}");
    assert!(message.contains(wanted), "{case}: wanted `{wanted}` in: {message}");
    assert!(!message.contains("panicked"), "{case}: {message}");
    assert_eq!(stdout(output), "", "{case}: errors belong on stderr");
    message
}

#[test]
fn broken_tasks_are_refused_each_with_its_own_message() {
    let hopper = std::fs::read_to_string(root().join("envs/hopper.toml")).unwrap();
    let edits: &[(&str, &str, &str, &str)] = &[
        ("not TOML", "[reset]", "[reset", "TOML parse error at line 9"),
        ("unknown field", "horizon = 1000", "horizon = 1000\nhorizont = 5", "unknown field `horizont`"),
        ("missing field", "frame_skip = 4\n", "", "missing field `frame_skip`"),
        ("wrong type", "horizon = 1000", "horizon = \"long\"", "expected usize"),
        ("zero frame skip", "frame_skip = 4", "frame_skip = 0", "line 5: field `frame_skip` needs at least 1"),
        ("zero horizon", "horizon = 1000", "horizon = 0", "line 6: field `horizon` needs at least 1"),
        ("bad name", "name = \"hopper\"", "name = \"My Robot\"", "line 1: field `name` needs lower-case"),
        ("no such model", "model = \"hopper.xml\"", "model = \"nobody.xml\"", "nobody.xml"),
        ("broken model", "model = \"hopper.xml\"", "model = \"broken.xml\"", "broken.xml"),
        ("no actuator", "model = \"hopper.xml\"", "model = \"still.xml\"", "at least one actuator"),
        ("unknown part", "of = \"qvel\"", "of = \"speed\"", "unknown variant `speed`"),
        ("skips it all", "skip = 1", "skip = 6", "field `skip` needs less than the 6 numbers"),
        ("unknown body", "position = { qpos = 0 }", "position = { body = \"tail\" }", "it has no `tail`"),
        ("index too large", "position = { qpos = 0 }", "position = { qpos = 6 }", "a qpos index below 6"),
        ("health of nothing", "index = 2 # pitch", "index = 40", "an index below 6; it has 40"),
        ("no limit", "above = 0.7", "", "a limit: above, below"),
        ("NaN weight", "control = 1e-3", "control = nan", "field `control` needs a finite weight"),
        ("negative noise", "qpos = { uniform = 0.005 }", "qpos = { uniform = -1.0 }", "a finite noise of at least 0"),
        ("unknown camera", "camera = \"track\"", "camera = \"drone\"", "it has no `drone`"),
        ("a NUL in a name", "camera = \"track\"", "camera = \"tra\\u0000ck\"", "a camera of the model"),
    ];
    let beyond: &[(&str, &str, &str, &str)] = &[
        ("a name that leads elsewhere", "name = \"hopper\"", "name = \"..\"", "a letter or digit first"),
        ("endless episodes", "horizon = 1000", "horizon = 1000000000000000000", "at most 1,000,000"),
        ("endless actions", "frame_skip = 4", "frame_skip = 40000000", "at most 10,000"),
        ("a device", "model = \"hopper.xml\"", "model = \"/dev/zero\"", "not a regular file"),
        ("time that stands still", "model = \"hopper.xml\"", "model = \"frozen.xml\"", "timestep above 0; it has 0"),
        ("backward time", "model = \"hopper.xml\"", "model = \"backward.xml\"", "timestep above 0; it has -0.002"),
    ];
    let folder = tempfile::tempdir().unwrap();
    std::fs::copy(root().join("assets/models/hopper.xml"), folder.path().join("hopper.xml")).unwrap();
    std::fs::write(folder.path().join("broken.xml"), "<mujoco><worldbody><geom/></worldbody></mujoco>").unwrap();
    std::fs::write(
        folder.path().join("still.xml"),
        "<mujoco><worldbody><body><freejoint/><geom size=\"1\"/></body></worldbody></mujoco>",
    )
    .unwrap();
    let model = std::fs::read_to_string(root().join("assets/models/hopper.xml")).unwrap();
    for (name, timestep) in [("frozen.xml", "0"), ("backward.xml", "-0.002")] {
        let changed = model.replace("timestep=\"0.002\"", &format!("timestep=\"{timestep}\""));
        assert_ne!(changed, model);
        std::fs::write(folder.path().join(name), changed).unwrap();
    }
    let (policy, task) = (folder.path().join("policy.json"), folder.path().join("robot.toml"));
    std::fs::write(&policy, policy_json("hopper", 11, 3, 0.0).to_string()).unwrap();
    let run = || locomotion(&["eval", text(&policy), "--env", text(&task), "--episodes", "1"]);

    std::fs::write(&task, &hopper).unwrap();
    assert!(run().status.success(), "the unbroken task runs: {}", stderr(&run()));
    let mut messages = BTreeSet::new();
    for (case, from, to, wanted) in edits.iter().chain(beyond) {
        assert!(hopper.contains(from), "{case}: `{from}` is in the task");
        std::fs::write(&task, hopper.replacen(from, to, 1)).unwrap();
        let message = check(case, &run(), 3, wanted);
        let named = message.contains(text(folder.path())) || message.contains("/dev/zero");
        assert!(named, "{case}: the file is named: {message}");
        messages.insert(message);
    }
    // A limit from below and from above may share one.
    assert!(messages.len() >= edits.len(), "each has its own message");
}

/// What a file says is shown, but it cannot command the terminal.
#[test]
fn control_characters_from_files_are_escaped() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("policy.json");
    std::fs::write(&file, policy_json("\u{1b}[2J\u{202e}ant", 11, 3, 0.0).to_string()).unwrap();
    let message = check("policy", &locomotion(&["eval", text(&file)]), 3, "\\u{1b}[2J\\u{202e}ant");
    assert!(!message.contains(['\u{1b}', '\u{202e}']), "{message}");
    std::fs::write(&file, "sigma = \"\u{1b}]0;title\u{7}\"").unwrap();
    let output = locomotion(&["train", "--env", "hopper", "--config", text(&file)]);
    assert!(!check("settings", &output, 3, "\\u{1b}]0;title").contains(['\u{1b}', '\u{7}']));
}

#[test]
fn files_of_absurd_size_are_refused_before_they_fill_the_memory() {
    let folder = tempfile::tempdir().unwrap();
    let large = folder.path().join("large.json");
    std::fs::File::create(&large).unwrap().set_len(65 << 20).unwrap();
    check("large policy", &locomotion(&["eval", text(&large)]), 3, "larger than 64 MiB");
    check("endless policy", &locomotion(&["eval", "/dev/zero"]), 3, "larger than 64 MiB");
    check(
        "endless settings",
        &locomotion(&["train", "--env", "ant", "--config", "/dev/zero"]),
        3,
        "larger than 64 MiB",
    );
}

/// Whoever reads our messages may have gone away, or have no room for them.
#[test]
fn a_full_stderr_is_no_panic() {
    let full = || std::fs::File::options().write(true).open("/dev/full").unwrap();
    let run = |arguments: &[&str]| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_locomotion"));
        command.args(arguments).stderr(full()).output().unwrap().status.code()
    };
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(run(&["eval", "nobody.json"]), Some(3));
    let small = ["--seeds", "1", "--budget", "24", "--batch", "12", "--heldout-episodes", "1"];
    let compare = ["compare", "--env", "hopper", "--optimizers", "cma-es", "--out", text(folder.path())];
    assert_eq!(run(&[&compare[..], &small].concat()), Some(0));
    let page = folder.path().join("a.html");
    assert_eq!(run(&["render", "hopper", "-o", text(&page), "--seconds", "0.1"]), Some(0));
}

/// The window that this build does not have is offered by a command that can be pasted.
#[cfg(not(feature = "viewer"))]
#[test]
fn a_command_that_is_offered_is_quoted() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a $(touch b).json");
    std::fs::write(&file, policy_json("hopper", 11, 3, 0.0).to_string()).unwrap();
    let message = check("view", &locomotion(&["view", text(&file)]), 1, "cargo run");
    assert!(message.contains(&format!("view '{}'", text(&file))), "{message}");
}

#[test]
fn broken_policies_are_refused_each_with_its_own_message() {
    let good = policy_json("hopper", 11, 3, 0.1);
    let with = |field: &str, value: Value| {
        let mut policy = good.clone();
        policy[field] = value;
        policy.to_string()
    };
    let normalizer = |mean: usize, std: Vec<f64>| json!({ "mean": vec![0.0; mean], "std": std });
    let mut short_row = vec![vec![0.0; 11]; 3];
    short_row[1].pop();
    let cases: &[(&str, String, &str)] = &[
        ("not JSON", "{ weights".into(), "not JSON"),
        ("cut off", good.to_string()[..100].into(), "not JSON: EOF"),
        ("no format", json!({ "task": "hopper" }).to_string(), "field `format` is missing"),
        ("other version", with("format", json!("locomotion-policy/2")), "the file says \"locomotion-policy/2\""),
        ("unknown task", with("task", json!("hoper")), "field `task`: unknown task `hoper`"),
        ("task of other size", with("task", json!("ant")), "the task `ant` has 111 and 8"),
        ("missing weights", good.to_string().replace("\"weights\"", "\"weight\""), "missing field `weights`"),
        ("too few rows", with("weights", json!(vec![vec![0.0; 11]; 2])), "2 rows, but `actions` is 3"),
        ("short row", with("weights", json!(short_row)), "row 1 has 10 numbers"),
        ("infinite number", good.to_string().replacen("0.1", "1e999", 1), "number out of range"),
        ("not a number", good.to_string().replacen("0.1", "NaN", 1), "not JSON: expected value"),
        ("short mean", with("normalizer", normalizer(10, vec![1.0; 11])), "`normalizer.mean`: 10 numbers"),
        ("zero std", with("normalizer", normalizer(11, vec![0.0; 11])), "entry 0 is 0, must be more than 0"),
    ];
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("policy.json");
    let run = || locomotion(&["eval", text(&file), "--episodes", "1"]);
    let mut messages = BTreeSet::new();
    for (case, content, wanted) in cases {
        std::fs::write(&file, content).unwrap();
        let message = check(case, &run(), 3, wanted);
        assert!(message.contains("policy.json"), "{case}: the file is named: {message}");
        messages.insert(message);
    }
    assert_eq!(messages.len(), cases.len(), "each has its own message");
    std::fs::remove_file(&file).unwrap();
    check("no file", &run(), 3, "No such file");
    std::fs::write(&file, good.to_string()).unwrap();
    assert!(run().status.success());
    let wrong_task = locomotion(&["eval", text(&file), "--env", "hopper-v5"]);
    check("policy of another task", &wrong_task, 3, "the policy is for `hopper`, not for `hopper-v5`");
}

#[test]
fn a_wrong_command_line_is_exit_code_2_and_suggests_the_nearest() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("policy.json");
    std::fs::write(&file, policy_json("half-cheetah", 17, 6, 0.0).to_string()).unwrap();
    let output = locomotion(&["eval", text(&file), "--env", "cheetah"]);
    let message = check("unknown task", &output, 2, "unknown task `cheetah`");
    assert!(message.contains("did you mean `half-cheetah`?"), "{message}");
    for arguments in [
        vec!["evaluate"],
        vec!["eval"],
        vec!["eval", text(&file), "--episodes", "0"],
        vec!["eval", text(&file), "--seed", "-1"],
        vec!["eval", text(&file), "--seed", "18446744073709551615"],
        vec!["eval", text(&file), "--episodes", "4294967295"],
        vec!["eval", text(&file), "--threads", "1000000"],
        vec!["export", text(&file), "-o", "x.h5", "--episodes", "4294967295"],
        vec!["compare", "--env", "hopper", "--optimizers", "ars", "--seeds", "2", "--seed", "9223372036854775806"],
        vec!["bench", "throughput", "--seconds", "nan"],
        vec!["envs", "--show", "cheetah"],
    ] {
        check(&arguments.join(" "), &locomotion(&arguments), 2, "");
    }
}

#[test]
fn unknown_policy_fields_are_kept() {
    let mut policy = policy_json("hopper", 11, 3, 0.5);
    policy["color"] = json!({ "of": "the sky" });
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("policy.json");
    std::fs::write(&file, policy.to_string()).unwrap();
    let read = locomotion::policy::PolicyFile::read(&file).unwrap();
    assert_eq!(serde_json::to_value(read).unwrap(), policy);
}
