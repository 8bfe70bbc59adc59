//! Lays the curves out: title and legend above, yardsticks named at the right, so that nothing is written over data.

use super::curve::{Axis, Curve, Point};
use super::drawing::{Anchor, Color, Drawing};
use super::numbers::{decimals, mark, thousands, ticks};
use crate::Result;
use crate::sim::Yardstick;

const EDGE: f32 = 20.0;

/// What the figure is drawn on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sheet {
    width: f32,
    height: f32,
    /// Room for yardsticks at the right.
    margin: f32,
    /// Whether the figure explains itself: title, and the names of yardsticks. Otherwise what stands around it does.
    alone: bool,
    /// About how many ticks an axis has.
    ticks: (usize, usize),
}

impl Sheet {
    pub const WIDE: Self = Self { width: 900.0, height: 560.0, margin: 208.0, alone: true, ticks: (9, 9) };
    /// For a phone, in a text.
    pub const NARROW: Self = Self { width: 400.0, height: 400.0, margin: 52.0, alone: false, ticks: (4, 7) };
}

const INK: Color = (34, 34, 34);
const GREY: Color = (95, 95, 95);
const FAINT: Color = (226, 226, 226);

/// Okabe and Ito's colours, told apart by every kind of eye; their yellow is too faint for a line.
const COLORS: [Color; 7] =
    [(0, 114, 178), (213, 94, 0), (0, 158, 115), (204, 121, 167), (230, 159, 0), (86, 180, 233), (0, 0, 0)];
/// Dashes and marks tell the same lines apart on a grey print.
const DASHES: [&[f32]; 4] = [&[], &[9.0, 4.0], &[3.0, 2.5], &[11.0, 3.0, 2.5, 3.0]];
const DOTTED: &[f32] = &[1.5, 2.5];

/// The plot's rectangle and the ranges of data it shows.
struct Frame {
    sheet: Sheet,
    left: f32,
    right: f32,
    top: f32,
    bottom: f32,
    x: (f64, f64),
    y: (f64, f64),
}

impl Frame {
    fn at_x(&self, x: f64) -> f32 {
        self.left + ((x - self.x.0) / (self.x.1 - self.x.0)) as f32 * (self.right - self.left)
    }

    fn at_y(&self, y: f64) -> f32 {
        self.bottom - ((y - self.y.0) / (self.y.1 - self.y.0)) as f32 * (self.bottom - self.top)
    }

    fn line(&self, points: &[Point], value: fn(&Point) -> f64) -> Vec<(f32, f32)> {
        points.iter().map(|p| (self.at_x(p.x), self.at_y(value(p)))).collect()
    }
}

/// The whole figure.
pub fn draw(sheet: Sheet, title: &str, curves: &[Curve], yardsticks: &[Yardstick], axis: Axis) -> Result<Drawing> {
    let mut drawing = Drawing::new(sheet.width, sheet.height)?;
    let first_row = if sheet.alone { head(&mut drawing, sheet, title, curves) } else { 20.0 };
    let top = legend(&mut drawing, sheet, curves, first_row) + 14.0;
    let y = vertical_range(curves, yardsticks);
    let last = curves.iter().flat_map(|curve| curve.heldout.iter().chain(&curve.best)).map(|p| p.x);
    let x = (0.0, last.fold(0.0, f64::max).max(1.0));
    let y_ticks = ticks(y.0, y.1, sheet.ticks.1);
    let y_names: Vec<String> = y_ticks.iter().map(|tick| thousands(*tick, decimals(&y_ticks))).collect();
    let widest = y_names.iter().map(|name| drawing.width_of(name, 14.0)).fold(0.0, f32::max);
    let right = sheet.width - if yardsticks.is_empty() { 2.0 * EDGE } else { sheet.margin };
    let frame = Frame { sheet, left: EDGE + 24.0 + widest + 8.0, right, top, bottom: sheet.height - 58.0, x, y };
    axes(&mut drawing, &frame, axis, &y_ticks, &y_names);
    reference_lines(&mut drawing, &frame, yardsticks);
    for (index, curve) in curves.iter().enumerate() {
        if curve.seeds > 1 {
            let mut edge = frame.line(&curve.heldout, |p| p.high);
            edge.extend(frame.line(&curve.heldout, |p| p.low).into_iter().rev());
            drawing.area(&edge, color(index), 0.18);
        }
    }
    for (index, curve) in curves.iter().enumerate() {
        drawing.line(&steps(&frame.line(&curve.best, |p| p.median)), color(index), 1.3, DOTTED);
        let line = frame.line(&curve.heldout, |p| p.median);
        drawing.line(&line, color(index), 2.4, dashes(index));
        marks(&mut drawing, &line, index, curves.len());
    }
    Ok(drawing)
}

