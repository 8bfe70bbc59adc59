//! A task that is ready to simulate: its definition is checked and its model compiled.

use super::definition::{Condition, Coordinates, Definition, Field, Noise, Position};
use super::files::compile_without_place;
use super::numpy_sum::numpy_sum;
use super::template::names;
use crate::error::visible;
use crate::{Error, Result, input};
use mujoco_rs::prelude::*;
use sha2::{Digest, Sha256};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, Once, PoisonError};

/// A task definition with its compiled model.
#[derive(Debug)]
pub struct Task {
    pub definition: Definition,
    pub model: Arc<MjModel>,
    /// SHA-256 of the MJCF text.
    pub model_sha256: String,
    rules_sha256: String,
    /// The length of an observation.
    pub observations: usize,
    /// The length of an action.
    pub actions: usize,
    /// The body whose position is measured, if the definition names one.
    pub(super) body: usize,
    pub(super) total_mass: f64,
    /// Whether contact forces are needed after a step.
    pub(super) uses_forces: bool,
}

impl Task {
    pub fn name(&self) -> &str {
        &self.definition.name
    }

    /// Seconds of simulated time per action.
    pub fn dt(&self) -> f64 {
        self.model.ffi().opt.timestep * self.definition.frame_skip as f64
    }

    /// SHA-256 of what decides an episode besides the model. Descriptions and reference values do not change it.
    pub fn rules_sha256(&self) -> String {
        self.rules_sha256.clone()
    }

    /// SHA-256 of the compiled model.
    pub fn compiled_sha256(&self) -> String {
        sha256(&self.compiled())
    }

    /// The compiled model, with everything that its MJCF includes, in the format of this version of MuJoCo.
    pub fn compiled(&self) -> Vec<u8> {
        let mut compiled = vec![0; self.model.size()];
        // This fails only if the buffer is too small, which it is not.
        let _ = self.model.save_to_buffer(&mut compiled);
        compiled
    }

    /// The definition as the text of a TOML file.
    ///
    /// # Errors
    /// If the definition cannot be written as TOML.
    pub fn definition_toml(&self) -> Result<String> {
        as_toml(&self.definition)
    }

    /// Builds the same task on another machine, from its definition, its compiled model and the SHA-256 of its MJCF.
    ///
    /// # Errors
    /// If the definition or the model is wrong.
    pub fn from_compiled(definition: &str, compiled: &[u8], mjcf_sha256: String) -> Result<Arc<Task>> {
        let file = Path::new("a received task");
        Self::build(file, definition, |_| {
            quiet();
            Ok((MjModel::from_buffer(compiled).map_err(|e| Error::input(file, e))?, mjcf_sha256))
        })
    }

    /// Loads a user's own task: the TOML file and the model that it names, next to it.
    ///
    /// # Errors
    /// If one of the files cannot be read or is wrong.
    pub fn load(file: &Path) -> Result<Arc<Task>> {
        let text = input::text(file)?;
        let folder = file.parent().map(PathBuf::from).unwrap_or_default();
        Self::build(file, &text, |model| {
            let path = folder.join(model);
            let found = std::fs::metadata(&path).map_err(|e| Error::input(&path, format!("field `model`: {e}")))?;
            if !found.is_file() {
                return Err(Error::input(&path, "field `model`: not a regular file"));
            }
            let bytes = input::bytes(&path)?;
            quiet();
            name_model(&path);
            let model = MjModel::from_xml(&path).map_err(|e| Error::input(&path, e))?;
            let has_files = model.paths().iter().any(|c| *c != 0);
            let model = if has_files { compile_without_place(&path).unwrap_or(model) } else { model };
            Ok((model, sha256(&bytes)))
        })
    }

