//! What workers cost: against threads on the same cores, in tasks per second, and with 500 simulated workers.
//!
//! `cargo bench --bench workers [-- ratio|tasks|crowd]`

#[path = "../common/mod.rs"]
mod common;

use common::redis::Server;
use locomotion::policy::Normalizer;
use locomotion::rollout::broker::message::{Assignment, LONGEST, News, WorkerReport, decode, encode};
use locomotion::rollout::broker::{Address, Board, Broker, Coordinator};
use locomotion::rollout::{Crew, Evaluator, Part, Start, Work};
use locomotion::sim::{self, EpisodeOutcome};
use locomotion::statistics::quantile;
use rand::RngExt;
use redis::{Connection, Value};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

fn main() {
    let asked: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let wants = |name: &str| asked.is_empty() || asked.iter().any(|word| word == name);
    if wants("ratio") {
        ratio();
    }
    if wants("tasks") {
        tasks();
    }
    if wants("crowd") {
        crowd();
    }
}

/// So many candidates of a task, with a normalizer, as a generation has them.
fn work(task: &sim::Task, candidates: usize, steps: usize, observe: Option<bool>) -> Work {
    let (mut work, mut rng) = (Work::new(steps, observe), rand::rng());
    let normalizer = Normalizer { mean: vec![0.1; task.observations], std: vec![1.5; task.observations] };
    for seed in 0..candidates {
        let weights: Vec<f64> = (0..task.observations * task.actions).map(|_| rng.random_range(-0.05..0.05)).collect();
        let policy = work.policy(&weights, Some(&normalizer));
        work.job(policy, Start::Seed(seed as u64));
    }
    work
}

fn coordinator(server: &Server, task: &Arc<sim::Task>, threads: usize) -> Coordinator {
    let address = Address::parse(&server.url()).unwrap();
    let board = Arc::new(Board::new(|text| eprintln!("{text}")));
    Coordinator::start(&Broker { address, task_timeout: Duration::from_secs(60), board }, task, threads).unwrap()
}

struct Workers(Vec<Child>);

