//! Light, sky, floor, colors and view for models that bring none of their own.

use crate::sim::Task;
use mujoco_rs::prelude::*;
use mujoco_rs::wrappers::fun::utility::{mju_neg_quat, mju_rot_vec_quat};
use mujoco_rs::wrappers::mj_editing::{MjsGeom, MjtBuiltin, MjtMark, SpecItem};
use std::path::Path;

/// MuJoCo's color of a shape whose author chose none.
const UNCOLORED: [f32; 4] = [0.5, 0.5, 0.5, 1.0];
/// The colors that uncolored bodies take in turn.
const COLORS: [[f32; 4]; 3] = [[0.28, 0.70, 0.66, 1.0], [0.20, 0.29, 0.37, 1.0], [0.10, 0.55, 0.53, 1.0]];
/// How far the camera is away, in radii of the robot.
const AWAY: f64 = 3.4;
/// From the robot to the sun, in radii of the robot.
const SUN: [f64; 3] = [-1.4, -2.0, 4.0];
/// The name of what is added. A model that uses it already stays as it is.
const NAME: &str = "locomotion-floor";

/// Returns the model as it is drawn, with what its author left out. It is never simulated. `radius` is that of the task's
/// model, here and below.
pub fn dressed(task: &Task, radius: Option<f64>) -> MjModel {
    let model = &task.model;
    let is_bare = model.ffi().nlight == 0 || !has_sky(model) || !plain_floors(model).is_empty();
    let from_file = task.model_file.as_deref().filter(|_| is_bare).and_then(|file| dress(file, model, radius));
    let mut dressed = from_file.unwrap_or_else(|| (**model).clone());
    if model.ffi().nlight == 0 {
        let light = &mut dressed.vis_mut().headlight;
        (light.ambient, light.diffuse, light.specular) = ([0.5; 3], [0.15; 3], [0.0; 3]);
    }
    let colors: Vec<[f32; 4]> = (0..model.ffi().ngeom as usize).map(|geom| color(model, geom)).collect();
    dressed.geom_rgba_mut().copy_from_slice(&colors);
    dressed.stat_mut().extent = extent(model, radius);
    dressed
}

/// Compiles the model once more with a sun, a sky and a checkered floor where they are missing.
fn dress(file: &Path, model: &MjModel, radius: Option<f64>) -> Option<MjModel> {
    let mut spec = MjSpec::from_xml(file).ok()?;
    if !has_sky(model) {
        let sky = spec.add_texture();
        sky.set_type(MjtTexture::mjTEXTURE_SKYBOX);
        sky.set_builtin(MjtBuiltin::mjBUILTIN_GRADIENT);
        *sky.rgb1_mut() = [0.58, 0.74, 0.90];
        *sky.rgb2_mut() = [0.97, 0.98, 0.99];
        sky.set_width(128);
        sky.set_height(768);
    }
    if !plain_floors(model).is_empty() {
        let texture = spec.add_texture();
        texture.set_name(NAME).ok()?;
        texture.set_type(MjtTexture::mjTEXTURE_2D);
        texture.set_builtin(MjtBuiltin::mjBUILTIN_CHECKER);
        texture.set_mark(MjtMark::mjMARK_EDGE);
        *texture.rgb1_mut() = [0.85, 0.88, 0.90];
        *texture.rgb2_mut() = [0.80, 0.83, 0.86];
        *texture.markrgb_mut() = [0.92, 0.94, 0.95];
        texture.set_width(256);
        texture.set_height(256);
        let material = spec.add_material();
        material.set_name(NAME).ok()?;
        material.set_texture(MjtTextureRoleBase::mjTEXROLE_RGB, NAME);
        material.set_texuniform(true);
        material.set_specular(0.0);
        let is_plain = |geom: &MjsGeom| is_plain(geom.type_(), geom.material().is_empty(), *geom.rgba());
        spec.geom_iter_mut().filter(|geom| is_plain(geom)).for_each(|geom| geom.set_material(NAME));
    }
    if model.ffi().nlight == 0 {
        let reach = radius?;
        let at = |direction: [f64; 3]| in_frame_of_robot(model, direction);
        let sun = spec.world_body_mut().body_iter_mut().next()?.add_light();
        sun.set_type(MjtLightType::mjLIGHT_DIRECTIONAL);
        sun.set_mode(MjtCamLight::mjCAMLIGHT_TRACKCOM);
        *sun.pos_mut() = at(SUN.map(|x| x * reach));
        *sun.dir_mut() = at(SUN.map(|x| -x));
        (*sun.diffuse_mut(), *sun.specular_mut()) = ([0.55; 3], [0.2; 3]);
        sun.set_castshadow(true);
    }
    let dressed = spec.compile().ok()?;
    let same = |count: fn(&MjModel) -> i64| count(&dressed) == count(model);
    (same(|m| m.ffi().nq) && same(|m| m.ffi().nbody) && same(|m| m.ffi().ngeom)).then_some(dressed)
}

