//! The running mean and deviation of observations, as in ARS V2, and optionally their range.

use crate::policy::Normalizer;
use crate::sim::Image;
use serde::{Deserialize, Serialize};

/// A coordinate that hardly moves carries no information. Below this deviation it is ignored (ARS, Mania et al. 2018).
const STILL: f64 = 1e-7;

/// The largest distance of a bounded input from its mean, in its own units. A force that is nearly always 0 has a tiny
/// deviation, and a rare contact would be a spike of 50 units that pushes every action to its limit.
const REACH: f64 = 4.0;

/// The count, mean, summed squared deviations and extremes of a stream of vectors (Welford; merged as in Chan et al.).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Observed {
    count: f64,
    mean: Vec<f64>,
    squares: Vec<f64>,
    least: Vec<f64>,
    most: Vec<f64>,
    /// Whether units are made large enough that an input never exceeds [`REACH`] of them.
    bounded: bool,
}

impl Observed {
    /// Creates the statistics of no vectors. They will have this length.
    pub fn new(length: usize, bounded: bool) -> Self {
        let zero = vec![0.0; length];
        let (least, most) = (vec![f64::INFINITY; length], vec![f64::NEG_INFINITY; length]);
        Self { count: 0.0, mean: zero.clone(), squares: zero, least, most, bounded }
    }

    /// Adds one vector.
    pub fn push(&mut self, observation: &[f64]) {
        self.count += 1.0;
        let share = 1.0 / self.count;
        for ((x, mean), squares) in observation.iter().zip(&mut self.mean).zip(&mut self.squares) {
            let before = x - *mean;
            *mean += before * share;
            *squares += before * (x - *mean);
        }
        self.stretch(observation, observation);
    }

    /// Adds another stream. The result depends on the order of merging, so merge in index order.
    ///
    /// # Panics
    /// If the vectors of the other stream are shorter.
    pub fn merge(&mut self, other: &Observed) {
        if other.count == 0.0 {
            return;
        }
        let total = self.count + other.count;
        for (i, mean) in self.mean.iter_mut().enumerate() {
            let gap = other.mean[i] - *mean;
            *mean += gap * (other.count / total);
            self.squares[i] += other.squares[i] + gap * gap * (self.count * other.count / total);
        }
        self.count = total;
        self.stretch(&other.least, &other.most);
    }

    /// Returns the statistics of the same vectors and their mirror images together.
    ///
    /// # Panics
    /// If `images` does not have the length of the vectors.
    pub fn with_images(&self, images: &[Image]) -> Observed {
        let mut both = Observed { count: 2.0 * self.count, ..self.clone() };
        for (i, &Image { from, sign }) in images.iter().enumerate() {
            let gap = self.mean[i] - sign * self.mean[from];
            both.mean[i] = (self.mean[i] + sign * self.mean[from]) / 2.0;
            both.squares[i] = self.squares[i] + self.squares[from] + gap * gap * self.count / 2.0;
            let (a, b) = (sign * self.least[from], sign * self.most[from]);
            both.least[i] = self.least[i].min(a.min(b));
            both.most[i] = self.most[i].max(a.max(b));
        }
        both
    }

    /// Whether these are statistics of vectors of this length, for this kind of normalizer. Statistics from another machine
    /// may be anything.
    pub(super) fn is_for(&self, length: usize, bounded: bool) -> bool {
        let all = [&self.mean, &self.squares, &self.least, &self.most];
        self.bounded == bounded && all.iter().all(|numbers| numbers.len() == length)
    }

    fn stretch(&mut self, least: &[f64], most: &[f64]) {
        self.least.iter_mut().zip(least).for_each(|(known, x)| *known = known.min(*x));
        self.most.iter_mut().zip(most).for_each(|(known, x)| *known = known.max(*x));
    }

    /// Returns the normalizer for these observations, or the identity if there are fewer than two. A coordinate that
    /// does not move gets an infinite deviation, so that it reads 0.
    pub fn normalizer(&self) -> Normalizer {
        if self.count < 2.0 {
            return Normalizer { mean: vec![0.0; self.mean.len()], std: vec![1.0; self.mean.len()] };
        }
        let unit = |i: usize| {
            let deviation = (self.squares[i] / (self.count - 1.0)).sqrt();
            let farthest = (self.most[i] - self.mean[i]).max(self.mean[i] - self.least[i]);
            match (deviation < STILL, self.bounded) {
                (true, _) => f64::INFINITY,
                (false, true) => deviation.max(farthest / REACH),
                (false, false) => deviation,
            }
        };
        Normalizer { mean: self.mean.clone(), std: (0..self.mean.len()).map(unit).collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::Observed;

    #[test]
    fn merging_parts_equals_seeing_the_whole() {
        let stream: Vec<Vec<f64>> = (0..200).map(|i| vec![(i as f64).sin() * 3.0 + 1.0, 7.0, i as f64]).collect();
        let see = |part: &[Vec<f64>]| {
            let mut observed = Observed::new(3, false);
            part.iter().for_each(|x| observed.push(x));
            observed
        };
        let (whole, mut merged) = (see(&stream), Observed::new(3, false));
        for part in [&stream[..3], &stream[3..120], &[], &stream[120..]] {
            merged.merge(&see(part));
        }
        let (a, b) = (whole.normalizer(), merged.normalizer());
        assert!(a.std[1].is_infinite() && b.std[1].is_infinite(), "a still coordinate is not seen");
        for i in [0, 2] {
            assert!((a.mean[i] - b.mean[i]).abs() < 1e-12 && (a.std[i] - b.std[i]).abs() < 1e-12 * a.std[i]);
        }
        assert!((a.std[2] - 57.879_184_5).abs() < 1e-6, "the sample deviation of 0..200");
    }

    #[test]
    fn a_bounded_input_never_exceeds_its_reach_however_the_stream_is_cut() {
        let spikes: Vec<Vec<f64>> =
            (0..1000).map(|i| vec![f64::from(u8::from(i % 500 == 7)), (i % 2) as f64]).collect();
        let see = |cuts: &[usize]| {
            let mut all = Observed::new(2, true);
            for part in cuts.windows(2) {
                let mut observed = Observed::new(2, true);
                spikes[part[0]..part[1]].iter().for_each(|x| observed.push(x));
                all.merge(&observed);
            }
            all.normalizer()
        };
        let (whole, cut) = (see(&[0, 1000]), see(&[0, 5, 600, 1000]));
        let reach = |normalizer: &crate::policy::Normalizer, i: usize| {
            spikes.iter().map(|x| ((x[i] - normalizer.mean[i]) / normalizer.std[i]).abs()).fold(0.0, f64::max)
        };
        for normalizer in [&whole, &cut] {
            assert!((reach(normalizer, 0) - 4.0).abs() < 1e-9, "a rare spike is 4 units high, not 22");
            assert!((reach(normalizer, 1) - 1.0).abs() < 1e-2, "an ordinary input keeps its deviation");
        }
    }
}
