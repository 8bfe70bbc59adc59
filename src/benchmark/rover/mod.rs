//! Plans a rover's path across a terrain with obstacles. The 60 numbers are 30 points that a smooth curve is fitted to.
//!
//! The problem is from Wang, Gehring, Kohli and Jegelka (2018). Their curve is FITPACK's smoothing spline, but its
//! tolerance exceeds the scatter of 30 points in the unit square. The result is always the spline without inner knots,
//! which is the least-squares cubic over the normalized length of the polygon, and we compute that directly. There are
//! two differences. They add noise of deviation 1e-4 to the points, and we add none. Their code fails if points
//! coincide. Here, fewer than four distinct lengths give the cubic whose control points are closest to the mean of the
//! points, and a path without length stays where it is.

mod obstacles;

pub use obstacles::CENTERS;

use super::Problem;
use nalgebra::DMatrix;

const POINTS: usize = 30;
/// The number of places at which the path is measured.
pub const PLACES: usize = 1000;
/// Half the side of an obstacle.
pub const HALF: f64 = 0.025;
pub const START: Place = [0.05, 0.05];
pub const GOAL: Place = [0.95, 0.95];
/// Singular values this much smaller than the largest one are rounding errors.
const ROUNDING: f64 = 1e-10;

/// x and y.
pub type Place = [f64; 2];

/// The problem. Its value is cost − 5, so minimizing it maximizes the reward, 5 − cost.
#[derive(Clone, Copy, Debug)]
pub struct Rover;

impl Problem for Rover {
    fn dim(&self) -> usize {
        2 * POINTS
    }

    fn bounds(&self) -> (f64, f64) {
        (0.0, 1.0)
    }

    /// The value of the path of x, clipped to the box. It is NaN if any coordinate is NaN.
    fn value(&self, x: &[f64]) -> f64 {
        if x.iter().any(|v| v.is_nan()) { f64::NAN } else { cost(&path(x)) - 5.0 }
    }
}

/// Returns the path of x, clipped to the box, at [`PLACES`] evenly spaced parameters. A NaN counts as 0.
///
/// # Panics
/// If x has fewer than two numbers.
pub fn path(x: &[f64]) -> Vec<Place> {
    let inside = |v: f64| if v.is_nan() { 0.0 } else { v.clamp(0.0, 1.0) };
    let points: Vec<Place> =
        x.chunks_exact(2).map(|pair| [1.2 * inside(pair[0]) - 0.1, 1.2 * inside(pair[1]) - 0.1]).collect();
    let control = fit(&lengths(&points), &points);
    let place = |k: usize| {
        let at = bernstein(k as f64 / (PLACES - 1) as f64);
        [0, 1].map(|axis| (0..4).map(|i| at[i] * control[(i, axis)]).sum())
    };
    (0..PLACES).map(place).collect()
}

/// Returns the length of the polygon up to each point, as a fraction of the whole.
fn lengths(points: &[Place]) -> Vec<f64> {
    let mut so_far = vec![0.0];
    for pair in points.windows(2) {
        so_far.push(so_far[so_far.len() - 1] + distance(&pair[0], &pair[1]));
    }
    let whole = so_far[so_far.len() - 1];
    if whole > 0.0 { so_far.iter().map(|length| length / whole).collect() } else { so_far }
}

/// Fits the least-squares cubic Bézier curve and returns its four control points as rows.
fn fit(parameters: &[f64], points: &[Place]) -> DMatrix<f64> {
    let basis = DMatrix::from_fn(points.len(), 4, |k, i| bernstein(parameters[k])[i]);
    let places = DMatrix::from_fn(points.len(), 2, |k, axis| points[k][axis]);
    let qr = basis.clone().qr();
    let (q, r) = qr.unpack();
    let pivots = r.diagonal().abs();
    if pivots.min() > ROUNDING * pivots.max()
        && let Some(control) = r.solve_upper_triangular(&(q.transpose() * &places))
    {
        return control;
    }
    // The four basis functions add up to 1 everywhere, so a curve moves along with its control points.
    let middle = places.row_mean();
    let centered = DMatrix::from_fn(points.len(), 2, |k, axis| places[(k, axis)] - middle[axis]);
    let least = basis.svd(true, true).solve(&centered, ROUNDING).unwrap_or_else(|_| DMatrix::zeros(4, 2));
    DMatrix::from_fn(4, 2, |i, axis| least[(i, axis)] + middle[axis])
}

fn bernstein(t: f64) -> [f64; 4] {
    let u = 1.0 - t;
    [u * u * u, 3.0 * t * u * u, 3.0 * t * t * u, t * t * t]
}

/// Returns the cost of moving along the path and of missing the start and the goal.
fn cost(path: &[Place]) -> f64 {
    let density: Vec<f64> = path.iter().map(|place| 0.05 + if is_blocked(place) { 20.0 } else { 0.0 }).collect();
    let leg = |k: usize| distance(&path[k], &path[k + 1]) * (density[k] + density[k + 1]) / 2.0;
    let missed = |a: &Place, b: &Place| (a[0] - b[0]).abs() + (a[1] - b[1]).abs();
    let along: f64 = (0..path.len() - 1).map(leg).sum();
    along + 10.0 * missed(&path[0], &START) + 10.0 * missed(&path[path.len() - 1], &GOAL)
}

/// Whether a place is inside of an obstacle or off the terrain. Lower edges belong to the obstacle, upper edges do not.
fn is_blocked(place: &Place) -> bool {
    let within = |low: f64, high: f64, v: f64| low <= v && v < high;
    let on = |center: &Place| (0..2).all(|i| within(center[i] - HALF, center[i] + HALF, place[i]));
    !place.iter().all(|v| within(0.0, 1.0, *v)) || CENTERS.iter().any(on)
}

fn distance(a: &Place, b: &Place) -> f64 {
    (a[0] - b[0]).hypot(a[1] - b[1])
}
