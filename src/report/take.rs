//! An episode kept for looking at: the pose after every physics step, and the return so far.

use super::gait;
use crate::policy::LinearPolicy;
use crate::sim::{Simulator, Task};
use crate::{Error, Result};
use std::sync::Arc;

/// A recorded episode. It is shot in full before anything is drawn, so that its length and end are known.
pub struct Take {
    /// Seconds of simulated time from one moment to the next.
    timestep: f64,
    /// The reset state, then one per physics step: actions are too far apart for smooth pictures.
    moments: Vec<Moment>,
}

/// What there is to see at one time.
#[derive(Clone, Debug, PartialEq)]
pub struct Moment {
    pub time: f64,
    /// Sum of the rewards so far.
    pub value: f64,
    pub qpos: Vec<f64>,
}

impl Take {
    /// Lets the policy act from `reset(seed)` until the episode ends, or for its first `seconds`.
    pub fn record(task: &Arc<Task>, policy: &LinearPolicy, seed: u64, seconds: Option<f64>) -> Result<Self> {
        let timestep = task.model.ffi().opt.timestep;
        let most = seconds.map_or(usize::MAX, |seconds| ((seconds / timestep).round() as usize).max(1));
        let mut simulator = Simulator::new(task.clone());
        simulator.reset(seed);

        let mut value = 0.0;
        let mut action = vec![0.0; policy.actions()];
        let mut moments = vec![Moment { time: 0.0, value, qpos: simulator.qpos().to_vec() }];
        while moments.len() <= most {
            policy.act(simulator.observation(), &mut action);
            let step = simulator.step_finely(&action, |data| {
                let time = moments.len() as f64 * timestep;
                moments.push(Moment { time, value, qpos: data.qpos().to_vec() });
            });
            if step.diverged {
                return Err(broke_down(&moments, task.definition.frame_skip));
            }
            // A reward is paid at the end of its action.
            value += step.reward.total();
            if let Some(last) = moments.last_mut() {
                last.value = value;
            }
            if step.ends() {
                break;
            }
        }
        moments.truncate(most.saturating_add(1));
        Ok(Self { timestep, moments })
    }

    /// Seconds from the first moment to the last.
    pub fn seconds(&self) -> f64 {
        self.end().time
    }

    /// The return at the last moment.
    pub fn value(&self) -> f64 {
        self.end().value
    }

    /// The moments nearest to 0, 1/fps, 2/fps, …; the last one is the end, so that the final return is seen.
    pub fn frames(&self, fps: u32) -> Vec<&Moment> {
        let last = (self.seconds() * f64::from(fps) + 1e-6).floor() as usize;
        let mut frames: Vec<_> = (0..last).map(|k| self.nearest(k as f64 / f64::from(fps))).collect();
        frames.push(self.end());
        frames
    }

    /// `count` moments of one cycle of the gait, in the middle of the episode; of a motion without a cycle, a second.
    pub fn gait(&self, count: usize) -> Vec<&Moment> {
        let poses: Vec<&[f64]> = self.moments.iter().map(|moment| moment.qpos.as_slice()).collect();
        let cycle = gait::period(&poses, self.timestep).unwrap_or(1.0).min(self.seconds());
        let start = (self.seconds() - cycle) / 2.0;
        (0..count).map(|k| self.nearest(start + cycle * k as f64 / count as f64)).collect()
    }

    /// `count` moments from the start to the end.
    pub fn spread(&self, count: usize) -> Vec<&Moment> {
        let gaps = count.saturating_sub(1).max(1);
        (0..count).map(|k| self.nearest(self.seconds() * k as f64 / gaps as f64)).collect()
    }

    fn nearest(&self, time: f64) -> &Moment {
        let index = (time / self.timestep).round() as usize;
        &self.moments[index.min(self.moments.len() - 1)]
    }

    fn end(&self) -> &Moment {
        &self.moments[self.moments.len() - 1]
    }
}

/// Half a film of a broken simulation helps nobody, but what came before may.
fn broke_down(moments: &[Moment], frame_skip: usize) -> Error {
    let before = moments.len().saturating_sub(frame_skip + 1);
    let time = moments[before].time;
    let message = format!("the physics broke down {time:.3} s into the episode; nothing was written");
    match before {
        0 => Error::failed(message),
        _ => Error::failed(message).hint(format!("`--seconds {time:.3}` shows what led to it")),
    }
}
