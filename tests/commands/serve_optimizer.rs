//! `serve-optimizer`: the same searches as in the library, for programs in any language, and no line that breaks it.

use crate::common::{bits, read, root};
use locomotion::nalgebra::DVector;
use locomotion::optim::{Bounds, Optimizer, OptimizerKind, Settings, Variant};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// The program on the other end of two pipes.
struct Served {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Served {
    fn new() -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_locomotion"))
            .arg("serve-optimizer")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let (input, output) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
        Self { child, input, output }
    }

    fn say(&mut self, line: &[u8]) -> Value {
        self.input.write_all(line).unwrap();
        self.input.write_all(b"\n").unwrap();
        let mut answer = String::new();
        self.output.read_line(&mut answer).unwrap();
        serde_json::from_str(&answer).unwrap_or_else(|e| panic!("{answer:?} is not JSON: {e}"))
    }

    /// The exit code after the end of the input.
    fn end(mut self) -> Option<i32> {
        drop(self.input);
        self.child.wait().unwrap().code()
    }
}

fn numbers(list: &Value) -> Vec<f64> {
    list.as_array().unwrap().iter().map(|number| number.as_f64().unwrap()).collect()
}

/// A bowl, and a wall in it where evaluation fails.
fn loss(x: &[f64]) -> Option<f64> {
    (x[0] < 1.5).then(|| x.iter().enumerate().map(|(i, v)| (i + 1) as f64 * (v - 0.3).powi(2)).sum())
}

#[test]
fn candidates_are_those_of_the_library_bit_for_bit() {
    let all = OptimizerKind::ALL.map(|optimizer| (optimizer, Variant::default()));
    let variants = Variant::ALL.map(|variant| (OptimizerKind::SynCma, variant));
    let mut served = Served::new();
    for (optimizer, variant) in all.into_iter().chain(variants) {
        let name = format!("{} {}", optimizer.name(), variant.name());
        let (bounds, mean) = (Bounds::Clip { low: -1.0, high: 1.0 }, vec![0.5, -0.25, 0.1, 1.0 / 3.0, 0.0, 1e-9]);
        let settings = Settings {
            optimizer,
            variant,
            bounds,
            batch: Some(8),
            seed: 11,
            shape: Some((2, 3)),
            ..Settings::default()
        };
        let mut search = settings.build(DVector::from_vec(mean.clone())).unwrap();
        let mut start = json!({ "optimizer": optimizer.name(), "batch": 8, "seed": 11, "mean": mean, "bound": 1.0, "shape": [2, 3] });
        if optimizer == OptimizerKind::SynCma {
            start["variant"] = json!(variant.name());
        }
        let mut answer = served.say(json!({ "start": start }).to_string().as_bytes());
        for generation in 0..6 {
            let points = bounds.apply(search.ask());
            let candidates = answer["candidates"].as_array().unwrap_or_else(|| panic!("{name}: {answer}"));
            assert_eq!(candidates.len(), points.ncols(), "{name}");
            for (ours, theirs) in points.column_iter().zip(candidates) {
                assert_eq!(bits(ours.as_slice()), bits(&numbers(theirs)), "{name}, generation {generation}");
            }
            let center = search.center().map(|v| v.clamp(-1.0, 1.0));
            assert_eq!(bits(center.as_slice()), bits(&numbers(&answer["center"])), "{name}");
            let shown = search.diagnostics();
            assert_eq!(answer["generation"], shown.generation, "{name}");
            assert_eq!(
                numbers(&json!([answer["sigma"], answer["condition"]])),
                [shown.sigma, shown.condition],
                "{name}"
            );
            let losses: Vec<Option<f64>> = points.column_iter().map(|point| loss(point.as_slice())).collect();
            search.tell(&losses.iter().map(|loss| loss.unwrap_or(f64::NAN)).collect::<Vec<_>>());
            answer = served.say(json!({ "tell": losses }).to_string().as_bytes());
            assert_eq!(answer["stop"].as_str().map(String::from), search.stop().map(|why| why.to_string()), "{name}");
        }
    }
    assert_eq!(served.end(), Some(0));
}

