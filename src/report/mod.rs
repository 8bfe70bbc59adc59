//! In: run folders, outcomes of benchmarks. Out: what was found, as tables and pages.
//! Must not know: how a run is made (`train`), the terminal.
//!
//! [`runs`] reads run folders, [`repetitions`] puts the seeds of one method together, [`curves`] draws them,
//! [`comparison`] is the table, and [`page`] tells it all on one web page. [`benchmark`] is table and figures of searches on
//! problems without a simulator.

pub mod benchmark;
pub mod comparison;
pub mod curves;
pub mod page;
pub mod repetitions;
pub mod runs;
pub mod table;
