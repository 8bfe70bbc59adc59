//! Derivative-free search for linear policies that make MuJoCo robots walk.
//!
//! Without any features, the crate has the optimizers, problems to try them on, and statistics. It needs no C compiler
//! then.
//!
//! | module | holds | feature |
//! |---|---|---|
//! | [`optim`] | black-box optimizers with ask and tell, which see only vectors and numbers | |
//! | [`benchmark`] | synthetic functions and a path-planning problem, and resumable trials of optimizers on them | |
//! | [`error`], [`statistics`], [`random`] | errors with exit codes, statistics, random streams | |
//! | [`suggest`], [`threads`] | suggestions for misspelled names, threads for long tasks | |
//! | `sim` | tasks equal to Gymnasium's: reset, step, observation, reward, termination | `mujoco` |
//! | `policy` | a = clamp(W·(s − mean)/std, −1, 1) and its file format | `mujoco` |
//! | `rollout` | batches of episodes on threads, or on workers through a broker, in index order | `mujoco` |
//! | `settings` | the settings of a run, and where each one came from | `mujoco` |
//! | `run_folder` | the only reader and writer of run folders: lock, settings, metrics, checkpoints, policies | `mujoco` |
//! | `train` | where optimizers and simulations meet: objective, loop, stop rules, resume | `mujoco` |
//! | `atomic`, `input` | files that are either complete or absent; files to read, up to a stated size | `mujoco` |
//! | `plot`, `font` | numbers → SVG and PNG; the font | `render` |
//! | `film` | recordings → video, GIF, contact sheet, HTML replay (also from `assets/report/`), window | `render` |
//! | `report` | runs → tables and pages, from the HTML templates, styles and scripts in `assets/report/` | `render` |
//! | `traces` | recordings → HDF5 | `hdf5` |
//! | `cli` | one file per command: parse, call the library, print; the only place that knows flags | `cli` |
//!
//! `render` and `hdf5` include `mujoco`. `cli`, the default, includes all of these.
//!
//! Dependencies point one way. `tests/architecture.rs` checks them:
//!
//! ```text
//! cli         everything below
//! report      plot, film, benchmark, run_folder, settings, optim, sim, policy
//! train       rollout, run_folder, settings, optim, sim, policy
//! film        rollout, sim, policy
//! traces      rollout, sim, policy
//! run_folder  settings, optim, sim, policy
//! settings    optim, sim
//! benchmark   optim
//! rollout     sim, policy
//! sim         policy
//! ```
//!
//! All of them may use `error`, `random`, `statistics`, `suggest` and `threads`. `atomic`, `input` and `font` serve the
//! modules that write files, read files and draw text.

pub mod benchmark;
pub mod error;
pub mod optim;
pub mod random;
pub mod statistics;
pub mod suggest;
pub mod threads;

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
/// Vectors and matrices of the optimizers' interface.
pub use nalgebra;
