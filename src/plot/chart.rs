//! The parts that figures with curves share: axes, a legend, and lines that differ in color, dashes and marks.

use super::curve::Point;
use super::drawing::{Anchor, Color, Drawing};
use super::numbers::{decimals, thousands, ticks};

pub const EDGE: f32 = 20.0;
pub const INK: Color = (34, 34, 34);
pub const GRAY: Color = (95, 95, 95);
pub const FAINT: Color = (226, 226, 226);

/// Okabe and Ito's palette, which color-blind readers can tell apart, without their yellow, which is too faint for a
/// line. Two darker colors follow it.
const COLORS: [Color; 9] = [
    (0, 114, 178),
    (213, 94, 0),
    (0, 158, 115),
    (204, 121, 167),
    (230, 159, 0),
    (86, 180, 233),
    (0, 0, 0),
    (122, 81, 149),
    (140, 86, 40),
];
/// Dashes and marks tell the lines apart on a gray print as well.
const DASHES: [&[f32]; 4] = [&[], &[9.0, 4.0], &[3.0, 2.5], &[11.0, 3.0, 2.5, 3.0]];
pub const DOTTED: &[f32] = &[1.5, 2.5];

/// How a line looks: its color, its dashes and the shape of its marks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Style {
    pub color: Color,
    pub dashes: &'static [f32],
    mark: usize,
}

impl Style {
    /// The look of the kind of line at this `place` in the palette, the same in every figure. The second, third, … line
    /// of one kind (`twin` 1, 2, …) have shades of its color, and other dashes and marks.
    pub fn new(place: usize, twin: usize) -> Self {
        let color = COLORS[place % COLORS.len()];
        let color = match twin % 4 {
            0 => color,
            1 => mixed(color, 0.5, (0, 0, 0)),
            2 => mixed(color, 0.55, (255, 255, 255)),
            _ => mixed(color, 0.5, (128, 128, 128)),
        };
        Self { color, dashes: DASHES[(place + twin) % DASHES.len()], mark: place + twin }
    }

    /// The color of a line in the background.
    pub fn faint(&self) -> Color {
        mixed(self.color, 0.35, (255, 255, 255))
    }
}

/// Returns `share` of one color and the rest of the other.
fn mixed(one: Color, share: f32, other: Color) -> Color {
    let mix = |a: u8, b: u8| (f32::from(a) * share + f32::from(b) * (1.0 - share)).round() as u8;
    (mix(one.0, other.0), mix(one.1, other.1), mix(one.2, other.2))
}

/// The rectangle of a plot and the ranges of data it shows.
pub struct Frame {
    pub left: f32,
    pub right: f32,
    pub top: f32,
    pub bottom: f32,
    pub x: (f64, f64),
    pub y: (f64, f64),
    /// The text size of tick labels.
    pub size: f32,
}

impl Frame {
    pub fn at_x(&self, x: f64) -> f32 {
        self.left + ((x - self.x.0) / (self.x.1 - self.x.0)) as f32 * (self.right - self.left)
    }

    pub fn at_y(&self, y: f64) -> f32 {
        self.bottom - ((y - self.y.0) / (self.y.1 - self.y.0)) as f32 * (self.bottom - self.top)
    }

    pub fn line(&self, points: &[Point], value: impl Fn(&Point) -> f64) -> Vec<(f32, f32)> {
        points.iter().map(|p| (self.at_x(p.x), self.at_y(value(p)))).collect()
    }
}

/// What a legend shows before its words.
#[derive(Clone, Copy)]
pub enum Sample {
    Curve(Style),
    /// A line of any color, dotted or thin.
    Dotted,
    Thin,
}

