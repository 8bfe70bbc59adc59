//! Decides whether a robot is healthy.

use super::definition::{Condition, Coordinates};

impl Condition {
    /// Whether every chosen number lies within the limits.
    pub(super) fn holds(&self, qpos: &[f64], qvel: &[f64]) -> bool {
        let state: [&[f64]; 2] = match self.of {
            Coordinates::Qpos => [qpos, &[]],
            Coordinates::Qvel => [qvel, &[]],
            Coordinates::State => [qpos, qvel],
        };
        let mut numbers = state.into_iter().flatten();
        match self.index {
            Some(index) => numbers.nth(index).is_some_and(|&x| self.allows(x)),
            None => numbers.skip(self.from.unwrap_or(0)).all(|&x| self.allows(x)),
        }
    }

    fn allows(&self, x: f64) -> bool {
        !x.is_nan()
            && (!self.finite || x.is_finite())
            && self.above.is_none_or(|limit| x > limit)
            && self.below.is_none_or(|limit| x < limit)
            && self.at_least.is_none_or(|limit| x >= limit)
            && self.at_most.is_none_or(|limit| x <= limit)
    }
}
