//! In: [`Work`](super::Work). Out: its parts in index order, computed by workers on any machine that reach the same broker
//! (Redis or Valkey), the same bytes as on threads. Must not know: optimizers, files, the terminal.
//!
//! A [`Coordinator`] puts tasks on a stream of its own; a [`Worker`] of any process takes one at a time through a consumer
//! group, computes it and puts the answer on a second stream. Answers are placed by index. Every task is delivered at least
//! once: what a dead worker held is sent again after a timeout, what comes twice is ignored, and after a restart of the
//! broker everything that it may have forgotten is sent again. Models travel once per run, by hash.
//!
//! The broker is trusted: whoever can write to it can make workers compute.

mod address;
mod board;
mod coordinator;
mod discovery;
mod keys;
mod link;
pub mod message;
mod round;
mod shelf;
mod stream;
mod upkeep;
mod worker;

pub use address::{Address, PASSWORD};
pub use board::{Board, Counts, Standing, WorkerRate};
pub use coordinator::{Broker, Coordinator};
pub use keys::{Keys, RUNS};
pub use worker::{Desk, Heard, Worker, short};

use crate::Result;
use link::Link;
use std::time::Duration;

/// Version, digest of the sources that decide results, and MuJoCo's version: programs that agree on them compute alike.
pub fn program() -> String {
    let (version, sources, mujoco) = (env!("CARGO_PKG_VERSION"), env!("TRAINING"), mujoco_rs::mujoco_version());
    format!("{version} ({sources}, MuJoCo {mujoco})")
}

/// This process, as the others know it.
pub fn name_of_process() -> String {
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let plain = |c: &char| c.is_ascii_alphanumeric() || "-_.".contains(*c);
    let host: String = host.trim().chars().filter(plain).take(64).collect();
    format!("{}/{}", if host.is_empty() { "host" } else { &host }, std::process::id())
}

/// Serves on so many threads until told to stop.
pub fn work(address: &Address, threads: usize, patience: Duration, desk: &Desk) -> Result<()> {
    // All connections first, so that what is wrong with the broker is told before anything begins.
    let links = (0..threads).map(|_| Link::open(address, patience)).collect::<Result<Vec<Link>>>()?;
    std::thread::scope(|scope| {
        let serve = |(thread, link)| scope.spawn(move || Worker::new(desk, link, thread as u32).serve());
        let threads: Vec<_> = links.into_iter().enumerate().map(serve).collect();
        let ends = threads.into_iter().map(|thread| {
            thread.join().unwrap_or_else(|_| Err(crate::Error::failed("a thread of the worker has broken down")))
        });
        // All of them, and the first error if there is one.
        ends.collect::<Vec<_>>().into_iter().collect()
    })
}
