//! Derivative-free search of linear policies for MuJoCo walkers.
//!
//! | module | holds |
//! |---|---|
//! | [`sim`] | tasks equal to Gymnasium's: reset, step, observation, reward, termination |
//! | [`policy`] | a = clamp(W·(s − mean)/std, −1, 1) and its file format |
//! | [`evaluate`] | batches of episodes on threads, outcomes in index order |
//! | [`report`] | what was found, shown: video, GIF, film strip |
//! | [`random`] | counter-based random streams |
//! | [`statistics`] | honest numbers from samples |
//! | [`cli`] | one file per command: parse, call the library, print |
//!
//! Data goes one way: `cli → {evaluate, report} → {sim, policy}`. A simulation knows no optimiser and no terminal.

pub mod cli;
pub mod error;
pub mod evaluate;
pub mod names;
pub mod policy;
pub mod random;
pub mod report;
pub mod sim;
pub mod statistics;

pub use error::{Error, Result};
