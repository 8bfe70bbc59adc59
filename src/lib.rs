//! Derivative-free search of linear policies for MuJoCo walkers.
//!
//! | module | holds |
//! |---|---|
//! | [`optim`] | black-box optimizers: ask, tell; they see vectors and numbers only |
//! | [`benchmark`] | functions and a path to plan, to try optimizers on; trials side by side, resumable |
//! | [`sim`] | tasks equal to Gymnasium's: reset, step, observation, reward, termination |
//! | [`policy`] | a = clamp(W·(s − mean)/std, −1, 1) and its file format |
//! | [`rollout`] | batches of episodes on threads or on workers through a broker, outcomes in index order; the one recorder of an episode |
//! | [`settings`] | what a run can be told, and from where |
//! | [`run_folder`] | the one reader and writer of run folders: lock, state, run.toml, metrics, checkpoints, policies |
//! | [`train`] | where optimizers and simulations meet: objective, loop, stop rules, resume |
//! | [`plot`] | numbers → SVG and PNG |
//! | [`film`] | recordings → video, GIF, contact sheet, HTML replay, window |
//! | [`traces`] | recordings → HDF5 |
//! | [`report`] | runs → tables and pages |
//! | [`statistics`], [`random`], [`suggest`], [`workers`], [`atomic`], [`font`] | honest numbers, counter-based random streams, hints for unknown names, threads, files that are whole or absent, letters |
//! | [`cli`] | one file per command: parse, call the library, print; the only place that knows flags |
//!
//! Data goes one way: `cli → report → {plot, film, benchmark}`, `cli → {train, traces}`, `{train, report} → run_folder →
//! settings`, `{train, film, traces} → rollout → sim → policy`, `{settings, train, benchmark} → optim`.
//! `tests/architecture.rs` holds these arrows.

pub mod atomic;
pub mod benchmark;
pub mod cli;
pub mod error;
pub mod film;
pub mod font;
pub mod optim;
pub mod plot;
pub mod policy;
pub mod random;
pub mod report;
pub mod rollout;
pub mod run_folder;
pub mod settings;
pub mod sim;
pub mod statistics;
pub mod suggest;
pub mod traces;
pub mod train;
pub mod workers;

pub use error::{Error, Result};
