//! The settings of a run, from flags, files and defaults, and the folder that it goes to.

use crate::run_folder::Folder;
use crate::settings::{PartialSettings, Resolved};
use crate::{Error, Result, sim};
use std::path::{Path, PathBuf};

/// Resolves the settings of one run. Its optimizer must use every setting that is given.
pub fn resolve(flags: PartialSettings, config: Option<PartialSettings>) -> Result<Resolved> {
    let resolved = resolve_shared(flags, config)?;
    resolved.check_used()?;
    Ok(resolved)
}

/// Resolves settings that several optimizers share. Not all of them need to use every setting.
pub fn resolve_shared(flags: PartialSettings, config: Option<PartialSettings>) -> Result<Resolved> {
    Resolved::new(flags, config, |env| Ok(sim::find(env)?.definition.defaults.clone()))
}

/// Returns runs/<env>/<optimizer>[-tag]/seed-<n>. The same settings give the same folder, so a repeated sweep
/// continues.
pub fn usual_folder(root: &Path, settings: &PartialSettings) -> Result<Folder> {
    let task = sim::find(settings.env.as_deref().unwrap_or_default())?;
    let seed = format!("seed-{}", settings.seed.unwrap_or(0));
    Ok(Folder::new(root.join(task.name()).join(settings.label()).join(seed)))
}

/// Returns the root folder, if the run lies in its usual place below it.
pub fn root_of(folder: &Folder, settings: &PartialSettings) -> Result<Option<PathBuf>> {
    let usual = usual_folder(Path::new(""), settings)?;
    let root = folder.path().ancestors().nth(3).filter(|_| folder.path().ends_with(usual.path()));
    Ok(root.map(Path::to_path_buf))
}

/// Reads a settings file, or the settings of a run: its folder or its run.toml.
pub fn read_config(path: &Path) -> Result<PartialSettings> {
    let folder = if path.is_dir() { Some(path) } else { path.parent().filter(|_| path.ends_with("run.toml")) };
    match folder.map(Folder::new) {
        Some(run) if run.is_taken() => Ok(run.read_run()?.settings),
        _ if path.is_dir() => Err(Error::input(path, "no run here: the folder has no `run.toml`")),
        _ => PartialSettings::read(path),
    }
}