/// Turns a direction in the world into the frame of the first body.
fn in_frame_of_robot(model: &MjModel, direction: [f64; 3]) -> [f64; 3] {
    let (mut back, mut turned) = ([0.0; 4], [0.0; 3]);
    mju_neg_quat(&mut back, &model.body_quat()[1]);
    mju_rot_vec_quat(&mut turned, &direction, &back);
    turned
}

fn has_sky(model: &MjModel) -> bool {
    model.tex_type().contains(&MjtTexture::mjTEXTURE_SKYBOX)
}

/// Returns the planes that have neither a material nor a color.
fn plain_floors(model: &MjModel) -> Vec<usize> {
    let plain =
        |geom: &usize| is_plain(model.geom_type()[*geom], model.geom_matid()[*geom] < 0, model.geom_rgba()[*geom]);
    (0..model.ffi().ngeom as usize).filter(plain).collect()
}

fn is_plain(kind: MjtGeomBase, has_no_material: bool, rgba: [f32; 4]) -> bool {
    kind == MjtGeomBase::mjGEOM_PLANE && has_no_material && rgba == UNCOLORED
}

/// Returns the color of a shape. The parts of a robot that have none get one, because gray on gray is hard to see.
pub fn color(model: &MjModel, geom: usize) -> [f32; 4] {
    let (own, material, body) = (model.geom_rgba()[geom], model.geom_matid()[geom], model.geom_bodyid()[geom]);
    match (usize::try_from(material), usize::try_from(body)) {
        // A material's color counts unless the shape has its own.
        (Ok(material), _) if own == UNCOLORED => model.mat_rgba()[material],
        (Err(_), Ok(body)) if own == UNCOLORED && body > 0 => COLORS[body % COLORS.len()],
        _ => own,
    }
}

/// The same for a site, which is decoration and keeps its gray.
pub fn site_color(model: &MjModel, site: usize) -> [f32; 4] {
    let own = model.site_rgba()[site];
    match usize::try_from(model.site_matid()[site]) {
        Ok(material) if own == UNCOLORED => model.mat_rgba()[material],
        _ => own,
    }
}

/// The distance from the robot's center of mass within which all of its shapes lie in the pose of the model. It
/// takes a simulation of its own to find out, so ask once.
pub fn radius(model: &MjModel) -> Option<f64> {
    let mut data = MjData::new(std::sync::Arc::new(model.clone()));
    data.kinematics();
    data.com_pos();
    let center = *data.subtree_com().get(1)?;
    let shapes = model.geom_bodyid().iter().zip(data.geom_xpos()).zip(model.geom_rbound());
    let reach = shapes.filter(|((body, _), _)| **body > 0).map(|((_, at), bound)| {
        let gap: f64 = (0..3).map(|i| (at[i] - center[i]).powi(2)).sum();
        gap.sqrt() + bound
    });
    Some(reach.fold(0.0, f64::max)).filter(|radius| *radius > 0.0)
}

/// The approximate size of the scene. MuJoCo's own estimate includes the ground, however wide it is.
pub fn extent(model: &MjModel, radius: Option<f64>) -> f64 {
    let whole = model.ffi().stat.extent;
    radius.map_or(whole, |radius| whole.min(3.0 * radius))
}

/// The distance from which the robot, without the world around it, fills the picture well.
pub fn distance(model: &MjModel, radius: Option<f64>) -> f64 {
    radius.map_or(1.5 * model.ffi().stat.extent, |radius| AWAY * radius)
}
