//! The model in the form that the page draws: primitive shapes fixed to bodies, a floor and a camera that follows the
//! robot.

use crate::film::bare;
use crate::sim::Task;
use mujoco_rs::prelude::*;
use serde::Serialize;

/// Shapes in this group and higher ones are hidden, as in MuJoCo's own viewer.
const GROUPS_SHOWN: i32 = 3;
/// A world box with half-sizes above this (in meters) is a floor. Models use one because MuJoCo draws planes only near
/// the origin.
const FLOOR_FROM: f64 = 100.0;

#[derive(Serialize)]
pub struct Scene {
    /// The number of moving bodies. Body 0 is the world, which does not move.
    pub bodies: usize,
    /// The approximate size of the model in meters.
    pub extent: f64,
    /// The height of the floor, if there is one.
    pub floor: Option<f64>,
    /// Positions relative to the tracked point are stored in units of this many meters / 32767.
    pub reach: f64,
    pub camera: Camera,
    pub actuators: Vec<String>,
    pub shapes: Vec<SceneShape>,
}

#[derive(Serialize)]
pub struct SceneShape {
    kind: &'static str,
    size: [f64; 3],
    rgba: [f32; 4],
    body: usize,
    pos: [f64; 3],
    quat: [f64; 4],
}

/// The initial view, in MuJoCo's terms for a free camera, in degrees and meters.
#[derive(Serialize)]
pub struct Camera {
    azimuth: f64,
    elevation: f64,
    distance: f64,
    fovy: f64,
    /// From the tracked point to the point that the camera looks at.
    offset: [f64; 3],
}

impl Scene {
    pub fn new(task: &Task, reach: f64) -> Self {
        let model = &task.model;
        let mut floor: Option<f64> = None;
        let mut shapes = Vec::new();
        for (shape, of) in all_shapes(model) {
            let height = match of {
                MjtGeomBase::mjGEOM_PLANE => Some(shape.pos[2]),
                _ if shape.body == 0 && shape.size[0].min(shape.size[1]) > FLOOR_FROM => {
                    Some(shape.pos[2] + shape.size[2])
                }
                _ => None,
            };
            match height {
                Some(height) => floor = Some(floor.map_or(height, |floor| floor.max(height))),
                None => shapes.push(shape),
            }
        }
        let radius = bare::radius(model);
        let actuators = model.ffi().nu as usize;
        let name = |i| model.id_to_name(MjtObjBase::mjOBJ_ACTUATOR, i).filter(|name| !name.is_empty());
        Self {
            bodies: model.ffi().nbody as usize - 1,
            extent: bare::extent(model, radius),
            floor,
            reach,
            camera: Camera::new(task, radius),
            actuators: (0..actuators).map(|i| name(i).map_or_else(|| format!("{}", i + 1), str::to_string)).collect(),
            shapes,
        }
    }
}

/// Lists the geoms and sites that MuJoCo would show.
fn all_shapes(model: &MjModel) -> impl Iterator<Item = (SceneShape, MjtGeomBase)> {
    let geoms = (0..model.ffi().ngeom as usize).map(move |i| Raw {
        of: model.geom_type()[i],
        size: model.geom_size()[i],
        rgba: bare::color(model, i),
        body: model.geom_bodyid()[i],
        pos: model.geom_pos()[i],
        quat: model.geom_quat()[i],
        group: model.geom_group()[i],
    });
    let sites = (0..model.ffi().nsite as usize).map(move |i| Raw {
        of: model.site_type()[i],
        size: model.site_size()[i],
        rgba: bare::site_color(model, i),
        body: model.site_bodyid()[i],
        pos: model.site_pos()[i],
        quat: model.site_quat()[i],
        group: model.site_group()[i],
    });
    let seen = |raw: &Raw| raw.group < GROUPS_SHOWN && raw.rgba[3] > 0.0;
    geoms.chain(sites).filter(seen).map(|raw| (raw.shape(), raw.of))
}

/// A geom or a site, as MuJoCo stores it.
struct Raw {
    of: MjtGeomBase,
    size: [f64; 3],
    rgba: [f32; 4],
    body: i32,
    pos: [f64; 3],
    quat: [f64; 4],
    group: i32,
}

impl Raw {
    fn shape(&self) -> SceneShape {
        let kind = match self.of {
            MjtGeomBase::mjGEOM_SPHERE => "sphere",
            MjtGeomBase::mjGEOM_CAPSULE => "capsule",
            MjtGeomBase::mjGEOM_CYLINDER => "cylinder",
            MjtGeomBase::mjGEOM_ELLIPSOID => "ellipsoid",
            // A mesh is shown as a box of the size that MuJoCo stores for it.
            _ => "box",
        };
        let body = usize::try_from(self.body).unwrap_or(0);
        SceneShape { kind, size: self.size, rgba: self.rgba, body, pos: self.pos, quat: self.quat }
    }
}

impl Camera {
    /// The task's camera, aimed at the point on its axis that is nearest to the body it follows.
    fn new(task: &Task, radius: Option<f64>) -> Self {
        let model = &task.model;
        let named = |name: &String| model.name_to_id(MjtObjBase::mjOBJ_CAMERA, name);
        let Some(id) = task.definition.camera.as_ref().and_then(named) else {
            let distance = bare::distance(model, radius);
            return Self { azimuth: 90.0, elevation: -20.0, distance, fovy: 45.0, offset: [0.0; 3] };
        };
        let (at, frame) = (model.cam_poscom0()[id], model.cam_mat0()[id]);
        let forward = [-frame[2], -frame[5], -frame[8]];
        let distance = -(0..3).map(|i| at[i] * forward[i]).sum::<f64>();
        Self {
            azimuth: forward[1].atan2(forward[0]).to_degrees(),
            elevation: forward[2].clamp(-1.0, 1.0).asin().to_degrees(),
            distance,
            fovy: model.cam_fovy()[id],
            offset: std::array::from_fn(|i| at[i] + distance * forward[i]),
        }
    }
}

/// Returns the body whose center of mass is followed: the camera's, or else the first one.
pub fn tracked(task: &Task) -> usize {
    let model = &task.model;
    let camera = task.definition.camera.as_ref();
    let id = camera.and_then(|name| model.name_to_id(MjtObjBase::mjOBJ_CAMERA, name));
    let body = id.map_or(1, |id| usize::try_from(model.cam_bodyid()[id]).unwrap_or(0));
    body.min(model.ffi().nbody as usize - 1)
}
