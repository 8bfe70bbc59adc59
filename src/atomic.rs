//! Writes files and folders that appear under their name only when they are complete. Whatever happens, there is either
//! the old version or the new one. This is the only way the program writes them: to a temporary name next to the
//! target, synced, renamed, and the parent folder synced.

use crate::{Error, Result};
use std::fs::{self, File, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tempfile::{Builder, NamedTempFile, TempDir};

/// A file or folder that is written under a temporary name next to its final one. It disappears if it is dropped
/// unpublished.
pub struct Draft {
    temporary: Temporary,
    target: PathBuf,
    _listed: Listed,
}

/// The paths of the drafts of this process, because a signal ends it without dropping them.
static DRAFTS: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn drafts() -> MutexGuard<'static, Vec<PathBuf>> {
    DRAFTS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes all unfinished files and folders of this process. Call it before ending the process at once.
pub fn abandon() {
    for path in drafts().iter() {
        // Other threads may still be filling a folder.
        let removed = || if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
        (0..10).find(|_| removed().is_ok() || !path.exists());
    }
}

/// An entry in the list of drafts.
struct Listed(PathBuf);

impl Listed {
    fn new(path: &Path) -> Self {
        drafts().push(path.to_path_buf());
        Self(path.to_path_buf())
    }
}

impl Drop for Listed {
    fn drop(&mut self) {
        drafts().retain(|path| *path != self.0);
    }
}

enum Temporary {
    File(NamedTempFile),
    Folder(TempDir),
}

/// Writes a whole file, replacing an existing one.
///
/// # Errors
/// If the file cannot be written. The old version stays then.
pub fn write(target: &Path, bytes: &[u8]) -> Result<()> {
    let mut draft = Draft::file(target, true)?;
    draft.write_all(bytes).map_err(|e| Error::output(target, e))?;
    draft.publish()
}

impl Draft {
    /// Creates an empty file to fill.
    ///
    /// # Errors
    /// If the target cannot be written, or if it exists and `force` is not set. The error comes before any work is done.
    pub fn file(target: &Path, force: bool) -> Result<Self> {
        check(target, force, false)?;
        let file = builder(target, 0o666, |builder| builder.tempfile_in(folder_of(target)))?;
        let listed = Listed::new(file.path());
        Ok(Self { temporary: Temporary::File(file), target: target.to_path_buf(), _listed: listed })
    }

    /// Creates an empty folder to fill, and missing parent folders.
    ///
    /// # Errors
    /// As for [`Draft::file`].
    pub fn folder(target: &Path, force: bool) -> Result<Self> {
        check(target, force, true)?;
        fs::create_dir_all(folder_of(target)).map_err(|e| Error::output(target, e))?;
        let folder = builder(target, 0o777, |builder| builder.tempdir_in(folder_of(target)))?;
        let listed = Listed::new(folder.path());
        Ok(Self { temporary: Temporary::Folder(folder), target: target.to_path_buf(), _listed: listed })
    }

    /// The path to write to.
    pub fn path(&self) -> &Path {
        match &self.temporary {
            Temporary::File(file) => file.path(),
            Temporary::Folder(folder) => folder.path(),
        }
    }

    /// Gives the complete file or folder its final name.
    ///
    /// # Errors
    /// If it cannot be synced or renamed.
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
        Ok(found) if folder && !found.is_dir() => Err(Error::output(target, "it exists and is not a folder")),
        // Replacing a folder would lose its content, and replacing a device or a pipe would destroy it.
        Ok(found) if !folder && !found.is_file() => Err(Error::output(target, "it exists and is not a regular file")),
        Ok(_) if !force => {
            Err(Error::output(target, "it already exists").hint("`force` replaces it").naming(&["force"]))
        }
        _ => Ok(()),
    }
}

/// Creates a temporary file or folder for this target, with the usual permissions of new ones.
fn builder<T>(target: &Path, mode: u32, make: impl FnOnce(&Builder) -> io::Result<T>) -> Result<T> {
    let name = target.file_name().ok_or_else(|| Error::output(target, "the path has no file name"))?;
    // The leading dot hides a draft from programs that list folders, such as Minari.
    let prefix = format!(".{}.", name.to_string_lossy());
    let mut builder = Builder::new();
    builder.prefix(&prefix).suffix(".tmp").permissions(Permissions::from_mode(mode));
    // The original error names the temporary file, which means nothing to the user.
    make(&builder).map_err(|e| match e.get_ref().and_then(|inner| inner.source()) {
        Some(reason) => Error::output(target, reason),
        None => Error::output(target, &e),
    })
}

fn publish_file(file: NamedTempFile, target: &Path) -> io::Result<()> {
    // Sync by path, because others may have written to the file through their own handles.
    sync(file.path())?;
    file.persist(target).map(drop).map_err(|e| e.error)
}

/// Moves an existing folder out of the way first, because a folder cannot be renamed over another.
fn publish_folder(folder: TempDir, target: &Path) -> io::Result<()> {
    sync(folder.path())?;
    let aside = folder.path().with_extension("old.tmp");
    let replaces = target.is_dir();
    if replaces {
        fs::rename(target, &aside)?;
    }
    fs::rename(folder.path(), target)?;
    // Nothing is left under the temporary name to remove.
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
