//! However many workers take part, a run leaves the same bytes as on threads alone.

use crate::common::redis::Server;
use crate::common::{ok, results};
use crate::crew::{Worker, end, program, robot, train, wait, with_workers};

const KINDS: [&[&str]; 6] = [
    &["--variant", "adaptive", "--lambda0", "2", "--normalize", "none"],
    &["--variant", "steady", "--normalize", "running"],
    &["--optimizer", "cma-es", "--normalize", "none"],
    &["--optimizer", "cma-es", "--normalize", "bounded"],
    &["--variant", "steady", "--episodes-per-candidate", "2", "--resets", "own", "--normalize", "running"],
    &["--variant", "steady", "--segments", "3", "--normalize", "running"],
];

#[test]
fn none_one_and_four_workers_leave_the_bytes_of_threads() {
    let (folder, server) = (tempfile::tempdir().unwrap(), Server::start(&[]));
    let compare = |crew: &str, threads: &str| {
        for (kind, more) in KINDS.iter().enumerate() {
            let [plain, run] = ["plain", crew].map(|name| folder.path().join(format!("{name}-{kind}")));
            if !plain.exists() {
                ok(&train(&plain, more).output().unwrap());
            }
            let output = with_workers(&server, &run, &[more, &["--threads", threads][..]].concat()).output().unwrap();
            ok(&output);
            assert_eq!(results(&run), results(&plain), "{crew}: {more:?}");
            assert_eq!(end(&output)["workers"]["rejected"], 0);
        }
    };
    compare("none", "2");
    let first = Worker::start(&server.url());
    compare("one", "0");
    let _others: Vec<Worker> = (0..3).map(|_| Worker::start(&server.url())).collect();
    compare("four", "1");
    first.wait_for("serving run");
    let left: Vec<String> = redis::cmd("KEYS").arg("*").query(&mut server.connection()).unwrap();
    assert!(left.is_empty(), "a run that has ended leaves nothing on the broker: {left:?}");
}

/// The paper's lockstep evaluation goes the same way.
#[test]
fn the_papers_protocol_and_a_comparison_leave_the_same_bytes() {
    let (folder, server) = (tempfile::tempdir().unwrap(), Server::start(&[]));
    let _worker = Worker::start_with(&server.url(), &["--threads", "2"]);
    let compare = |out: &str, more: &[&str]| {
        let arguments =
            ["compare", "--env", robot(), "--optimizers", "syncma,cma-es", "--seeds", "1", "--budget", "240"];
        let mut command = program();
        command.args(arguments).args(["--batch", "8", "--protocol", "paper", "--out"]);
        ok(&command.arg(folder.path().join(out)).args(more).output().unwrap());
    };
    compare("plain", &[]);
    compare("workers", &["--workers", &server.url(), "--threads", "0"]);
    let runs = |out: &str| {
        let found = locomotion::run_folder::Folder::new(folder.path().join(out)).runs().unwrap();
        found.iter().map(|run| results(run.path())).collect::<Vec<_>>()
    };
    assert_eq!(runs("plain").len(), 2);
    assert_eq!(runs("workers"), runs("plain"));
}

#[test]
fn a_worker_needs_no_files_and_an_idle_one_serves_run_after_run() {
    let (folder, server) = (tempfile::tempdir().unwrap(), Server::start(&[]));
    let mut worker = Worker::start(&server.url());
    for (name, env) in [("robot", robot()), ("hopper", "hopper")] {
        let [plain, run] = ["plain", "run"].map(|kind| folder.path().join(format!("{kind}-{name}")));
        ok(&train(&plain, &["--env", env]).output().unwrap());
        ok(&with_workers(&server, &run, &["--env", env, "--threads", "0"]).output().unwrap());
        assert_eq!(results(&run), results(&plain));
    }
    worker.wait_for("(robot)");
    worker.wait_for("(hopper)");
    worker.signal("TERM");
    assert_eq!(worker.end(), Some(143));
    assert!(worker.said().contains("stopped after"), "{}", worker.said());
}

#[test]
fn two_runs_share_a_broker_and_its_workers_without_touching_each_other() {
    let (folder, server) = (tempfile::tempdir().unwrap(), Server::start(&[]));
    let seeds = ["3", "4"];
    let _workers: Vec<Worker> = (0..2).map(|_| Worker::start(&server.url())).collect();
    let runs = seeds.map(|seed| folder.path().join(format!("run-{seed}")));
    let start = |i: usize| {
        with_workers(&server, &runs[i], &["--seed", seeds[i], "--budget", "240", "--threads", "0"]).spawn().unwrap()
    };
    let children = [start(0), start(1)];
    children.into_iter().for_each(|child| ok(&child.wait_with_output().unwrap()));
    for i in 0..2 {
        let plain = folder.path().join(format!("plain-{i}"));
        ok(&train(&plain, &["--seed", seeds[i], "--budget", "240"]).output().unwrap());
        assert_eq!(results(&runs[i]), results(&plain));
    }
    wait("the list of runs is empty", || {
        redis::cmd("SCARD").arg("locomotion:runs").query::<u64>(&mut server.connection()).unwrap() == 0
    });
}
