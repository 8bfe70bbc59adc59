//! What can be wrong with a broker: each has its own message, no run folder is begun, and no secret is told.

use crate::common::redis::Server;
use crate::common::{ok, read, results, root, stderr, stdout};
use crate::crew::{Worker, program, robot, train};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, Output};

/// Both commands that need a broker.
fn both(url: &str, folder: &Path) -> [Output; 2] {
    let run = folder.join("run");
    let output = train(&run, &["--workers", url, "--task-timeout", "1s"]).output().unwrap();
    assert!(!run.join("run.toml").exists(), "no run is begun");
    [output, program().args(["worker", url]).output().unwrap()]
}

fn say(url: &str, code: i32, parts: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    for output in both(url, folder.path()) {
        let said = stderr(&output);
        assert_eq!(output.status.code(), Some(code), "{said}");
        parts.iter().for_each(|part| assert!(said.contains(part), "`{part}` is not in: {said}"));
        assert!(!said.contains("secret"), "{said}");
    }
}

#[test]
fn addresses_that_make_no_sense() {
    for url in ["ftp://:secret@node", "redis://:secret@node:port", "secret"] {
        say(url, 2, &["the address of the broker", "redis://HOST:PORT"]);
    }
}

#[test]
fn a_wrong_password_and_a_missing_one() {
    let server = Server::start(&["--requirepass", "sesam"]);
    let at = format!("127.0.0.1:{}", server.port);
    say(&format!("redis://:secret@{at}"), 2, &["refuses this user and password", "LOCOMOTION_REDIS_PASSWORD", &at]);
    say(&format!("redis://{at}"), 2, &["requires a password", "LOCOMOTION_REDIS_PASSWORD", &at]);
}

#[test]
fn a_host_where_nobody_listens() {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    say(&format!("redis://:secret@127.0.0.1:{port}"), 4, &["cannot be reached", "refused", "is redis-server running"]);
    say("redis://no-such-host.invalid", 4, &["cannot be reached", "no-such-host.invalid"]);
}

#[test]
fn a_read_only_replica() {
    let primary = Server::start(&[]);
    let replica = Server::start(&["--replicaof", &format!("127.0.0.1 {}", primary.port)]);
    say(&replica.url(), 4, &["is a read-only replica", "use the address of its primary"]);
}

#[test]
fn a_password_opens_and_is_stored_nowhere() {
    let (folder, server) = (tempfile::tempdir().unwrap(), Server::start(&["--requirepass", "secret"]));
    let with_password = format!("redis://:secret@127.0.0.1:{}", server.port);
    let worker = Worker::start(&with_password);
    let run = folder.path().join("run");
    let mut command = train(&run, &["--workers", &server.url(), "--threads", "0"]);
    let output = command.env("LOCOMOTION_REDIS_PASSWORD", "secret").output().unwrap();
    ok(&output);
    let human = folder.path().join("human");
    let mut command = program();
    command.args(["train", "--env", robot(), "--budget", "24", "--batch", "12"]);
    let shown = command.args(["--workers", &with_password, "--out"]).arg(&human).output().unwrap();
    ok(&shown);
    assert!(stdout(&shown).contains(&format!("workers     redis://127.0.0.1:{}", server.port)), "{}", stdout(&shown));
    assert!(stdout(&shown).contains("episodes/s: "), "workers and their rates: {}", stdout(&shown));
    let mut told = [stdout(&output), stderr(&output), stdout(&shown), stderr(&shown), worker.said()].concat();
    for run in [&run, &human] {
        let everything =
            Command::new("find").arg(run).args(["-type", "f", "-exec", "cat", "{}", "+"]).output().unwrap();
        assert!(everything.stdout.len() > 1000, "the run folder has files");
        told += &String::from_utf8_lossy(&everything.stdout);
        assert!(!read(run, "run.toml").contains("redis"), "a run does not depend on where it was computed");
    }
    assert!(!told.contains("secret"));
}

#[test]
fn tls_works_with_a_certificate_that_is_vouched_for_and_not_without() {
    let (folder, server) = (tempfile::tempdir().unwrap(), Server::start_tls());
    let url = format!("rediss://localhost:{}", server.port);
    let [plain, run] = ["plain", "run"].map(|name| folder.path().join(name));
    ok(&train(&plain, &[]).output().unwrap());
    let secure = |authority: &str| {
        let mut command = train(&run, &["--workers", &url, "--threads", "2"]);
        command.env("SSL_CERT_FILE", root().join("tests/data/tls").join(authority)).output().unwrap()
    };
    let doubtful = secure("server.pem");
    assert_eq!(doubtful.status.code(), Some(4), "{}", stderr(&doubtful));
    assert!(stderr(&doubtful).contains("SSL_CERT_FILE"), "{}", stderr(&doubtful));
    ok(&secure("authority.pem"));
    assert_eq!(results(&run), results(&plain));
}
