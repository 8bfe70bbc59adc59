//! The curves of a benchmark: one small panel per problem, with the median and quartiles of the best value so far.

use super::{Benchmark, Cell, Column, OptimizerRow};
use crate::Result;
use crate::plot::Figure;
use crate::plot::chart::{DOTTED, EDGE, Frame, GRAY, INK, Sample, axes, legend, marks, wrap};
use crate::plot::drawing::{Anchor, Drawing};
use crate::plot::numbers::{csv_field, decimals, log_name, log_ticks, mark, thousands, ticks};
use crate::plot::{Point, Style};
use crate::report::styles::styles;

/// More lines than this are hard to tell apart.
const MOST: usize = 8;
/// Smaller values are drawn at this one, because a logarithmic axis has no place for 0.
const FLOOR: f64 = 1e-12;
/// The width of a panel among others.
const WIDTH: f32 = 256.0;
const LEAST_WIDTH: f32 = 900.0;

/// The rectangle of a panel with its labels: left, top, width and height.
type Place = (f32, f32, f32, f32);

impl Benchmark {
    /// Draws the figure of one column.
    ///
    /// # Errors
    /// If the built-in font cannot be read.
    pub fn figure(&self, column: &Column) -> Result<Figure> {
        let rows = self.drawn(column);
        let problems = rows.first().map_or(0, |row| row.problems.len());
        let across = if problems <= 4 { problems.max(1) } else { problems.div_ceil(2) };
        let height = if problems == 1 { 430.0 } else { 256.0 };
        let whole = (WIDTH * across as f32 + EDGE).max(LEAST_WIDTH);
        let title = format!("{}: {}", self.title, column.name);
        let note = self.note(&rows, column.optimizers.len());
        let sizing = Drawing::new(whole, 1.0)?;
        let note = wrap(&sizing, &note, 13.5, whole - 2.0 * EDGE);
        let styles = styles(rows.iter().map(|row| row.optimizer.as_str()));
        let entries: Vec<_> =
            rows.iter().zip(&styles).map(|(row, style)| (Sample::Curve(*style), row.optimizer.clone())).collect();
        // The height of the legend is known only once it is drawn.
        let first_row = 54.0 + 18.0 * note.len() as f32 + 10.0;
        let top = legend(&mut Drawing::new(whole, 1.0)?, whole, &entries, first_row) + 14.0;
        let mut drawing = Drawing::new(whole, top + height * problems.div_ceil(across) as f32 + 24.0)?;
        drawing.text(&title, (EDGE, 34.0), 21.0, INK, Anchor::Left);
        for (line, text) in note.iter().enumerate() {
            drawing.text(text, (EDGE, 56.0 + 18.0 * line as f32), 13.5, GRAY, Anchor::Left);
        }
        legend(&mut drawing, whole, &entries, first_row);
        let width = (whole - EDGE) / across as f32;
        for problem in 0..problems {
            let cells: Vec<&Cell> = rows.iter().map(|row| &row.problems[problem]).collect();
            let (right, down) = (problem % across, problem / across);
            self.panel(
                &mut drawing,
                &cells,
                &styles,
                (right as f32 * width, top + down as f32 * height, width, height),
            );
        }
        drawing.text(
            "evaluations",
            (whole / 2.0, top + height * problems.div_ceil(across) as f32 + 12.0),
            14.0,
            INK,
            Anchor::Middle,
        );
        Ok(Figure::new(title, drawing, csv(column)))
    }

