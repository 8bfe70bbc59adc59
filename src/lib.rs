//! Derivative-free search for linear policies that make MuJoCo robots walk.
//!
//! Without any features, the crate has the optimizers, problems to try them on, and statistics. It needs no C compiler
//! then.
//!
//! | module | holds | feature |
//! |---|---|---|
//! | [`optim`] | black-box optimizers with ask and tell, which see only vectors and numbers | |
//! | [`benchmark`] | synthetic functions and a path-planning problem, and resumable trials of optimizers on them | |
//! | [`statistics`], [`random`], [`suggest`], [`workers`] | statistics, random streams, suggestions for names, threads | |
//! | `sim` | tasks equal to Gymnasium's: reset, step, observation, reward, termination | `mujoco` |
//! | `policy` | a = clamp(W·(s − mean)/std, −1, 1) and its file format | `mujoco` |
//! | `rollout` | batches of episodes on threads, or on workers through a broker, in index order | `mujoco` |
//! | `settings` | the settings of a run, and where each one came from | `mujoco` |
//! | `run_folder` | the only reader and writer of run folders: lock, state, run.toml, metrics, checkpoints, policies |
//! `mujoco` |
//! | `train` | where optimizers and simulations meet: objective, loop, stop rules, resume | `mujoco` |
//! | `atomic`, `input` | files that are either complete or absent; files to read, up to a stated size | `mujoco` |
//! | `plot`, `font` | numbers → SVG and PNG; the font | `render` |
//! | `film` | recordings → video, GIF, contact sheet, HTML replay, window | `render` |
//! | `report` | runs → tables and pages | `render` |
//! | `traces` | recordings → HDF5 | `hdf5` |
//! | `cli` | one file per command: parse, call the library, print; the only place that knows flags | `cli` |
//!
//! `render` and `hdf5` include `mujoco`. `cli`, the default, includes all of these.
//!
//! Dependencies point one way: `cli → report → {plot, film, benchmark}`, `cli → {train, traces}`, `{train, report} →
//! run_folder → settings`, `{train, film, traces} → rollout → sim → policy`, `{settings, train, benchmark} → optim`.
//! `tests/architecture.rs` checks this.

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
pub mod input;
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
/// The optimizers use nalgebra's vectors and matrices.
pub use nalgebra;
