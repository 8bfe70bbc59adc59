//! A robot seen in a mirror: y becomes −y, and limbs trade places. Most robots look the same then, and what is right for
//! the left leg is right for the right one.

use super::definition::{Definition, Field};
use super::template::{find, names};
use mujoco_rs::prelude::*;
use std::ops::Range;
use std::sync::Arc;

/// What the mirror does to an arrow, such as a position or a force, and to a turn, such as a spin or a torque.
const ARROW: [f64; 3] = [1.0, -1.0, 1.0];
const TURN: [f64; 3] = [-1.0, 1.0, -1.0];
/// Where a free joint is, and how it is turned, as a quaternion.
const FREE_PLACE: [f64; 7] = [1.0, -1.0, 1.0, 1.0, -1.0, 1.0, -1.0];
/// How a free joint moves: first its arrow, then its turn.
const FREE_MOTION: [f64; 6] = [1.0, -1.0, 1.0, -1.0, 1.0, -1.0];
/// A spatial velocity or force of a body: first its turn, then its arrow.
const SPATIAL: [f64; 6] = [-1.0, 1.0, -1.0, 1.0, -1.0, 1.0];
/// The inertia of a body: xx, yy, zz, xy, xz, yz, then mass times place, then mass.
const INERTIA: [f64; 10] = [1.0, 1.0, 1.0, -1.0, 1.0, -1.0, 1.0, -1.0, 1.0, 1.0];

/// One number of a mirrored vector: the place in the vector that it comes from, and the sign, 1 or −1, that it gets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Image {
    pub from: usize,
    pub sign: f64,
}

/// What an observation and an action become in the mirror. Twice mirrored, they are what they were.
#[derive(Clone, Debug, PartialEq)]
pub struct Mirror {
    pub observations: Vec<Image>,
    pub actions: Vec<Image>,
}

impl Mirror {
    /// The mirror of a task, if its definition has one. The error says what `mirror` needs instead.
    pub(super) fn of(definition: &Definition, model: &Arc<MjModel>) -> Result<Option<Self>, String> {
        let Some(rule) = &definition.mirror else { return Ok(None) };
        let bodies = swapped_bodies(&rule.swap, model)?;
        let joints = Joints::new(model, &bodies)?;
        let mut observations: Vec<Image> = Vec::new();
        for part in &definition.observation {
            let first = observations.len();
            let whole = match part.of {
                Field::Qpos => joints.places(),
                Field::Qvel | Field::QfrcActuator => joints.motions(),
                Field::Cinert => of_bodies(&bodies, &INERTIA),
                Field::Cvel | Field::CfrcExt => of_bodies(&bodies, &SPATIAL),
            };
            for image in &whole[part.skip..] {
                let from = image.from.checked_sub(part.skip).ok_or_else(|| {
                    format!(
                        "every number to be observed together with its mirror image; `skip` of `{:?}` separates two",
                        part.of
                    )
                })?;
                observations.push(Image { from: first + from, ..*image });
            }
        }
        let mirror = Self { observations, actions: joints.actuators()? };
        let returns =
            |all: &[Image]| all.iter().enumerate().all(|(i, image)| all[image.from] == Image { from: i, ..*image });
        if returns(&mirror.observations) && returns(&mirror.actions) {
            return Ok(Some(mirror));
        }
        Err("a model with at most one actuator for each joint".into())
    }

    /// The mirror image of a vector.
    ///
    /// # Panics
    /// If the vector is shorter than `images`.
    pub fn see(images: &[Image], vector: &[f64]) -> Vec<f64> {
        images.iter().map(|image| image.sign * vector[image.from]).collect()
    }
}