/// Draws the entries from left to right in as many rows as they need. Returns the baseline of the last row.
pub fn legend(drawing: &mut Drawing, width: f32, entries: &[(Sample, String)], first_row: f32) -> f32 {
    let (sample, gap, size) = (34.0, 26.0, 14.5);
    let (mut x, mut y) = (EDGE, first_row);
    for (style, text) in entries {
        let text = fit(drawing, text, size, width - 2.0 * EDGE - sample - 8.0);
        let wide = sample + 8.0 + drawing.width_of(&text, size);
        if x > EDGE && x + wide > width - EDGE {
            (x, y) = (EDGE, y + 21.0);
        }
        let line = [(x, y - 5.0), (x + sample, y - 5.0)];
        match style {
            Sample::Curve(style) => {
                drawing.line(&line, style.color, 2.4, style.dashes);
                shape(drawing, (x + sample / 2.0, y - 5.0), style);
            }
            Sample::Dotted => drawing.line(&line, GRAY, 1.3, DOTTED),
            Sample::Thin => drawing.line(&line, GRAY, 1.0, &[]),
        }
        drawing.text(&text, (x + sample + 8.0, y), size, INK, Anchor::Left);
        x += wide + gap;
    }
    y
}

/// Draws axes with the given labeled ticks on the vertical one and about `pieces` on the horizontal one.
pub fn axes(drawing: &mut Drawing, frame: &Frame, y_ticks: &[(f64, String)], pieces: usize) {
    for (tick, name) in y_ticks {
        let y = frame.at_y(*tick);
        drawing.line(&[(frame.left, y), (frame.right, y)], FAINT, 1.0, &[]);
        drawing.text(name, (frame.left - 8.0, y + 0.32 * frame.size), frame.size, INK, Anchor::Right);
    }
    let x_ticks = ticks(frame.x.0, frame.x.1, pieces);
    for tick in &x_ticks {
        let x = frame.at_x(*tick);
        drawing.line(&[(x, frame.bottom), (x, frame.bottom + 5.0)], INK, 1.0, &[]);
        let name = thousands(*tick, decimals(&x_ticks));
        drawing.text(&name, (x, frame.bottom + 6.0 + frame.size), frame.size, INK, Anchor::Middle);
    }
    drawing.line(&[(frame.left, frame.top), (frame.left, frame.bottom)], INK, 1.0, &[]);
    drawing.line(&[(frame.left, frame.bottom), (frame.right, frame.bottom)], INK, 1.0, &[]);
}

/// Returns the text, shortened at its end if there is not enough room.
pub fn fit(drawing: &Drawing, text: &str, size: f32, room: f32) -> String {
    let mut kept = text.to_string();
    while drawing.width_of(&kept, size) > room {
        kept = kept.chars().take(kept.chars().count().saturating_sub(2)).chain(['…']).collect();
    }
    kept
}

pub fn wrap(drawing: &Drawing, text: &str, size: f32, room: f32) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if drawing.width_of(&format!("{line} {word}"), size) <= room => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_string()),
        }
    }
    lines
}

/// Puts a few marks along the line and one at its end. Every line of a figure has its marks at different places.
pub fn marks(drawing: &mut Drawing, line: &[(f32, f32)], style: &Style, (index, lines): (usize, usize)) {
    let (apart, first) = (90.0, 90.0 * (index as f32 + 0.5) / lines as f32);
    let Some(&(start, _)) = line.first() else { return };
    let Some(&end) = line.last() else { return };
    let mut next = start + first;
    for &point in line.iter().filter(|point| point.0 < end.0 - apart / 3.0) {
        if point.0 >= next {
            shape(drawing, point, style);
            next = point.0 + apart;
        }
    }
    shape(drawing, end, style);
}

fn shape(drawing: &mut Drawing, (x, y): (f32, f32), style: &Style) {
    let corners: &[(f32, f32)] = match style.mark % 5 {
        0 => return drawing.circle((x, y), 4.0, style.color),
        1 => &[(-3.7, -3.7), (3.7, -3.7), (3.7, 3.7), (-3.7, 3.7)],
        2 => &[(0.0, -5.0), (4.6, 3.6), (-4.6, 3.6)],
        3 => &[(0.0, -5.4), (5.4, 0.0), (0.0, 5.4), (-5.4, 0.0)],
        _ => &[(0.0, 5.0), (4.6, -3.6), (-4.6, -3.6)],
    };
    let corners: Vec<(f32, f32)> = corners.iter().map(|(dx, dy)| (x + dx, y + dy)).collect();
    drawing.area(&corners, style.color, 1.0);
}
