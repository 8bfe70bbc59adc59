//! What was found, shown: one format per file, and no format knows another.
//!
//! A [`take`] is an episode kept for looking at. `render` draws its moments, `smooth` and `overlay` finish the pictures,
//! and [`film`] passes them to one of the formats [`mp4`], [`gif`] and [`strip`].

pub mod draft;
pub mod film;
mod font;
mod gait;
pub mod gif;
pub mod mp4;
mod overlay;
mod render;
mod smooth;
pub mod strip;
pub mod take;
#[cfg(feature = "viewer")]
pub mod window;

pub use render::View;
