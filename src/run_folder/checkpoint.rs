//! A checkpoint is a snapshot of the whole search: read back, it goes on bit-exactly.
//!
//! Layout: magic, format version, length of the payload, the payload (postcard), SHA-256 of all before it. The payload is
//! the settings that decide the search, as text, and the state. The one before is kept beside it.

use super::LockedFolder;
use crate::atomic;
use crate::settings::PartialSettings;
use crate::{Error, Result};
use serde::{Serialize, de::DeserializeOwned};
use sha2::{Digest, Sha256};
use std::fs;
use std::path::{Path, PathBuf};

const MAGIC: &[u8; 8] = b"LOCOMOT\n";
const VERSION: u32 = 4;
const HEADER: usize = MAGIC.len() + 4 + 8;
const DIGEST: usize = 32;

/// The checkpoint of a run folder, and the one before it.
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

    /// Keeps the present checkpoint as the previous one, then replaces it. At no moment is there none.
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

    /// The latest state, or with `previous` the one before. One of a search with other settings is refused.
    pub fn load<T: DeserializeOwned>(&self, previous: bool, settings: &PartialSettings) -> Result<T> {
        let file = if previous { &self.previous } else { &self.latest };
        let (made_with, state) = decode(file).map_err(|error| match !previous && self.previous.exists() {
            true => error
                .hint("the checkpoint before it is still there: add `previous` to go on from that one")
                .naming(&["previous"]),
            false => error.hint("start the run again with `force`").naming(&["force"]),
        })?;
        match difference(&made_with, &bound(settings)) {
            Some(what) => Err(Error::input(file, what).hint(
                "run.toml or the checkpoint is not this run's: restore it, or start another run in another folder",
            )),
            None => Ok(state),
        }
    }
}

/// The settings that a checkpoint is bound to: those that may change when a run goes on are left out, and the task's
/// place, since its content is bound by run.toml.
fn bound(settings: &PartialSettings) -> PartialSettings {
    PartialSettings { env: None, normalize: None, budget: None, target: None, time: None, ..settings.clone() }
}

/// The first setting in which a checkpoint and run.toml differ.
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
        return Err(wrong("it does not begin as one"));
    }
    let word = |from: usize, to: usize| content[from..to].iter().rev().fold(0u64, |sum, b| sum << 8 | u64::from(*b));
    if Sha256::digest(content)[..] != *digest {
        return Err(wrong("its checksum does not fit its content"));
    }
    let version = word(8, 12);
    if version != u64::from(VERSION) {
        return Err(Error::input(file, format!("checkpoint of format {version}; this program reads format {VERSION}")));
    }
    if word(12, HEADER) != (content.len() - HEADER) as u64 {
        return Err(wrong("its length does not fit its content"));
    }
    let payload = &content[HEADER..];
    let (text, state) = postcard::take_from_bytes::<&str>(payload).map_err(|e| wrong(&e.to_string()))?;
    let made_with = toml::from_str(text).map_err(|e| wrong(&e.to_string()))?;
    Ok((made_with, postcard::from_bytes(state).map_err(|e| wrong(&e.to_string()))?))
}
