//! Runs: settings, resuming after any interruption, damage, full disks, threads.

#![cfg(feature = "cli")]

#[path = "../common/mod.rs"]
mod common;

mod damage;
mod divergence;
mod drift;
mod ends;
mod folder;
mod resume;
mod settings;
mod start;
mod train;
