//! Lays out learning curves, with the title and legend above and the reference values at the right, so that nothing
//! covers the data.

use super::chart::{DOTTED, EDGE, Frame, GRAY, INK, Sample, axes, fit, legend, marks, wrap};
use super::curve::{Axis, Curve, Point};
use super::drawing::{Anchor, Drawing};
use super::numbers::{decimals, mark, score, thousands, ticks};
use crate::Result;

/// A return worth comparing with, and its source.
#[derive(Clone, Debug, PartialEq)]
pub struct Yardstick {
    pub value: f64,
    pub what: String,
    /// Whether the figure always reaches it, however far the data is away.
    pub is_origin: bool,
}

/// The paper that a figure is drawn on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sheet {
    width: f32,
    height: f32,
    /// The room for reference values at the right.
    margin: f32,
    /// Whether the figure explains itself with a title and the names of reference values, or the text around it does.
    alone: bool,
    /// The approximate number of ticks on each axis.
    ticks: (usize, usize),
}

impl Sheet {
    pub const WIDE: Self = Self { width: 900.0, height: 560.0, margin: 208.0, alone: true, ticks: (9, 9) };
    /// For a phone, as part of a page.
    pub const NARROW: Self = Self { width: 400.0, height: 400.0, margin: 52.0, alone: false, ticks: (4, 7) };
}

/// Draws the whole figure.
///
/// # Errors
/// If the built-in font cannot be read.
pub fn draw(sheet: Sheet, title: &str, curves: &[Curve], yardsticks: &[Yardstick], axis: Axis) -> Result<Drawing> {
    let mut drawing = Drawing::new(sheet.width, sheet.height)?;
    let first_row = if sheet.alone { head(&mut drawing, sheet, title, curves) } else { 20.0 };
    let y = vertical_range(curves, yardsticks);
    let top = legend(&mut drawing, sheet.width, &entries(curves, y, sheet.alone), first_row) + 14.0;
    let last = curves.iter().flat_map(|curve| curve.heldout.iter().chain(&curve.best)).map(|p| p.x);
    let x = (0.0, last.fold(0.0, f64::max).max(1.0));
    let y_ticks = ticks(y.0, y.1, sheet.ticks.1);
    let name = |tick: &f64| (*tick, thousands(*tick, decimals(&y_ticks)));
    let y_ticks: Vec<(f64, String)> = y_ticks.iter().map(name).collect();
    let widest = y_ticks.iter().map(|(_, name)| drawing.width_of(name, 14.0)).fold(0.0, f32::max);
    let (near, far): (Vec<&Yardstick>, Vec<&Yardstick>) =
        yardsticks.iter().partition(|yardstick| (y.0..=y.1).contains(&yardstick.value));
    let right = sheet.width - if near.is_empty() { 2.0 * EDGE } else { sheet.margin };
    let note = if sheet.alone { beyond(&far, y) } else { String::new() };
    let note = wrap(&drawing, &note, 12.5, sheet.width - 2.0 * EDGE);
    let foot = sheet.height - 15.0 * note.len() as f32;
    let frame = Frame { left: EDGE + 24.0 + widest + 8.0, right, top, bottom: foot - 58.0, x, y, size: 14.0 };
    axes(&mut drawing, &frame, &y_ticks, sheet.ticks.0);
    axis_names(&mut drawing, foot, &frame, axis);
    for (row, line) in note.iter().enumerate() {
        drawing.text(line, (EDGE, foot + 2.0 + 15.0 * row as f32), 12.5, GRAY, Anchor::Left);
    }
    for curve in curves {
        for piece in inside(&curve.center, y) {
            drawing.line(&frame.line(&piece, |p| p.median), curve.style.faint(), 1.0, &[]);
        }
    }
    reference_lines(&mut drawing, sheet, &frame, near);
    for curve in curves.iter().filter(|curve| curve.seeds > 1) {
        let mut edge = frame.line(&curve.heldout, |p| p.high);
        edge.extend(frame.line(&curve.heldout, |p| p.low).into_iter().rev());
        drawing.area(&edge, curve.style.color, 0.18);
    }
    for (index, curve) in curves.iter().enumerate() {
        drawing.line(&steps(&frame.line(&curve.best, |p| p.median)), curve.style.color, 1.3, DOTTED);
        let line = frame.line(&curve.heldout, |p| p.median);
        drawing.line(&line, curve.style.color, 2.4, curve.style.dashes);
        marks(&mut drawing, &line, &curve.style, (index, curves.len()));
    }
    // The last, so that nothing covers them.
    for curve in curves {
        for (point, at) in curve.heldout.iter().zip(frame.line(&curve.heldout, |p| p.median)) {
            drawing.spot(at, values(curve, point, axis));
        }
    }
    Ok(drawing)
}

