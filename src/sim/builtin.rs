//! The tasks that ship with the program.

use super::task::{Task, quiet, sha256};
use crate::suggest::nearest;
use crate::{Error, Result};
use mujoco_rs::prelude::*;
use std::path::Path;
use std::sync::Arc;

/// Passes the ids of all built-in tasks to a macro, so that code that includes one file per task needs no list of its
/// own.
macro_rules! for_all_tasks {
    ($table:ident) => {
        $table![
            "swimmer",
            "hopper",
            "half-cheetah",
            "walker",
            "ant",
            "humanoid",
            "swimmer-v5",
            "hopper-v5",
            "half-cheetah-v5",
            "walker-v5",
            "ant-v5",
            "humanoid-v5",
        ];
    };
}
pub(crate) use for_all_tasks;

/// Defines the table of built-in tasks: id and definition file.
macro_rules! tasks {
    ($($name:literal),* $(,)?) => {
        /// The ids of the built-in tasks.
        pub const NAMES: &[&str] = &[$($name),*];
        const DEFINITIONS: &[&str] = &[$(include_str!(concat!("../../envs/", $name, ".toml"))),*];
    };
}

/// Defines the table of built-in models: file name and text.
macro_rules! models {
    ($($name:literal),* $(,)?) => {
        const MODELS: &[(&str, &str)] = &[$(($name, include_str!(concat!("../../assets/models/", $name)))),*];
    };
}

for_all_tasks!(tasks);

models!["swimmer.xml", "hopper.xml", "half_cheetah.xml", "walker2d.xml", "walker2d_v5.xml", "ant.xml", "humanoid.xml",];

/// The TOML text of a built-in task.
pub fn text(name: &str) -> Option<&'static str> {
    NAMES.iter().position(|known| *known == name).map(|index| DEFINITIONS[index])
}

/// Returns the name of a built-in task for its Gymnasium id, such as `Ant-v4`. Any other name stays as it is.
pub fn canonical(name: &str) -> &str {
    let line = format!("gymnasium = \"{name}\"");
    let named = |definition: &&str| definition.lines().any(|other| other.eq_ignore_ascii_case(&line));
    DEFINITIONS.iter().position(named).map_or(name, |index| NAMES[index])
}

/// Finds a built-in task by its name or Gymnasium id, or a user's own by the path of its TOML file.
///
/// # Errors
/// If there is no such task, or if its files cannot be read or are wrong.
pub fn find(name: &str) -> Result<Arc<Task>> {
    let name = canonical(name);
    if let Some(text) = text(name) {
        return Task::build(Path::new(&format!("envs/{name}.toml")), text, built_in_model);
    }
    if name.ends_with(".toml") {
        return Task::load(Path::new(name));
    }
    let known = format!("unknown task `{name}`\n  known tasks: {} (and their -v5 forms)", NAMES[..6].join(", "));
    let own = "Your own task: `env ./robot.toml`";
    let hint = match nearest(name, NAMES.iter().copied()) {
        Some(near) => format!("did you mean `{near}`? {own}"),
        None => own.to_string(),
    };
    Err(Error::usage(known).hint(hint).naming(&["env"]))
}

/// Whether the task ships with the program, and is not just a user's task of the same name.
pub fn is_built_in(task: &Task) -> bool {
    let same = |own: Arc<Task>| own.definition == task.definition && own.model_sha256 == task.model_sha256;
    text(task.name()).is_some() && find(task.name()).is_ok_and(same)
}

fn built_in_model(name: &str) -> Result<(MjModel, String)> {
    let found = MODELS.iter().find(|(file, _)| *file == name);
    let (_, mjcf) = found.ok_or_else(|| Error::input(format!("assets/models/{name}"), "no such built-in model"))?;
    quiet();
    let model = MjModel::from_xml_string(mjcf).map_err(|e| Error::input(format!("assets/models/{name}"), e))?;
    Ok((model, sha256(mjcf.as_bytes())))
}
