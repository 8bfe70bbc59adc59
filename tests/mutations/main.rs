//! Whatever a file says, the program ends with one of its exit codes: no panic, no abort, no hang, no more than 2 GB.
//!
//! This is a short run with a fixed seed. A long one, with another seed every time, and what it found at the end:
//! `MUTATE_SECONDS=1800 nice cargo test --release --test mutations -- --nocapture`
//! A case that fails is kept below target/mutations/, with the command that fails.

#![cfg(feature = "cli")]

mod cases;
#[path = "../common/mod.rs"]
mod common;
mod messages;
mod mutator;

use cases::Case;
use locomotion::sim::{self, Simulator};
use mutator::mutated;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// A command that computes for longer is told to stop, and counted: a damaged number may well ask for a long episode. On a
/// busy machine it may wait long for its turn.
const PATIENCE: Limit = Limit { computing: 15.0, waiting: Duration::from_secs(120) };
/// After that it has to obey.
const GRACE: Limit = Limit { computing: 3.0, waiting: Duration::from_secs(60) };

struct Limit {
    computing: f64,
    waiting: Duration,
}

/// The seconds of a long run, if one is asked for.
fn long() -> Option<Duration> {
    let seconds = std::env::var("MUTATE_SECONDS").ok()?.parse().expect("MUTATE_SECONDS is a number of seconds");
    Some(Duration::from_secs(seconds))
}

fn seed() -> u64 {
    let given = std::env::var("MUTATE_SEED").ok().map(|seed| seed.parse().expect("MUTATE_SEED is a number"));
    given.unwrap_or_else(|| if long().is_some() { rand::rng().random() } else { 14 })
}

fn start(folder: &Path, arguments: &[&str], said: &Path) -> Child {
    let limited = format!("ulimit -v 2000000; exec \"{}\" \"$@\"", env!("CARGO_BIN_EXE_locomotion"));
    Command::new("sh")
        .args(["-c", &limited, "sh"])
        .args(arguments)
        .current_dir(folder)
        .env("RUST_BACKTRACE", "0")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(fs::File::create(said).unwrap())
        .spawn()
        .unwrap()
}

/// The seconds that a process has computed.
fn computed(child: &Child) -> f64 {
    let text = fs::read_to_string(format!("/proc/{}/stat", child.id())).unwrap_or_default();
    let after_name = text.rsplit(')').next().unwrap_or_default();
    let ticks = after_name.split_whitespace().skip(11).take(2).filter_map(|word| word.parse::<f64>().ok());
    ticks.sum::<f64>() / 100.0
}

/// Waits for the end. `None` if it is not over within the limit.
fn wait(child: &mut Child, limit: &Limit) -> Option<ExitStatus> {
    let (began, before) = (Instant::now(), computed(child));
    while began.elapsed() < limit.waiting && computed(child) - before < limit.computing {
        if let Some(status) = child.try_wait().unwrap() {
            return Some(status);
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    None
}

/// How it ended, and whether it had to be told to.
fn end(mut child: Child) -> Result<(ExitStatus, bool), String> {
    if let Some(status) = wait(&mut child, &PATIENCE) {
        return Ok((status, false));
    }
    let _ = Command::new("kill").args(["-TERM", &child.id().to_string()]).status();
    let status = wait(&mut child, &GRACE);
    let _ = child.kill();
    let _ = child.wait();
    status.map(|status| (status, true)).ok_or("it hangs, and does not obey SIGTERM".into())
}

/// Runs a command on damaged files. `Ok` says how it ended.
fn run(folder: &Path, arguments: &[&str]) -> Result<String, String> {
    let said = folder.join("said.txt");
    let (status, told) = end(start(folder, arguments, &said))?;
    let message = fs::read(&said).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default();
    match (status.code(), status.signal()) {
        _ if message.contains("panicked") => Err(message),
        (_, Some(15)) | (Some(143), _) if told => Ok("told to stop".into()),
        (Some(code @ 0..=4), _) => Ok(format!("exit {code}")),
        (code, signal) => Err(format!("exit {code:?}, signal {signal:?}: {message}")),
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().flatten().filter(|entry| entry.path().is_file()) {
        fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
    }
}

/// Damages the file of a case in a fresh copy of its folder, and runs its commands.
fn attempt(case: &Case, rng: &mut ChaCha8Rng, counts: &mut BTreeMap<String, usize>) -> Result<(), String> {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("case");
    copy(&case.folder, &folder);
    let file = folder.join(case.file);
    let damaged = mutated(&fs::read(&file).unwrap(), rng);
    fs::write(&file, &damaged).unwrap();
    for command in case.commands {
        match run(&folder, &command.split(' ').collect::<Vec<_>>()) {
            Ok(how) => *counts.entry(format!("{}: {how}", case.name)).or_default() += 1,
            Err(why) => {
                let kept = common::root().join("target/mutations").join(format!("{:x}", rng.random::<u32>()));
                copy(&folder, &kept);
                fs::write(kept.join(case.file), &damaged).unwrap();
                return Err(format!("{}: {command:?} in {}: {why}", case.name, kept.display()));
            }
        }
    }
    Ok(())
}

#[test]
fn damaged_files_end_in_an_exit_code() {
    let place = tempfile::tempdir().unwrap();
    let (cases, seed, began) = (cases::cases(place.path()), seed(), Instant::now());
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let (mut counts, mut failures) = (BTreeMap::new(), Vec::new());
    let mut rounds = 0;
    while long().map_or(rounds < 6, |time| began.elapsed() < time) {
        rounds += 1;
        failures.extend(cases.iter().filter_map(|case| attempt(case, &mut rng, &mut counts).err()));
    }
    let files = rounds * cases.len();
    println!(
        "seed {seed}: {files} damaged files in {:.0?}, {} failures; commands: {counts:#?}",
        began.elapsed(),
        failures.len()
    );
    assert!(failures.is_empty(), "seed {seed}:\n{}", failures.join("\n"));
}

#[test]
fn damaged_messages_are_refused_or_done() {
    let (seed, began) = (seed(), Instant::now());
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let messages = messages::messages();
    let mut simulator = Simulator::new(sim::find("hopper").unwrap());
    let mut count = 0;
    while long().map_or(count < 2000, |time| began.elapsed() < time / 10) {
        count += 1;
        messages::treat(&mut rng, &messages, &mut simulator);
    }
    println!("seed {seed}: {count} damaged messages in {:.0?}", began.elapsed());
}
