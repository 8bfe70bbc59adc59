//! Makes shadows fine and cheap. Software GL spends more time on them than on anything else.

use mujoco_rs::prelude::*;

/// The width of the shadow map in pixels, if it covers the robot alone, or everything.
const NEAR: i32 = 512;
const WIDE: i32 = 1024;
/// How much of the surroundings the map covers, in radii of the robot. It may stretch beyond its first pose.
const AROUND: f64 = 1.4;
/// How far the view reaches, in meters. Surfaces that face the sun must not shade themselves. MuJoCo keeps them apart by a
/// number of depth steps, and a step is larger the farther the view reaches.
const REACH: f64 = 9000.0;

/// Changes how the model is drawn, not how it moves. If all lamps follow the robot, only its surroundings need shadows.
/// `radius` is the robot's.
pub fn tune(model: &mut MjModel, radius: Option<f64>) {
    let follows = |mode: &MjtCamLight| matches!(mode, MjtCamLight::mjCAMLIGHT_TRACK | MjtCamLight::mjCAMLIGHT_TRACKCOM);
    let radius = radius.filter(|_| model.light_mode().iter().all(follows));
    let extent = model.ffi().stat.extent;
    let visual = model.vis_mut();
    let shadow = &mut visual.quality.shadowsize;
    *shadow = (*shadow).min(if radius.is_some() { NEAR } else { WIDE });
    if let Some(radius) = radius {
        visual.map.shadowclip = visual.map.shadowclip.min((AROUND * radius / extent) as f32);
        visual.map.zfar = visual.map.zfar.max((REACH / extent) as f32);
    }
}
