//! The policies that a search may choose from: how its vector becomes W.
//!
//! Two settings take weights away. With `inputs`, the columns of W for inputs that do not count are 0. With `symmetry`, let M
//! be the mirror of a task for observations and A the one for actions. A policy that treats left and right alike has
//! W M s = A W s for every state s. So W = A W M: most weights appear twice in W, with the same sign or with the opposite
//! one, some appear once, and some must be 0.

use super::{Inputs, PartialSettings, Symmetry};
use crate::sim::{Image, Task};
use crate::{Error, Result};
use std::cmp::Ordering;

/// Which weights are free. The search vector holds these, in the order in which W is flattened.
#[derive(Clone, Debug, PartialEq)]
pub struct Space {
    actions: usize,
    dim: usize,
    /// For every weight, the number of the search vector that it equals and its sign; none if it must be 0.
    weights: Vec<Option<Image>>,
    /// For every observation, whether policies may use it.
    counts: Vec<bool>,
    mirrored: Option<Vec<Image>>,
}

/// Why a policy is not one of those that a search may choose from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outside {
    /// It treats left and right differently.
    Uneven,
    /// It has a weight for an input that does not count.
    OtherInputs,
}

impl Space {
    /// # Errors
    /// If the settings ask for a symmetry or for inputs that the task does not have.
    pub fn new(settings: &PartialSettings, task: &Task) -> Result<Self> {
        let mirror = match (settings.symmetry.unwrap_or_default(), &task.mirror) {
            (Symmetry::None, _) => None,
            (Symmetry::Mirror, Some(mirror)) => Some(mirror),
            (Symmetry::Mirror, None) => {
                let what = format!("`symmetry` is mirror, but the task `{}` has no `[mirror]`", task.name());
                return Err(Error::usage(what)
                    .hint("set `symmetry` to none, or add `[mirror]` to the file of the task")
                    .naming(&["symmetry"]));
            }
        };
        let counts = match settings.inputs.unwrap_or_default() {
            Inputs::All => vec![true; task.observations],
            Inputs::State => task.state_inputs(),
        };
        if !counts.contains(&true) {
            let what = format!("`inputs` is state, but the task `{}` observes neither qpos nor qvel", task.name());
            return Err(Error::usage(what).hint("set `inputs` to all").naming(&["inputs"]));
        }
        let itself = |count: usize| (0..count).map(|from| Image { from, sign: 1.0 }).collect::<Vec<_>>();
        let (actions, observations) = match mirror {
            Some(mirror) => (mirror.actions.clone(), mirror.observations.clone()),
            None => (itself(task.actions), itself(task.observations)),
        };
        let (weights, dim) = tied(&actions, &observations, &counts);
        let mirrored = mirror.map(|mirror| mirror.observations.clone());
        Ok(Self { actions: task.actions, dim, weights, counts, mirrored })
    }

    /// The length of the search vector.
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// The rows and columns of the search vector. It is a matrix unless weights are tied to each other.
    pub fn shape(&self) -> (usize, usize) {
        match self.mirrored {
            Some(_) => (1, self.dim),
            None => (self.actions, self.dim / self.actions),
        }
    }

    /// What an observation becomes in the mirror, if policies are symmetric.
    pub fn mirrored(&self) -> Option<&[Image]> {
        self.mirrored.as_deref()
    }

    /// W, flattened row by row, for a search vector.
    ///
    /// # Panics
    /// If the vector is too short.
    pub fn weights(&self, point: &[f64]) -> Vec<f64> {
        self.weights.iter().map(|weight| weight.map_or(0.0, |image| image.sign * point[image.from])).collect()
    }

    /// Whether a shift and a scale of every observation treat left and right alike, as policies do.
    pub fn fits(&self, mean: &[f64], std: &[f64]) -> bool {
        let same = |(i, image): (usize, &Image)| image.sign * mean[image.from] == mean[i] && std[image.from] == std[i];
        self.mirrored().is_none_or(|images| images.iter().enumerate().all(same))
    }

    /// The search vector of these weights.
    ///
    /// # Errors
    /// If the search cannot choose them.
    pub fn point(&self, weights: &[f64]) -> std::result::Result<Vec<f64>, Outside> {
        let mut point = vec![0.0; self.dim];
        for (weight, image) in weights.iter().zip(&self.weights) {
            image.iter().for_each(|image| point[image.from] = image.sign * weight);
        }
        let uses_others =
            weights.iter().zip(self.counts.iter().cycle()).any(|(weight, counts)| !counts && *weight != 0.0);
        match self.weights(&point) == weights {
            true => Ok(point),
            false if uses_others => Err(Outside::OtherInputs),
            false => Err(Outside::Uneven),
        }
    }
}

/// Ties every weight to a number of the search vector, and counts these. An input and its mirror image count both or not at
/// all.
fn tied(actions: &[Image], observations: &[Image], counts: &[bool]) -> (Vec<Option<Image>>, usize) {
    let columns = observations.len();
    let mut weights: Vec<Option<Image>> = Vec::with_capacity(actions.len() * columns);
    let mut dim = 0;
    for (i, action) in actions.iter().enumerate() {
        for (j, observation) in observations.iter().enumerate() {
            let (place, sign) = (i * columns + j, action.sign * observation.sign);
            let twin = action.from * columns + observation.from;
            weights.push(match twin.cmp(&place) {
                _ if !counts[j] => None,
                Ordering::Less => weights[twin].map(|image| Image { sign: sign * image.sign, ..image }),
                // It is its own opposite.
                Ordering::Equal if sign < 0.0 => None,
                _ => {
                    dim += 1;
                    Some(Image { from: dim - 1, sign: 1.0 })
                }
            });
        }
    }
    (weights, dim)
}