/// Tells the values at one point of a curve.
fn values(curve: &Curve, point: &Point, axis: Axis) -> String {
    let band = match curve.seeds {
        1 => String::new(),
        _ => format!(", quartiles {} and {}", score(point.low), score(point.high)),
    };
    format!("{}, {} {}: {}{band}", curve.label, thousands(point.x, 0), axis.name(), score(point.median))
}

/// Cuts a line into the pieces that lie within the range.
fn inside(points: &[Point], (low, high): (f64, f64)) -> Vec<Vec<Point>> {
    let pieces = points.split(|p| !(low..=high).contains(&p.median));
    pieces.filter(|piece| piece.len() > 1).map(<[Point]>::to_vec).collect()
}

/// Lists the reference values outside of the range. They take a line of text below the figure and no room beside it.
fn beyond(far: &[&Yardstick], y: (f64, f64)) -> String {
    let listed = |name: &str, keep: &dyn Fn(f64) -> bool| {
        let kept = far.iter().filter(|yardstick| keep(yardstick.value));
        let all: Vec<String> = kept.map(|known| format!("{}, {}", mark(known.value), known.what)).collect();
        if all.is_empty() { String::new() } else { format!("{name} the figure: {}. ", all.join("; ")) }
    };
    listed("Above", &|value| value > y.1) + &listed("Below", &|value| value < y.0)
}

/// Writes the title and a line on what is drawn, and returns the next baseline.
fn head(drawing: &mut Drawing, sheet: Sheet, title: &str, curves: &[Curve]) -> f32 {
    let title = fit(drawing, title, 23.0, sheet.width - 2.0 * EDGE);
    drawing.text(&title, (EDGE, 34.0), 23.0, INK, Anchor::Left);
    let band = if curves.iter().any(|curve| curve.seeds > 1) {
        "Return of the deployable policy on held-out seeds: median and interquartile band over training seeds"
    } else {
        "Return of the deployable policy on held-out seeds, one training seed per curve"
    };
    drawing.text(band, (EDGE, 56.0), 14.5, GRAY, Anchor::Left);
    80.0
}

/// Turns a line into steps: a best value stays level until it is beaten, then jumps.
fn steps(line: &[(f32, f32)]) -> Vec<(f32, f32)> {
    let corners = line.windows(2).flat_map(|pair| [(pair[1].0, pair[0].1), pair[1]]);
    line.first().copied().into_iter().chain(corners).collect()
}

/// Returns the entries of the legend, for what is really drawn within the range.
fn entries(curves: &[Curve], y: (f64, f64), alone: bool) -> Vec<(Sample, String)> {
    let name = |curve: &Curve| match curve.seeds {
        1 => format!("{} (1 seed)", curve.label),
        n => format!("{} (n = {n})", curve.label),
    };
    let mut entries: Vec<_> = curves.iter().map(|curve| (Sample::Curve(curve.style), name(curve))).collect();
    // A single point is no line and is not seen.
    if curves.iter().any(|curve| curve.best.len() > 1) {
        let told = if alone { "best confirmation so far (optimistic)" } else { "best so far" };
        entries.push((Sample::Dotted, told.to_string()));
    }
    if curves.iter().any(|curve| !inside(&curve.center, y).is_empty()) {
        let told = if alone { "one training episode" } else { "training" };
        entries.push((Sample::Thin, told.to_string()));
    }
    entries
}

fn axis_names(drawing: &mut Drawing, foot: f32, frame: &Frame, axis: Axis) {
    let what = match axis {
        Axis::Episodes => "training episodes",
        Axis::Steps => "training environment steps",
    };
    let middle = ((frame.left + frame.right) / 2.0, (frame.top + frame.bottom) / 2.0);
    drawing.text(what, (middle.0, foot - 14.0), 15.0, INK, Anchor::Middle);
    drawing.upright_text("return", (EDGE + 10.0, middle.1), 15.0, INK, Anchor::Middle);
}

