//! In: numbers and their names. Out: figures as SVG, PNG and CSV, and numbers as people read them.
//! Must not know: runs, tasks, optimizers, the terminal.
//!
//! A [`Curve`] is the middle of repeated measurements; [`learning`] lays curves out on a [`drawing`] out of the parts of a
//! [`chart`]; a [`Figure`] is the result.

pub mod chart;
mod curve;
pub mod drawing;
mod figure;
pub mod learning;
pub mod numbers;

pub use curve::{Axis, Curve, Point, Trace, csv};
pub use figure::Figure;
pub use learning::{Sheet, Yardstick};
