//! A first task for a user's own model: everything that the model has, listed, and rules that can be trained at once.

use super::task::{Task, quiet, sha256};
use crate::{Error, Result};
use mujoco_rs::prelude::*;
use std::path::Path;

/// The simulated time per action that the template aims at, in seconds.
const PER_ACTION: f64 = 0.02;

/// Returns the TOML text of a task for this MJCF file, to be saved beside it. The text is checked: it loads.
///
/// # Errors
/// If the model cannot be read or compiled, or has no actuator.
pub fn template(mjcf: &Path) -> Result<String> {
    let bytes = std::fs::read(mjcf).map_err(|e| Error::input(mjcf, e))?;
    quiet();
    let model = MjModel::from_xml(mjcf).map_err(|e| Error::input(mjcf, e))?;
    let file = mjcf.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let text = write(&model, &file, &name_of(mjcf));
    Task::build(mjcf, &text, |_| Ok((model, sha256(&bytes))))?;
    Ok(text)
}

/// Returns the object of a kind with this name. No name has a NUL in it, and MuJoCo's own search cannot be asked for one.
pub(super) fn find(model: &MjModel, kind: MjtObjBase, name: &str) -> Option<usize> {
    if name.contains('\0') { None } else { model.name_to_id(kind, name) }
}

/// Returns the names of all objects of a kind. Those without a name are counted.
pub(super) fn names(model: &MjModel, kind: MjtObjBase, ids: std::ops::Range<usize>) -> String {
    let count = ids.len();
    let named: Vec<&str> = ids.filter_map(|id| model.id_to_name(kind, id)).filter(|name| !name.is_empty()).collect();
    match (named.is_empty(), count - named.len()) {
        (true, 0) => "none".into(),
        (true, n) => format!("{n} without a name"),
        (false, 0) => named.join(", "),
        (false, n) => format!("{}, and {n} without a name", named.join(", ")),
    }
}

/// The stem of the file as the name of a task.
fn name_of(mjcf: &Path) -> String {
    let stem = mjcf.file_stem().map(|stem| stem.to_string_lossy().to_lowercase()).unwrap_or_default();
    let plain = |c: char| if c.is_ascii_lowercase() || c.is_ascii_digit() || "-_.".contains(c) { c } else { '-' };
    let name: String = stem.chars().map(plain).collect();
    if name.trim_matches(['-', '.']).is_empty() { "robot".into() } else { name }
}

/// What the root of the robot can do, and so how its way is measured.
struct Root {
    position: String,
    skip: usize,
    skipped: &'static str,
    height: Option<usize>,
}

fn root(model: &MjModel) -> Root {
    let has_joint = |body: &usize| model.body_jntnum()[*body] > 0;
    let body = (1..model.ffi().nbody as usize).find(has_joint).unwrap_or(0);
    let name = model.id_to_name(MjtObjBase::mjOBJ_BODY, body).filter(|name| !name.is_empty());
    let first = usize::try_from(model.body_jntadr()[body]).unwrap_or(0);
    let kind = model.jnt_type().get(first).copied();
    let along_x = model.jnt_axis().get(first).is_some_and(|axis| axis[0].abs() > 0.99);
    let position =
        name.map_or("\"center-of-mass\"".to_string(), |name| format!("{{ body = {} }}", toml::Value::from(name)));
    match kind {
        Some(MjtJoint::mjJNT_FREE) => Root { position, skip: 2, skipped: "x and y are not observed", height: Some(2) },
        Some(MjtJoint::mjJNT_SLIDE) if along_x => {
            Root { position: "{ qpos = 0 }".into(), skip: 1, skipped: "x is not observed", height: Some(1) }
        }
        // A root that turns about a fixed point stays where it is, but what hangs on it moves.
        _ => Root { position: "\"center-of-mass\"".into(), skip: 0, skipped: "all of it is observed", height: None },
    }
}

fn write(model: &MjModel, file: &str, name: &str) -> String {
    let ffi = model.ffi();
    let (nq, nv, nu) = (ffi.nq as usize, ffi.nv as usize, ffi.nu as usize);
    let root = root(model);
    let skip = if root.skip < nq { root.skip } else { 0 };
    let frame_skip = (PER_ACTION / ffi.opt.timestep).round().clamp(1.0, 1000.0);
    let observations = nq - skip + nv;
    let sigma = (100.0 / (observations as f64).sqrt()).round().max(1.0) / 100.0;
    let list = |kind, first: usize, count: usize| names(model, kind, first..count.max(first));
    let camera =
        (0..ffi.ncam as usize).find_map(|id| model.id_to_name(MjtObjBase::mjOBJ_CAMERA, id).filter(|n| !n.is_empty()));
    let camera = camera
        .map_or("# camera = \"…\" # the model has none with a name: films follow the robot".into(), |camera| {
            format!("camera = {}", toml::Value::from(camera))
        });
    let height = root.height.unwrap_or(0);
    format!(
        "# A task for {file}. docs/tasks.md explains every field.\n\
         # The model has\n\
         #   bodies:    {}\n\
         #   joints:    {}\n\
         #   actuators: {}\n\
         #   sensors:   {} (a task observes the state, not sensors)\n\
         #   cameras:   {}\n\
         #   {nq} numbers in qpos, {nv} in qvel, {nu} actions\n\n\
         name = \"{name}\"\n\
         about = \"moves forward\"\n\
         model = {}\n\
         frame_skip = {frame_skip} # physics steps per action: {:.3} seconds\n\
         horizon = 1000 # actions per episode\n\
         {camera}\n\n\
         [reset] # noise on the start state\n\
         qpos = {{ uniform = 0.01 }}\n\
         qvel = {{ uniform = 0.01 }}\n\n\
         [[observation]]\n\
         of = \"qpos\"\n\
         skip = {skip} # {}\n\n\
         [[observation]]\n\
         of = \"qvel\"\n\n\
         [reward]\n\
         position = {} # whose x coordinate counts\n\
         forward = 1.0 # times the velocity along x\n\
         control = 1e-3 # times the sum of squared actions, subtracted\n\
         # alive = {{ bonus = 1.0, terminal = false }} # paid for every step that is healthy\n\n\
         # An episode ends when a rule like this no longer holds:\n\
         # [[healthy]]\n\
         # of = \"qpos\"\n\
         # index = {height} # {}\n\
         # above = 0.1\n\n\
         # The setting `symmetry = \"mirror\"` needs the limbs that are mirror images of each other:\n\
         # [mirror]\n\
         # swap = [[\"left_leg\", \"right_leg\"]]\n\n\
         [defaults] # settings of `locomotion train`\n\
         budget = 2000\n\
         sigma = {sigma:?} # how far the first weights reach; about 1 / √observations\n",
        list(MjtObjBase::mjOBJ_BODY, 1, ffi.nbody as usize),
        list(MjtObjBase::mjOBJ_JOINT, 0, ffi.njnt as usize),
        list(MjtObjBase::mjOBJ_ACTUATOR, 0, nu),
        list(MjtObjBase::mjOBJ_SENSOR, 0, ffi.nsensor as usize),
        list(MjtObjBase::mjOBJ_CAMERA, 0, ffi.ncam as usize),
        toml::Value::from(file),
        frame_skip * ffi.opt.timestep,
        root.skipped,
        root.position,
        if root.height.is_some() { "the height of the root" } else { "a coordinate" },
    )
}
