//! A drawing is a list of strokes. They become the elements of an SVG, and plotters turns them into pixels.
//!
//! Text is drawn with the built-in font and needs no fontconfig. In a PNG it becomes outlines. In an SVG it stays text,
//! which can be searched and copied; its letters travel inside the file, and its width is fixed for a viewer that uses
//! another font.

use crate::font::{FONT, WEB_FONT};
use crate::{Error, Result};
use ab_glyph::{Font, FontRef, OutlineCurve, ScaleFont};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::Color as _;

/// Red, green, blue.
pub type Color = (u8, u8, u8);

/// Pixels of a PNG per unit of the drawing, for high-resolution screens.
const PIXELS: usize = 2;
/// Each of these pixels averages this many by this many drawn ones, because plotters does not smooth edges.
const SAMPLES: usize = 3;
/// The number of straight pieces that replace a curve of a letter.
const PIECES: usize = 5;

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

    /// Returns the outlines of a text's letters.
    fn letters(&self, text: &Text) -> Vec<Vec<(f32, f32)>> {
        let place = |(x, y): (f32, f32)| match text.upright {
            true => (text.at.0 + y, text.at.1 - x),
            false => (text.at.0 + x, text.at.1 + y),
        };
        let mut x = self.start(text);
        let font = self.font.as_scaled(text.size);
        let (h, v) = (font.h_scale_factor(), font.v_scale_factor());
        let mut letters = Vec::new();
        for glyph in text.text.chars().map(|c| font.glyph_id(c)) {
            if let Some(outline) = self.font.outline(glyph) {
                letters
                    .push(contour(&outline.curves).into_iter().map(|(px, py)| place((x + h * px, -v * py))).collect());
            }
            x += font.h_advance(glyph);
        }
        letters
    }

    /// Returns a stroke as an element of an SVG.
    fn element(&self, stroke: &Stroke) -> String {
        match stroke {
            Stroke::Line { points, color, width, dashes } => {
                let dashes: Vec<String> = dashes.iter().map(f32::to_string).collect();
                let dashes = match dashes.is_empty() {
                    true => String::new(),
                    false => format!(" stroke-dasharray=\"{}\"", dashes.join(" ")),
                };
                let (points, color) = (listed(points), hex(*color));
                format!(
                    "<polyline points=\"{points}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"{width}\"{dashes}/>\n"
                )
            }
            Stroke::Area { points, color, opacity } => {
                let (points, color) = (listed(points), hex(*color));
                format!("<polygon points=\"{points}\" fill=\"{color}\" fill-opacity=\"{opacity}\"/>\n")
            }
            Stroke::Circle { center: (x, y), radius, color } => {
                format!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius}\" fill=\"{}\"/>\n", hex(*color))
            }
            Stroke::Text(text) => self.text_element(text),
            Stroke::Spot { center: (x, y), text } => format!(
                "<circle class=\"spot\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"7\" fill=\"none\" pointer-events=\"all\">\
                 <title>{}</title></circle>\n",
                escaped(text)
            ),
        }
    }

    fn text_element(&self, text: &Text) -> String {
        let Text { at: (x, y), size, color, upright, .. } = text;
        let start = self.start(text);
        let (x, y, turn) = match upright {
            true => (*x, y - start, format!(" transform=\"rotate(-90 {x:.1} {:.1})\"", y - start)),
            false => (x + start, *y, String::new()),
        };
        // The size of our letters is their height from top to bottom, that of an SVG is the font's em.
        let em = size * self.font.units_per_em().unwrap_or(1.0) / self.font.height_unscaled();
        let (wide, color, told) = (self.width_of(&text.text, *size), hex(*color), escaped(&text.text));
        format!(
            "<text x=\"{x:.1}\" y=\"{y:.1}\" font-size=\"{em:.2}\" fill=\"{color}\" textLength=\"{wide:.1}\" \
             lengthAdjust=\"spacingAndGlyphs\"{turn}>{told}</text>\n"
        )
    }

    /// Returns the drawing as SVG, with a title for screen readers.
    pub fn svg(&self, title: &str) -> Result<String> {
        let (w, h, title) = (self.width, self.height, escaped(title));
        let elements: String = self.strokes.iter().map(|stroke| self.element(stroke)).collect();
        Ok(format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{w}\" height=\"{h}\" viewBox=\"0 0 {w} {h}\" \
             font-family=\"Roboto,'Roboto figures',Helvetica,Arial,sans-serif\">\n\
             <title>{title}</title>\n<style>@font-face{{font-family:'Roboto figures';\
             src:url(data:font/woff2;base64,{})}}</style>\n\
             <rect width=\"{w}\" height=\"{h}\" fill=\"#ffffff\"/>\n{elements}</svg>\n",
            STANDARD.encode(WEB_FONT)
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
                Stroke::Text(text) => {
                    for letter in self.letters(text) {
                        let points: Vec<(i32, i32)> = letter.into_iter().map(at).collect();
                        area.draw(&Polygon::new(points, rgb(text.color).filled())).map_err(failed)?;
                    }
                }
                Stroke::Spot { .. } => {}
            }
        }
        area.present().map_err(failed)
    }
}

fn failed(what: impl std::fmt::Display) -> Error {
    Error::failed(format!("cannot draw: {what}"))
}

fn escaped(text: &str) -> String {
    let printable = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect::<String>();
    printable.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

fn hex((r, g, b): Color) -> String {
    format!("#{r:02x}{g:02x}{b:02x}")
}

fn listed(points: &[(f32, f32)]) -> String {
    points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect::<Vec<_>>().join(" ")
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