/// Title and what is drawn; returns the base line below.
fn head(drawing: &mut Drawing, sheet: Sheet, title: &str, curves: &[Curve]) -> f32 {
    let title = fit(drawing, title, 23.0, sheet.width - 2.0 * EDGE);
    drawing.text(&title, (EDGE, 34.0), 23.0, INK, Anchor::Left);
    let band = if curves.iter().any(|curve| curve.seeds > 1) {
        "Return of the deployable policy on held-out seeds: median and interquartile band over training seeds"
    } else {
        "Return of the deployable policy on held-out seeds, one training seed per curve"
    };
    drawing.text(band, (EDGE, 56.0), 14.5, GREY, Anchor::Left);
    80.0
}

/// A best holds until it is beaten: level, then straight up.
fn steps(line: &[(f32, f32)]) -> Vec<(f32, f32)> {
    let corners = line.windows(2).flat_map(|pair| [(pair[1].0, pair[0].1), pair[1]]);
    line.first().copied().into_iter().chain(corners).collect()
}

fn color(index: usize) -> Color {
    COLORS[index % COLORS.len()]
}

fn dashes(index: usize) -> &'static [f32] {
    DASHES[index % DASHES.len()]
}

/// Entries from left to right, in as many rows as they need; returns the last row's base line.
fn legend(drawing: &mut Drawing, sheet: Sheet, curves: &[Curve], first_row: f32) -> f32 {
    let (sample, gap, size) = (34.0, 26.0, 14.5);
    let name = |curve: &Curve| match curve.seeds {
        1 => format!("{} (1 seed)", curve.label),
        n => format!("{} (n = {n})", curve.label),
    };
    let mut entries: Vec<(Option<usize>, String)> =
        curves.iter().enumerate().map(|(index, curve)| (Some(index), name(curve))).collect();
    if curves.iter().any(|curve| !curve.best.is_empty()) {
        entries.push((None, "dotted: best policy so far, re-evaluated on fresh seeds".to_string()));
    }
    let (mut x, mut y) = (EDGE, first_row);
    for (index, text) in entries {
        let text = fit(drawing, &text, size, sheet.width - 2.0 * EDGE - sample - 8.0);
        let width = sample + 8.0 + drawing.width_of(&text, size);
        if x > EDGE && x + width > sheet.width - EDGE {
            (x, y) = (EDGE, y + 21.0);
        }
        let line = [(x, y - 5.0), (x + sample, y - 5.0)];
        match index {
            Some(index) => {
                drawing.line(&line, color(index), 2.4, dashes(index));
                shape(drawing, (x + sample / 2.0, y - 5.0), index);
            }
            None => drawing.line(&line, GREY, 1.3, DOTTED),
        }
        drawing.text(&text, (x + sample + 8.0, y), size, INK, Anchor::Left);
        x += width + gap;
    }
    y
}

/// All that is drawn, and those yardsticks that do not press the data into less than half the height.
fn vertical_range(curves: &[Curve], yardsticks: &[Yardstick]) -> (f64, f64) {
    let drawn = curves.iter().flat_map(|curve| {
        let band = curve.heldout.iter().flat_map(|p| [p.low, p.median, p.high]);
        band.chain(curve.best.iter().map(|p| p.median))
    });
    let wider = |(low, high): (f64, f64), y: f64| (low.min(y), high.max(y));
    let data = drawn.fold((f64::INFINITY, f64::NEG_INFINITY), wider);
    let span = (data.1 - data.0).max(1e-3 * data.1.abs()).max(1e-6);
    let near = yardsticks.iter().map(|yardstick| yardstick.value);
    let near = near.filter(|y| *y > data.0 - span / 2.0 && *y < data.1 + span / 2.0);
    let (low, high) = near.fold(data, wider);
    let pad = 0.04 * (high - low).max(span);
    (low - pad, high + pad)
}

