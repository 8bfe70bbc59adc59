//! What was found, for people and for other programs: one format per file or folder, and no format knows another.
//!
//! Runs: [`runs`] reads their folders, [`groups`] puts seeds of one method together, [`curve`] is what a figure shows of a
//! group, `figure` lays it out on a `drawing` out of the parts of a `chart`, [`curves`] writes it as SVG, PNG and CSV;
//! [`comparison`] is the table, and [`page`] tells it all on one web page. [`benchmark`] is table and figures of searches
//! on problems without a simulator.
//!
//! Policies: a [`take`] is an episode kept for looking at. `render` draws its moments, `smooth` and `overlay` finish the
//! pictures, [`film`] passes them to [`mp4`], [`gif`] or [`strip`]. [`html`] is a page to play, [`traces`] are HDF5.

pub mod benchmark;
mod chart;
pub mod comparison;
pub mod curve;
pub mod curves;
pub mod draft;
mod drawing;
mod figure;
pub mod film;
mod font;
mod gait;
pub mod gif;
pub mod groups;
pub mod html;
mod metrics;
pub mod mp4;
pub mod numbers;
mod overlay;
pub mod page;
mod render;
pub mod runs;
mod smooth;
pub mod strip;
pub mod table;
pub mod take;
pub mod traces;
#[cfg(feature = "viewer")]
pub mod window;

pub use render::View;