/// Which body every body becomes. MuJoCo numbers a body's limbs directly after it.
fn swapped_bodies(swap: &[[String; 2]], model: &MjModel) -> Result<Vec<usize>, String> {
    let parents: Vec<usize> =
        model.body_parentid().iter().map(|parent| usize::try_from(*parent).unwrap_or(0)).collect();
    let tree = |name: &String| -> Result<Range<usize>, String> {
        let root = find(model, MjtObjBase::mjOBJ_BODY, name).filter(|id| *id > 0).ok_or_else(|| {
            let known = names(model, MjtObjBase::mjOBJ_BODY, 1..parents.len());
            format!("bodies of the model; `{name}` is none; bodies: {known}")
        })?;
        let end = (root + 1..parents.len()).find(|body| parents[*body] < root).unwrap_or(parents.len());
        Ok(root..end)
    };
    let mut bodies: Vec<usize> = (0..parents.len()).collect();
    for [left, right] in swap {
        let (a, b) = (tree(left)?, tree(right)?);
        let alike = |(i, j): (usize, usize)| i == a.start || parents[i] - a.start == parents[j] - b.start;
        if a.len() != b.len() || a.contains(&b.start) || b.contains(&a.start) || !a.clone().zip(b.clone()).all(alike) {
            return Err(format!("two bodies with the same limbs; `{left}` and `{right}` are not"));
        }
        for (i, j) in a.zip(b) {
            if bodies[i] != i || bodies[j] != j {
                return Err(format!("every body once; `{left}` or `{right}` is part of another pair"));
            }
            (bodies[i], bodies[j]) = (j, i);
        }
    }
    match bodies.iter().enumerate().find(|(body, other)| bodies[parents[*body]] != parents[**other]) {
        None => Ok(bodies),
        Some((body, _)) => {
            let name = model.id_to_name(MjtObjBase::mjOBJ_BODY, body).unwrap_or_default();
            Err(format!("whole limbs; `{name}` trades places, but what it is attached to does not"))
        }
    }
}

fn of_bodies(bodies: &[usize], signs: &[f64]) -> Vec<Image> {
    bodies.iter().flat_map(|body| block(body * signs.len(), signs)).collect()
}

fn block(from: usize, signs: &[f64]) -> impl Iterator<Item = Image> {
    signs.iter().enumerate().map(move |(k, sign)| Image { from: from + k, sign: *sign })
}

/// Which joint every joint becomes.
struct Joints<'a> {
    model: &'a MjModel,
    images: Vec<Image>,
}

impl<'a> Joints<'a> {
    fn new(model: &'a Arc<MjModel>, bodies: &[usize]) -> Result<Self, String> {
        let mut data = MjData::new(model.clone());
        data.forward();
        let (first, count) = (model.body_jntadr(), model.body_jntnum());
        let mut images = Vec::new();
        for (body, &other) in bodies.iter().enumerate() {
            for k in 0..count[body] {
                let (joint, from) = ((first[body] + k) as usize, (first[other] + k) as usize);
                let sign = if count[body] == count[other] { sign(&data, joint, from)? } else { None };
                let name = |kind, id| model.id_to_name(kind, id).unwrap_or("without a name");
                let sign = sign.ok_or_else(|| {
                    let (joint, body) = (name(MjtObjBase::mjOBJ_JOINT, joint), name(MjtObjBase::mjOBJ_BODY, body));
                    format!(
                        "limbs that are mirror images where the model begins; joint `{joint}` of body `{body}` has no \
                         image: another place, axis or angle, or a pair is missing"
                    )
                })?;
                images.push(Image { from, sign });
            }
        }
        Ok(Self { model, images })
    }

    /// qpos
    fn places(&self) -> Vec<Image> {
        self.numbers(self.model.jnt_qposadr(), &FREE_PLACE)
    }

    /// qvel
    fn motions(&self) -> Vec<Image> {
        self.numbers(self.model.jnt_dofadr(), &FREE_MOTION)
    }

    fn numbers(&self, first: &[i32], free: &[f64]) -> Vec<Image> {
        let kinds = self.model.jnt_type();
        let of = |(joint, image): (usize, &Image)| {
            let signs = if kinds[joint] == MjtJoint::mjJNT_FREE { free } else { &[image.sign] };
            block(first[image.from] as usize, signs).collect::<Vec<_>>()
        };
        self.images.iter().enumerate().flat_map(of).collect()
    }

