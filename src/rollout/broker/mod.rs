//! In: [`Work`](super::Work). Out: its parts in index order, computed by workers on any machine that reaches the same broker
//! (Redis or Valkey), the same bytes as on threads. Must not know: optimizers, files, the terminal.
//!
//! A [`Coordinator`] puts [`Assignment`](message::Assignment)s, each with some jobs of a batch, on a stream of its own. A
//! [`Worker`] takes one at a time through a consumer group, computes it and puts the result on a second stream. Results are
//! stored by index. Every assignment is delivered at least once: that of a dead worker is sent again after the task timeout,
//! duplicate results are ignored, and after a restart of the broker everything that it may have lost is sent again. Each
//! worker fetches a model once per run, by its hash.
//!
//! The broker is trusted: whoever can write to it can make workers compute.
//!
//! | file | holds |
//! |---|---|
//! | `coordinator`, `batch_progress`, `upkeep` | the run's side: sending, collecting each result once, sending again |
//! | `worker`, `discovery`, `shelf` | a worker's side: computing, finding runs, keeping their tasks |
//! | `board` | what the run knows about its workers |
//! | [`message`], `keys`, `stream` | what is on the broker |
//! | `link`, `address` | the connection |

mod address;
mod batch_progress;
mod board;
mod coordinator;
mod discovery;
mod keys;
mod link;
pub mod message;
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

/// The name of this process for others: its host and process id.
pub fn name_of_process() -> String {
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let plain = |c: &char| c.is_ascii_alphanumeric() || "-_.".contains(*c);
    let host: String = host.trim().chars().filter(plain).take(64).collect();
    format!("{}/{}", if host.is_empty() { "host" } else { &host }, std::process::id())
}

/// Serves on `threads` threads until the desk's `stop` flag is set.
///
/// # Errors
/// If the broker cannot be used, or if it stays unreachable for longer than `patience`.
pub fn work(address: &Address, threads: usize, patience: Duration, desk: &Desk) -> Result<()> {
    // Open all connections first so that problems with the broker surface before any work starts.
    let links = (0..threads).map(|_| Link::open(address, patience)).collect::<Result<Vec<Link>>>()?;
    std::thread::scope(|scope| {
        let serve = |(thread, link)| scope.spawn(move || Worker::new(desk, link, thread as u32).serve());
        let threads: Vec<_> = links.into_iter().enumerate().map(serve).collect();
        let ends = threads
            .into_iter()
            .map(|thread| thread.join().unwrap_or_else(|_| Err(crate::Error::failed("a worker thread panicked"))));
        // Wait for all threads before returning the first error.
        ends.collect::<Vec<_>>().into_iter().collect()
    })
}