fn axes(drawing: &mut Drawing, frame: &Frame, axis: Axis, y_ticks: &[f64], y_names: &[String]) {
    for (tick, name) in y_ticks.iter().zip(y_names) {
        let y = frame.at_y(*tick);
        drawing.line(&[(frame.left, y), (frame.right, y)], FAINT, 1.0, &[]);
        drawing.text(name, (frame.left - 8.0, y + 4.5), 14.0, INK, Anchor::Right);
    }
    let x_ticks = ticks(frame.x.0, frame.x.1, frame.sheet.ticks.0);
    for tick in &x_ticks {
        let x = frame.at_x(*tick);
        drawing.line(&[(x, frame.bottom), (x, frame.bottom + 5.0)], INK, 1.0, &[]);
        let name = thousands(*tick, decimals(&x_ticks));
        drawing.text(&name, (x, frame.bottom + 20.0), 14.0, INK, Anchor::Middle);
    }
    drawing.line(&[(frame.left, frame.top), (frame.left, frame.bottom)], INK, 1.0, &[]);
    drawing.line(&[(frame.left, frame.bottom), (frame.right, frame.bottom)], INK, 1.0, &[]);
    let what = match axis {
        Axis::Episodes => "training episodes",
        Axis::Steps => "training environment steps",
    };
    let middle = ((frame.left + frame.right) / 2.0, (frame.top + frame.bottom) / 2.0);
    drawing.text(what, (middle.0, frame.sheet.height - 14.0), 15.0, INK, Anchor::Middle);
    drawing.upright_text("return", (EDGE + 10.0, middle.1), 15.0, INK, Anchor::Middle);
}

/// A line and, at the right, its value and source. Names that would overlap are pushed apart and led to their line.
fn reference_lines(drawing: &mut Drawing, frame: &Frame, yardsticks: &[Yardstick]) {
    let (size, leading, lead) = (12.5, 14.0, 16.0);
    let mut labels: Vec<(f32, bool, Vec<String>)> = Vec::new();
    let mut sorted: Vec<&Yardstick> = yardsticks.iter().collect();
    sorted.sort_by(|a, b| b.value.total_cmp(&a.value));
    for yardstick in sorted {
        let inside = (frame.y.0..=frame.y.1).contains(&yardstick.value);
        let beyond = if yardstick.value > frame.y.1 { " (above the figure)" } else { " (below the figure)" };
        let text = match frame.sheet.alone {
            true => format!("{}: {}{}", mark(yardstick.value), yardstick.what, if inside { "" } else { beyond }),
            false if inside => mark(yardstick.value),
            false => continue,
        };
        let y = frame.at_y(yardstick.value.clamp(frame.y.0, frame.y.1));
        if inside {
            drawing.line(&[(frame.left, y), (frame.right, y)], GREY, 1.1, &[1.5, 4.0]);
        }
        labels.push((y, inside, wrap(drawing, &text, size, frame.sheet.margin - lead - 8.0)));
    }
    let heights: Vec<f32> = labels.iter().map(|(_, _, lines)| lines.len() as f32 * leading + 6.0).collect();
    let wanted: Vec<f32> = labels.iter().map(|(y, _, _)| *y).collect();
    let places = apart(&wanted, &heights, frame.top - 10.0, frame.bottom + 24.0);
    for ((y, inside, lines), place) in labels.iter().zip(places) {
        if *inside {
            drawing.line(&[(frame.right, *y), (frame.right + lead - 4.0, place)], GREY, 0.8, &[]);
        }
        let first = place - lines.len() as f32 * leading / 2.0 + 11.0;
        for (row, line) in lines.iter().enumerate() {
            let at = (frame.right + lead, first + row as f32 * leading);
            drawing.text(line, at, size, GREY, Anchor::Left);
        }
    }
}

/// Middles as near to the wanted ones (ascending) as heights allow: down from the top, then up from the bottom.
fn apart(wanted: &[f32], heights: &[f32], top: f32, bottom: f32) -> Vec<f32> {
    let mut places = wanted.to_vec();
    let mut end = top;
    for (place, height) in places.iter_mut().zip(heights) {
        *place = place.max(end + height / 2.0);
        end = *place + height / 2.0;
    }
    let mut start = bottom;
    for (place, height) in places.iter_mut().zip(heights).rev() {
        *place = place.min(start - height / 2.0);
        start = *place - height / 2.0;
    }
    places
}

/// The text, or as much of its start as there is room for.
fn fit(drawing: &Drawing, text: &str, size: f32, room: f32) -> String {
    let mut kept = text.to_string();
    while drawing.width_of(&kept, size) > room {
        kept = kept.chars().take(kept.chars().count().saturating_sub(2)).chain(['…']).collect();
    }
    kept
}

fn wrap(drawing: &Drawing, text: &str, size: f32, room: f32) -> Vec<String> {
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

/// A few marks along the line, at other places for every group, and one at its end.
fn marks(drawing: &mut Drawing, line: &[(f32, f32)], index: usize, groups: usize) {
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
