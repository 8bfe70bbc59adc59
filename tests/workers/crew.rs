//! Coordinators and workers as processes.

use crate::common::redis::Server;
use crate::common::root;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

pub fn program() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_locomotion"));
    command.stdin(Stdio::null()).env_remove("LOCOMOTION_REDIS_PASSWORD");
    command
}

/// A worker process; what it says goes to a file.
pub struct Worker {
    child: Child,
    said: PathBuf,
    _folder: tempfile::TempDir,
}

impl Worker {
    pub fn start(url: &str) -> Self {
        Self::start_with(url, &["--threads", "1"])
    }

    pub fn start_with(url: &str, more: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let said = folder.path().join("said.txt");
        let out = std::fs::File::create(&said).unwrap();
        // In a folder of its own: it needs no files.
        let child = program().args(["worker", url]).args(more).current_dir(&folder).stderr(out).spawn().unwrap();
        Self { child, said, _folder: folder }
    }

    pub fn said(&self) -> String {
        std::fs::read_to_string(&self.said).unwrap()
    }

    /// Host and process, as it calls itself.
    pub fn name(&self) -> String {
        self.wait_for(" · program");
        self.said().split_whitespace().nth(1).unwrap().to_string()
    }

    /// Waits until it has said this.
    pub fn wait_for(&self, what: &str) {
        wait(&format!("a worker says `{what}`"), || self.said().contains(what));
    }

    pub fn signal(&self, signal: &str) {
        let sent = Command::new("kill").args([&format!("-{signal}"), &self.child.id().to_string()]).status();
        assert!(sent.unwrap().success());
    }

    pub fn end(&mut self) -> Option<i32> {
        self.child.wait().unwrap().code()
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Waits until something holds.
pub fn wait(what: &str, holds: impl Fn() -> bool) {
    let began = Instant::now();
    while !holds() {
        assert!(began.elapsed() < Duration::from_secs(120), "gave up waiting until {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// How far a run has got.
pub fn generations(run: &Path) -> usize {
    let text = std::fs::read_to_string(run.join("metrics.csv")).unwrap_or_default();
    text.lines().count().saturating_sub(1)
}

pub fn wait_for_generation(run: &Path, generation: usize) {
    wait(&format!("generation {generation}"), || generations(run) >= generation);
}

/// A task of one's own: a TOML file, a model, and a file that the model includes. Its episodes are short, so that the 200
/// that score a run at its end are too.
pub fn robot() -> &'static str {
    static FOLDER: OnceLock<(tempfile::TempDir, String)> = OnceLock::new();
    let (_, path) = FOLDER.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
        let read = |name: &str| std::fs::read_to_string(root().join(name)).unwrap();
        let model = read("assets/models/hopper.xml");
        let (before, rest) = model.split_once("<actuator>").unwrap();
        let (actuators, after) = rest.split_once("</actuator>").unwrap();
        write("motors.xml", &format!("<mujoco>\n<actuator>{actuators}</actuator>\n</mujoco>\n"));
        write("robot.xml", &format!("{before}<include file=\"motors.xml\"/>{after}"));
        let task = read("envs/hopper.toml").replace("name = \"hopper\"", "name = \"robot\"");
        let task = task.replace("hopper.xml", "robot.xml").replace("horizon = 1000", "horizon = 80");
        assert!(task.contains("horizon = 80"));
        write("robot.toml", &task);
        let path = folder.path().join("robot.toml").display().to_string();
        (folder, path)
    });
    path
}

/// A small training; `more` may say otherwise.
pub fn train(run: &Path, more: &[&str]) -> Command {
    let usual = [
        ["--env", robot()],
        ["--budget", "48"],
        ["--batch", "12"],
        ["--sigma", "0.3"],
        ["--training-steps", "60"],
        ["--heldout-episodes", "3"],
        ["--heldout-every", "4"],
    ];
    let mut command = program();
    command.args(["train", "--json", "--resume"]).arg(run).args(more);
    command.args(usual.into_iter().filter(|pair| !more.contains(&pair[0])).flatten());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

pub fn with_workers(server: &Server, run: &Path, more: &[&str]) -> Command {
    let mut command = train(run, more);
    command.args(["--workers", &server.url(), "--task-timeout", "1s"]);
    command
}

/// The last line of a run's output: how it ended.
pub fn end(output: &Output) -> serde_json::Value {
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    let last = text.lines().last().unwrap_or_else(|| panic!("{}", String::from_utf8_lossy(&output.stderr)));
    let end: serde_json::Value = serde_json::from_str(last).unwrap();
    assert_eq!(end["event"], "end", "{last}");
    end
}