    /// Every actuator becomes the one that drives the mirrored joint.
    fn actuators(&self) -> Result<Vec<Image>, String> {
        let (model, driven) = (self.model, self.model.actuator_trnid());
        if driven.len() != model.ffi().nu as usize {
            return Err("a model with one control for each actuator".into());
        }
        let image = |actuator: usize| {
            let joint = self.images.get(usize::try_from(driven[actuator][0]).ok()?)?;
            let from = driven.iter().position(|driven| usize::try_from(driven[0]) == Ok(joint.from))?;
            let (gear, theirs) = (model.actuator_gear()[actuator][0], model.actuator_gear()[from][0]);
            let sign = joint.sign * gear.signum() * theirs.signum();
            (gear.abs() == theirs.abs() && self.works_like(actuator, from, sign)).then_some(Image { from, sign })
        };
        let of = |actuator: usize| {
            let name = model.id_to_name(MjtObjBase::mjOBJ_ACTUATOR, actuator).unwrap_or("without a name");
            let what = format!("actuators of hinges and slides with equal mirror images; `{name}` has none");
            image(actuator).ok_or(what)
        };
        (0..driven.len()).map(of).collect()
    }

    /// Whether an actuator does with a control what the other one does with the same one, or with its opposite.
    fn works_like(&self, actuator: usize, other: usize, sign: f64) -> bool {
        let model = self.model;
        let is_on_joint = model.actuator_trntype()[actuator] == MjtTrn::mjTRN_JOINT;
        let is_free = |joint: i32| model.jnt_type()[joint as usize] == MjtJoint::mjJNT_FREE;
        if !is_on_joint || is_free(model.actuator_trnid()[actuator][0]) {
            return false;
        }
        let law = |i: usize| {
            let kinds = (model.actuator_gaintype()[i], model.actuator_biastype()[i], model.actuator_trntype()[i]);
            (kinds, model.actuator_gainprm()[i], model.actuator_biasprm()[i])
        };
        let [low, high] = model.actuator_ctrlrange()[actuator];
        let range = if sign > 0.0 { [low, high] } else { [-high, -low] };
        let is_odd = model.actuator_biasprm()[actuator][0] == 0.0;
        law(actuator) == law(other) && model.actuator_ctrlrange()[other] == range && (sign > 0.0 || is_odd)
    }
}

/// The sign of a joint's mirror image, if the other one is that image where the model begins.
fn sign(data: &MjData<Arc<MjModel>>, joint: usize, other: usize) -> Result<Option<f64>, String> {
    let model = data.model();
    let kind = model.jnt_type()[joint];
    let rest = |joint: usize, k: usize| model.qpos0()[model.jnt_qposadr()[joint] as usize + k];
    let near = |a: f64, b: f64| (a - b).abs() <= 1e-6 * (1.0 + a.abs());
    let flip = match kind {
        _ if kind != model.jnt_type()[other] => return Ok(None),
        MjtJoint::mjJNT_BALL => return Err("a model without ball joints".into()),
        MjtJoint::mjJNT_FREE => {
            let is_image = (3..7).all(|k| near(rest(joint, k), FREE_PLACE[k] * rest(other, k)));
            return Ok(is_image.then_some(1.0));
        }
        MjtJoint::mjJNT_SLIDE => ARROW,
        MjtJoint::mjJNT_HINGE => TURN,
    };
    let (axis, theirs) = (data.xaxis()[joint], data.xaxis()[other]);
    let along: f64 = (0..3).map(|i| axis[i] * flip[i] * theirs[i]).sum();
    // The mirror stands where the root of the robot is.
    let root = |joint: usize| data.xpos()[model.body_rootid()[model.jnt_bodyid()[joint] as usize] as usize][1];
    let (place, theirs) = (data.xanchor()[joint], data.xanchor()[other]);
    let is_image = near(along.abs(), 1.0)
        && near(rest(joint, 0), along.signum() * rest(other, 0))
        && near(place[0], theirs[0])
        && near(place[1] - root(joint), root(other) - theirs[1])
        && near(place[2], theirs[2]);
    Ok(is_image.then_some(along.signum()))
}
