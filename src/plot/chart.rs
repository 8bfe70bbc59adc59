//! The parts that figures with curves share: axes, a legend, and lines that differ in color, dashes and marks.

use super::curve::Point;
use super::drawing::{Anchor, Color, Drawing};
use super::numbers::{decimals, thousands, ticks};

pub const EDGE: f32 = 20.0;
pub const INK: Color = (34, 34, 34);
pub const GREY: Color = (95, 95, 95);
pub const FAINT: Color = (226, 226, 226);

/// Okabe and Ito's palette, which color-blind readers can tell apart. Their yellow is left out as too faint for a line.
const COLORS: [Color; 7] =
    [(0, 114, 178), (213, 94, 0), (0, 158, 115), (204, 121, 167), (230, 159, 0), (86, 180, 233), (0, 0, 0)];
/// Dashes and marks tell the lines apart on a gray print as well.
const DASHES: [&[f32]; 4] = [&[], &[9.0, 4.0], &[3.0, 2.5], &[11.0, 3.0, 2.5, 3.0]];
pub const DOTTED: &[f32] = &[1.5, 2.5];

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

pub fn color(index: usize) -> Color {
    COLORS[index % COLORS.len()]
}

pub fn dashes(index: usize) -> &'static [f32] {
    DASHES[index % DASHES.len()]
}

/// Draws the entries from left to right in as many rows as they need. Returns the baseline of the last row.
pub fn legend(drawing: &mut Drawing, width: f32, entries: &[(Option<usize>, String)], first_row: f32) -> f32 {
    let (sample, gap, size) = (34.0, 26.0, 14.5);
    let (mut x, mut y) = (EDGE, first_row);
    for (index, text) in entries {
        let text = fit(drawing, text, size, width - 2.0 * EDGE - sample - 8.0);
        let wide = sample + 8.0 + drawing.width_of(&text, size);
        if x > EDGE && x + wide > width - EDGE {
            (x, y) = (EDGE, y + 21.0);
        }
        let line = [(x, y - 5.0), (x + sample, y - 5.0)];
        match index {
            Some(index) => {
                drawing.line(&line, color(*index), 2.4, dashes(*index));
                shape(drawing, (x + sample / 2.0, y - 5.0), *index);
            }
            None => drawing.line(&line, GREY, 1.3, DOTTED),
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

/// Puts a few marks along the line and one at its end. Every group has its marks at different places.
pub fn marks(drawing: &mut Drawing, line: &[(f32, f32)], index: usize, groups: usize) {
    let (apart, first) = (90.0, 90.0 * (index as f32 + 0.5) / groups as f32);
    let Some(&(start, _)) = line.first() else { return };
    let Some(&end) = line.last() else { return };
    let mut next = start + first;
    for &point in line.iter().filter(|point| point.0 < end.0 - apart / 3.0) {
        if point.0 >= next {
            shape(drawing, point, index);
            next = point.0 + apart;
        }
    }
    shape(drawing, end, index);
}

fn shape(drawing: &mut Drawing, (x, y): (f32, f32), index: usize) {
    let corners: &[(f32, f32)] = match index % 5 {
        0 => return drawing.circle((x, y), 4.0, color(index)),
        1 => &[(-3.7, -3.7), (3.7, -3.7), (3.7, 3.7), (-3.7, 3.7)],
        2 => &[(0.0, -5.0), (4.6, 3.6), (-4.6, 3.6)],
        3 => &[(0.0, -5.4), (5.4, 0.0), (0.0, 5.4), (-5.4, 0.0)],
        _ => &[(0.0, 5.0), (4.6, -3.6), (-4.6, -3.6)],
    };
    let corners: Vec<(f32, f32)> = corners.iter().map(|(dx, dy)| (x + dx, y + dy)).collect();
    drawing.area(&corners, color(index), 1.0);
}
