//! Checks a task's definition, by itself and against its model.

use super::Task;
use super::definition::{Condition, Coordinates, Definition, Noise, Position};
use super::template::{find, names};
use crate::{Error, Result};
use mujoco_rs::prelude::*;
use std::path::Path;

const LONGEST_NAME: usize = 100;
/// Upper bounds on physics steps per action and actions per episode, so that every episode ends.
const MOST_FRAMES: usize = 10_000;
const MOST_STEPS: usize = 1_000_000;

/// Reports which line of which file is wrong.
pub struct Checker<'a> {
    pub file: &'a Path,
    pub text: &'a str,
}

impl Checker<'_> {
    /// Checks what can be known without the model.
    ///
    /// # Errors
    /// The first field that is wrong, with its line.
    pub fn check_alone(&self, task: &Definition) -> Result<()> {
        // The name becomes part of a folder's path, so it must not lead elsewhere.
        let first = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
        let plain = |c: char| first(c) || "-_.".contains(c);
        self.ensure(
            task.name.starts_with(first) && task.name.chars().all(plain) && task.name.len() <= LONGEST_NAME,
            "name",
            "lower-case letters, digits, - _ . only, a letter or digit first, at most 100",
        )?;
        self.ensure((1..=MOST_FRAMES).contains(&task.frame_skip), "frame_skip", "at least 1 and at most 10,000")?;
        self.ensure((1..=MOST_STEPS).contains(&task.horizon), "horizon", "at least 1 and at most 1,000,000")?;
        self.ensure(!task.observation.is_empty(), "observation", "at least one part")?;
        for (noise, field) in [(task.reset.qpos, "qpos"), (task.reset.qvel, "qvel")] {
            let (Noise::Uniform(scale) | Noise::Normal(scale)) = noise;
            self.ensure(scale.is_finite() && scale >= 0.0, field, "a finite noise of at least 0")?;
        }
        for part in &task.observation {
            self.ensure(part.clip.is_none_or(|clip| clip > 0.0), "clip", "more than 0")?;
        }
        let reward = &task.reward;
        self.ensure(reward.forward.is_finite(), "forward", "a finite weight")?;
        self.ensure(reward.control.is_finite(), "control", "a finite weight")?;
        self.ensure(reward.alive.as_ref().is_none_or(|alive| alive.bonus.is_finite()), "bonus", "a finite number")?;
        if let Some(contact) = &reward.contact {
            self.ensure(contact.weight.is_finite(), "weight", "a finite weight")?;
            self.ensure(contact.clip.is_none_or(|clip| clip > 0.0), "clip", "more than 0")?;
        }
        for condition in &task.healthy {
            let limits = [condition.above, condition.below, condition.at_least, condition.at_most];
            let says_something = condition.finite || limits.iter().any(Option::is_some);
            self.ensure(says_something, "healthy", "a limit: above, below, at_least, at_most or finite")?;
            self.ensure(limits.iter().flatten().all(|x| !x.is_nan()), "healthy", "limits that are numbers")?;
            self.ensure(
                condition.index.is_none() || condition.from.is_none(),
                "healthy",
                "`index` or `from`, not both",
            )?;
        }
        self.ensure(task.yardsticks.iter().all(|y| y.value.is_finite()), "return", "a finite number")
    }

    /// Checks what depends on the model: names of bodies and cameras, and the ranges of indices.
    ///
    /// # Errors
    /// The first field that does not fit the model, with its line.
    pub fn check_with_model(&self, task: &Task) -> Result<()> {
        let (definition, model) = (&task.definition, &task.model);
        let (nq, nv) = (model.ffi().nq as usize, model.ffi().nv as usize);
        self.ensure(task.actions > 0, "model", "a model with at least one actuator")?;
        let timestep = model.ffi().opt.timestep;
        let sound = timestep.is_finite() && timestep > 0.0;
        self.ensure(sound, "model", &format!("a model with a timestep above 0; it has {timestep}"))?;
        for part in &definition.observation {
            let most = part.of.len(model);
            self.ensure(part.skip < most, "skip", &format!("less than the {most} numbers of `{:?}`", part.of))?;
        }
        match &definition.reward.position {
            Position::Qpos(index) => self.ensure(*index < nq, "position", &format!("a qpos index below {nq}"))?,
            Position::Body(name) if find(model, MjtObjBase::mjOBJ_BODY, name).is_none() => {
                let known = names(model, MjtObjBase::mjOBJ_BODY, 1..model.ffi().nbody as usize);
                self.ensure(false, "position", &format!("a body of the model; it has no `{name}`; bodies: {known}"))?;
            }
            _ => {}
        }
        for condition in &definition.healthy {
            let most = match condition.of {
                Coordinates::Qpos => nq,
                Coordinates::Qvel => nv,
                Coordinates::State => nq + nv,
            };
            let Condition { index, from, .. } = condition;
            let used = index.or(*from).unwrap_or(0);
            self.ensure(used < most, "healthy", &format!("an index below {most}; it has {used}"))?;
        }
        if let Some(camera) = &definition.camera {
            let known = names(model, MjtObjBase::mjOBJ_CAMERA, 0..model.ffi().ncam as usize);
            let is_known = find(model, MjtObjBase::mjOBJ_CAMERA, camera).is_some();
            self.ensure(is_known, "camera", &format!("a camera of the model; it has no `{camera}`; cameras: {known}"))?;
        }
        Ok(())
    }

    fn ensure(&self, holds: bool, field: &str, needed: &str) -> Result<()> {
        if holds { Ok(()) } else { Err(self.wrong(field, needed)) }
    }

    /// The error that a field needs something else, with its line.
    pub fn wrong(&self, field: &str, needed: &str) -> Error {
        let names_it = |line: &str| line.split(|c: char| !(c.is_alphanumeric() || c == '_')).any(|word| word == field);
        let line = self.text.lines().position(names_it).map_or(String::new(), |line| format!("line {}: ", line + 1));
        Error::input(self.file, format!("{line}field `{field}` needs {needed}"))
    }
}
