//! The policies that a search may choose from: how its vector becomes W.
//!
//! Let M be the mirror of a task for observations and A the one for actions. A policy that treats left and right alike has
//! W M s = A W s for every state s. So W = A W M: most weights appear twice in W, with the same sign or with the opposite
//! one, some appear once, and some must be 0.

use super::{PartialSettings, Symmetry};
use crate::sim::{Image, Task};
use crate::{Error, Result};

/// Which weights are free. The search vector holds these, in the order in which W is flattened.
#[derive(Clone, Debug, PartialEq)]
pub struct Space {
    actions: usize,
    observations: usize,
    free: Option<Free>,
}

#[derive(Clone, Debug, PartialEq)]
struct Free {
    dim: usize,
    /// For every weight, the number of the search vector that it equals and its sign; none if it must be 0.
    weights: Vec<Option<Image>>,
    observations: Vec<Image>,
}

impl Space {
    /// # Errors
    /// If the settings ask for a symmetry that the task does not have.
    pub fn new(settings: &PartialSettings, task: &Task) -> Result<Self> {
        let free = match (settings.symmetry.unwrap_or_default(), &task.mirror) {
            (Symmetry::None, _) => None,
            (Symmetry::Mirror, Some(mirror)) => Some(Free::new(&mirror.actions, &mirror.observations)),
            (Symmetry::Mirror, None) => {
                let what = format!("`symmetry` is mirror, but the task `{}` has no `[mirror]`", task.name());
                return Err(Error::usage(what)
                    .hint("set `symmetry` to none, or add `[mirror]` to the file of the task")
                    .naming(&["symmetry"]));
            }
        };
        Ok(Self { actions: task.actions, observations: task.observations, free })
    }

    /// The length of the search vector.
    pub fn dim(&self) -> usize {
        self.free.as_ref().map_or(self.actions * self.observations, |free| free.dim)
    }

    /// The rows and columns of the search vector. It is a matrix only if all weights are free.
    pub fn shape(&self) -> (usize, usize) {
        self.free.as_ref().map_or((self.actions, self.observations), |free| (1, free.dim))
    }

    /// What an observation becomes in the mirror, if policies are symmetric.
    pub fn mirrored(&self) -> Option<&[Image]> {
        self.free.as_ref().map(|free| &free.observations[..])
    }

    /// W, flattened row by row, for a search vector.
    ///
    /// # Panics
    /// If the vector is too short.
    pub fn weights(&self, point: &[f64]) -> Vec<f64> {
        let Some(free) = &self.free else { return point.to_vec() };
        free.weights.iter().map(|weight| weight.map_or(0.0, |image| image.sign * point[image.from])).collect()
    }

    /// Whether a shift and a scale of every observation treat left and right alike, as policies do.
    pub fn fits(&self, mean: &[f64], std: &[f64]) -> bool {
        let same = |(i, image): (usize, &Image)| image.sign * mean[image.from] == mean[i] && std[image.from] == std[i];
        self.mirrored().is_none_or(|images| images.iter().enumerate().all(same))
    }

    /// The search vector of these weights, or `None` if they are not symmetric.
    pub fn point(&self, weights: &[f64]) -> Option<Vec<f64>> {
        let Some(free) = &self.free else { return Some(weights.to_vec()) };
        let mut point = vec![0.0; free.dim];
        for (weight, image) in weights.iter().zip(&free.weights) {
            image.iter().for_each(|image| point[image.from] = image.sign * weight);
        }
        (self.weights(&point) == weights).then_some(point)
    }
}

impl Free {
    fn new(actions: &[Image], observations: &[Image]) -> Self {
        let columns = observations.len();
        let mut weights: Vec<Option<Image>> = Vec::with_capacity(actions.len() * columns);
        let mut dim = 0;
        for (i, action) in actions.iter().enumerate() {
            for (j, observation) in observations.iter().enumerate() {
                let (place, sign) = (i * columns + j, action.sign * observation.sign);
                let twin = action.from * columns + observation.from;
                weights.push(match twin.cmp(&place) {
                    std::cmp::Ordering::Less => weights[twin].map(|image| Image { sign: sign * image.sign, ..image }),
                    // It is its own opposite.
                    std::cmp::Ordering::Equal if sign < 0.0 => None,
                    _ => {
                        dim += 1;
                        Some(Image { from: dim - 1, sign: 1.0 })
                    }
                });
            }
        }
        Self { dim, weights, observations: observations.to_vec() }
    }
}