/// Returns the range of all data and the origin, widened to the other reference values that leave the data at least
/// half of the height. Single training episodes do not count: one bad fall would flatten the curves.
fn vertical_range(curves: &[Curve], yardsticks: &[Yardstick]) -> (f64, f64) {
    let drawn = curves.iter().flat_map(|curve| {
        let band = curve.heldout.iter().flat_map(|p| [p.low, p.median, p.high]);
        // A single point is no line and is not seen.
        let best = curve.best.iter().filter(|_| curve.best.len() > 1);
        band.chain(best.map(|p| p.median))
    });
    let wider = |(low, high): (f64, f64), y: f64| (low.min(y), high.max(y));
    let origin = yardsticks.iter().filter(|yardstick| yardstick.is_origin).map(|yardstick| yardstick.value);
    let data = drawn.chain(origin).fold((f64::INFINITY, f64::NEG_INFINITY), wider);
    let span = (data.1 - data.0).max(1e-3 * data.1.abs()).max(1e-6);
    let near = yardsticks.iter().map(|yardstick| yardstick.value);
    let near = near.filter(|y| *y > data.0 - span / 2.0 && *y < data.1 + span / 2.0);
    let (low, high) = near.fold(data, wider);
    let pad = 0.04 * (high - low).max(span);
    (low - pad, high + pad)
}

/// Draws each reference line with its value and source at the right. Labels that would overlap are moved apart and
/// connected to their lines.
fn reference_lines(drawing: &mut Drawing, sheet: Sheet, frame: &Frame, mut yardsticks: Vec<&Yardstick>) {
    let (size, leading, lead) = (12.5, 14.0, 16.0);
    let mut labels: Vec<(f32, Vec<String>)> = Vec::new();
    yardsticks.sort_by(|a, b| b.value.total_cmp(&a.value));
    for yardstick in yardsticks {
        let text = match sheet.alone {
            true => format!("{}: {}", mark(yardstick.value), yardstick.what),
            false => mark(yardstick.value),
        };
        let y = frame.at_y(yardstick.value);
        drawing.line(&[(frame.left, y), (frame.right, y)], GRAY, 1.1, &[1.5, 4.0]);
        labels.push((y, wrap(drawing, &text, size, sheet.margin - lead - 8.0)));
    }
    let heights: Vec<f32> = labels.iter().map(|(_, lines)| lines.len() as f32 * leading + 6.0).collect();
    let wanted: Vec<f32> = labels.iter().map(|(y, _)| *y).collect();
    let places = apart(&wanted, &heights, frame.top - 10.0, frame.bottom + 24.0);
    for ((y, lines), place) in labels.iter().zip(places) {
        drawing.line(&[(frame.right, *y), (frame.right + lead - 4.0, place)], GRAY, 0.8, &[]);
        let first = place - lines.len() as f32 * leading / 2.0 + 11.0;
        for (row, line) in lines.iter().enumerate() {
            let at = (frame.right + lead, first + row as f32 * leading);
            drawing.text(line, at, size, GRAY, Anchor::Left);
        }
    }
}

/// Places labels as close to their wanted centers (ascending) as their heights allow: first downward from the top, then
/// upward from the bottom.
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

#[cfg(test)]
mod tests {
    use super::super::Style;
    use super::{Curve, Sample, entries, vertical_range};

    #[test]
    fn a_best_value_that_is_no_line_takes_no_room() {
        let with = |best: &[(f64, f64)]| {
            let heldout = vec![(0.0, 10.0), (5.0, 20.0)];
            let curve = Curve::new("a".into(), Style::new(0, 0), &[heldout], &[best.to_vec()], &[]);
            vertical_range(&[curve], &[])
        };
        assert_eq!(with(&[(5.0, 900.0)]), with(&[]));
        assert!(with(&[(2.0, 500.0), (5.0, 900.0)]).1 >= 900.0, "a line is inside");
    }

    #[test]
    fn the_legend_names_the_lines_that_are_drawn_and_no_others() {
        let two = [(0.0, 10.0), (5.0, 20.0)];
        let told = |best: &[(f64, f64)], center: &[(f64, f64)]| {
            let style = Style::new(0, 0);
            let curve = Curve::new("a".into(), style, &[two.to_vec()], &[best.to_vec()], &[center.to_vec()]);
            let entries = entries(&[curve], (0.0, 30.0), true);
            let has = |wanted: fn(&Sample) -> bool| entries.iter().any(|(sample, _)| wanted(sample));
            (has(|sample| matches!(sample, Sample::Dotted)), has(|sample| matches!(sample, Sample::Thin)))
        };
        assert_eq!(told(&two, &two), (true, true));
        assert_eq!(told(&two[1..], &two), (false, true), "one best value is no line");
        assert_eq!(told(&two, &[(0.0, -900.0), (5.0, -800.0)]), (true, false), "these lie below the figure");
    }
}
