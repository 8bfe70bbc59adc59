//! A drawing as a PNG. Plotters paints it larger, and averaging smooths the edges.

use super::{Color, Drawing, Stroke};
use crate::{Error, Result};
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::Color as _;

/// Pixels of a PNG per unit of the drawing, for high-resolution screens.
const PIXELS: usize = 2;
/// Each of these pixels averages this many by this many drawn ones, because plotters does not smooth edges.
const SAMPLES: usize = 3;

impl Drawing {
    /// Returns the drawing as PNG.
    ///
    /// # Errors
    /// If the picture cannot be painted or encoded.
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
