//! What was found, for people and for other programs: one format per file or folder.
//!
//! [`runs`] reads run folders, [`groups`] puts seeds of one method together, [`curve`] is what a figure shows of a group,
//! `figure` lays it out on a `drawing`, [`curves`] writes it as SVG, PNG and CSV; [`comparison`] is the table. [`traces`]
//! are HDF5, [`html`] a page to play.

pub mod comparison;
pub mod curve;
pub mod curves;
mod draft;
mod drawing;
mod figure;
mod font;
pub mod groups;
pub mod html;
mod metrics;
pub mod numbers;
pub mod runs;
pub mod table;
pub mod traces;
