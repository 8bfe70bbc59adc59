//! Files and folders that appear under their name only when they are complete: whatever happens, there is the old one or
//! the new one. This is the one way to write them: a temporary one beside the target, synced, renamed, folder synced.

use crate::{Error, Result};
use std::fs::{self, File, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use tempfile::{Builder, NamedTempFile, TempDir};

/// A file or folder being written under a temporary name beside its final one; dropped unpublished, it disappears.
pub struct Draft {
    temporary: Temporary,
    target: PathBuf,
}

enum Temporary {
    File(NamedTempFile),
    Folder(TempDir),
}

/// Writes a whole file, replacing what is there.
pub fn write(target: &Path, bytes: &[u8]) -> Result<()> {
    let mut draft = Draft::file(target, true)?;
    draft.write_all(bytes).map_err(|e| Error::output(target, e))?;
    draft.publish()
}

impl Draft {
    /// An empty file to fill. Says now, before any work is done, if the place cannot be written to.
    pub fn file(target: &Path, force: bool) -> Result<Self> {
        check(target, force, false)?;
        let file = builder(target, 0o666, |builder| builder.tempfile_in(folder_of(target)))?;
        Ok(Self { temporary: Temporary::File(file), target: target.to_path_buf() })
    }

    /// An empty folder to fill; missing parents are made.
    pub fn folder(target: &Path, force: bool) -> Result<Self> {
        check(target, force, true)?;
        fs::create_dir_all(folder_of(target)).map_err(|e| Error::output(target, e))?;
        let folder = builder(target, 0o777, |builder| builder.tempdir_in(folder_of(target)))?;
        Ok(Self { temporary: Temporary::Folder(folder), target: target.to_path_buf() })
    }

    /// Where to write.
    pub fn path(&self) -> &Path {
        match &self.temporary {
            Temporary::File(file) => file.path(),
            Temporary::Folder(folder) => folder.path(),
        }
    }

    /// Gives the finished work its name.
    pub fn publish(self) -> Result<()> {
        let target = &self.target;
        let renamed = match self.temporary {
            Temporary::File(file) => publish_file(file, target),
            Temporary::Folder(folder) => publish_folder(folder, target),
        };
        renamed.and_then(|()| sync(folder_of(target))).map_err(|e| Error::output(target, e))
    }
}

impl Write for Draft {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.temporary {
            Temporary::File(file) => file.write(bytes),
            Temporary::Folder(_) => Err(io::ErrorKind::IsADirectory.into()),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn check(target: &Path, force: bool, folder: bool) -> Result<()> {
    match fs::metadata(target) {
        Ok(found) if folder && !found.is_dir() => Err(Error::output(target, "it exists and is no folder")),
        // Replacing a folder would lose what is in it, and a device or pipe would stop being one.
        Ok(found) if !folder && !found.is_file() => Err(Error::output(target, "it exists and is no ordinary file")),
        Ok(_) if !force => {
            Err(Error::output(target, "it exists already").hint("`force` replaces it").naming(&["force"]))
        }
        _ => Ok(()),
    }
}

/// Makes something temporary for this target, with the permissions that anything new has.
fn builder<T>(target: &Path, mode: u32, make: impl FnOnce(&Builder) -> io::Result<T>) -> Result<T> {
    let name = target.file_name().ok_or_else(|| Error::output(target, "the path names no file"))?;
    // The leading dot hides a draft from programs that list folders, Minari among them.
    let prefix = format!(".{}.", name.to_string_lossy());
    let mut builder = Builder::new();
    builder.prefix(&prefix).suffix(".tmp").permissions(Permissions::from_mode(mode));
    // The error would name the temporary file, which nobody has asked for.
    make(&builder).map_err(|e| match e.get_ref().and_then(|inner| inner.source()) {
        Some(reason) => Error::output(target, reason),
        None => Error::output(target, &e),
    })
}

fn publish_file(file: NamedTempFile, target: &Path) -> io::Result<()> {
    // By its path, since others may have written there.
    sync(file.path())?;
    file.persist(target).map(drop).map_err(|e| e.error)
}

/// A folder that is replaced steps aside first: folders cannot be renamed over.
fn publish_folder(folder: TempDir, target: &Path) -> io::Result<()> {
    sync(folder.path())?;
    let aside = folder.path().with_extension("old.tmp");
    let replaces = target.is_dir();
    if replaces {
        fs::rename(target, &aside)?;
    }
    fs::rename(folder.path(), target)?;
    // There is nothing left under the temporary name to remove.
    let _ = folder.keep();
    if replaces { fs::remove_dir_all(&aside) } else { Ok(()) }
}

fn sync(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}

fn folder_of(target: &Path) -> &Path {
    match target.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}
