//! In: a task (TOML and MJCF), a reset seed, actions. Out: observations, rewards and ends of episodes, equal to
//! Gymnasium's to the last bit, computed by MuJoCo. Must not know: optimizers, runs, the terminal.
//!
//! A task is a TOML file and an MJCF model (`definition`, `builtin`). A [`Simulator`] resets it with numpy's seeds
//! ([`numpy_rng`]), steps it, observes it and computes its reward. `episode` lets a policy act in it.

mod builtin;
mod definition;
mod definition_check;
mod episode;
mod files;
mod health;
mod mirror;
pub mod numpy_rng;
pub mod numpy_sum;
mod observation;
mod reward;
mod simulator;
mod task;
mod template;

pub(crate) use builtin::for_all_tasks;
pub use builtin::{NAMES, canonical, find, is_built_in, text};
pub use definition::{Contact, Definition, Noise, ObservationPart, Yardstick};
pub use episode::{
    EpisodeOutcome, NEVER, Watch, diverged, merit, returns, rollout, rollout_of, rollout_unless, rollout_watched,
    segment_unless,
};
pub use files::{common_folder, files};
pub use mirror::{Image, Mirror};
pub use reward::Reward;
pub use simulator::{Simulator, Snapshot, Step};
pub use task::{Task, sha256};
pub use template::template;
