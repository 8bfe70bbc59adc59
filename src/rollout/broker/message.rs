//! The messages: assignments to workers, and their reports. Every message begins with a marker and a version and ends with
//! a checksum, so that anything else on a stream is recognized and rejected.

use super::super::{Part, Work};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use sha2::{Digest, Sha256};

const MARK: &[u8; 4] = b"LOCW";
const VERSION: u8 = 2;
const HEAD: usize = MARK.len() + 1;
const SUM: usize = 8;

/// Maximum length of a message, in bytes.
pub const LONGEST: usize = 16 << 20;
/// Maximum size of a packed task with its model, in bytes. It is one message.
pub const LARGEST_MODEL: usize = 256 << 20;

/// What decides the bits of an episode besides the work. A worker with other hashes refuses the run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hashes {
    /// Version, digest of the sources and MuJoCo's version.
    pub program: String,
    /// SHA-256 of the task's rules.
    pub task: String,
    /// SHA-256 of the compiled model.
    pub model: String,
}

/// The description of a run, by which a worker decides whether it can serve it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Card {
    pub run: String,
    /// The task's name, for people.
    pub task: String,
    pub hashes: Hashes,
    /// A digest of a few short episodes computed by the coordinator. Another kind of CPU may give another one.
    pub probe: u64,
}

/// Some jobs of one batch, for one worker. The parameters are little-endian doubles.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Assignment {
    pub run: String,
    /// The number of the batch within the run. Training and held-out batches are both counted.
    pub batch: u64,
    pub generation: u64,
    /// The index of the first job within the batch.
    pub first: u64,
    pub hashes: Hashes,
    pub work: Work,
}

/// A message from a worker to the coordinator.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WorkerReport {
    pub run: String,
    /// Host and process.
    pub worker: String,
    pub thread: u32,
    pub news: News,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum News {
    /// The jobs from `first` on are done.
    Done { batch: u64, first: u64, seconds: f64, parts: Vec<Part> },
    /// This worker does not serve the run.
    Refused { why: String },
    /// A stream entry was not a valid assignment.
    Rejected { why: String },
}

/// A task with its compiled model, as sent to workers.
#[derive(Serialize, Deserialize)]
pub struct Package {
    /// The definition as TOML.
    pub definition: String,
    /// SHA-256 of the MJCF text.
    pub mjcf_sha256: String,
    /// The compiled model, with all that its MJCF includes.
    pub compiled: Vec<u8>,
}

/// Encodes a message.
///
/// # Errors
/// If it cannot be serialized.
pub fn encode(message: &impl Serialize) -> Result<Vec<u8>, String> {
    let mut bytes = MARK.to_vec();
    bytes.push(VERSION);
    let mut bytes = postcard::to_extend(message, bytes).map_err(|e| e.to_string())?;
    let sum = Sha256::digest(&bytes);
    bytes.extend_from_slice(&sum[..SUM]);
    Ok(bytes)
}

/// Decodes a message of at most `longest` bytes.
///
/// # Errors
/// If the bytes are not a message of this kind and version. The error says why.
pub fn decode<T: DeserializeOwned>(bytes: &[u8], longest: usize) -> Result<T, String> {
    if bytes.len() > longest {
        return Err(format!("it is {} bytes long, at most {longest} are allowed", bytes.len()));
    }
    if !bytes.starts_with(MARK) {
        return Err("it is not a message from this program".into());
    }
    match bytes.get(MARK.len()) {
        Some(&VERSION) => {}
        Some(other) => return Err(format!("it has version {other}, this program supports version {VERSION}")),
        None => return Err("it is cut off".into()),
    }
    let Some((content, sum)) = bytes.split_last_chunk::<SUM>().filter(|(content, _)| content.len() >= HEAD) else {
        return Err("it is cut off".into());
    };
    if Sha256::digest(content)[..SUM] != *sum {
        return Err("its checksum does not match: it is cut off or damaged".into());
    }
    postcard::from_bytes(&content[HEAD..]).map_err(|e| format!("it cannot be read: {e}"))
}

#[cfg(test)]
mod tests {
    use super::super::super::{Start, Work};
    use super::{Assignment, Hashes, LONGEST, decode, encode};

    fn message() -> Assignment {
        let mut work = Work::new(1000, Some(true));
        let policy = work.policy(&[1.5, -0.0, f64::MIN_POSITIVE], None);
        work.job(policy, Start::Seed(u64::MAX));
        let hashes = Hashes { program: "p".into(), task: "t".into(), model: "m".into() };
        Assignment { run: "r".into(), batch: 3, generation: 2, first: 7, hashes, work }
    }

    #[test]
    fn a_message_comes_back_and_nothing_else_is_one() {
        let bytes = encode(&message()).unwrap();
        assert_eq!(decode::<Assignment>(&bytes, LONGEST).unwrap(), message());
        assert!(bytes.windows(8).any(|part| part == 1.5f64.to_le_bytes()), "parameters are little-endian doubles");
        for end in 0..bytes.len() {
            assert!(decode::<Assignment>(&bytes[..end], LONGEST).is_err(), "cut after {end} bytes");
        }
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 0x10;
            assert!(decode::<Assignment>(&damaged, LONGEST).is_err(), "byte {at}");
        }
        let mut newer = bytes.clone();
        newer[4] = 9;
        assert!(decode::<Assignment>(&newer, LONGEST).unwrap_err().contains("version 9"));
        assert!(decode::<Assignment>(&bytes, 10).unwrap_err().contains("at most 10"));
    }
}
