//! The tasks that a worker has fetched, by the hashes of their models and rules. Each is fetched once.

use super::super::{Part, Start, Work};
use super::keys::Keys;
use super::link::{Link, Trouble};
use super::message::{Card, LARGEST_MODEL, Package, decode, encode};
use crate::sim::{self, Simulator};
use crate::{Error, Result};
use sha2::{Digest, Sha256};
use std::sync::{Arc, Mutex, PoisonError};

/// Maximum number of tasks kept.
const KEPT: usize = 8;
/// Maximum steps of the episodes that show whether two machines compute the same bits.
const PROBE_STEPS: usize = 200;

/// Shared by the threads of a worker.
#[derive(Default)]
pub struct Shelf {
    tasks: Mutex<Vec<Kept>>,
}

struct Kept {
    name: String,
    task: Arc<sim::Task>,
    probe: u64,
}

/// Why a run is not served.
pub enum Missing {
    Trouble(Trouble),
    /// Its task is not on the broker yet, or no longer.
    Absent,
    Refused(String),
}

impl Shelf {
    /// Returns the task of a run. If it is not here yet, it is fetched and checked, and `heard` is called with a note.
    ///
    /// # Errors
    /// If the task cannot be fetched, or if this worker must not serve the run.
    pub fn task(&self, link: &mut Link, card: &Card, heard: &dyn Fn(&str)) -> Result<Arc<sim::Task>, Missing> {
        let name = format!("{} {}", card.hashes.model, card.hashes.task);
        // The lock is held while fetching, so that two threads do not fetch the same model.
        let mut tasks = self.tasks.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(kept) = tasks.iter().find(|kept| kept.name == name) {
            return kept.for_run(card);
        }
        let key = Keys::of(&card.run, &card.hashes.model).model;
        let length: usize = link.call(|c| redis::cmd("STRLEN").arg(&key).query(c)).map_err(Missing::Trouble)?;
        if length > LARGEST_MODEL {
            return Err(Missing::Refused(format!("its model is {length} bytes, at most {LARGEST_MODEL} are allowed")));
        }
        let bytes: Vec<u8> = link.call(|c| redis::cmd("GET").arg(&key).query(c)).map_err(Missing::Trouble)?;
        if bytes.is_empty() {
            return Err(Missing::Absent);
        }
        let task = unpack(&bytes, card).map_err(Missing::Refused)?;
        heard(&format!("task {} received: {:.1} kB, checksum correct", card.task, bytes.len() as f64 / 1e3));
        let probe = probe(&mut Simulator::new(task.clone())).map_err(|error| Missing::Refused(error.message))?;
        tasks.insert(0, Kept { name, task, probe });
        tasks.truncate(KEPT);
        tasks[0].for_run(card)
    }
}

impl Kept {
    fn for_run(&self, card: &Card) -> Result<Arc<sim::Task>, Missing> {
        let (wanted, found) = (card.probe, self.probe);
        match wanted == found {
            true => Ok(self.task.clone()),
            false => Err(Missing::Refused(format!(
                "test episodes give bits {wanted:016x} there and {found:016x} here: this is another kind of CPU or C library"
            ))),
        }
    }
}

/// Encodes a task and its model as one message.
///
/// # Errors
/// If the task cannot be encoded or is too large.
pub fn pack(task: &sim::Task) -> Result<Vec<u8>> {
    let package = Package {
        definition: task.definition_toml()?,
        mjcf_sha256: task.model_sha256.clone(),
        compiled: task.compiled(),
    };
    let bytes = encode(&package).map_err(|e| Error::failed(format!("cannot encode the task: {e}")))?;
    match bytes.len() > LARGEST_MODEL {
        true => {
            let what = format!("the task is {} bytes, workers accept at most {LARGEST_MODEL}", bytes.len());
            Err(Error::usage(what).hint("make the meshes of its model smaller"))
        }
        false => Ok(bytes),
    }
}

/// The task in a package, if it is the one that the card names.
fn unpack(bytes: &[u8], card: &Card) -> Result<Arc<sim::Task>, String> {
    let package: Package = decode(bytes, LARGEST_MODEL).map_err(|why| format!("its model is damaged: {why}"))?;
    let (wanted, found) = (&card.hashes.model, sim::sha256(&package.compiled));
    if *wanted != found {
        return Err(format!("the run needs model {wanted}, the broker holds model {found}"));
    }
    let task = sim::Task::from_compiled(&package.definition, &package.compiled, package.mjcf_sha256)
        .map_err(|error| format!("its task cannot be used: {}", error.message))?;
    let (wanted, found) = (&card.hashes.task, task.rules_sha256());
    if *wanted != found {
        return Err(format!("the run needs task {wanted}, the broker holds task {found}"));
    }
    Ok(task)
}

/// Returns a digest of the results of a few short episodes. Machines that agree on it very likely compute the same bits.
///
/// # Errors
/// If the results cannot be encoded.
pub fn probe(simulator: &mut Simulator) -> Result<u64> {
    let task = simulator.task().clone();
    let mut work = Work::new(PROBE_STEPS, Some(false));
    let weights: Vec<f64> = (0..task.observations * task.actions).map(|i| (i as f64 * 0.7).sin() * 0.1).collect();
    let policy = work.policy(&weights, None);
    (0..3).for_each(|seed| work.job(policy, Start::Seed(seed)));
    let policies = work.policies(task.observations);
    let parts: Vec<Part> = (0..work.len()).map(|job| work.run(job, &policies, simulator)).collect();
    let bytes = postcard::to_stdvec(&parts).map_err(|e| Error::failed(format!("cannot encode test episodes: {e}")))?;
    Ok(Sha256::digest(bytes).iter().take(8).fold(0, |bits, &byte| bits << 8 | u64::from(byte)))
}
