//! In: run folders, outcomes of benchmarks. Out: the results as tables and pages.
//! Must not know: how a run is made (`train`), the terminal.
//!
//! [`runs`] reads run folders, [`repetitions`] groups the seeds of one method, [`curves`] draws them, [`comparison`] is
//! the table, and [`page`] presents everything on one web page. [`benchmark`] has the tables and figures of searches on
//! problems without a simulator.

pub mod benchmark;
pub mod comparison;
pub mod curves;
pub mod page;
pub mod repetitions;
pub mod runs;
mod styles;
pub mod table;
pub mod tensorboard;
