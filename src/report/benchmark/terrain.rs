//! Draws the rover's terrain from above, with the best path of each optimizer.

use super::{Benchmark, Column};
use crate::Result;
use crate::benchmark::rover::{CENTERS, GOAL, HALF, Place, START};
use crate::plot::Figure;
use crate::plot::chart::{EDGE, FAINT, Frame, GRAY, INK, Sample, legend, marks};
use crate::plot::drawing::{Anchor, Drawing};
use crate::plot::numbers::compact;
use crate::report::styles::styles;

/// The range that is shown: the terrain and some space around it, for paths that leave it.
const SHOWN: (f64, f64) = (-0.06, 1.06);
const SIDE: f32 = 640.0;
const OBSTACLE: (u8, u8, u8) = (150, 150, 150);

impl Benchmark {
    /// Draws the paths, which are in the order of the column's optimizers. It shows the same optimizers as the curves.
    ///
    /// # Errors
    /// If the built-in font cannot be read.
    pub fn terrain(&self, column: &Column, paths: &[Vec<Place>]) -> Result<Figure> {
        let drawn = self.drawn(column);
        let all = column.optimizers.iter().zip(paths);
        let shown: Vec<_> = all.filter(|(row, _)| drawn.iter().any(|other| other.optimizer == row.optimizer)).collect();
        let styles = styles(shown.iter().map(|(row, _)| row.optimizer.as_str()));
        let entries = shown.iter().zip(&styles).map(|((row, _), style)| {
            let least = row.problems.first().and_then(|cell| cell.least).map_or(String::new(), compact);
            (Sample::Curve(*style), format!("{} ({least})", row.optimizer))
        });
        let entries: Vec<_> = entries.collect();
        let width = SIDE + 2.0 * EDGE;
        let top = legend(&mut Drawing::new(width, 1.0)?, width, &entries, 86.0) + 16.0;
        let mut drawing = Drawing::new(width, top + SIDE + EDGE)?;
        drawing.text(&self.title, (EDGE, 34.0), 21.0, INK, Anchor::Left);
        let note = format!("The best path of {} trials, with its value in parentheses", self.trials);
        drawing.text(&note, (EDGE, 58.0), 13.5, GRAY, Anchor::Left);
        legend(&mut drawing, width, &entries, 86.0);
        let frame = Frame { left: EDGE, right: EDGE + SIDE, top, bottom: top + SIDE, x: SHOWN, y: SHOWN, size: 14.0 };
        plain(&mut drawing, &frame);
        for (index, (_, path)) in shown.iter().enumerate() {
            let inside = |v: f64| v.clamp(SHOWN.0, SHOWN.1);
            let line: Vec<_> = path.iter().map(|p| (frame.at_x(inside(p[0])), frame.at_y(inside(p[1])))).collect();
            drawing.line(&line, styles[index].color, 2.6, styles[index].dashes);
            marks(&mut drawing, &line, &styles[index], (index, shown.len()));
        }
        for (place, name) in [(START, "start"), (GOAL, "goal")] {
            let at = (frame.at_x(place[0]), frame.at_y(place[1]));
            drawing.circle(at, 7.0, INK);
            drawing.circle(at, 4.0, (255, 255, 255));
            let (x, y) = (at.0 + 13.0, at.1 + 5.0);
            let wide = drawing.width_of(name, 15.0) + 3.0;
            let behind = [(x - 3.0, y - 14.0), (x + wide, y - 14.0), (x + wide, y + 5.0), (x - 3.0, y + 5.0)];
            drawing.area(&behind, (255, 255, 255), 0.8);
            drawing.text(name, (x, y), 15.0, INK, Anchor::Left);
        }
        Ok(Figure::new(self.title.clone(), drawing, String::new()))
    }
}

/// Draws the terrain, which costs little to cross, and the surroundings and obstacles, which cost a lot.
fn plain(drawing: &mut Drawing, frame: &Frame) {
    let mut square = |low: Place, high: Place, shade| {
        let corners = [[low[0], low[1]], [high[0], low[1]], [high[0], high[1]], [low[0], high[1]]];
        drawing.area(&corners.map(|[x, y]| (frame.at_x(x), frame.at_y(y))), shade, 1.0);
    };
    square([SHOWN.0; 2], [SHOWN.1; 2], FAINT);
    square([0.0; 2], [1.0; 2], (255, 255, 255));
    for [x, y] in CENTERS {
        square([x - HALF, y - HALF], [x + HALF, y + HALF], OBSTACLE);
    }
}
