//! The only font for pictures and plots. It is built in, so that they look the same on every machine.

/// Roboto Regular, Apache License 2.0.
pub const FONT: &[u8] = include_bytes!("../assets/fonts/Roboto-Regular.ttf");

/// The letters of Roboto Regular that figures need, small enough to travel inside every SVG.
pub const WEB_FONT: &[u8] = include_bytes!("../assets/fonts/Roboto-figures.woff2");
