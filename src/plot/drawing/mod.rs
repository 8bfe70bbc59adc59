//! A drawing is a list of strokes. They become the elements of an SVG, and plotters turns them into pixels.
//!
//! Text is drawn with the built-in font and needs no fontconfig. In a PNG it becomes outlines. In an SVG it stays text,
//! which can be searched and copied; its letters travel inside the file, and its width is fixed for a viewer that uses
//! another font.

mod letters;
mod png;
mod svg;

use crate::font::FONT;
use crate::{Error, Result};
use ab_glyph::{Font, FontRef, ScaleFont};

/// Red, green, blue.
pub type Color = (u8, u8, u8);

enum Stroke {
    Line {
        points: Vec<(f32, f32)>,
        color: Color,
        width: f32,
        dashes: Vec<f32>,
    },
    Area {
        points: Vec<(f32, f32)>,
        color: Color,
        opacity: f32,
    },
    Circle {
        center: (f32, f32),
        radius: f32,
        color: Color,
    },
    Text(Text),
    /// A point that tells its value in a browser. It cannot be seen.
    Spot {
        center: (f32, f32),
        text: String,
    },
}

struct Text {
    text: String,
    at: (f32, f32),
    size: f32,
    color: Color,
    anchor: Anchor,
    /// Whether it reads from bottom to top.
    upright: bool,
}

/// Which point of a text lies at the given position.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Anchor {
    Left,
    Middle,
    Right,
}

pub struct Drawing {
    width: f32,
    height: f32,
    font: FontRef<'static>,
    strokes: Vec<Stroke>,
}

impl Drawing {
    /// An empty drawing of this size.
    ///
    /// # Errors
    /// If the built-in font cannot be read.
    pub fn new(width: f32, height: f32) -> Result<Self> {
        let font =
            FontRef::try_from_slice(FONT).map_err(|e| Error::failed(format!("cannot read the built-in font: {e}")))?;
        Ok(Self { width, height, font, strokes: Vec::new() })
    }

    /// Draws a line through the points. `dashes` alternates lengths on and off; an empty list means a solid line.
    pub fn line(&mut self, points: &[(f32, f32)], color: Color, width: f32, dashes: &[f32]) {
        self.strokes.push(Stroke::Line { points: points.to_vec(), color, width, dashes: dashes.to_vec() });
    }

    /// Fills the polygon through the points.
    pub fn area(&mut self, points: &[(f32, f32)], color: Color, opacity: f32) {
        self.strokes.push(Stroke::Area { points: points.to_vec(), color, opacity });
    }

    pub fn circle(&mut self, center: (f32, f32), radius: f32, color: Color) {
        self.strokes.push(Stroke::Circle { center, radius, color });
    }

    /// Marks a point whose text appears under the pointer. Only an SVG has it.
    pub fn spot(&mut self, center: (f32, f32), text: String) {
        self.strokes.push(Stroke::Spot { center, text });
    }

    /// Writes text whose baseline passes through the point.
    pub fn text(&mut self, text: &str, at: (f32, f32), size: f32, color: Color, anchor: Anchor) {
        self.strokes.push(Stroke::Text(Text { text: text.into(), at, size, color, anchor, upright: false }));
    }

    /// Writes text that reads from bottom to top.
    pub fn upright_text(&mut self, text: &str, at: (f32, f32), size: f32, color: Color, anchor: Anchor) {
        self.strokes.push(Stroke::Text(Text { text: text.into(), at, size, color, anchor, upright: true }));
    }

    /// Returns the width of a text.
    pub fn width_of(&self, text: &str, size: f32) -> f32 {
        let font = self.font.as_scaled(size);
        text.chars().map(|c| font.h_advance(font.glyph_id(c))).sum()
    }

    /// Returns where a text begins on its baseline, which depends on its anchor.
    fn start(&self, text: &Text) -> f32 {
        match text.anchor {
            Anchor::Left => 0.0,
            Anchor::Middle => -self.width_of(&text.text, text.size) / 2.0,
            Anchor::Right => -self.width_of(&text.text, text.size),
        }
    }
}