/// A wrong line gets a JSON answer, changes nothing, and decides the exit code.
#[test]
fn a_wrong_line_is_answered_and_changes_nothing() {
    let settings: &[(&str, u64, &str)] = &[
        (r#"{"dimension": 3, "sigma": -1}"#, 2, "`sigma` cannot be -1"),
        (r#"{"dimension": 3, "optimizer": "ppo"}"#, 3, "unknown variant `ppo`"),
        (r#"{"dimension": 3, "optimizer": "NaN"}"#, 3, "unknown variant `NaN`"),
        (r#"{"dimension": NaN, "opti\"NaN": 1}"#, 3, r#"unknown field `opti"NaN`"#),
        (r#"{"dimension": 3, "optimizer": "cma-es", "kappa": 1}"#, 2, "cma-es does not use `kappa`"),
        (r#"{"dimension": 3, "budget": 100}"#, 2, "`budget` is a setting of training"),
        (r#"{"dimension": 3, "sigmaa": 1}"#, 3, "unknown field `sigmaa`"),
        (r#"{"dimension": 3, "mean": [1, 2]}"#, 3, "`mean` has 2 numbers, but `dimension` is 3"),
        (r#"{"dimension": 3, "mean": [1, 2, null]}"#, 3, "field `mean`"),
        (r#"{"dimension": 3, "mean": [1, 2, NaN]}"#, 3, "field `mean`"),
        (r#"{"dimension": 3, "shape": [2, 2], "variant": "matrix"}"#, 2, "`shape` cannot be 2 × 2"),
        (r#"{"dimension": 3, "batch": 1}"#, 2, "`batch` cannot be 1"),
        (r#"{"dimension": 3, "batch": 1000000000000000}"#, 2, "of memory"),
        (r#"{"dimension": 0}"#, 2, "the start cannot be empty"),
        (r#"{"dimension": -1}"#, 3, "field `dimension`"),
        (r#"{"dimension": 1e3}"#, 3, "field `dimension`"),
        (r#"{"dimension": 18446744073709551615}"#, 2, "of memory"),
        (r#"{"dimension": 10000000, "optimizer": "cma-es"}"#, 2, "of memory"),
        (r#"{}"#, 3, "`start` needs `dimension`"),
    ];
    let lines: &[(&[u8], u64, &str)] = &[
        (b"{", 3, "EOF"),
        (b"hello", 3, "expected"),
        (b"[]", 3, "expected"),
        (b"null", 3, "expected"),
        (b"{\"start\": []}", 3, "expected"),
        (b"{\"stop\": {}}", 3, "unknown variant `stop`"),
        (b"{\"tell\": [1, 2]} {\"tell\": [1, 2]}", 3, "trailing"),
        (b"{\"tell\": 1}", 3, "expected"),
        (b"{\"tell\": [\"1\"]}", 3, "expected"),
        (b"{\"tell\": [1e999]}", 3, "out of range"),
        (b"{\"tell\": []}", 3, "0 losses, but there are 4 candidates"),
        (b"{\"tell\": [1, 2, 3, 4, 5]}", 3, "5 losses, but there are 4 candidates"),
        (b"\xff\xfe", 3, "not UTF-8"),
        (b"\0", 3, "expected"),
    ];
    let mut served = Served::new();
    assert_eq!(served.say(br#"{"tell": [1]}"#)["error"], "there is no search to tell losses to");
    let first = served.say(br#"{"start": {"dimension": 3, "batch": 4, "seed": 5}}"#);
    let starts =
        settings.iter().map(|(start, code, part)| (format!("{{\"start\": {start}}}").into_bytes(), code, part));
    let others = lines.iter().map(|(line, code, part)| (line.to_vec(), code, part));
    for (line, code, part) in starts.chain(others) {
        let answer = served.say(&line);
        let told = answer["error"].as_str().unwrap_or_else(|| panic!("{answer}"));
        assert!(told.contains(part) && answer["code"] == *code, "{}: {answer}", String::from_utf8_lossy(&line));
        assert!(answer["line"].as_u64().is_some());
    }
    // Losses that are not numbers, as JSON and as Python write them, all mean the same.
    let second = served.say(br#"{"tell": [3, null, -1e308, NaN]}"#);
    let mut other = Served::new();
    assert_eq!(other.say(br#"{"start": {"dimension": 3, "batch": 4, "seed": 5}}"#), first);
    assert_eq!(other.say(br#"{"tell": [3.0, Infinity, -1e308, -Infinity]}"#), second);
    assert_eq!((served.end(), other.end()), (Some(3), Some(0)));
}

#[test]
fn a_search_that_has_stopped_says_so() {
    let mut served = Served::new();
    let mut answer = served.say(br#"{"start": {"dimension": 2, "optimizer": "cma-es"}}"#);
    while answer["stop"].is_null() {
        let losses = vec![1.0; answer["candidates"].as_array().unwrap().len()];
        answer = served.say(json!({ "tell": losses }).to_string().as_bytes());
    }
    assert_eq!(answer["candidates"], json!([]));
    let again = served.say(br#"{"tell": []}"#);
    assert!(again["error"].as_str().unwrap().starts_with("the search has stopped: "), "{again}");
    assert!(served.say(br#"{"start": {"dimension": 2}}"#)["candidates"].is_array(), "another one can begin");
    assert_eq!(served.end(), Some(3));
}

/// The client in docs/python.md, as written.
#[test]
fn the_documented_python_client_finds_the_minimum() {
    let page = read(&root(), "docs/python.md");
    let blocks = page.split("```python\n").skip(1).filter_map(|rest| rest.split("```").next());
    let client = blocks.into_iter().find(|block| block.contains("serve-optimizer")).unwrap();
    let folder = std::path::Path::new(env!("CARGO_BIN_EXE_locomotion")).parent().unwrap();
    let path = format!("{}:{}", folder.display(), std::env::var("PATH").unwrap());
    let output = Command::new("python3").args(["-c", client]).env("PATH", path).output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
    let center: Vec<f64> = serde_json::from_str(said.trim()).unwrap();
    assert!(center.len() == 5 && center.iter().all(|v| (v - 1.0).abs() < 1e-3), "{said}");
}
