//! Malformed stream entries never crash anything, are never trusted, and are always counted and reported.

use crate::common::redis::Server;
use crate::common::{ok, results, stderr};
use crate::crew::{Worker, end, robot, train, wait, with_workers};
use locomotion::rollout::broker::message::{Card, Package, decode, encode};
use rand::RngExt;
use redis::Connection;

fn runs(connection: &mut Connection) -> Vec<String> {
    redis::cmd("SMEMBERS").arg("locomotion:runs").query(connection).unwrap()
}

fn key(run: &str, what: &str) -> String {
    format!("locomotion:{run}:{what}")
}

fn add(connection: &mut Connection, stream: &str, field: &[u8], message: &[u8]) {
    redis::cmd("XADD").arg(stream).arg("*").arg(field).arg(message).exec(connection).unwrap();
}

/// Malformed entries: random bytes, another version, cut off, of another kind, empty, without its field, 100 MB.
fn garbage() -> Vec<(Vec<u8>, Vec<u8>)> {
    let mut random = vec![0u8; 3000];
    rand::rng().fill(&mut random[..]);
    let version = [b"LOCW\x07", &random[..]].concat();
    let foreign = encode(&"a message of another kind").unwrap();
    let cut = foreign[..foreign.len() - 3].to_vec();
    let messages = [random.clone(), version, cut, foreign, Vec::new(), vec![b'x'; 100 << 20]];
    let mut all: Vec<_> = messages.into_iter().map(|message| (b"m".to_vec(), message)).collect();
    all.push((random[..40].to_vec(), random));
    all
}

#[test]
fn garbage_among_the_reports_is_rejected_counted_and_reported() {
    let (folder, server) = (tempfile::tempdir().unwrap(), Server::start(&[]));
    let [plain, run] = ["plain", "run"].map(|name| folder.path().join(name));
    ok(&train(&plain, &[]).output().unwrap());
    let coordinator = with_workers(&server, &run, &["--threads", "0"]).spawn().unwrap();
    wait("the run is announced", || !runs(&mut server.connection()).is_empty());
    let mut connection = server.connection();
    let id = runs(&mut connection).remove(0);
    for (field, message) in garbage() {
        add(&mut connection, &key(&id, "reports"), &field, &message);
    }
    let _worker = Worker::start(&server.url());
    let output = coordinator.wait_with_output().unwrap();
    ok(&output);
    assert_eq!(results(&run), results(&plain));
    assert_eq!(end(&output)["workers"]["rejected"], 7);
    let told = stderr(&output);
    for part in ["a message was rejected: ", "version 7, this program supports version 2", "counted but not shown"] {
        assert!(told.contains(part), "`{part}` is not in: {told}");
    }
}

/// A copy of a run that nobody coordinates, not announced yet: its server and its id.
fn staged() -> (Server, &'static str) {
    let (folder, server) = (tempfile::tempdir().unwrap(), Server::start(&[]));
    let run = folder.path().join("run");
    let mut coordinator = with_workers(&server, &run, &["--threads", "0"]).spawn().unwrap();
    let mut connection = server.connection();
    wait("the run is announced", || !runs(&mut server.connection()).is_empty());
    let id = runs(&mut connection).remove(0);
    let copy = "00000000000000000000000000000abc";
    let mut card = card(&mut connection, &id);
    card.run = copy.into();
    let model = format!("model:{}", card.hashes.model);
    let package: Vec<u8> = redis::cmd("GET").arg(key(&id, &model)).query(&mut connection).unwrap();
    coordinator.kill().unwrap();
    coordinator.wait().unwrap();
    redis::cmd("FLUSHALL").exec(&mut connection).unwrap();
    set(&mut connection, &key(copy, &model), &package);
    set(&mut connection, &key(copy, "card"), &encode(&card).unwrap());
    for stream in ["tasks", "reports"] {
        let mut create = redis::cmd("XGROUP");
        create
            .arg("CREATE")
            .arg(key(copy, stream))
            .arg("workers")
            .arg(0)
            .arg("MKSTREAM")
            .exec(&mut connection)
            .unwrap();
    }
    (server, copy)
}

fn announce(connection: &mut Connection, run: &[u8]) {
    redis::cmd("SADD").arg("locomotion:runs").arg(run).exec(connection).unwrap();
}

fn length(connection: &mut Connection, stream: &str) -> u64 {
    redis::cmd("XLEN").arg(stream).query(connection).unwrap()
}

