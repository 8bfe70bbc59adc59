//! A drawing is a list of shapes, text included: SVG and PNG are two ways to write the same list down.
//!
//! Text becomes outlines of our own font here, so no viewer's fonts and no fontconfig have a say in how it looks.

use super::font::FONT;
use crate::{Error, Result};
use ab_glyph::{Font, FontRef, OutlineCurve, PxScaleFont, ScaleFont};
use tiny_skia::{FillRule, LineCap, LineJoin, Paint, Path, PathBuilder, PathSegment, Pixmap, Stroke, StrokeDash};
use tiny_skia::{Point, Transform};

/// Red, green, blue.
pub type Color = (u8, u8, u8);

/// A PNG has so many pixels per unit, for today's screens.
const PIXELS: f32 = 2.0;

struct Shape {
    outline: Path,
    color: Color,
    opacity: f32,
    /// Width and dashes; none: the shape is filled.
    stroke: Option<(f32, Vec<f32>)>,
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
        let font = FontRef::try_from_slice(FONT).map_err(|e| Error::failed(format!("the built-in font: {e}")))?;
        Ok(Self { width, height, font, shapes: Vec::new() })
    }

    /// A line through the points; `dashes` are lengths on and off in turn, none for a full line.
    pub fn line(&mut self, points: &[(f32, f32)], color: Color, width: f32, dashes: &[f32]) {
        self.add(path(points, false), color, 1.0, Some((width, dashes.to_vec())));
    }

    /// The inside of the points.
    pub fn area(&mut self, points: &[(f32, f32)], color: Color, opacity: f32) {
        self.add(path(points, true), color, opacity, None);
    }

    pub fn circle(&mut self, (x, y): (f32, f32), radius: f32, color: Color) {
        self.add(PathBuilder::from_circle(x, y, radius), color, 1.0, None);
    }

    /// Text of this height on a base line through the point.
    pub fn text(&mut self, text: &str, at: (f32, f32), size: f32, color: Color, anchor: Anchor) {
        let turn = Transform::from_translate(at.0, at.1);
        self.write(text, size, color, anchor, turn);
    }

    /// Text that reads upwards.
    pub fn upright_text(&mut self, text: &str, at: (f32, f32), size: f32, color: Color, anchor: Anchor) {
        let turn = Transform::from_row(0.0, -1.0, 1.0, 0.0, at.0, at.1);
        self.write(text, size, color, anchor, turn);
    }

    /// How wide a text of this height is.
    pub fn width_of(&self, text: &str, size: f32) -> f32 {
        let font = self.font.as_scaled(size);
        advances(text, &font).last().map_or(0.0, |(x, c)| x + font.h_advance(font.glyph_id(*c)))
    }

    fn write(&mut self, text: &str, size: f32, color: Color, anchor: Anchor, turn: Transform) {
        let shift = match anchor {
            Anchor::Left => 0.0,
            Anchor::Middle => -self.width_of(text, size) / 2.0,
            Anchor::Right => -self.width_of(text, size),
        };
        let font = self.font.as_scaled(size);
        let (h, v) = (font.h_scale_factor(), font.v_scale_factor());
        let mut outline = PathBuilder::new();
        for (x, character) in advances(text, &font) {
            let Some(glyph) = self.font.outline(font.glyph_id(character)) else { continue };
            let place = |p: ab_glyph::Point| Point::from_xy(shift + x + h * p.x, -v * p.y);
            trace(&glyph.curves, place, &mut outline);
        }
        let outline = outline.finish().and_then(|outline| outline.transform(turn));
        self.add(outline, color, 1.0, None);
    }

    fn add(&mut self, outline: Option<Path>, color: Color, opacity: f32, stroke: Option<(f32, Vec<f32>)>) {
        self.shapes.extend(outline.map(|outline| Shape { outline, color, opacity, stroke }));
    }

    pub fn svg(&self, title: &str) -> String {
        let (w, h) = (self.width, self.height);
        let title = title.replace('&', "&amp;").replace('<', "&lt;");
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{w}\" height=\"{h}\" viewBox=\"0 0 {w} {h}\">\n\
             <title>{title}</title>\n<rect width=\"{w}\" height=\"{h}\" fill=\"#ffffff\"/>\n"
        );
        for Shape { outline, color: (r, g, b), opacity, stroke } in &self.shapes {
            let color = format!("#{r:02x}{g:02x}{b:02x}");
            let how = match stroke {
                None if *opacity < 1.0 => format!("fill=\"{color}\" fill-opacity=\"{opacity}\""),
                None => format!("fill=\"{color}\""),
                Some((width, dashes)) => {
                    let dashes = dashes.iter().map(f32::to_string).collect::<Vec<_>>().join(" ");
                    let dashes = if dashes.is_empty() { dashes } else { format!(" stroke-dasharray=\"{dashes}\"") };
                    format!(
                        "fill=\"none\" stroke=\"{color}\" stroke-width=\"{width}\" stroke-linejoin=\"round\"{dashes}"
                    )
                }
            };
            svg += &format!("<path d=\"{}\" {how}/>\n", commands(outline));
        }
        svg + "</svg>\n"
    }

    pub fn png(&self) -> Result<Vec<u8>> {
        let failed = |what: &str| Error::failed(format!("cannot draw the PNG: {what}"));
        let size = ((self.width * PIXELS) as u32, (self.height * PIXELS) as u32);
        let mut pixels = Pixmap::new(size.0, size.1).ok_or_else(|| failed("no room"))?;
        pixels.fill(tiny_skia::Color::WHITE);
        let grow = Transform::from_scale(PIXELS, PIXELS);
        for shape in &self.shapes {
            let mut paint = Paint { anti_alias: true, ..Paint::default() };
            let (r, g, b) = shape.color;
            paint.set_color_rgba8(r, g, b, (shape.opacity * 255.0).round() as u8);
            match &shape.stroke {
                None => pixels.fill_path(&shape.outline, &paint, FillRule::Winding, grow, None),
                Some((width, dashes)) => {
                    let dash = StrokeDash::new(dashes.clone(), 0.0);
                    let (line_join, line_cap) = (LineJoin::Round, LineCap::Butt);
                    let stroke = Stroke { width: *width, dash, line_join, line_cap, ..Stroke::default() };
                    pixels.stroke_path(&shape.outline, &paint, &stroke, grow, None);
                }
            }
        }
        pixels.encode_png().map_err(|e| failed(&e.to_string()))
    }
}

