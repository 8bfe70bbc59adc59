//! A drawing is a list of shapes, text included; plotters writes the list down as SVG and as pixels.

use super::font::FONT;
use crate::{Error, Result};
use ab_glyph::{Font, FontRef, ScaleFont};
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::Color as _;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use std::sync::Once;

/// Red, green, blue.
pub type Color = (u8, u8, u8);

/// plotters counts in whole units, so a drawing is laid out this much larger than it is shown.
const FINE: f32 = 8.0;
/// A PNG has so many pixels per unit, for today's screens,
const PIXELS: usize = 2;
/// each the mean of so many drawn ones in a row and in a column: plotters' own edges are hard.
const SAMPLES: usize = 3;
/// The name the font goes by.
const FAMILY: &str = "sans-serif";
/// plotters writes text of size s with letters of s / 1.24 per em.
const EM: f32 = 1.24;

enum Shape {
    Line { points: Vec<(f32, f32)>, color: Color, width: f32, dashes: Vec<f32> },
    Area { points: Vec<(f32, f32)>, color: Color, opacity: f32 },
    Circle { center: (f32, f32), radius: f32, color: Color },
    Text { text: String, at: (f32, f32), size: f32, color: Color, anchor: Anchor, upright: bool },
}

/// Where a text's given point lies in it.
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
    shapes: Vec<Shape>,
}

impl Drawing {
    pub fn new(width: f32, height: f32) -> Result<Self> {
        static ONCE: Once = Once::new();
        // plotters asks for the font by name; a font that ab_glyph reads below is one it can register.
        ONCE.call_once(|| drop(plotters::style::register_font(FAMILY, FontStyle::Normal, FONT)));
        let font = FontRef::try_from_slice(FONT).map_err(|e| Error::failed(format!("the built-in font: {e}")))?;
        Ok(Self { width, height, font, shapes: Vec::new() })
    }

    /// A line through the points; `dashes` are lengths on and off in turn, none for a full line.
    pub fn line(&mut self, points: &[(f32, f32)], color: Color, width: f32, dashes: &[f32]) {
        self.shapes.push(Shape::Line { points: points.to_vec(), color, width, dashes: dashes.to_vec() });
    }

    /// The inside of the points.
    pub fn area(&mut self, points: &[(f32, f32)], color: Color, opacity: f32) {
        self.shapes.push(Shape::Area { points: points.to_vec(), color, opacity });
    }

    pub fn circle(&mut self, center: (f32, f32), radius: f32, color: Color) {
        self.shapes.push(Shape::Circle { center, radius, color });
    }

    /// Text of this size on a base line through the point.
    pub fn text(&mut self, text: &str, at: (f32, f32), size: f32, color: Color, anchor: Anchor) {
        self.shapes.push(Shape::Text { text: text.into(), at, size, color, anchor, upright: false });
    }

    /// Text that reads upwards.
    pub fn upright_text(&mut self, text: &str, at: (f32, f32), size: f32, color: Color, anchor: Anchor) {
        self.shapes.push(Shape::Text { text: text.into(), at, size, color, anchor, upright: true });
    }

    /// How wide a text of this size is.
    pub fn width_of(&self, text: &str, size: f32) -> f32 {
        let font = self.font.as_scaled(size);
        text.chars().map(|c| font.h_advance(font.glyph_id(c))).sum()
    }

