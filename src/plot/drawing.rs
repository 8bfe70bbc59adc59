//! A drawing is a list of strokes, which plotters turns into SVG or pixels.
//!
//! Text becomes outlines of the built-in font here, so it looks the same in every viewer and needs no fontconfig.

use crate::font::FONT;
use crate::{Error, Result};
use ab_glyph::{Font, FontRef, OutlineCurve, ScaleFont};
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::Color as _;

/// Red, green, blue.
pub type Color = (u8, u8, u8);

/// plotters uses whole coordinates, so a drawing is laid out this many times larger than it is shown.
const FINE: f32 = 8.0;
/// Pixels of a PNG per unit of the drawing, for high-resolution screens.
const PIXELS: usize = 2;
/// Each of these pixels averages this many by this many drawn ones, because plotters does not smooth edges.
const SAMPLES: usize = 3;
/// The number of straight pieces that replace a curve of a letter.
const PIECES: usize = 5;

enum Stroke {
    Line { points: Vec<(f32, f32)>, color: Color, width: f32, dashes: Vec<f32> },
    Area { points: Vec<(f32, f32)>, color: Color, opacity: f32 },
    Circle { center: (f32, f32), radius: f32, color: Color },
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

    /// Writes text whose baseline passes through the point.
    pub fn text(&mut self, text: &str, at: (f32, f32), size: f32, color: Color, anchor: Anchor) {
        self.write(text, size, color, anchor, |(x, y)| (at.0 + x, at.1 + y));
    }

    /// Writes text that reads from bottom to top.
    pub fn upright_text(&mut self, text: &str, at: (f32, f32), size: f32, color: Color, anchor: Anchor) {
        self.write(text, size, color, anchor, |(x, y)| (at.0 + y, at.1 - x));
    }

    /// Returns the width of a text.
    pub fn width_of(&self, text: &str, size: f32) -> f32 {
        let font = self.font.as_scaled(size);
        text.chars().map(|c| font.h_advance(font.glyph_id(c))).sum()
    }

    fn write(&mut self, text: &str, size: f32, color: Color, anchor: Anchor, place: impl Fn((f32, f32)) -> (f32, f32)) {
        let mut x = match anchor {
            Anchor::Left => 0.0,
            Anchor::Middle => -self.width_of(text, size) / 2.0,
            Anchor::Right => -self.width_of(text, size),
        };
        let font = self.font.as_scaled(size);
        let (h, v) = (font.h_scale_factor(), font.v_scale_factor());
        for glyph in text.chars().map(|c| font.glyph_id(c)) {
            if let Some(outline) = self.font.outline(glyph) {
                let points =
                    contour(&outline.curves).into_iter().map(|(px, py)| place((x + h * px, -v * py))).collect();
                self.strokes.push(Stroke::Area { points, color, opacity: 1.0 });
            }
            x += font.h_advance(glyph);
        }
    }

    pub fn svg(&self, title: &str) -> Result<String> {
        let (w, h) = (self.width, self.height);
        let mut svg = String::new();
        let backend = SVGBackend::with_string(&mut svg, ((w * FINE) as u32, (h * FINE) as u32));
        self.paint(&backend.into_drawing_area(), FINE)?;
        // Shows the figure at its own size whatever units are used inside, and gives it a title for screen readers.
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
        for shape in &self.strokes {
            match shape {
                Stroke::Line { points, color, width, dashes } => {
                    let style = rgb(*color).stroke_width((width * scale).round() as u32);
                    for part in dashed(points, dashes) {
                        let part: Vec<(i32, i32)> = part.into_iter().map(at).collect();
                        area.draw(&PathElement::new(part, style)).map_err(failed)?;
                    }
                }
                Stroke::Area { points, color, opacity } => {
                    let points: Vec<(i32, i32)> = points.iter().copied().map(at).collect();
                    area.draw(&Polygon::new(points, rgb(*color).mix(f64::from(*opacity)).filled())).map_err(failed)?;
                }
                Stroke::Circle { center, radius, color } => {
                    let radius = (radius * scale).round() as i32;
                    area.draw(&Circle::new(at(*center), radius, rgb(*color).filled())).map_err(failed)?;
                }
            }
        }
        area.present().map_err(failed)
    }
}

fn failed(what: impl std::fmt::Display) -> Error {
    Error::failed(format!("cannot draw: {what}"))
}

fn rgb((r, g, b): Color) -> RGBColor {
    RGBColor(r, g, b)
}

/// Cuts a line into the pieces that its dashes leave visible.
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

/// Joins the contours of a letter into one polygon. Each contour is tied to the very first point by a line that is
/// drawn there and back, which encloses no area. Holes stay holes because they run in the opposite direction.
fn contour(curves: &[OutlineCurve]) -> Vec<(f32, f32)> {
    let (mut points, mut end): (Vec<(f32, f32)>, Option<ab_glyph::Point>) = (Vec::new(), None);
    let (mut root, mut start) = (None, (0.0, 0.0));
    for curve in curves {
        let toward = |from: ab_glyph::Point, to: ab_glyph::Point| {
            ab_glyph::point(from.x + (to.x - from.x) * 2.0 / 3.0, from.y + (to.y - from.y) * 2.0 / 3.0)
        };
        let [a, b, c, d] = match *curve {
            OutlineCurve::Line(a, d) => [a, a, d, d],
            OutlineCurve::Quad(a, c, d) => [a, toward(a, c), toward(d, c), d],
            OutlineCurve::Cubic(a, b, c, d) => [a, b, c, d],
        };
        if end != Some(a) {
            if let Some(root) = root {
                points.extend([start, root]);
            }
            start = (a.x, a.y);
            root = root.or(Some(start));
            points.push(start);
        }
        let straight = matches!(curve, OutlineCurve::Line(..));
        for piece in (1..=PIECES).filter(|piece| !straight || *piece == PIECES) {
            let t = piece as f32 / PIECES as f32;
            let u = 1.0 - t;
            let p = |a: f32, b: f32, c: f32, d: f32| u * u * u * a + 3.0 * u * t * (u * b + t * c) + t * t * t * d;
            points.push((p(a.x, b.x, c.x, d.x), p(a.y, b.y, c.y, d.y)));
        }
        end = Some(d);
    }
    points.extend(root.into_iter().flat_map(|root| [start, root]));
    points
}
