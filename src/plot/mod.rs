//! In: numbers and their names. Out: figures as SVG, PNG and CSV, and numbers formatted for people.
//! Must not know: runs, tasks, optimizers, the terminal.
//!
//! A [`Curve`] summarizes repeated measurements. [`learning`] lays curves out on a [`drawing`] with the parts in
//! [`chart`], and a [`Figure`] is the result.

pub mod chart;
mod curve;
pub mod drawing;
mod figure;
pub mod learning;
pub mod numbers;

pub use chart::Style;
pub use curve::{Axis, Curve, Point, Trace, csv};
pub use figure::Figure;
pub use learning::{Sheet, Yardstick};
