//! Runs: settings, resume after any death, damage, full disks, threads.

#[path = "../common/mod.rs"]
mod common;

mod damage;
mod resume;
mod settings;
mod train;