    /// Reads and checks a definition. `open` compiles the model that it names and returns it with the SHA-256 of its text.
    pub(super) fn build(
        file: &Path,
        text: &str,
        open: impl FnOnce(&str) -> Result<(MjModel, String)>,
    ) -> Result<Arc<Task>> {
        let definition: Definition = toml::from_str(text).map_err(|e| {
            let complete = "every field is shown in envs/ant.toml";
            Error::input(file, e.to_string().trim_end()).hint(complete)
        })?;
        let at = Checker { file, text };
        at.check_alone(&definition)?;
        let (model, model_sha256) = open(&definition.model)?;
        let task = Self::assemble(definition, model, model_sha256)?;
        at.check_with_model(&task)?;
        Ok(Arc::new(task))
    }

    fn assemble(definition: Definition, model: MjModel, model_sha256: String) -> Result<Task> {
        let body = match &definition.reward.position {
            Position::Body(name) => model.name_to_id(MjtObjBase::mjOBJ_BODY, name).unwrap_or(0),
            _ => 0,
        };
        let forces = definition.observation.iter().any(|part| part.of == Field::CfrcExt);
        Ok(Task {
            rules_sha256: sha256(as_toml(&definition.rules())?.as_bytes()),
            observations: definition.observation.iter().map(|part| part.len(&model)).sum(),
            actions: model.ffi().nu as usize,
            total_mass: numpy_sum(model.body_mass()),
            uses_forces: forces || definition.reward.contact.is_some(),
            model_sha256,
            model: Arc::new(model),
            definition,
            body,
        })
    }
}

fn as_toml(definition: &Definition) -> Result<String> {
    toml::to_string(definition).map_err(|e| Error::failed(format!("cannot write the task as TOML: {e}")))
}

/// The SHA-256 of these bytes, in hexadecimal digits.
pub fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The file of the model that was loaded last. MuJoCo does not name it in errors during a simulation.
static MODEL: Mutex<String> = Mutex::new(String::new());

fn name_model(file: &Path) {
    *MODEL.lock().unwrap_or_else(PoisonError::into_inner) = file.display().to_string();
}

/// Keeps MuJoCo from writing MUJOCO_LOG.TXT into the user's folder. The simulator counts the warnings instead.
pub(super) fn quiet() {
    static ONCE: Once = Once::new();
    fn handler(message: &MjLogMessage) {
        if message.level() == MjtLogLevel::mjLOG_ERROR {
            let model = MODEL.lock().unwrap_or_else(PoisonError::into_inner);
            let place = if model.is_empty() { String::new() } else { format!("\n  in {model}") };
            // MuJoCo ends the process after this. A closed stderr must not prevent that.
            let text = format!("MuJoCo: {}{place}", message.subject());
            let _ = writeln!(std::io::stderr(), "error: {}", visible(&text));
        }
    }
    // SAFETY: this runs once, before the first model of the process is loaded, so no thread uses MuJoCo yet. There is
    // no safe function that sets the handler.
    ONCE.call_once(|| unsafe { set_log_handler(handler) });
}

const LONGEST_NAME: usize = 100;
/// Upper bounds on physics steps per action and actions per episode, so that every episode ends.
const MOST_FRAMES: usize = 10_000;
const MOST_STEPS: usize = 1_000_000;

/// Reports which line of which file is wrong.
struct Checker<'a> {
    file: &'a Path,
    text: &'a str,
}

impl Checker<'_> {
    fn check_alone(&self, task: &Definition) -> Result<()> {
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

    fn check_with_model(&self, task: &Task) -> Result<()> {
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
            Position::Body(name) if model.name_to_id(MjtObjBase::mjOBJ_BODY, name).is_none() => {
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
            let is_known = model.name_to_id(MjtObjBase::mjOBJ_CAMERA, camera).is_some();
            self.ensure(is_known, "camera", &format!("a camera of the model; it has no `{camera}`; cameras: {known}"))?;
        }
        Ok(())
    }

    fn ensure(&self, holds: bool, field: &str, needed: &str) -> Result<()> {
        if holds {
            return Ok(());
        }
        let names_it = |line: &str| line.split(|c: char| !(c.is_alphanumeric() || c == '_')).any(|word| word == field);
        let line = self.text.lines().position(names_it).map_or(String::new(), |line| format!("line {}: ", line + 1));
        Err(Error::input(self.file, format!("{line}field `{field}` needs {needed}")))
    }
}
