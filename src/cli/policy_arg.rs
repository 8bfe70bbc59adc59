//! The policy a command is about, and its task.

use super::policies;
use crate::policy::{LinearPolicy, PolicyFile};
use crate::run_folder::{BEST, FINAL, Folder};
use crate::sim::{self, Task};
use crate::{Error, Result};
use clap::Args;
use std::path::{Path, PathBuf};
use std::sync::Arc;

#[derive(Args)]
pub struct PolicyArg {
    /// The policy file (JSON); a run folder, for its best policy, or its final one if there is none; or the name of a
    /// policy that ships with the program
    #[arg(value_name = "POLICY|RUN")]
    pub policy: PathBuf,
    /// The task, where the policy's own is a TOML file of yours
    #[arg(long, value_name = "TASK|FILE.toml")]
    pub env: Option<String>,
}

impl PolicyArg {
    pub fn open(&self) -> Result<(Arc<Task>, LinearPolicy, PolicyFile)> {
        let path = self.path()?;
        let shipped = self.policy.to_str().filter(|_| !self.policy.exists()).and_then(policies::text);
        let file = match shipped {
            Some(text) => PolicyFile::from_text(text, &path)?,
            None => PolicyFile::read(&path)?,
        };
        let env = self.env.clone().or_else(|| env_of_run(&path, &file)).unwrap_or_else(|| file.task.clone());
        let task = sim::find(&env).map_err(|e| self.name_the_field(e, &path))?;
        let policy = file.policy_for(&path, task.name(), task.observations, task.actions)?;
        Ok((task, policy, file))
    }

    /// The policy's file; of a run folder the best one it has.
    fn path(&self) -> Result<PathBuf> {
        if !self.policy.is_dir() {
            return Ok(self.policy.clone());
        }
        let known = [BEST, FINAL].map(|name| self.policy.join(name));
        known.into_iter().find(|file| file.is_file()).ok_or_else(|| {
            let none =
                Error::input(&self.policy, "no policy here: the folder has neither `best.json` nor `final.json`");
            if Folder::new(&self.policy).is_taken() {
                none.hint("the run writes its first one after its first held-out evaluation")
            } else {
                none.hint("name a policy file, or a run folder such as runs/swimmer/syncma/seed-0")
            }
        })
    }

    /// An unknown task that comes from the policy file is that file's fault, not the command line's.
    fn name_the_field(&self, error: Error, path: &Path) -> Error {
        match self.env {
            Some(_) => error,
            None => Error::input(path, format!("field `task`: {}", error.message))
                .hint("a policy for your own task needs `--env FILE.toml`"),
        }
    }
}

/// The task of the run whose folder a policy lies in: a user's own cannot be found by the name that a policy holds.
fn env_of_run(path: &Path, policy: &PolicyFile) -> Option<String> {
    let folder = Folder::new(path.parent()?);
    let own = sim::text(&policy.task).is_none() && folder.is_taken();
    own.then(|| folder.read_run().ok()?.settings.env).flatten()
}
