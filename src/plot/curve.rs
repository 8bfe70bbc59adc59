//! Summarizes repeated measurements as a figure shows them: the median and quartiles at every x.

use super::chart::Style;
use super::numbers::csv_field;
use crate::statistics::{median, quantile};

/// What the horizontal axis counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Axis {
    #[default]
    Episodes,
    Steps,
}

impl Axis {
    pub fn name(self) -> &'static str {
        match self {
            Axis::Episodes => "episodes",
            Axis::Steps => "steps",
        }
    }
}

/// All seeds at one x.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    pub x: f64,
    /// How many seeds have a value here.
    pub seeds: usize,
    pub median: f64,
    pub low: f64,
    pub high: f64,
}

/// The held-out return of a group's deployable policy, its return in training, and the group's best return so far.
#[derive(Clone, Debug)]
pub struct Curve {
    pub label: String,
    pub style: Style,
    /// How many runs the group has.
    pub seeds: usize,
    pub heldout: Vec<Point>,
    pub best: Vec<Point>,
    /// The return of the center in one training episode of every generation.
    pub center: Vec<Point>,
}

/// One run's measurements as (x, value), in ascending order of x.
pub type Trace = Vec<(f64, f64)>;

/// The most points a curve has. More would not be visible.
const MOST_POINTS: usize = 1000;

impl Curve {
    /// Summarizes the measurements of all seeds. Returns are interpolated between measurements, and a best value holds
    /// until it is beaten.
    pub fn new(label: String, style: Style, heldout: &[Trace], best: &[Trace], center: &[Trace]) -> Self {
        Self {
            label,
            style,
            seeds: heldout.len(),
            heldout: quartiles(heldout, interpolated),
            best: quartiles(best, best_so_far),
            center: quartiles(center, interpolated),
        }
    }
}

/// Writes the curves as they are drawn, one line per point.
pub fn csv(curves: &[Curve], axis: Axis) -> String {
    let mut text = format!("group,curve,{},seeds,median,q25,q75\n", axis.name());
    for curve in curves {
        for (name, points) in [("heldout", &curve.heldout), ("best", &curve.best), ("center", &curve.center)] {
            for p in points {
                let label = csv_field(&curve.label);
                text += &format!("{label},{name},{},{},{},{},{}\n", p.x, p.seeds, p.median, p.low, p.high);
            }
        }
    }
    text
}

/// Returns the quartiles wherever at least ¾ of the seeds have a value.
fn quartiles(traces: &[Trace], at: fn(&Trace, f64) -> Option<f64>) -> Vec<Point> {
    let point = |x: f64| {
        let values: Vec<f64> = traces.iter().filter_map(|trace| at(trace, x)).collect();
        let enough = 4 * values.len() >= 3 * traces.len();
        let (low, high) = (quantile(&values, 0.25), quantile(&values, 0.75));
        enough.then(|| Point { x, seeds: values.len(), median: median(&values), low, high })
    };
    grid(traces).into_iter().filter_map(point).collect()
}

/// Returns every x at which some seed has a value, thinned evenly if there are too many.
fn grid(traces: &[Trace]) -> Vec<f64> {
    let mut all: Vec<f64> = traces.iter().flatten().map(|(x, _)| *x).collect();
    all.sort_by(f64::total_cmp);
    all.dedup();
    if all.len() <= MOST_POINTS {
        return all;
    }
    (0..MOST_POINTS).map(|i| all[i * (all.len() - 1) / (MOST_POINTS - 1)]).collect()
}

/// Interpolates linearly between neighbors. There is no value outside of the measured range.
fn interpolated(trace: &Trace, x: f64) -> Option<f64> {
    let next = trace.partition_point(|(at, _)| *at < x);
    let (x1, y1) = *trace.get(next)?;
    if x1 == x {
        return Some(y1);
    }
    let (x0, y0) = *trace.get(next.checked_sub(1)?)?;
    Some(y0 + (y1 - y0) * (x - x0) / (x1 - x0))
}

/// Returns the last value before `x`. A best value holds until it is beaten, but not past the end of the run.
fn best_so_far(trace: &Trace, x: f64) -> Option<f64> {
    let (end, _) = *trace.last()?;
    let known = trace.partition_point(|(at, _)| *at <= x);
    if x > end { None } else { Some(trace[known.checked_sub(1)?].1) }
}