#[test]
fn garbage_among_the_tasks_and_the_runs_is_rejected_counted_and_reported() {
    let (server, run) = staged();
    let mut connection = server.connection();
    for (field, message) in garbage() {
        add(&mut connection, &key(run, "tasks"), &field, &message);
    }
    let stranger = "0123456789abcdef0123456789abcdef";
    set(&mut connection, &key(stranger, "card"), &[7; 300]);
    for stream in ["tasks", "reports"] {
        add(&mut connection, &key(stranger, stream), b"m", b"");
    }
    for id in [run.as_bytes(), stranger.as_bytes(), &[0xff; 32], &[b'x'; 9000]] {
        announce(&mut connection, id);
    }
    let mut worker = Worker::start(&server.url());
    worker.wait_for("(7 so far)");
    worker.wait_for("rejected a message: it has version 7, this program supports version 2");
    worker.wait_for("at most 16777216 are allowed");
    worker.wait_for("refused run 01234567: its card cannot be read");
    wait("the coordinator would be told", || length(&mut server.connection(), &key(run, "reports")) == 7);
    assert_eq!(length(&mut connection, &key(run, "tasks")), 0, "nobody else has to look at it");
    worker.signal("TERM");
    worker.end();
    assert!(worker.said().contains("7 messages rejected"), "{}", worker.said());
}

/// A run that is altered on the broker: what a worker of another program, model or CPU would see.
fn refused(alter: impl Fn(&mut Connection, &str), said: &[&str]) {
    let (server, run) = staged();
    let mut connection = server.connection();
    alter(&mut connection, run);
    announce(&mut connection, run.as_bytes());
    let worker = Worker::start(&server.url());
    worker.wait_for("refused run 00000000");
    said.iter().for_each(|part| assert!(worker.said().contains(part), "`{part}` is not in: {}", worker.said()));
    wait("the coordinator would be told", || length(&mut server.connection(), &key(run, "reports")) == 1);
}

fn set(connection: &mut Connection, key: &str, bytes: &[u8]) {
    redis::cmd("SET").arg(key).arg(bytes).exec(connection).unwrap();
}

fn card(connection: &mut Connection, run: &str) -> Card {
    let bytes: Vec<u8> = redis::cmd("GET").arg(key(run, "card")).query(connection).unwrap();
    decode(&bytes, 1 << 16).unwrap()
}

#[test]
fn another_program_is_refused_with_both_names() {
    let mine = locomotion::rollout::broker::program();
    let says = [format!("this is program {mine}"), "it needs program 9.9.9 (feedbeef".to_string()];
    refused(
        |connection, run| {
            let mut card = card(connection, run);
            card.hashes.program = "9.9.9 (feedbeef, MuJoCo 3.17.0)".into();
            set(connection, &key(run, "card"), &encode(&card).unwrap());
        },
        &[&says[0], &says[1]],
    );
}

#[test]
fn another_model_is_refused_with_both_hashes() {
    let task = locomotion::sim::find("swimmer").unwrap();
    let says = [
        format!("the broker holds model {}", task.compiled_sha256()),
        format!("the run needs model {}", locomotion::sim::find(robot()).unwrap().compiled_sha256()),
    ];
    refused(
        |connection, run| {
            let package = Package {
                definition: task.definition_toml().unwrap(),
                mjcf_sha256: task.model_sha256.clone(),
                compiled: task.compiled(),
            };
            let name = format!("model:{}", card(connection, run).hashes.model);
            set(connection, &key(run, &name), &encode(&package).unwrap());
        },
        &[&says[0], &says[1]],
    );
}

#[test]
fn other_rules_and_another_cpu_are_refused_and_a_damaged_model_too() {
    refused(
        |connection, run| {
            let mut card = card(connection, run);
            card.hashes.task = "abc".into();
            set(connection, &key(run, "card"), &encode(&card).unwrap());
        },
        &["the run needs task abc, the broker holds task "],
    );
    refused(
        |connection, run| {
            let mut card = card(connection, run);
            card.probe ^= 1;
            set(connection, &key(run, "card"), &encode(&card).unwrap());
        },
        &["another kind of CPU"],
    );
    refused(
        |connection, run| {
            let name = key(run, &format!("model:{}", card(connection, run).hashes.model));
            redis::cmd("SETRANGE").arg(name).arg(2000).arg("damage").exec(connection).unwrap();
        },
        &["its model is damaged", "checksum"],
    );
}

/// The coordinator shows what a worker has refused.
#[test]
fn the_coordinator_reports_a_refusal() {
    use locomotion::rollout::broker::message::{News, WorkerReport};
    let (folder, server) = (tempfile::tempdir().unwrap(), Server::start(&[]));
    let run = folder.path().join("run");
    let coordinator = with_workers(&server, &run, &["--threads", "0"]).spawn().unwrap();
    wait("the run is announced", || !runs(&mut server.connection()).is_empty());
    let mut connection = server.connection();
    let id = runs(&mut connection).remove(0);
    let why = "it needs program A, this is program B".to_string();
    let report = WorkerReport { run: id.clone(), worker: "node-9/1".into(), thread: 0, news: News::Refused { why } };
    for _ in 0..3 {
        add(&mut connection, &key(&id, "reports"), b"m", &encode(&report).unwrap());
    }
    let _worker = Worker::start(&server.url());
    let output = coordinator.wait_with_output().unwrap();
    ok(&output);
    let told = stderr(&output);
    let line = "worker node-9/1 does not serve this run: it needs program A, this is program B";
    assert_eq!(told.matches(line).count(), 1, "{told}");
    assert_eq!(end(&output)["workers"]["refused"], 1);
}
