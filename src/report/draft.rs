//! Files and folders that appear under their name only when they are complete.

use crate::{Error, Result};
use std::ffi::OsString;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

/// A file or folder being written under a temporary name beside its final one; dropped unpublished, it disappears.
pub struct Draft {
    temporary: PathBuf,
    target: PathBuf,
}

impl Draft {
    /// An empty file to fill. Says now, before any work is done, if the place cannot be written to.
    pub fn file(target: &Path, force: bool) -> Result<Self> {
        let draft = Self::new(target, force)?;
        File::create(&draft.temporary).map_err(|e| Error::output(target, e))?;
        Ok(draft)
    }

    /// An empty folder to fill; missing parents are made.
    pub fn folder(target: &Path, force: bool) -> Result<Self> {
        let draft = Self::new(target, force)?;
        fs::create_dir_all(&draft.temporary).map_err(|e| Error::output(target, e))?;
        Ok(draft)
    }

    fn new(target: &Path, force: bool) -> Result<Self> {
        if target.exists() && !force {
            return Err(Error::output(target, "it exists already").hint("`--force` replaces it"));
        }
        // The leading dot hides a draft from programs that list folders, Minari among them.
        let mut name = OsString::from(".");
        name.push(target.file_name().ok_or_else(|| Error::output(target, "the path names no file"))?);
        name.push(format!(".{}.tmp", std::process::id()));
        Ok(Self { temporary: target.with_file_name(name), target: target.to_path_buf() })
    }

    /// Where to write.
    pub fn path(&self) -> &Path {
        &self.temporary
    }

    /// Gives the finished work its name. A folder that is replaced steps aside first: folders cannot be renamed over.
    pub fn publish(self) -> Result<()> {
        let failed = |e| Error::output(&self.target, e);
        let aside = self.temporary.with_extension("old.tmp");
        let replaces_folder = self.target.is_dir();
        if replaces_folder != self.temporary.is_dir() && self.target.exists() {
            let (found, wanted) = if replaces_folder { ("folder", "file") } else { ("file", "folder") };
            return Err(Error::output(&self.target, format!("a {found} is there, a {wanted} cannot replace it")));
        }
        if let Ok(file) = File::open(&self.temporary) {
            file.sync_all().map_err(failed)?;
        }
        if replaces_folder {
            fs::rename(&self.target, &aside).map_err(failed)?;
        }
        fs::rename(&self.temporary, &self.target).map_err(failed)?;
        if replaces_folder {
            fs::remove_dir_all(&aside).map_err(failed)?;
        }
        Ok(())
    }
}

impl Drop for Draft {
    /// After [`Draft::publish`] there is nothing left under the temporary name, and nothing happens.
    fn drop(&mut self) {
        let _ = if self.temporary.is_dir() {
            fs::remove_dir_all(&self.temporary)
        } else {
            fs::remove_file(&self.temporary)
        };
    }
}
