//! A checkpoint is a snapshot of the whole search: read back, it goes on bit-exactly.
//!
//! Layout: magic, format version, length of the payload, the payload (postcard), SHA-256 of all before it. The one
//! before is kept beside it.

use crate::atomic;
use crate::{Error, Result};
use serde::{Serialize, de::DeserializeOwned};
use sha2::{Digest, Sha256};
use std::fs;
use std::path::{Path, PathBuf};

const MAGIC: &[u8; 8] = b"LOCOMOT\n";
const VERSION: u32 = 3;
const HEADER: usize = MAGIC.len() + 4 + 8;
const DIGEST: usize = 32;

/// The checkpoint of a run folder, and the one before it.
pub struct Checkpoint {
    latest: PathBuf,
    previous: PathBuf,
}

impl Checkpoint {
    pub fn of(folder: &Path) -> Self {
        Self { latest: folder.join("checkpoint.bin"), previous: folder.join("checkpoint.previous.bin") }
    }

    pub fn exists(&self) -> bool {
        self.latest.exists() || self.previous.exists()
    }

    /// Keeps the present checkpoint as the previous one, then replaces it. At no moment is there none.
    pub fn save(&self, state: &impl Serialize) -> Result<()> {
        let payload = postcard::to_stdvec(state).map_err(|e| Error::failed(format!("cannot encode the state: {e}")))?;
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

    /// The latest state, or with `previous` the one before.
    pub fn load<T: DeserializeOwned>(&self, previous: bool) -> Result<T> {
        let file = if previous { &self.previous } else { &self.latest };
        decode(file).map_err(|error| match !previous && self.previous.exists() {
            true => error
                .hint("the checkpoint before it is still there: add `previous` to go on from that one")
                .naming(&["previous"]),
            false => error.hint("start the run again with `force`").naming(&["force"]),
        })
    }
}

fn decode<T: DeserializeOwned>(file: &Path) -> Result<T> {
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
    postcard::from_bytes(&content[HEADER..]).map_err(|e| wrong(&e.to_string()))
}
