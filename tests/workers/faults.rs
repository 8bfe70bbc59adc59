//! Workers, broker and coordinator die at any moment; the result stays the same to the byte.

use crate::common::redis::Server;
use crate::common::{ok, results, stderr};
use crate::crew::{Worker, end, generations, train, wait, wait_for_generation, with_workers};
use std::path::{Path, PathBuf};
use std::process::Child;
use std::sync::OnceLock;
use std::time::Duration;

const LONG: [&str; 8] = ["--budget", "2000", "--batch", "40", "--normalize", "running", "--checkpoint-every", "0"];
const GENERATIONS: usize = 50;

/// The same run on threads, left alone.
fn undisturbed() -> &'static (String, String, Vec<String>) {
    static RESULTS: OnceLock<(String, String, Vec<String>)> = OnceLock::new();
    RESULTS.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap();
        let run = folder.path().join("run");
        ok(&train(&run, &LONG).output().unwrap());
        results(&run)
    })
}

/// A run whose workers are subjected to faults.
struct Scene {
    server: Server,
    run: PathBuf,
    coordinator: Child,
    _folder: tempfile::TempDir,
}

impl Scene {
    fn start(options: &[&str], threads: &str) -> Self {
        let (folder, server) = (tempfile::tempdir().unwrap(), Server::start(options));
        let run = folder.path().join("run");
        let coordinator = with_workers(&server, &run, &[&LONG[..], &["--threads", threads]].concat()).spawn().unwrap();
        Self { server, run, coordinator, _folder: folder }
    }

    fn worker(&self) -> Worker {
        Worker::start(&self.server.url())
    }

    /// Freezes a worker while it holds a task.
    fn freeze(&self, worker: &Worker) {
        worker.wait_for("serving run");
        let mut connection = self.server.connection();
        let id: String = redis::cmd("SRANDMEMBER").arg("locomotion:runs").query(&mut connection).unwrap();
        let (tasks, consumer) = (format!("locomotion:{id}:tasks"), format!("{}/0", worker.name()));
        wait("a worker is caught with a task", || {
            worker.signal("STOP");
            std::thread::sleep(Duration::from_millis(30));
            let mut held = redis::cmd("XPENDING");
            held.arg(&tasks).arg("workers").arg("-").arg("+").arg(1).arg(&consumer);
            let held: Vec<redis::Value> = held.query(&mut self.server.connection()).unwrap();
            if held.is_empty() {
                worker.signal("CONT");
            }
            !held.is_empty()
        });
    }

    /// The run ends as if nothing had happened. What was counted on the way comes back.
    fn ends_the_same(self) -> serde_json::Value {
        let output = self.coordinator.wait_with_output().unwrap();
        ok(&output);
        assert_eq!(&results(&self.run), undisturbed(), "{}", stderr(&output));
        end(&output)["workers"].clone()
    }
}

#[test]
fn four_workers_are_killed_and_two_join_late() {
    let scene = Scene::start(&[], "0");
    let mut workers: Vec<Worker> = (0..4).map(|_| scene.worker()).collect();
    wait_for_generation(&scene.run, 3);
    let mut late = Vec::new();
    for (kill, worker) in workers.iter_mut().enumerate() {
        wait_for_generation(&scene.run, 4 + 4 * kill);
        scene.freeze(worker);
        worker.signal("KILL");
        worker.end();
        if kill > 1 {
            late.push(scene.worker());
        }
    }
    assert!(generations(&scene.run) < GENERATIONS, "it was killed before the end");
    let counts = scene.ends_the_same();
    assert!(counts["resent"].as_u64() >= Some(4), "{counts}");
    late.iter().for_each(|worker| assert!(worker.said().contains("serving run"), "{}", worker.said()));
}

#[test]
fn a_worker_sleeps_past_the_timeout_and_wakes_up() {
    let scene = Scene::start(&[], "0");
    let (sleeper, _other) = (scene.worker(), scene.worker());
    wait_for_generation(&scene.run, 5);
    scene.freeze(&sleeper);
    let (then, began) = (generations(&scene.run), std::time::Instant::now());
    wait_for_generation(&scene.run, then + 2);
    std::thread::sleep(Duration::from_millis(2500).saturating_sub(began.elapsed()));
    assert!(generations(&scene.run) < GENERATIONS, "it wakes up before the end");
    sleeper.signal("CONT");
    let counts = scene.ends_the_same();
    assert!(counts["resent"].as_u64() > Some(0), "{counts}");
    sleeper.wait_for("has ended");
}

