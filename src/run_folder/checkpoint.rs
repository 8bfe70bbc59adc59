//! A checkpoint is a snapshot of the whole search, from which it continues bit-exactly.
//!
//! Layout: magic, format version, length of the payload, the payload (postcard), SHA-256 of everything before. The
//! payload is the settings that decide the search, as text, and the state. The previous checkpoint is kept next to it.

use super::LockedFolder;
use crate::atomic;
use crate::settings::{Init, Normalize, PartialSettings};
use crate::{Error, Result};
use serde::{Serialize, de::DeserializeOwned};
use sha2::{Digest, Sha256};
use std::fs;
use std::path::{Path, PathBuf};

const MAGIC: &[u8; 8] = b"LOCOMOT\n";
const VERSION: u32 = 7;
const HEADER: usize = MAGIC.len() + 4 + 8;
const DIGEST: usize = 32;

/// The checkpoint of a run folder, and the previous one.
pub struct Checkpoint {
    latest: PathBuf,
    previous: PathBuf,
}

impl Checkpoint {
    pub(super) fn new(latest: PathBuf, previous: PathBuf) -> Self {
        Self { latest, previous }
    }

    pub fn exists(&self) -> bool {
        self.latest.exists() || self.previous.exists()
    }

    /// Keeps the current checkpoint as the previous one, then replaces it. There is a valid one at every moment.
    ///
    /// # Errors
    /// If the state cannot be encoded or a file cannot be written.
    pub fn save(&self, _: &LockedFolder, settings: &PartialSettings, state: &impl Serialize) -> Result<()> {
        let failed = |e: String| Error::failed(format!("cannot encode the state: {e}"));
        let bound = toml::to_string(&bound(settings)).map_err(|e| failed(e.to_string()))?;
        let payload = postcard::to_stdvec(&(bound, state)).map_err(|e| failed(e.to_string()))?;
        let mut bytes = Vec::with_capacity(HEADER + payload.len() + DIGEST);
        bytes.extend_from_slice(MAGIC);
        bytes.extend_from_slice(&VERSION.to_le_bytes());
        bytes.extend_from_slice(&(payload.len() as u64).to_le_bytes());
        bytes.extend_from_slice(&payload);
        let digest = Sha256::digest(&bytes);
        bytes.extend_from_slice(&digest);
        if self.latest.exists() {
            let _ = fs::remove_file(&self.previous);
            fs::hard_link(&self.latest, &self.previous)
                .or_else(|_| fs::copy(&self.latest, &self.previous).map(drop))
                .map_err(|e| Error::output(&self.previous, e))?;
        }
        atomic::write(&self.latest, &bytes)
    }

    /// Loads the latest state, or the previous one on request.
    ///
    /// # Errors
    /// If the file cannot be read, is damaged or of another version, or belongs to a search with other settings.
    pub fn load<T: DeserializeOwned>(&self, previous: bool, settings: &PartialSettings) -> Result<T> {
        let file = if previous { &self.previous } else { &self.latest };
        let (made_with, state) = decode(file).map_err(|error| match !previous && self.previous.exists() {
            true => error
                .hint("the previous checkpoint still exists: add `previous` to continue from it")
                .naming(&["previous"]),
            false => error.hint("start the run again with `force`").naming(&["force"]),
        })?;
        match difference(&made_with, &bound(settings)) {
            Some(what) => Err(Error::input(file, what).hint(
                "run.toml or the checkpoint belongs to another run: restore it, or start a new run in another folder",
            )),
            None => Ok(state),
        }
    }
}

/// Returns the settings that a checkpoint is bound to. Those that may change when a run continues are left out, and so
/// are paths: run.toml identifies the task by its content, and the checkpoint holds the numbers of a policy.
fn bound(settings: &PartialSettings) -> PartialSettings {
    let normalize = settings.normalize.clone().filter(|normalize| !matches!(normalize, Normalize::Policy(_)));
    let init = settings.init.clone().filter(|init| !matches!(init, Init::Policy(_)));
    PartialSettings { env: None, init, normalize, budget: None, target: None, time: None, ..settings.clone() }
}

/// Describes the first setting in which a checkpoint and run.toml differ.
fn difference(made_with: &PartialSettings, settings: &PartialSettings) -> Option<String> {
    let pairs = made_with.entries().into_iter().zip(settings.entries());
    let ((name, was), (_, says)) = pairs.into_iter().find(|((_, was), (_, says))| was != says)?;
    let (was, says) = (was.unwrap_or("nothing".into()), says.unwrap_or("nothing".into()));
    Some(format!("the checkpoint was made with `{name}` = {was}, but run.toml says {says}"))
}

fn decode<T: DeserializeOwned>(file: &Path) -> Result<(PartialSettings, T)> {
    let bytes = fs::read(file).map_err(|e| Error::input(file, e))?;
    let wrong = |what: &str| Error::input(file, format!("damaged checkpoint: {what}"));
    if bytes.len() < HEADER + DIGEST {
        return Err(wrong("it is too short"));
    }
    let (content, digest) = bytes.split_at(bytes.len() - DIGEST);
    if !content.starts_with(MAGIC) {
        return Err(wrong("it does not start with the right bytes"));
    }
    let word = |from: usize, to: usize| content[from..to].iter().rev().fold(0u64, |sum, b| sum << 8 | u64::from(*b));
    if Sha256::digest(content)[..] != *digest {
        return Err(wrong("its checksum does not match its content"));
    }
    let version = word(8, 12);
    if version != u64::from(VERSION) {
        return Err(Error::input(file, format!("checkpoint of format {version}; this program reads format {VERSION}")));
    }
    if word(12, HEADER) != (content.len() - HEADER) as u64 {
        return Err(wrong("its length does not match its content"));
    }
    let payload = &content[HEADER..];
    let (text, state) = postcard::take_from_bytes::<&str>(payload).map_err(|e| wrong(&e.to_string()))?;
    let made_with = toml::from_str(text).map_err(|e| wrong(&e.to_string()))?;
    Ok((made_with, postcard::from_bytes(state).map_err(|e| wrong(&e.to_string()))?))
}
