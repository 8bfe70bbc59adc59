use super::again::path;
use super::print;
use crate::atomic::Draft;
use crate::{Error, Result, sim};
use clap::Args;
use std::io::Write;
use std::path::PathBuf;

#[derive(Args)]
pub struct New {
    /// Your model: an MJCF file. The task is written next to it, with the extension .toml
    #[arg(value_name = "ROBOT.xml")]
    model: PathBuf,
    /// Replace an existing task file
    #[arg(long)]
    force: bool,
}

impl New {
    pub fn run(self) -> Result<()> {
        let text = sim::template(&self.model)?;
        let file = self.model.with_extension("toml");
        let mut draft = Draft::file(&file, self.force)?;
        draft.write_all(text.as_bytes()).map_err(|e| Error::output(&file, e))?;
        draft.publish()?;
        let task = path(&file);
        print(&format!("wrote {}\ntrain it: locomotion train --env {task}\n", file.display()))
    }
}
