//! In: a task, a policy, seeds. Out: episodes as HDF5, in Minari's or D4RL's layout: what was seen, done and paid at every
//! step, for Python and other programs. Must not know: optimizers, runs, the terminal.
//!
//! | file | holds |
//! |---|---|
//! | [`infos`] | state and parts of the reward, as named tables |
//! | [`groups`] | Minari's layout: a group per episode |
//! | [`d4rl`] | D4RL's layout: all steps one after the other |
//! | [`metadata`] | what a reader must know to use the numbers: spaces, environment, origin |
//! | [`minari`] | the folder around it that `minari.load_dataset` opens |
//!
//! Episodes are simulated by all threads in small batches while the batch before is compressed and written, so memory does
//! not grow with their number.

pub mod d4rl;
pub mod groups;
mod gymnasium;
pub mod infos;
pub mod metadata;
pub mod minari;
mod storage;

use crate::atomic::Draft;
use crate::policy::LinearPolicy;
use crate::rollout::{Channels, Evaluator, Recording};
use crate::sim::Task;
use crate::{Error, Result};
use metadata::{Metadata, Totals};
use std::path::Path;
use std::sync::mpsc::sync_channel;

/// The episodes to record: the policy from reset seeds `first_seed`, `first_seed` + 1, …
pub struct Request<'a> {
    pub evaluator: &'a Evaluator,
    pub task: &'a Task,
    pub policy: &'a LinearPolicy,
    pub first_seed: u64,
    pub episodes: usize,
    /// The command that found the policy, if it is known.
    pub origin: Option<String>,
}

/// How the steps are laid out in a single file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// A group per episode.
    Minari,
    /// All episodes one after the other.
    D4rl,
}

/// A layout being filled, episode by episode.
trait Sink {
    fn write(&mut self, index: usize, episode: &Recording) -> hdf5::Result<()>;
}

/// Writes one HDF5 file with the metadata as attributes of its root. `seen` is told how many episodes are done.
pub fn write_file(
    request: &Request,
    layout: Layout,
    target: &Path,
    force: bool,
    seen: &mut dyn FnMut(usize),
) -> Result<Totals> {
    let draft = Draft::file(target, force)?;
    let failed = |e: hdf5::Error| Error::output(target, e);
    let file = storage::create(draft.path()).map_err(failed)?;
    let mut sink: Box<dyn Sink> = match layout {
        Layout::Minari => Box::new(groups::Groups::new(&file)),
        Layout::D4rl => Box::new(d4rl::Flat::new(&file, request.task).map_err(failed)?),
    };
    let totals = record(request, sink.as_mut(), target, seen)?;
    drop(sink);
    Metadata::new(request, &totals).write_attributes(&file).map_err(failed)?;
    file.close().map_err(failed)?;
    draft.publish()?;
    Ok(totals)
}

/// Simulates and writes all episodes in order.
fn record(request: &Request, sink: &mut dyn Sink, target: &Path, seen: &mut dyn FnMut(usize)) -> Result<Totals> {
    let batch = 2 * request.evaluator.threads();
    std::thread::scope(|scope| {
        // Made in here, so that an early return drops the receiver and the thread it waits for can end.
        let (sender, receiver) = sync_channel::<Vec<Recording>>(1);
        scope.spawn(move || {
            let indices: Vec<usize> = (0..request.episodes).collect();
            for indices in indices.chunks(batch) {
                let episodes = request.evaluator.map(indices, |simulator, &index| {
                    let channels = Channels { states: true, ..Channels::default() };
                    let seed = request.first_seed.wrapping_add(index as u64);
                    Recording::new(simulator, request.policy, seed, channels)
                });
                // The writer is gone only if it failed, and then says why itself.
                if sender.send(episodes).is_err() {
                    return;
                }
            }
        });
        let mut totals = Totals::default();
        for episode in receiver.iter().flatten() {
            if episode.outcome.diverged {
                return Err(diverged(&episode));
            }
            sink.write(totals.returns.len(), &episode).map_err(|e| Error::output(target, e))?;
            totals.add(&episode);
            seen(totals.returns.len());
        }
        Ok(totals)
    })
}

/// A diverged episode's last numbers mean nothing, and leaving it out would show the policy better than it is.
fn diverged(episode: &Recording) -> Error {
    let outcome = &episode.outcome;
    Error::failed(format!(
        "the physics broke down: the episode with reset seed {} diverged at step {}, nothing was written",
        outcome.seed, outcome.length
    ))
    .hint("choose other seeds with `seed` and `episodes`; an evaluation of the policy lists the episodes that diverge")
    .naming(&["seed", "episodes"])
}
