//! The letters of a text as polygons, for pictures that cannot hold text.

use super::{Drawing, Text};
use ab_glyph::{Font, OutlineCurve, ScaleFont};

/// The number of straight pieces that replace a curve of a letter.
const PIECES: usize = 5;

impl Drawing {
    /// Returns the outlines of a text's letters.
    pub(super) fn letters(&self, text: &Text) -> Vec<Vec<(f32, f32)>> {
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
