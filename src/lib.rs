//! Derivative-free search of linear policies for MuJoCo walkers.
//!
//! | module | holds |
//! |---|---|
//! | [`optim`] | black-box optimisers: ask, tell; they see vectors and numbers only |
//! | [`problem`] | functions and a path to plan, to try optimisers on |
//! | [`experiment`] | where optimisers and problems meet: trials, side by side, resumable |
//! | [`sim`] | tasks equal to Gymnasium's: reset, step, observation, reward, termination |
//! | [`policy`] | a = clamp(W·(s − mean)/std, −1, 1) and its file format |
//! | [`evaluate`] | batches of episodes on threads, outcomes in index order |
//! | [`run`] | where optimisers and simulations meet: settings, loop, checkpoints, resume |
//! | [`report`] | what was found, for people and for other programs: one format per file |
//! | [`statistics`], [`random`], [`names`], [`workers`] | honest numbers, counter-based random streams, hints for unknown names, threads |
//! | [`cli`] | one file per command: parse, call the library, print |
//!
//! Data goes one way: `cli → {run, experiment, report} → {optim, evaluate, problem} → {sim, policy}`. A simulation knows no optimiser, an
//! optimiser no simulation, and neither a terminal.

pub mod cli;
pub mod error;
pub mod evaluate;
pub mod experiment;
pub mod names;
pub mod optim;
pub mod policy;
pub mod problem;
pub mod random;
pub mod report;
pub mod run;
pub mod sim;
pub mod statistics;
pub mod workers;

pub use error::{Error, Result};
