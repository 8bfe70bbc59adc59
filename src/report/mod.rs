//! What was found, shown: run folders are read back and become figures and tables.
//!
//! [`runs`] reads folders, [`groups`] puts seeds of one method together, [`curve`] is what a figure shows of a group,
//! [`figure`] lays it out on a [`drawing`], [`curves`] writes it as SVG, PNG and CSV; [`comparison`] is the table.

pub mod comparison;
pub mod curve;
pub mod curves;
pub mod draft;
mod drawing;
mod figure;
mod font;
pub mod groups;
mod metrics;
pub mod numbers;
pub mod runs;
pub mod table;
