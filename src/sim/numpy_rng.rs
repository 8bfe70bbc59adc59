//! numpy's `default_rng(seed)`: SeedSequence, PCG64, uniform and the 256-layer ziggurat, bit for bit.
//!
//! Gymnasium's `reset(seed=s)` draws its noise from this generator, so the same seed gives the same start state.
//! Ziggurat: Marsaglia and Tsang, 2000. Generator: O'Neill, PCG XSL-RR 128/64. Seeding: numpy's SeedSequence.

use rand::Rng;
use rand_pcg::Pcg64;
use std::sync::LazyLock;

/// numpy's generator for one seed.
#[derive(Clone, Debug)]
pub struct NumpyRng(Pcg64);

impl NumpyRng {
    pub fn new(seed: u64) -> Self {
        let [w0, w1, w2, w3] = seed_words(seed).map(u128::from);
        Self(Pcg64::new(w0 << 64 | w1, w2 << 64 | w3))
    }

    /// A double in [0, 1).
    fn unit(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 * (1.0 / 9_007_199_254_740_992.0)
    }

    pub fn uniform(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    pub fn standard_normal(&mut self) -> f64 {
        let table = &*ZIGGURAT;
        loop {
            let bits = self.0.next_u64();
            let layer = (bits & 0xff) as usize;
            let negative = bits >> 8 & 1 == 1;
            let mantissa = bits >> 9 & 0x000f_ffff_ffff_ffff;
            let x = mantissa as f64 * table.width[layer];
            let signed = if negative { -x } else { x };
            if mantissa < table.inside[layer] {
                return signed;
            }
            if layer == 0 {
                return self.tail(mantissa >> 8 & 1 == 1);
            }
            let (above, below) = (table.density[layer - 1], table.density[layer]);
            if (above - below) * self.unit() + below < (-0.5 * x * x).exp() {
                return signed;
            }
        }
    }

    fn tail(&mut self, negative: bool) -> f64 {
        loop {
            let x = -(1.0 / R) * (-self.unit()).ln_1p();
            let y = -(-self.unit()).ln_1p();
            if y + y > x * x {
                return if negative { -(R + x) } else { R + x };
            }
        }
    }
}

/// SeedSequence(seed).generate_state(4, uint64).
fn seed_words(seed: u64) -> [u64; 4] {
    let entropy = [seed as u32, (seed >> 32) as u32, 0, 0];
    let mut hash = 0x43b0_d7e5_u32;
    let mut hashmix = |word: u32| {
        let mut value = word ^ hash;
        hash = hash.wrapping_mul(0x931e_8875);
        value = value.wrapping_mul(hash);
        value ^ value >> 16
    };
    let mut pool = entropy.map(&mut hashmix);
    for from in 0..4 {
        for to in (0..4).filter(|&to| to != from) {
            let mixed = pool[to].wrapping_mul(0xca01_f9dd).wrapping_sub(hashmix(pool[from]).wrapping_mul(0x4973_f715));
            pool[to] = mixed ^ mixed >> 16;
        }
    }
    let mut hash = 0x8b51_f9dd_u32;
    let mut output = |word: u32| {
        let mut value = word ^ hash;
        hash = hash.wrapping_mul(0x58f3_8ded);
        value = value.wrapping_mul(hash);
        u64::from(value ^ value >> 16)
    };
    std::array::from_fn(|k| {
        let low = output(pool[2 * k % 4]);
        low | output(pool[(2 * k + 1) % 4]) << 32
    })
}

/// Where the tail begins, and the area of each layer.
const R: f64 = 3.654_152_885_361_009;
const AREA: f64 = 0.004_928_673_233_974_652;

struct Ziggurat {
    /// Mantissas below this certainly lie inside of the layer.
    inside: [u64; 256],
    /// The layer's width per unit of mantissa.
    width: [f64; 256],
    /// exp(−x²/2) at the layer's edge.
    density: [f64; 256],
}

static ZIGGURAT: LazyLock<Ziggurat> = LazyLock::new(|| {
    const MANTISSA: f64 = 4_503_599_627_370_496.0;
    let mut table = Ziggurat { inside: [0; 256], width: [0.0; 256], density: [1.0; 256] };
    let mut edge = R;
    let mut density = (-0.5 * edge * edge).exp();
    let base = AREA / density;
    table.inside[0] = (edge / base * MANTISSA).round_ties_even() as u64;
    table.width[0] = base / MANTISSA;
    table.width[255] = edge / MANTISSA;
    table.density[255] = density;
    for layer in (1..255).rev() {
        let outer = edge;
        edge = (-2.0 * (AREA / outer + density).ln()).sqrt();
        density = (-0.5 * edge * edge).exp();
        if layer == 38 {
            // The exp function that made numpy's table rounds differently here, and all later layers depend on it.
            density = density.next_up();
        }
        table.inside[layer + 1] = (edge / outer * MANTISSA).round_ties_even() as u64;
        table.width[layer] = edge / MANTISSA;
        table.density[layer] = density;
    }
    table
});
