//! The policy that a command works on, and its task.

use super::note;
use super::number::flag;
use crate::policy::{LinearPolicy, PolicyFile};
use crate::run_folder::{Folder, find_policy};
use crate::sim::{self, Task};
use crate::{Error, Result};
use clap::Args;
use std::path::{Path, PathBuf};
use std::sync::Arc;

#[derive(Args)]
pub struct PolicyArg {
    /// Policy file (JSON), run folder (its best policy, or else its final one), or the name of a policy that ships with
    /// the program
    #[arg(value_name = "POLICY|RUN")]
    pub policy: PathBuf,
    /// Task; needed if the policy was trained on a TOML file of your own
    #[arg(long, value_name = "TASK|FILE.toml", value_parser = flag::<String>(), hide_possible_values = true)]
    pub env: Option<String>,
}

impl PolicyArg {
    pub fn open(&self) -> Result<(Arc<Task>, LinearPolicy, PolicyFile)> {
        let (path, file) = find_policy(&self.policy)?;
        let env = self.env.clone().or_else(|| env_of_run(&path)).unwrap_or_else(|| file.task.clone());
        let task = sim::find(&env).map_err(|e| self.name_the_field(e, &path))?;
        let policy = file.policy_for(&path, task.name(), task.observations, task.actions)?;
        note_other_model(&file, &task);
        Ok((task, policy, file))
    }

    /// An unknown task that comes from the policy file is an error in that file, not on the command line.
    fn name_the_field(&self, error: Error, path: &Path) -> Error {
        match self.env {
            Some(_) => error,
            None => Error::input(path, format!("field `task`: {}", error.message))
                .hint("a policy for your own task needs `--env FILE.toml`"),
        }
    }
}

/// Tells the user if a policy was trained with another task or model than it is about to play.
fn note_other_model(file: &PolicyFile, task: &Task) {
    let program = file.provenance.as_ref().and_then(|provenance| provenance.get("program"));
    let known = |field: &str| program.and_then(|program| program.get(field)).and_then(|value| value.as_str());
    let differs = |was: Option<&str>, now: String| was.is_some_and(|was| was != now);
    let model = differs(known("model_sha256"), task.model_sha256.clone());
    let rules = differs(known("task_sha256"), task.rules_sha256());
    let what = match (rules, model) {
        (_, true) => "another model",
        (true, false) => "another version of the task's rules",
        (false, false) => return,
    };
    note(&format!("the policy was trained with {what} than that of `{}` here", task.name()));
}

/// Returns the task of the run that a policy belongs to. A user's own task cannot be found by the name in the policy, and
/// may have the name of a built-in one.
fn env_of_run(path: &Path) -> Option<String> {
    let folder = Folder::new(path.parent()?);
    folder.is_taken().then(|| folder.read_run().ok().map(|run| folder.env(&run))).flatten()
}
