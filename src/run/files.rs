//! Files that are either the old or the new one, whatever happens.

use crate::{Error, Result};
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Writes beside the target, makes it durable, then moves it to its name.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> Result<()> {
    let partial = partial_name(path);
    let written = File::create(&partial).and_then(|mut file| {
        file.write_all(bytes)?;
        file.sync_all()
    });
    if let Err(e) = written.and_then(|()| fs::rename(&partial, path)).and_then(|()| sync_folder(path)) {
        let _ = fs::remove_file(&partial);
        return Err(Error::output(path, e));
    }
    Ok(())
}

fn partial_name(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(".tmp");
    path.with_file_name(name)
}

fn sync_folder(path: &Path) -> std::io::Result<()> {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => File::open(folder)?.sync_all(),
        _ => File::open(".")?.sync_all(),
    }
}