    /// Chooses the optimizers to draw: the best of each family by rank over all columns, at most [`MOST`] of them, in
    /// the order of the table.
    pub(super) fn drawn<'a>(&self, column: &'a Column) -> Vec<&'a OptimizerRow> {
        let rank = |row: &OptimizerRow| -> f64 {
            let all = self.columns.iter().flat_map(|column| &column.optimizers);
            all.filter(|other| other.optimizer == row.optimizer).map(|other| other.rank).sum()
        };
        let mut best: Vec<&OptimizerRow> = column.optimizers.iter().collect();
        best.sort_by(|a, b| rank(a).total_cmp(&rank(b)));
        if best.len() > MOST {
            let mut families = Vec::new();
            best.retain(|row| {
                let is_new = !families.contains(&&row.family);
                families.push(&row.family);
                is_new
            });
            best.truncate(MOST);
        }
        column.optimizers.iter().filter(|row| best.iter().any(|other| other.optimizer == row.optimizer)).collect()
    }

    fn note(&self, rows: &[&OptimizerRow], all: usize) -> String {
        let drawn = rows.len();
        let mut note = format!("{}. Best value so far: median and band between quartiles", self.about);
        let mut points = rows.iter().flat_map(|row| &row.problems).flat_map(|cell| &cell.curve);
        if self.logarithmic && points.any(|p| p.low < FLOOR) {
            note += &format!("; values below {FLOOR:e} are drawn at that level");
        }
        if let Some(target) = self.target {
            note += &format!("; the dotted line is the target, {}", mark(target));
        }
        if drawn < all {
            note += &format!(
                ". The figure shows {drawn} of {all} optimizers: the best {MOST} by mean rank, and only the best of \
                 those that differ in lambda0 alone. The table lists all of them"
            );
        }
        note + "."
    }

    fn panel(&self, drawing: &mut Drawing, cells: &[&Cell], styles: &[Style], place: Place) {
        let (left, top, width, height) = place;
        let shown = |value: f64| if self.logarithmic { value.max(FLOOR).log10() } else { value };
        let size = 12.5;
        let y = range(cells, shown);
        let y_ticks: Vec<(f64, String)> = if self.logarithmic {
            log_ticks(y.0, y.1, 6).into_iter().map(|tick| (tick, log_name(tick))).collect()
        } else {
            let places = ticks(y.0, y.1, 8);
            places.iter().map(|tick| (*tick, thousands(*tick, decimals(&places)))).collect()
        };
        let x = (0.0, self.budget as f64);
        let frame = Frame {
            left: left + 68.0,
            right: left + width - 12.0,
            top: top + 26.0,
            bottom: top + height - 30.0,
            x,
            y,
            size,
        };
        axes(drawing, &frame, &y_ticks, if width > 500.0 { 9 } else { 3 });
        if let Some(target) = self.target.map(shown).filter(|target| (y.0..y.1).contains(target)) {
            let at = frame.at_y(target);
            drawing.line(&[(frame.left, at), (frame.right, at)], GRAY, 1.1, DOTTED);
        }
        let name = cells.first().map_or("", |cell| cell.problem);
        drawing.text(name, ((frame.left + frame.right) / 2.0, top + 16.0), 15.0, INK, Anchor::Middle);
        let line = |cell: &Cell, value: fn(&Point) -> f64| {
            let finite: Vec<Point> = cell.curve.iter().filter(|p| p.high.is_finite()).copied().collect();
            frame.line(&finite, |p| shown(value(p)))
        };
        for (cell, style) in cells.iter().zip(styles).filter(|_| self.trials > 1) {
            let mut edge = line(cell, |p| p.high);
            edge.extend(line(cell, |p| p.low).into_iter().rev());
            drawing.area(&edge, style.color, 0.15);
        }
        for (index, (cell, style)) in cells.iter().zip(styles).enumerate() {
            let line = line(cell, |p| p.median);
            drawing.line(&line, style.color, 2.0, style.dashes);
            marks(drawing, &line, style, (index, cells.len()));
        }
    }
}

/// Returns the range of everything drawn, with a small margin.
fn range(cells: &[&Cell], shown: impl Fn(f64) -> f64) -> (f64, f64) {
    let values = cells.iter().flat_map(|cell| &cell.curve).flat_map(|p| [p.low, p.high]).filter(|v| v.is_finite());
    let wider = |(low, high): (f64, f64), y: f64| (low.min(y), high.max(y));
    let (low, high) = values.map(shown).fold((f64::INFINITY, f64::NEG_INFINITY), wider);
    if low > high {
        return (0.0, 1.0);
    }
    let pad = 0.04 * (high - low).max(0.1);
    (low - pad, high + pad)
}

/// Returns all curves as CSV, drawn or not, one line per point.
fn csv(column: &Column) -> String {
    let mut text = "problem,optimizer,evaluations,trials,median,q25,q75\n".to_string();
    for row in &column.optimizers {
        for cell in &row.problems {
            for p in &cell.curve {
                let optimizer = csv_field(&row.optimizer);
                text +=
                    &format!("{},{optimizer},{},{},{},{},{}\n", cell.problem, p.x, p.seeds, p.median, p.low, p.high);
            }
        }
    }
    text
}