impl Drop for Workers {
    fn drop(&mut self) {
        for child in &mut self.0 {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// A generation of Ant, 100 candidates, on one worker process per core and on as many threads, in turns.
fn ratio() {
    let (server, task, leave) = (Server::start(&[]), sim::find("ant").unwrap(), AtomicBool::new(false));
    let cores = std::thread::available_parallelism().unwrap().get();
    let start = |_| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_locomotion"));
        command.args(["worker", &server.url(), "--threads", "1"]).stderr(Stdio::null()).spawn().unwrap()
    };
    let _workers = Workers((0..cores).map(start).collect());
    let threads = Evaluator::new(&task, cores).unwrap();
    let mut remote = Crew::Workers(Box::new(coordinator(&server, &task, 0)));
    let work = work(&task, 100, 200, Some(false));
    let expected = threads.compute(&work, &leave).unwrap();
    let (mut ratios, mut times) = (Vec::new(), Vec::new());
    for round in 0..7 {
        let mut timed = [0.0; 2];
        for turn in [round % 2, 1 - round % 2] {
            let began = Instant::now();
            let parts = match turn {
                0 => threads.compute(&work, &leave).unwrap(),
                _ => remote.compute(&work, 1, &leave).unwrap().unwrap(),
            };
            timed[turn] = began.elapsed().as_secs_f64();
            assert_eq!(parts, expected);
        }
        // The first round makes the workers ready.
        if round > 0 {
            ratios.push(timed[1] / timed[0]);
            times.push(timed[0]);
        }
    }
    let [low, middle, high] = [0.25, 0.5, 0.75].map(|p| quantile(&ratios, p));
    let seconds = quantile(&times, 0.5);
    println!(
        "ratio: ant, 100 episodes of 200 steps, {cores} workers over {cores} threads: {middle:.3} \
         (quartiles {low:.3} to {high:.3}); threads take {seconds:.2} s"
    );
}

/// A worker that computes nothing: it waits, and says that it was done. Returns how long it has waited.
fn pretend(
    connection: &mut Connection,
    run: &str,
    name: &str,
    wait: impl Fn() -> Duration,
    stop: &AtomicBool,
) -> Duration {
    let [tasks, reports] = ["tasks", "reports"].map(|what| format!("locomotion:{run}:{what}"));
    let mut waited = Duration::ZERO;
    while !stop.load(Ordering::Relaxed) {
        let mut read = redis::cmd("XREADGROUP");
        read.arg("GROUP").arg("workers").arg(name).arg("COUNT").arg(1).arg("BLOCK").arg(200);
        let answer: redis::RedisResult<Value> = read.arg("STREAMS").arg(&tasks).arg(">").query(connection);
        let Ok(Value::Array(streams)) = answer else { continue };
        let Value::Array(stream) = &streams[0] else { continue };
        let Value::Array(entries) = &stream[1] else { continue };
        let Value::Array(entry) = &entries[0] else { continue };
        let (Value::BulkString(id), Value::Array(fields)) = (&entry[0], &entry[1]) else { continue };
        let Value::BulkString(message) = &fields[1] else { continue };
        let task: Assignment = decode(message, LONGEST).unwrap();
        let pause = wait();
        std::thread::sleep(pause);
        waited += pause;
        let outcome = EpisodeOutcome { seed: 0, value: 1.0, length: 1, terminated: false, diverged: false };
        let parts = vec![Part { outcomes: vec![outcome], steps: 1, observed: None }; task.work.len()];
        // As if it had taken long, so that every job stays a task of its own.
        let news = News::Done { batch: task.batch, first: task.first, seconds: 1.0, parts };
        let report = WorkerReport { run: run.into(), worker: name.into(), thread: 0, news };
        let mut pipe = redis::pipe();
        pipe.cmd("XADD").arg(&reports).arg("*").arg("m").arg(encode(&report).unwrap()).ignore();
        pipe.cmd("XACK").arg(&tasks).arg("workers").arg(id).ignore().cmd("XDEL").arg(&tasks).arg(id).ignore();
        pipe.exec(connection).unwrap();
    }
    waited
}

fn only_run(server: &Server) -> String {
    redis::cmd("SRANDMEMBER").arg("locomotion:runs").query(&mut server.connection()).unwrap()
}

/// Several thousand tasks of Swimmer's and Ant's size that take no time.
fn tasks() {
    for (name, tasks) in [("swimmer", 20_000), ("ant", 10_000)] {
        let (server, task, leave) = (Server::start(&[]), sim::find(name).unwrap(), AtomicBool::new(false));
        let (mut coordinator, stop) = (coordinator(&server, &task, 0), AtomicBool::new(false));
        let (run, work) = (only_run(&server), work(&task, tasks, 1, None));
        std::thread::scope(|scope| {
            for i in 0..8 {
                let (mut connection, run, stop) = (server.connection(), &run, &stop);
                scope.spawn(move || pretend(&mut connection, run, &format!("p/{i}"), || Duration::ZERO, stop));
            }
            let began = Instant::now();
            coordinator.compute(&work, 1, &leave).unwrap().unwrap();
            let rate = tasks as f64 / began.elapsed().as_secs_f64();
            println!(
                "tasks: {name}, {} weights, 8 connections: {rate:.0} per second",
                task.observations * task.actions
            );
            stop.store(true, Ordering::Relaxed);
        });
    }
}

/// 500 connections whose tasks only wait 50 to 200 ms: how busy they are kept with 1,000 candidates of Ant's size.
fn crowd() {
    const WORKERS: usize = 500;
    const ROUNDS: usize = 5;
    let (server, task, leave) = (Server::start(&[]), sim::find("ant").unwrap(), AtomicBool::new(false));
    let (mut coordinator, stop) = (coordinator(&server, &task, 0), AtomicBool::new(false));
    let (run, waited) = (only_run(&server), AtomicU64::new(0));
    let idle: u64 = memory(&server, "used_memory:");
    std::thread::scope(|scope| {
        for i in 0..WORKERS {
            let (mut connection, run, stop, waited) = (server.connection(), &run, &stop, &waited);
            let wait = move || {
                let pause = rand::rng().random_range(50..=200);
                waited.fetch_add(pause, Ordering::Relaxed);
                Duration::from_millis(pause)
            };
            std::thread::Builder::new()
                .stack_size(256 << 10)
                .spawn_scoped(scope, move || pretend(&mut connection, run, &format!("p/{i}"), wait, stop))
                .unwrap();
        }
        for candidates in [1_000, 10_000] {
            let work = work(&task, candidates, 1, None);
            coordinator.compute(&work, 1, &leave).unwrap().unwrap();
            let (before, began) = (waited.load(Ordering::Relaxed), Instant::now());
            for _ in 0..ROUNDS {
                coordinator.compute(&work, 1, &leave).unwrap().unwrap();
            }
            let seconds = began.elapsed().as_secs_f64();
            let busy = (waited.load(Ordering::Relaxed) - before) as f64 / 1e3 / seconds / WORKERS as f64;
            println!(
                "crowd: {WORKERS} workers, {candidates} candidates: a generation takes {:.2} s, workers are busy \
                 {:.0} % of the time (a perfect list schedule: {:.0} %); broker memory {:.1} MB idle, {:.1} MB at most",
                seconds / ROUNDS as f64,
                100.0 * busy,
                100.0 * perfect(WORKERS, candidates),
                idle as f64 / 1e6,
                memory(&server, "used_memory_peak:") as f64 / 1e6
            );
        }
        stop.store(true, Ordering::Relaxed);
    });
}

/// How busy workers are that take one such task after the other without any delay, and wait for the last one to end.
fn perfect(workers: usize, tasks: usize) -> f64 {
    let (mut free, mut total) = (vec![0.0f64; workers], 0.0);
    for _ in 0..tasks {
        let next = (0..workers).min_by(|&a, &b| free[a].total_cmp(&free[b])).unwrap();
        let pause = rand::rng().random_range(0.05..0.2);
        free[next] += pause;
        total += pause;
    }
    total / workers as f64 / free.iter().fold(0.0, |most, &end| f64::max(most, end))
}

fn memory(server: &Server, field: &str) -> u64 {
    let info: String = redis::cmd("INFO").arg("memory").query(&mut server.connection()).unwrap();
    info.lines().find_map(|line| line.strip_prefix(field)).unwrap().trim().parse().unwrap()
}
