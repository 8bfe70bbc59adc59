//! Lets only one process at a time write to a run folder.

use super::{BASELINE_PREFIX, FILES, Folder, ROBOT, RUN, RunFile};
use crate::policy::PolicyFile;
use crate::{Error, Result, atomic};
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{Read, Write};
use std::ops::Deref;
use std::path::Path;
use std::time::{Duration, Instant};

/// The file that is locked. It contains the id of the last process that held it, and is never removed, because removing
/// it would race with the next process.
const LOCK: &str = ".lock";

/// How long to wait for the lock. A process that was just killed may hold it a moment longer.
const LOCK_TIMEOUT: Duration = Duration::from_secs(1);

/// A run folder that no other process writes to as long as this value lives. A process that dies loses the lock.
#[derive(Debug)]
pub struct LockedFolder {
    folder: Folder,
    _lock: File,
}

impl Folder {
    /// Creates the folder if necessary, locks it, and removes files that a killed process left unfinished.
    ///
    /// # Errors
    /// If another process holds the lock, or if the folder cannot be written.
    pub fn lock(&self) -> Result<LockedFolder> {
        fs::create_dir_all(self.path()).map_err(|e| Error::output(self.path(), e))?;
        let path = self.file(LOCK);
        let opened = OpenOptions::new().create(true).truncate(false).read(true).write(true).open(&path);
        let mut file = opened.map_err(|e| Error::output(&path, e))?;
        let waited = Instant::now();
        // A file system without locks is no reason to refuse.
        while let Err(TryLockError::WouldBlock) = file.try_lock() {
            if waited.elapsed() > LOCK_TIMEOUT {
                return Err(self.in_use(&mut file));
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        // The id only serves the error message of the next process, so a full disk does not matter.
        let _ = file.set_len(0).and_then(|()| writeln!(file, "{}", std::process::id()));
        self.sweep();
        Ok(LockedFolder { folder: self.clone(), _lock: file })
    }

    fn in_use(&self, lock: &mut File) -> Error {
        let mut holder = String::new();
        let _ = lock.read_to_string(&mut holder);
        let who = match holder.trim() {
            "" => "another process".to_string(),
            id => format!("another process (id {id})"),
        };
        Error::failed(format!("{who} is working on this run\n  in {}", self.path().display()))
            .hint("wait until it has ended, stop it, or choose another `out`")
            .naming(&["out"])
    }

    /// Removes temporary files of the kinds that only the holder of the lock writes.
    fn sweep(&self) {
        let is_ours = |name: &str| {
            let rest = name.strip_prefix('.').filter(|name| name.ends_with(".tmp"));
            rest.is_some_and(|rest| {
                FILES.iter().any(|file| rest.strip_prefix(file).is_some_and(|r| r.starts_with('.')))
            })
        };
        for entry in fs::read_dir(self.path()).into_iter().flatten().flatten() {
            if is_ours(&entry.file_name().to_string_lossy()) {
                // A file that cannot be removed does no harm.
                let _ = fs::remove_file(entry.path());
            }
        }
    }
}

impl Deref for LockedFolder {
    type Target = Folder;
    fn deref(&self) -> &Folder {
        &self.folder
    }
}

impl LockedFolder {
    /// Begins a run, after removing an old one and its baselines. Other files stay.
    ///
    /// # Errors
    /// If a file cannot be removed or written, or if another process works on a baseline.
    pub fn start(&self, run: &mut RunFile) -> Result<()> {
        for baseline in self.below(BASELINE_PREFIX)?.into_iter().filter(Folder::is_taken) {
            let baseline = baseline.lock()?;
            baseline.clear()?;
            // Remove the folder as well, unless it holds other files. Nobody waits for its lock, because we hold the
            // run's.
            let _ = fs::remove_file(baseline.file(LOCK)).and_then(|()| fs::remove_dir(baseline.path()));
        }
        // The run may be of a task whose only copy is in the run that it replaces.
        let env = run.settings.env.clone().unwrap_or_default();
        if !Path::new(&env).starts_with(self.file(ROBOT)) {
            self.clear()?;
        }
        run.robot = self.carry(&env)?;
        self.write_run(run)
    }

    /// Removes everything that a run writes, run.toml first.
    fn clear(&self) -> Result<()> {
        for file in FILES.map(|name| self.file(name)) {
            match fs::remove_file(&file) {
                Err(e) if e.kind() != std::io::ErrorKind::NotFound => return Err(Error::output(&file, e)),
                _ => {}
            }
        }
        let robot = self.file(ROBOT);
        match fs::remove_dir_all(&robot) {
            Err(e) if e.kind() != std::io::ErrorKind::NotFound => Err(Error::output(&robot, e)),
            _ => Ok(()),
        }
    }

    /// Writes run.toml.
    ///
    /// # Errors
    /// If it cannot be encoded or written.
    pub fn write_run(&self, run: &RunFile) -> Result<()> {
        atomic::write(&self.file(RUN), run.text()?.as_bytes())
    }

    /// Writes a policy under this file name.
    ///
    /// # Errors
    /// If it cannot be encoded or written.
    pub fn write_policy(&self, name: &str, policy: &PolicyFile) -> Result<()> {
        let mut text = serde_json::to_string(policy).map_err(|e| Error::failed(format!("cannot write {name}: {e}")))?;
        text.push('\n');
        atomic::write(&self.file(name), text.as_bytes())
    }
}