    pub fn svg(&self, title: &str) -> Result<String> {
        let (w, h) = (self.width, self.height);
        let mut svg = String::new();
        let backend = SVGBackend::with_string(&mut svg, ((w * FINE) as u32, (h * FINE) as u32));
        self.paint(&backend.into_drawing_area(), FINE)?;
        // Shown at its own size, whatever the units inside, and with a name for those who cannot see it.
        let title = title.replace('&', "&amp;").replace('<', "&lt;");
        let (_, rest) = svg.split_once('>').ok_or_else(|| failed("no SVG"))?;
        Ok(format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{w}\" height=\"{h}\" viewBox=\"0 0 {} {}\">\n\
             <title>{title}</title>{rest}",
            w * FINE,
            h * FINE
        ))
    }

    pub fn png(&self) -> Result<Vec<u8>> {
        let (w, h) = (self.width as usize * PIXELS, self.height as usize * PIXELS);
        let (wide, high) = (w * SAMPLES, h * SAMPLES);
        let mut drawn = vec![0u8; wide * high * 3];
        {
            let backend = BitMapBackend::with_buffer(&mut drawn, (wide as u32, high as u32));
            self.paint(&backend.into_drawing_area(), (PIXELS * SAMPLES) as f32)?;
        }
        let mean = |x: usize, y: usize, channel: usize| {
            let rows = (0..SAMPLES).map(|row| ((y * SAMPLES + row) * wide + x * SAMPLES) * 3 + channel);
            let sum: usize =
                rows.flat_map(|start| (0..SAMPLES).map(move |i| start + 3 * i)).map(|i| drawn[i] as usize).sum();
            (sum / (SAMPLES * SAMPLES)) as u8
        };
        let pixel = |i: usize| mean(i / 3 % w, i / 3 / w, i % 3);
        let pixels: Vec<u8> = (0..w * h * 3).map(pixel).collect();
        let mut file = Vec::new();
        let mut encoder = png::Encoder::new(&mut file, w as u32, h as u32);
        encoder.set_color(png::ColorType::Rgb);
        let written = encoder.write_header().and_then(|mut writer| writer.write_image_data(&pixels));
        written.map_err(failed)?;
        Ok(file)
    }

    fn paint<B: DrawingBackend>(&self, area: &DrawingArea<B, Shift>, scale: f32) -> Result<()> {
        let at = |(x, y): (f32, f32)| ((x * scale).round() as i32, (y * scale).round() as i32);
        area.fill(&WHITE).map_err(failed)?;
        for shape in &self.shapes {
            match shape {
                Shape::Line { points, color, width, dashes } => {
                    let style = rgb(*color).stroke_width((width * scale).round() as u32);
                    for part in dashed(points, dashes) {
                        let part: Vec<(i32, i32)> = part.into_iter().map(at).collect();
                        area.draw(&PathElement::new(part, style)).map_err(failed)?;
                    }
                }
                Shape::Area { points, color, opacity } => {
                    let points: Vec<(i32, i32)> = points.iter().copied().map(at).collect();
                    area.draw(&Polygon::new(points, rgb(*color).mix(f64::from(*opacity)).filled())).map_err(failed)?;
                }
                Shape::Circle { center, radius, color } => {
                    let radius = (radius * scale).round() as i32;
                    area.draw(&Circle::new(at(*center), radius, rgb(*color).filled())).map_err(failed)?;
                }
                Shape::Text { text, at: place, size, color, anchor, upright } => {
                    let side = match anchor {
                        Anchor::Left => HPos::Left,
                        Anchor::Middle => HPos::Center,
                        Anchor::Right => HPos::Right,
                    };
                    let turn = if *upright { FontTransform::Rotate270 } else { FontTransform::None };
                    let font = (FAMILY, size * scale).into_font().transform(turn);
                    let ink = rgb(*color);
                    let style = TextStyle::from(font).color(&ink).pos(Pos::new(side, VPos::Bottom));
                    // plotters sets the bottom of the letters' box, which reaches below their base line.
                    let below = size / EM * BELOW;
                    let place = if *upright { (place.0 + below, place.1) } else { (place.0, place.1 + below) };
                    area.draw(&Text::new(text.as_str(), at(place), style)).map_err(failed)?;
                }
            }
        }
        area.present().map_err(failed)
    }
}

/// How far the letters' box reaches below their base line, in ems.
const BELOW: f32 = 0.22;

fn failed(what: impl std::fmt::Display) -> Error {
    Error::failed(format!("cannot draw: {what}"))
}

fn rgb((r, g, b): Color) -> RGBColor {
    RGBColor(r, g, b)
}

/// The drawn pieces of a line, cut along its length.
fn dashed(points: &[(f32, f32)], dashes: &[f32]) -> Vec<Vec<(f32, f32)>> {
    if dashes.is_empty() || points.len() < 2 {
        return vec![points.to_vec()];
    }
    let (mut pieces, mut piece) = (Vec::new(), vec![points[0]]);
    let (mut turn, mut left) = (0, dashes[0]);
    for pair in points.windows(2) {
        let (mut from, to) = (pair[0], pair[1]);
        let mut rest = (to.0 - from.0).hypot(to.1 - from.1);
        while rest > left {
            let share = left / rest;
            from = (from.0 + (to.0 - from.0) * share, from.1 + (to.1 - from.1) * share);
            rest -= left;
            if turn % 2 == 0 {
                piece.push(from);
                pieces.push(std::mem::take(&mut piece));
            }
            turn += 1;
            left = dashes[turn % dashes.len()];
            if turn % 2 == 0 {
                piece = vec![from];
            }
        }
        left -= rest;
        if turn % 2 == 0 {
            piece.push(to);
        }
    }
    if piece.len() > 1 {
        pieces.push(piece);
    }
    pieces
}
