//! Whatever stands on the streams, nothing crashes, nothing is believed, and all of it is counted and told.

use crate::common::redis::Server;
use crate::common::{ok, results, stderr};
use crate::crew::{Worker, end, train, wait, wait_for_generation, with_workers};
use locomotion::rollout::broker::message::{Card, Package, decode, encode};
use rand::RngExt;
use redis::Connection;

const LONG: [&str; 4] = ["--budget", "1200", "--batch", "40"];

fn runs(connection: &mut Connection) -> Vec<String> {
    redis::cmd("SMEMBERS").arg("locomotion:runs").query(connection).unwrap()
}

fn key(run: &str, what: &str) -> String {
    format!("locomotion:{run}:{what}")
}

fn add(connection: &mut Connection, stream: &str, field: &[u8], message: &[u8]) {
    redis::cmd("XADD").arg(stream).arg("*").arg(field).arg(message).exec(connection).unwrap();
}

#[test]
fn garbage_on_the_streams_is_rejected_counted_and_told() {
    let (folder, server) = (tempfile::tempdir().unwrap(), Server::start(&[]));
    let [plain, run] = ["plain", "run"].map(|name| folder.path().join(name));
    ok(&train(&plain, &LONG).output().unwrap());
    let coordinator = with_workers(&server, &run, &[&LONG[..], &["--threads", "0"]].concat()).spawn().unwrap();
    let mut worker = Worker::start(&server.url());
    wait_for_generation(&run, 2);
    let mut connection = server.connection();
    let id = runs(&mut connection).remove(0);
    let [tasks, reports] = ["tasks", "reports"].map(|what| key(&id, what));
    let mut random = vec![0u8; 3000];
    rand::rng().fill(&mut random[..]);
    let mut version = b"LOCW\x07".to_vec();
    version.extend(&random);
    let mut cut = encode(&"a message of another kind").unwrap();
    let foreign = cut.clone();
    cut.truncate(cut.len() - 3);
    let huge = vec![b'x'; 100 << 20];
    let pieces: [(&[u8], &[u8]); 7] = [
        (b"m", &random),
        (b"m", &version),
        (b"m", &cut),
        (b"m", &foreign),
        (b"m", b""),
        (&random[..40], &random),
        (b"m", &huge),
    ];
    for stream in [&tasks, &reports] {
        pieces.iter().for_each(|(field, message)| add(&mut connection, stream, field, message));
    }
    // Among the runs, too.
    redis::cmd("SADD").arg("locomotion:runs").arg(&random[..32]).arg("x".repeat(9000)).exec(&mut connection).unwrap();
    let stranger = "0123456789abcdef0123456789abcdef";
    redis::cmd("SET").arg(key(stranger, "card")).arg(&random).exec(&mut connection).unwrap();
    redis::cmd("SADD").arg("locomotion:runs").arg(stranger).exec(&mut connection).unwrap();

    let output = coordinator.wait_with_output().unwrap();
    ok(&output);
    assert_eq!(results(&run), results(&plain));
    // On the stream of reports its own, and what the worker says of the tasks.
    assert_eq!(end(&output)["workers"]["rejected"], 14);
    let told = stderr(&output);
    assert!(told.contains("a message was rejected: "), "{told}");
    worker.wait_for("rejected a message: it has version 7, this program speaks version 1");
    worker.wait_for("(7 so far)");
    worker.wait_for("at most 16777216 are allowed");
    worker.wait_for("refused run 01234567: its card cannot be read");
    worker.signal("TERM");
    worker.end();
    assert!(worker.said().contains("7 messages rejected"), "{}", worker.said());
}

/// A run that is altered on the broker: what a worker of another program, model or CPU would see.
fn refused(alter: impl Fn(&mut Connection, &str), said: &[&str]) {
    let (folder, server) = (tempfile::tempdir().unwrap(), Server::start(&[]));
    let run = folder.path().join("run");
    let mut coordinator = with_workers(&server, &run, &["--threads", "0"]).spawn().unwrap();
    let mut connection = server.connection();
    wait("the run is announced", || !runs(&mut server.connection()).is_empty());
    let id = runs(&mut connection).remove(0);
    // Copied to a run that nobody refreshes.
    let copy = "00000000000000000000000000000abc";
    let mut card = card(&mut connection, &id);
    card.run = copy.into();
    let model: Vec<u8> =
        redis::cmd("GET").arg(key(&id, &format!("model:{}", card.hashes.model))).query(&mut connection).unwrap();
    coordinator.kill().unwrap();
    coordinator.wait().unwrap();
    redis::cmd("FLUSHALL").exec(&mut connection).unwrap();
    set(&mut connection, &key(copy, &format!("model:{}", card.hashes.model)), &model);
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
    alter(&mut connection, copy);
    redis::cmd("SADD").arg("locomotion:runs").arg(copy).exec(&mut connection).unwrap();
    let worker = Worker::start(&server.url());
    worker.wait_for("refused run 00000000");
    said.iter().for_each(|part| assert!(worker.said().contains(part), "`{part}` is not in: {}", worker.said()));
    let reports: u64 = redis::cmd("XLEN").arg(key(copy, "reports")).query(&mut connection).unwrap();
    assert_eq!(reports, 1, "the coordinator is told");
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
    let says = [format!("this is program {mine}"), "it wants program 9.9.9 (feedbeef".to_string()];
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
        format!("the run wants model {}", locomotion::sim::find("hopper").unwrap().compiled_sha256()),
    ];
    refused(
        |connection, run| {
            let package = Package {
                definition: task.definition_toml(),
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
        &["the run wants task abc, the broker holds task "],
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
fn a_refusal_is_told_at_the_coordinator() {
    use locomotion::rollout::broker::message::{News, Report};
    let (folder, server) = (tempfile::tempdir().unwrap(), Server::start(&[]));
    let run = folder.path().join("run");
    let coordinator = with_workers(&server, &run, &["--threads", "0"]).spawn().unwrap();
    wait("the run is announced", || !runs(&mut server.connection()).is_empty());
    let mut connection = server.connection();
    let id = runs(&mut connection).remove(0);
    let why = "it wants program A, this is program B".to_string();
    let report = Report { run: id.clone(), worker: "node-9/1".into(), thread: 0, news: News::Refused { why } };
    for _ in 0..3 {
        add(&mut connection, &key(&id, "reports"), b"m", &encode(&report).unwrap());
    }
    let _worker = Worker::start(&server.url());
    let output = coordinator.wait_with_output().unwrap();
    ok(&output);
    let told = stderr(&output);
    let line = "worker node-9/1 does not serve this run: it wants program A, this is program B";
    assert_eq!(told.matches(line).count(), 1, "{told}");
    assert_eq!(end(&output)["workers"]["refused"], 1);
}
