//! A run carries its robot: a copy of a user's own task and all its files, so that the run can be continued, evaluated and
//! shown from any folder, and after the originals have changed or gone.

use super::{Folder, LockedFolder, ROBOT, RunFile};
use crate::sim::{self, Task};
use crate::{Error, Result, atomic};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

impl LockedFolder {
    /// Copies a user's own task into the folder, its files placed to each other as they were. Returns where its TOML is
    /// in the folder, or `None` for a task that ships with the program.
    ///
    /// # Errors
    /// If a file of the task cannot be read, or its copy cannot be written.
    pub fn carry(&self, env: &str) -> Result<Option<String>> {
        if !env.ends_with(".toml") {
            return Ok(None);
        }
        let files = sim::files(Path::new(env))?;
        let common = sim::common_folder(&files);
        for file in &files {
            let inside = file.strip_prefix(&common).unwrap_or(file);
            let target = self.file(ROBOT).join(inside);
            let bytes = fs::read(file).map_err(|e| Error::input(file, e))?;
            fs::create_dir_all(parent(&target)).map_err(|e| Error::output(&target, e))?;
            atomic::write(&target, &bytes)?;
        }
        let toml = Path::new(ROBOT).join(files[0].strip_prefix(&common).unwrap_or(&files[0]));
        Ok(Some(toml.display().to_string()))
    }
}

impl Folder {
    /// Returns the name or path of the run's task: its own copy, if it has one.
    pub fn env(&self, run: &RunFile) -> String {
        let copy = run.robot.as_ref().map(|robot| self.file(robot)).filter(|copy| copy.is_file());
        copy.map_or_else(|| run.settings.env.clone().unwrap_or_default(), |copy| copy.display().to_string())
    }

    /// Returns the run's task, from its own copy if it has one.
    ///
    /// # Errors
    /// If the task is unknown, or its files cannot be read or are wrong.
    pub fn task(&self, run: &RunFile) -> Result<Arc<Task>> {
        sim::find(&self.env(run))
    }
}

fn parent(file: &Path) -> PathBuf {
    file.parent().map(PathBuf::from).unwrap_or_default()
}
