//! Messages between coordinator and workers, damaged and sealed again, so that the damage gets past the checksum.

use crate::mutator::mutated;
use locomotion::rollout::broker::message::{Assignment, Card, Hashes, LONGEST, News, WorkerReport, decode, encode};
use locomotion::rollout::{Start, Work};
use locomotion::sim::{self, Simulator};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use sha2::{Digest, Sha256};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// The bytes of a valid message, of each kind.
pub fn messages() -> Vec<Vec<u8>> {
    let hopper = sim::find("hopper").unwrap();
    let mut work = Work::new(20, Some(true));
    let policy = work.policy(&[0.1; 33], None);
    work.job(policy, Start::Seed(7));
    work.job(policy, Start::Lockstep(2));
    let mut simulator = Simulator::new(hopper.clone());
    let policies = work.policies(hopper.observations);
    let parts = (0..2).map(|job| work.run(job, &policies, &mut simulator)).collect();
    let hashes = || Hashes { program: "p".into(), task: "t".into(), model: "m".into() };
    let news = News::Done { batch: 1, first: 0, seconds: 0.5, parts };
    let task = Assignment { run: "r".into(), batch: 1, generation: 1, first: 0, hashes: hashes(), work };
    let report = WorkerReport { run: "r".into(), worker: "w".into(), thread: 0, news };
    let card = Card { run: "r".into(), task: "hopper".into(), hashes: hashes(), probe: 3 };
    vec![encode(&task).unwrap(), encode(&report).unwrap(), encode(&card).unwrap()]
}

/// Damages a message and does what a worker or a coordinator would do with it. Panics if that panics.
pub fn treat(rng: &mut ChaCha8Rng, messages: &[Vec<u8>], simulator: &mut Simulator) {
    let original = &messages[rng.random_range(0..messages.len())];
    let (head, sum) = (5, 8);
    let content = mutated(&original[head..original.len() - sum], rng);
    let mut bytes = [&original[..head], &content].concat();
    let seal = Sha256::digest(&bytes);
    bytes.extend_from_slice(&seal[..sum]);
    let _ = decode::<Card>(&bytes, LONGEST);
    if let Ok(WorkerReport { news: News::Done { parts, .. }, .. }) = decode::<WorkerReport>(&bytes, LONGEST) {
        let mut work = Work::new(20, Some(true));
        let policy = work.policy(&[0.1; 33], None);
        work.job(policy, Start::Seed(7));
        work.job(policy, Start::Lockstep(2));
        let _ = work.fits(0..2, &parts, simulator.task().observations);
    }
    if let Ok(task) = decode::<Assignment>(&bytes, LONGEST)
        && task.work.check(simulator.task()).is_ok()
        && task.work.len() < 10
    {
        let policies = task.work.policies(simulator.task().observations);
        // It may ask for very many episodes.
        let (leave, done) = (AtomicBool::new(false), AtomicBool::new(task.work.is_empty()));
        std::thread::scope(|scope| {
            scope.spawn(|| {
                (0..50).find(|_| {
                    std::thread::sleep(Duration::from_millis(5));
                    done.load(Ordering::Relaxed)
                });
                leave.store(true, Ordering::Relaxed);
            });
            if !task.work.is_empty() {
                drop(task.work.run_unless(&leave, 0, &policies, simulator));
                done.store(true, Ordering::Relaxed);
            }
        });
    }
}
