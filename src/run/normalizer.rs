//! Running mean and deviation of observations, as in ARS V2.

use crate::policy::Normalizer;
use serde::{Deserialize, Serialize};

/// A coordinate that hardly moved tells nothing: below this deviation it is not seen at all (ARS, Mania et al. 2018).
const STILL: f64 = 1e-7;

/// Count, mean and summed squared deviations of a stream of vectors (Welford; merged after Chan et al.).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Observed {
    count: f64,
    mean: Vec<f64>,
    squares: Vec<f64>,
}

impl Observed {
    pub fn new(length: usize) -> Self {
        Self { count: 0.0, mean: vec![0.0; length], squares: vec![0.0; length] }
    }

    pub fn push(&mut self, observation: &[f64]) {
        self.count += 1.0;
        let share = 1.0 / self.count;
        for ((x, mean), squares) in observation.iter().zip(&mut self.mean).zip(&mut self.squares) {
            let before = x - *mean;
            *mean += before * share;
            *squares += before * (x - *mean);
        }
    }

    /// Adds another stream. The result depends on the order of merging, so merge in index order.
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
    }

    /// The normaliser these observations call for; the identity before there are two. A still coordinate has an infinite
    /// deviation, so that it reads 0.
    pub fn normalizer(&self) -> Normalizer {
        if self.count < 2.0 {
            return Normalizer { mean: vec![0.0; self.mean.len()], std: vec![1.0; self.mean.len()] };
        }
        let deviation = |squares: &f64| (squares / (self.count - 1.0)).sqrt();
        let std = self.squares.iter().map(deviation).map(|d| if d < STILL { f64::INFINITY } else { d }).collect();
        Normalizer { mean: self.mean.clone(), std }
    }
}

#[cfg(test)]
mod tests {
    use super::Observed;

    #[test]
    fn merging_parts_equals_seeing_the_whole() {
        let stream: Vec<Vec<f64>> = (0..200).map(|i| vec![(i as f64).sin() * 3.0 + 1.0, 7.0, i as f64]).collect();
        let see = |part: &[Vec<f64>]| {
            let mut observed = Observed::new(3);
            part.iter().for_each(|x| observed.push(x));
            observed
        };
        let (whole, mut merged) = (see(&stream), Observed::new(3));
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
}
