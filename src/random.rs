//! Counter-based random streams. A key determines what is drawn, never the order in which threads arrive.
//!
//! A stream is ChaCha8 keyed by (seed, purpose, a, b), for example (seed, `Candidates`, generation, 0). Resuming needs
//! no generator state, and two streams with different keys are independent.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

/// What a stream is used for, so that two uses of the same seed never share numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u64)]
pub enum Purpose {
    /// The candidates that an optimizer proposes in one generation.
    Candidates = 1,
    /// The point or population that an optimizer starts from.
    Start = 2,
    /// Reset seeds of training episodes.
    Episodes = 3,
    /// Bootstrap resamples.
    Bootstrap = 5,
    /// The new place of a moved optimum.
    Optimum = 10,
    /// The rotation of a problem.
    Rotation = 11,
}

/// Returns the stream for this key. `a` and `b` number the uses for one purpose, such as generation and candidate.
pub fn stream(seed: u64, purpose: Purpose, a: u64, b: u64) -> ChaCha8Rng {
    let mut key = [0u8; 32];
    for (slot, word) in key.chunks_exact_mut(8).zip([seed, purpose as u64, a, b]) {
        slot.copy_from_slice(&word.to_le_bytes());
    }
    ChaCha8Rng::from_seed(key)
}
