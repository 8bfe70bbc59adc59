//! Points of the unit cube that are evaluated or chosen from, one per column.

use nalgebra::{DMatrix, DVector};
use rand::RngExt;
use rand::seq::SliceRandom;
use sobol::{Sobol, params::JoeKuoD6};

/// The most coordinates of a Sobol sequence: the length of Joe and Kuo's table of direction numbers.
pub const MOST_COORDINATES: usize = 21_201;

/// The average number of coordinates in which a candidate differs from the center.
const PERTURBED: f64 = 20.0;

/// A Latin hypercube: in every coordinate there is one point in each of the n intervals of length 1/n.
pub fn latin_hypercube(d: usize, n: usize, random: &mut impl RngExt) -> DMatrix<f64> {
    let mut points = DMatrix::zeros(d, n);
    let mut interval: Vec<usize> = (0..n).collect();
    for mut row in points.row_iter_mut() {
        interval.shuffle(random);
        for (v, &k) in row.iter_mut().zip(&interval) {
            *v = (k as f64 + random.random::<f64>()) / n as f64;
        }
    }
    points
}

/// The first n points of the Sobol sequence with a digital shift: binary digits of a coordinate are flipped where its shift
/// has a 1. The points stay as evenly spread as before.
pub fn sobol(n: usize, shift: &[u32]) -> DMatrix<f64> {
    let d = shift.len();
    let table = if d <= 1000 { JoeKuoD6::standard() } else { JoeKuoD6::extended() };
    let digits = Sobol::<u32>::new(d, &table).take(n).flatten();
    let shifted = digits.zip(shift.iter().cycle()).map(|(v, s)| f64::from(v ^ s) / 2f64.powi(32));
    DMatrix::from_iterator(d, n, shifted)
}

/// The trust region: a box around the best point that is longer where the model varies slowly.
pub struct Region {
    pub center: DVector<f64>,
    low: DVector<f64>,
    pub sides: DVector<f64>,
}

impl Region {
    /// Each side is `length` times its lengthscale over the geometric mean of all lengthscales, cut off at the unit cube.
    pub fn new(center: DVector<f64>, lengthscales: &DVector<f64>, length: f64) -> Self {
        let typical = lengthscales.map(f64::ln).mean().exp();
        let half = lengthscales * (0.5 * length / typical);
        let low = (&center - &half).map(|v| v.max(0.0));
        let sides = (&center + half).map(|v| v.min(1.0)) - &low;
        Self { center, low, sides }
    }

    /// n points that differ from the center in a few random coordinates and are evenly spread over the box in those. In many
    /// dimensions, a candidate that moves along all coordinates at once would hardly ever be better.
    ///
    /// If chance selects no coordinate, any one coordinate moves. The authors' code never picks the last.
    pub fn candidates(&self, n: usize, random: &mut impl RngExt) -> DMatrix<f64> {
        let d = self.center.len();
        let shift: Vec<u32> = (0..d).map(|_| random.random()).collect();
        let mut candidates = sobol(n, &shift);
        for mut x in candidates.column_iter_mut() {
            let mut moves: Vec<bool> = (0..d).map(|_| random.random::<f64>() < PERTURBED / d as f64).collect();
            if !moves.contains(&true) {
                moves[random.random_range(0..d)] = true;
            }
            for (k, v) in x.iter_mut().enumerate() {
                *v = if moves[k] { self.low[k] + self.sides[k] * *v } else { self.center[k] };
            }
        }
        candidates
    }
}
