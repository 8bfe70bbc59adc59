//! A window in which a policy acts in real time, episode after episode.

use crate::policy::LinearPolicy;
use crate::sim::{Simulator, Task};
use crate::{Error, Result};
use mujoco_rs::prelude::*;
use mujoco_rs::viewer::MjViewer;
use std::error::Error as _;
use std::sync::Arc;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// The time between two pictures, unless drawing takes longer.
const PICTURE: Duration = Duration::from_millis(16);

/// Shows episodes from `seed` on until the window is closed. Calls `ended` with the seed, duration and return of each.
///
/// # Errors
/// If no window can be opened or drawn to.
pub fn show(
    task: &Arc<Task>,
    policy: &LinearPolicy,
    mut seed: u64,
    mut ended: impl FnMut(u64, f64, f64),
) -> Result<()> {
    let title = format!("{} · locomotion", task.name());
    let viewer = MjViewer::builder().window_name(title).build_passive(&task.model).map_err(no_window)?;
    let mut window = Window { viewer, started: Instant::now(), drawn: None };
    let mut simulator = Simulator::new(task.clone());
    while window.viewer.running() {
        simulator.reset(seed);
        window.started = Instant::now();
        let value = episode(&mut window, &mut simulator, policy)?;
        ended(seed, simulator.data_mut().time(), value);
        seed = seed.wrapping_add(1);
    }
    Ok(())
}

/// Plays one episode, or the part of it before the window closes, and returns its return.
fn episode(window: &mut Window, simulator: &mut Simulator, policy: &LinearPolicy) -> Result<f64> {
    let mut value = 0.0;
    let mut action = vec![0.0; policy.actions()];
    while window.viewer.running() {
        policy.act(simulator.observation(), &mut action);
        let mut shown = Ok(());
        let step = simulator.step_finely(&action, |data| {
            if shown.is_ok() {
                shown = window.show(data);
            }
        });
        shown?;
        if step.diverged {
            return Err(Error::failed("the physics broke down").hint("`eval` counts how often that happens"));
        }
        value += step.reward.total();
        if step.ends() {
            break;
        }
    }
    Ok(value)
}

struct Window {
    viewer: MjViewer,
    /// When the episode began on the wall clock.
    started: Instant,
    drawn: Option<Instant>,
}

impl Window {
    /// Keeps simulated time in step with real time. A slow display drops pictures instead of slowing time down.
    fn show(&mut self, data: &mut MjData<Arc<MjModel>>) -> Result<()> {
        if let Some(early) = Duration::from_secs_f64(data.time()).checked_sub(self.started.elapsed()) {
            sleep(early);
        }
        if self.drawn.is_some_and(|last| last.elapsed() < PICTURE) {
            return Ok(());
        }
        // This is also where pushing the robot with the mouse reaches the simulation.
        self.viewer.sync_data(data);
        self.viewer.render().map_err(|e| Error::failed(format!("drawing failed: {e}")))?;
        self.drawn = Some(Instant::now());
        Ok(())
    }
}

fn no_window(error: MjViewerError) -> Error {
    // Everything before the last colon only says where in its own source winit failed.
    let reason = error.source().map_or(error.to_string(), |source| source.to_string());
    let reason = reason.rsplit(": ").next().unwrap_or(&reason);
    Error::failed(format!("cannot open a window: {reason}"))
        .hint("a window needs a display and OpenGL; `render` needs no display")
}