/// Each character with the place of its origin.
fn advances(text: &str, font: &PxScaleFont<&FontRef<'static>>) -> Vec<(f32, char)> {
    let (mut x, mut last) = (0.0, None);
    let place = |c: char| {
        let glyph = font.glyph_id(c);
        x += last.map_or(0.0, |last| font.h_advance(last) + font.kern(last, glyph));
        last = Some(glyph);
        (x, c)
    };
    text.chars().map(place).collect()
}

/// A font gives curves one after the other; where one does not start at the other's end, a new contour starts.
fn trace(curves: &[OutlineCurve], place: impl Fn(ab_glyph::Point) -> Point, outline: &mut PathBuilder) {
    let mut end = None;
    for curve in curves {
        let (first, last) = match curve {
            OutlineCurve::Line(a, b) => (*a, *b),
            OutlineCurve::Quad(a, _, b) => (*a, *b),
            OutlineCurve::Cubic(a, _, _, b) => (*a, *b),
        };
        if end != Some(first) {
            if end.is_some() {
                outline.close();
            }
            let p = place(first);
            outline.move_to(p.x, p.y);
        }
        let b = place(last);
        match curve {
            OutlineCurve::Line(..) => outline.line_to(b.x, b.y),
            OutlineCurve::Quad(_, c, _) => outline.quad_to(place(*c).x, place(*c).y, b.x, b.y),
            OutlineCurve::Cubic(_, c, d, _) => {
                outline.cubic_to(place(*c).x, place(*c).y, place(*d).x, place(*d).y, b.x, b.y);
            }
        }
        end = Some(last);
    }
    if end.is_some() {
        outline.close();
    }
}

fn path(points: &[(f32, f32)], closed: bool) -> Option<Path> {
    let mut builder = PathBuilder::new();
    let (first, rest) = points.split_first()?;
    builder.move_to(first.0, first.1);
    rest.iter().for_each(|(x, y)| builder.line_to(*x, *y));
    if closed {
        builder.close();
    }
    builder.finish()
}

/// A path in SVG's words, to a hundredth of a unit.
fn commands(path: &Path) -> String {
    let p = |point: Point| {
        let round = |v: f32| (f64::from(v) * 100.0).round() / 100.0 + 0.0;
        format!("{} {}", round(point.x), round(point.y))
    };
    let word = |segment| match segment {
        PathSegment::MoveTo(a) => format!("M{}", p(a)),
        PathSegment::LineTo(a) => format!("L{}", p(a)),
        PathSegment::QuadTo(c, a) => format!("Q{} {}", p(c), p(a)),
        PathSegment::CubicTo(c, d, a) => format!("C{} {} {}", p(c), p(d), p(a)),
        PathSegment::Close => "Z".to_string(),
    };
    path.segments().map(word).collect()
}