/// Whatever is answered is answered again, much later.
#[test]
fn every_answer_comes_twice() {
    let scene = Scene::start(&[], "1");
    wait_for_generation(&scene.run, 1);
    let mut connection = scene.server.connection();
    let id: String = redis::cmd("SRANDMEMBER").arg("locomotion:runs").query(&mut connection).unwrap();
    let reports = format!("locomotion:{id}:reports");
    let mut answers: Vec<Vec<u8>> = Vec::new();
    while generations(&scene.run) < GENERATIONS / 2 {
        let read: redis::streams::StreamRangeReply =
            redis::cmd("XRANGE").arg(&reports).arg("-").arg("+").query(&mut connection).unwrap();
        let mut again = redis::pipe();
        for message in read.ids.iter().filter_map(|entry| entry.get::<Vec<u8>>("m")) {
            if !answers.contains(&message) {
                again.cmd("XADD").arg(&reports).arg("*").arg("m").arg(&message).ignore();
                answers.push(message);
            }
        }
        if !again.is_empty() {
            again.exec(&mut connection).unwrap();
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    let counts = scene.ends_the_same();
    assert!(counts["duplicates"].as_u64() > Some(10), "{counts}");
}

/// The broker crashes twice in the middle of generations.
fn restart(options: &[&str]) {
    let mut scene = Scene::start(options, "1");
    let worker = scene.worker();
    for generation in [4, 16] {
        wait_for_generation(&scene.run, generation);
        std::thread::sleep(Duration::from_millis(15));
        scene.server.kill();
        std::thread::sleep(Duration::from_millis(300));
        scene.server.revive();
    }
    assert!(generations(&scene.run) < GENERATIONS, "it was restarted before the end");
    worker.wait_for("reconnected to the broker");
    let counts = scene.ends_the_same();
    assert!(counts["recovered"].as_u64() >= Some(2), "{counts}");
}

#[test]
fn the_broker_is_restarted_and_has_forgotten_everything() {
    restart(&[]);
}

#[test]
fn the_broker_is_restarted_and_remembers() {
    restart(&["--appendonly", "yes", "--appendfsync", "always"]);
}

/// Everything is deleted behind the coordinator's back, while all connections stay. Without threads of its own it cannot
/// end the run before it notices.
#[test]
fn the_broker_is_emptied() {
    let scene = Scene::start(&[], "0");
    let _worker = scene.worker();
    for generation in [4, 12] {
        wait_for_generation(&scene.run, generation);
        redis::cmd("FLUSHALL").exec(&mut scene.server.connection()).unwrap();
    }
    let counts = scene.ends_the_same();
    assert!(counts["recovered"].as_u64() >= Some(1), "{counts}");
}

#[test]
fn the_coordinator_is_killed_and_resumed() {
    let mut scene = Scene::start(&[], "1");
    let _worker = scene.worker();
    for generation in [6, 18] {
        wait_for_generation(&scene.run, generation);
        scene.coordinator.kill().unwrap();
        scene.coordinator.wait().unwrap();
        scene.coordinator = with_workers(&scene.server, &scene.run, &LONG).spawn().unwrap();
    }
    scene.ends_the_same();
}

/// Exit code 4, after a checkpoint from which the run goes on, here without any workers.
#[test]
fn the_broker_stays_away() {
    let mut scene = Scene::start(&[], "1");
    wait_for_generation(&scene.run, 6);
    scene.server.kill();
    let output = scene.coordinator.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(4), "{}", stderr(&output));
    let said = stderr(&output);
    assert!(said.contains("the broker was unreachable for 5s") && said.contains("cannot be reached"), "{said}");
    assert!(read_state(&scene.run).contains("stopped"), "{}", read_state(&scene.run));
    ok(&train(&scene.run, &LONG).output().unwrap());
    assert_eq!(&results(&scene.run), undisturbed());
}

fn read_state(run: &Path) -> String {
    crate::common::read(run, "run.toml").lines().filter(|line| line.starts_with("is = ")).collect()
}

/// A coordinator that is told to leave saves, and leaves nothing behind.
#[test]
fn the_coordinator_is_interrupted() {
    let scene = Scene::start(&[], "0");
    let worker = scene.worker();
    wait_for_generation(&scene.run, 6);
    let id = scene.coordinator.id().to_string();
    ok(&std::process::Command::new("kill").args(["-TERM", &id]).output().unwrap());
    let output = scene.coordinator.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(143), "{}", stderr(&output));
    worker.wait_for("has ended");
    let left: Vec<String> = redis::cmd("KEYS").arg("*").query(&mut scene.server.connection()).unwrap();
    assert!(left.is_empty(), "{left:?}");
}
