//! Light, sky and view for models that bring none of their own.

use mujoco_rs::prelude::*;

/// The color of the sky at the top and at the bottom of a picture.
const SKY: [[f32; 3]; 2] = [[148.0, 189.0, 230.0], [247.0, 250.0, 252.0]];
/// How far the camera is away, in radii of the robot.
const AWAY: f64 = 4.5;

/// Brightens a model that has no lamps: the light of the camera alone would leave it dark.
pub fn lighten(model: &mut MjModel) {
    if model.ffi().nlight > 0 {
        return;
    }
    let light = &mut model.vis_mut().headlight;
    light.ambient = [0.6; 3];
    light.diffuse = [0.65; 3];
    light.specular = [0.1; 3];
}

/// Whether the model has a sky to show behind the robot.
pub fn has_sky(model: &MjModel) -> bool {
    model.tex_type().contains(&MjtTexture::mjTEXTURE_SKYBOX)
}

/// Paints the sky where nothing was drawn. `depth` is the distance of every pixel, and the largest is nothing.
pub fn paint_sky(picture: &mut [u8], depth: &[f32], width: usize) {
    let far = depth.iter().copied().fold(0.0, f32::max) * 0.999;
    let height = depth.len() / width.max(1);
    for (at, pixel) in picture.chunks_exact_mut(3).enumerate().filter(|(at, _)| depth[*at] >= far) {
        let down = (at / width) as f32 / height.max(1) as f32;
        for (channel, value) in pixel.iter_mut().enumerate() {
            *value = (SKY[0][channel] + (SKY[1][channel] - SKY[0][channel]) * down) as u8;
        }
    }
}

/// The distance from which the robot, without the world around it, fills the picture well.
pub fn distance(model: &MjModel) -> f64 {
    let mut data = MjData::new(std::sync::Arc::new(model.clone()));
    data.kinematics();
    let root = data.xpos().get(1).copied().unwrap_or([0.0; 3]);
    let shapes = model.geom_bodyid().iter().zip(data.geom_xpos()).zip(model.geom_rbound());
    let reach = shapes.filter(|((body, _), _)| **body > 0).map(|((_, at), bound)| {
        let gap: f64 = (0..3).map(|i| (at[i] - root[i]).powi(2)).sum();
        gap.sqrt() + bound
    });
    let radius = reach.fold(0.0, f64::max);
    if radius > 0.0 { AWAY * radius } else { 1.5 * model.ffi().stat.extent }
}
