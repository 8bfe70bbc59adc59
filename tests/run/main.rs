//! Runs: settings, resume after any death, damage, full disks, threads.

#![cfg(feature = "cli")]

#[path = "../common/mod.rs"]
mod common;

mod damage;
mod drift;
mod folder;
mod resume;
mod settings;
mod train;
