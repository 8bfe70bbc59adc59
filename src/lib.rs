//! Derivative-free search of linear policies for MuJoCo walkers.
//!
//! Without features there are the optimizers, problems to try them on, and statistics; no C compiler is needed.
//!
//! | module | holds | feature |
//! |---|---|---|
//! | [`optim`] | black-box optimizers: ask, tell; they see vectors and numbers only | |
//! | [`benchmark`] | functions and a path to plan, to try optimizers on; trials side by side, resumable | |
//! | [`statistics`], [`random`], [`suggest`], [`workers`] | honest numbers, counter-based random streams, hints for unknown names, threads | |
//! | `sim` | tasks equal to Gymnasium's: reset, step, observation, reward, termination | `mujoco` |
//! | `policy` | a = clamp(W·(s − mean)/std, −1, 1) and its file format | `mujoco` |
//! | `rollout` | batches of episodes on threads, outcomes in index order; the one recorder of an episode | `mujoco` |
//! | `settings` | what a run can be told, and from where | `mujoco` |
//! | `run_folder` | the one reader and writer of run folders: lock, state, run.toml, metrics, checkpoints, policies | `mujoco` |
//! | `train` | where optimizers and simulations meet: objective, loop, stop rules, resume | `mujoco` |
//! | `atomic` | files that are whole or absent | `mujoco` |
//! | `plot`, `font` | numbers → SVG and PNG; letters | `render` |
//! | `film` | recordings → video, GIF, contact sheet, HTML replay, window | `render` |
//! | `report` | runs → tables and pages | `render` |
//! | `traces` | recordings → HDF5 | `hdf5` |
//! | `cli` | one file per command: parse, call the library, print; the only place that knows flags | `cli` |
//!
//! `render` and `hdf5` include `mujoco`; `cli`, the default, includes all of these.
//!
//! Data goes one way: `cli → report → {plot, film, benchmark}`, `cli → {train, traces}`, `{train, report} → run_folder →
//! settings`, `{train, film, traces} → rollout → sim → policy`, `{settings, train, benchmark} → optim`.
//! `tests/architecture.rs` holds these arrows.

pub mod benchmark;
pub mod error;
pub mod optim;
pub mod random;
pub mod statistics;
pub mod suggest;
pub mod workers;

#[cfg(feature = "mujoco")]
pub mod atomic;
#[cfg(feature = "mujoco")]
pub mod policy;
#[cfg(feature = "mujoco")]
pub mod rollout;
#[cfg(feature = "mujoco")]
pub mod run_folder;
#[cfg(feature = "mujoco")]
pub mod settings;
#[cfg(feature = "mujoco")]
pub mod sim;
#[cfg(feature = "mujoco")]
pub mod train;

#[cfg(feature = "render")]
pub mod film;
#[cfg(feature = "render")]
pub mod font;
#[cfg(feature = "render")]
pub mod plot;
#[cfg(feature = "render")]
pub mod report;

#[cfg(feature = "hdf5")]
pub mod traces;

#[cfg(feature = "cli")]
pub mod cli;

pub use error::{Error, Result};
/// Vectors and matrices of the optimizers are nalgebra's.
pub use nalgebra;
