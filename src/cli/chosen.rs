//! The policy a command is about, and its task.

use crate::policy::{LinearPolicy, PolicyFile};
use crate::sim::{self, Task};
use crate::{Error, Result};
use clap::Args;
use std::path::PathBuf;
use std::sync::Arc;

#[derive(Args)]
pub struct Chosen {
    /// The policy file (JSON)
    pub policy: PathBuf,
    /// The task, where the policy's own is a TOML file of yours
    #[arg(long, value_name = "TASK|FILE.toml")]
    pub env: Option<String>,
}

impl Chosen {
    pub fn open(&self) -> Result<(Arc<Task>, LinearPolicy, PolicyFile)> {
        let file = PolicyFile::read(&self.policy)?;
        let task = sim::find(self.env.as_deref().unwrap_or(&file.task)).map_err(|e| self.name_the_field(e))?;
        let policy = file.policy_for(&self.policy, task.name(), task.observations, task.actions)?;
        Ok((task, policy, file))
    }

    /// An unknown task that comes from the policy file is that file's fault, not the command line's.
    fn name_the_field(&self, error: Error) -> Error {
        match self.env {
            Some(_) => error,
            None => Error::input(&self.policy, format!("field `task`: {}", error.message))
                .hint("a policy for your own task needs `--env FILE.toml`"),
        }
    }
}
