//! Chooses the moments of a recording that a film or a contact sheet shows.

use super::gait;
use crate::rollout::{Moment, Recording};
use crate::{Error, Result};

/// A recording with at least one moment.
pub struct Shots(Recording);

impl Shots {
    /// Takes a recording with moments. `seconds` is the requested length.
    ///
    /// # Errors
    /// If the physics broke down within the requested length. The error names the length before that.
    pub fn new(recording: Recording, seconds: Option<f64>) -> Result<Self> {
        let shots = Self(recording);
        let wanted = seconds.unwrap_or(f64::INFINITY);
        let missing = shots.0.outcome.diverged && shots.seconds() + shots.0.timestep / 2.0 < wanted;
        if !missing {
            return Ok(shots);
        }
        let time = shots.seconds();
        let message = format!("the physics broke down {time:.3} s into the episode; nothing was written");
        Err(match shots.0.moments.len() {
            1 => Error::failed(message),
            _ => {
                let error = Error::failed(message).naming(&["seconds"]);
                error.hint(format!("`seconds {time:.3}` shows what led to it"))
            }
        })
    }

    /// The time from the first moment to the last.
    pub fn seconds(&self) -> f64 {
        self.end().time
    }

    /// The return at the last moment.
    pub fn value(&self) -> f64 {
        self.end().value
    }

    /// Returns the moments nearest to 0, 1/fps, 2/fps, … and always the last one, so that the final return is visible.
    pub fn frames(&self, fps: u32) -> Vec<&Moment> {
        let last = (self.seconds() * f64::from(fps) + 1e-6).floor() as usize;
        let mut frames: Vec<_> = (0..last).map(|k| self.nearest(k as f64 / f64::from(fps))).collect();
        frames.push(self.end());
        frames
    }

    /// Returns `count` moments of one gait cycle in the middle of the episode, or of one second if the motion has no
    /// cycle.
    pub fn gait(&self, count: usize) -> Vec<&Moment> {
        let poses: Vec<&[f64]> = self.0.moments.iter().map(|moment| moment.qpos.as_slice()).collect();
        let cycle = gait::period(&poses, self.0.timestep).unwrap_or(1.0).min(self.seconds());
        let start = (self.seconds() - cycle) / 2.0;
        (0..count).map(|k| self.nearest(start + cycle * k as f64 / count as f64)).collect()
    }

    /// Returns `count` moments spread evenly from start to end.
    pub fn spread(&self, count: usize) -> Vec<&Moment> {
        let gaps = count.saturating_sub(1).max(1);
        (0..count).map(|k| self.nearest(self.seconds() * k as f64 / gaps as f64)).collect()
    }

    fn nearest(&self, time: f64) -> &Moment {
        let index = (time / self.0.timestep).round() as usize;
        &self.0.moments[index.min(self.0.moments.len() - 1)]
    }

    fn end(&self) -> &Moment {
        &self.0.moments[self.0.moments.len() - 1]
    }
}
