//! A task that is ready to simulate: its definition is checked and its model compiled.

use super::definition::{Definition, Field, Position};
use super::definition_check::Checker;
use super::files::compile_without_place;
use super::mirror::Mirror;
use super::numpy_sum::numpy_sum;
use super::template::find;
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
    /// The file of the model, for a task that was loaded from one.
    pub model_file: Option<PathBuf>,
    /// The length of an observation.
    pub observations: usize,
    /// The length of an action.
    pub actions: usize,
    /// What an observation and an action become in a mirror, if the definition has one.
    pub mirror: Option<Mirror>,
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

    /// For every number of an observation, whether it is part of the state: qpos or qvel.
    pub fn state_inputs(&self) -> Vec<bool> {
        let parts = self.definition.observation.iter();
        parts.flat_map(|part| vec![matches!(part.of, Field::Qpos | Field::Qvel); part.len(&self.model)]).collect()
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
        let mut task = Self::build(file, &text, |model| {
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
        })?;
        if let Some(task) = Arc::get_mut(&mut task) {
            task.model_file = Some(folder.join(&task.definition.model));
        }
        Ok(task)
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
        let mut task = Self::assemble(definition, model, model_sha256)?;
        at.check_with_model(&task)?;
        task.mirror = Mirror::of(&task.definition, &task.model).map_err(|needed| at.wrong("swap", &needed))?;
        Ok(Arc::new(task))
    }

    fn assemble(definition: Definition, model: MjModel, model_sha256: String) -> Result<Task> {
        let body = match &definition.reward.position {
            Position::Body(name) => find(&model, MjtObjBase::mjOBJ_BODY, name).unwrap_or(0),
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
            model_file: None,
            mirror: None,
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
