//! In: a task, a policy, seeds. Out: episodes as HDF5 files in Minari's or D4RL's layout, with the observation, action
//! and reward of every step, for Python and other programs. Must not know: optimizers, runs, the terminal.
//!
//! | file | holds |
//! |---|---|
//! | [`infos`] | the states and the parts of the rewards, as named tables |
//! | [`groups`] | Minari's layout: one group per episode |
//! | [`d4rl`] | D4RL's layout: all steps one after the other |
//! | [`metadata`] | the facts that a reader needs: spaces, environment, origin |
//! | [`minari`] | the folder around it that `minari.load_dataset` opens |
//!
//! All threads simulate small batches of episodes while the previous batch is compressed and written, so memory does
//! not grow with the number of episodes.

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

/// The episodes to record: the policy played from reset seeds `first_seed`, `first_seed` + 1, …
pub struct Request<'a> {
    pub evaluator: &'a Evaluator,
    pub task: &'a Task,
    pub policy: &'a LinearPolicy,
    pub first_seed: u64,
    pub episodes: usize,
    /// The command that found the policy, if known.
    pub origin: Option<String>,
}

/// The layout of the steps in a single file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// One group per episode.
    Minari,
    /// All episodes one after the other.
    D4rl,
}

/// Writes episodes in one of the layouts.
trait Sink {
    fn write(&mut self, index: usize, episode: &Recording) -> hdf5::Result<()>;
}

/// Writes one HDF5 file with the metadata as attributes of its root. Calls `seen` with the number of finished episodes.
///
/// # Errors
/// If the physics breaks down in an episode, or if the file cannot be written or exists and `force` is not set.
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
        // Created in here, so that an early return drops the receiver and the simulating thread can end.
        let (sender, receiver) = sync_channel::<Vec<Recording>>(1);
        scope.spawn(move || {
            let indices: Vec<usize> = (0..request.episodes).collect();
            for indices in indices.chunks(batch) {
                let episodes = request.evaluator.map(indices, |simulator, &index| {
                    let channels = Channels { states: true, ..Channels::default() };
                    let seed = request.first_seed.wrapping_add(index as u64);
                    Recording::new(simulator, request.policy, seed, channels)
                });
                // The writer stops early only on an error, which it reports itself.
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

/// The last numbers of a diverged episode are meaningless, and leaving it out would make the policy look better than it
/// is.
fn diverged(episode: &Recording) -> Error {
    let outcome = &episode.outcome;
    Error::failed(format!(
        "the physics broke down: the episode with reset seed {} diverged at step {}, nothing was written",
        outcome.seed, outcome.length
    ))
    .hint("choose other seeds with `seed` and `episodes`; an evaluation of the policy lists the episodes that diverge")
    .naming(&["seed", "episodes"])
}
