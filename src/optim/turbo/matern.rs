//! The Matérn-5/2 kernel of many pairs of points at once.
//!
//! A model needs it for tens of millions of pairs. It is written without branches and calls so that the compiler can use the
//! vector instructions of the processor. No operation is fused, so the results are the same on all processors.

use std::f64::consts::{LN_2, LOG2_E};

use pulp::Arch;

/// Replaces the products u·u' of one point with others by covariances s·k and computes their slopes. With
/// r² = 5 ‖u − u'‖² from the squared norms of both points, k = (1 + r + r²/3) e⁻ʳ and the slope is s (1 + r) e⁻ʳ / 3.
pub fn matern(outputscale: f64, norm: f64, norms: &[f64], products: &mut [f64], slopes: &mut [f64]) {
    Arch::new().dispatch(|| {
        for ((v, slope), other) in products.iter_mut().zip(slopes).zip(norms) {
            // Rounding can make the squared distance of equal points negative.
            let square = (5.0 * (norm + other - 2.0 * *v)).max(0.0);
            let r = square.sqrt();
            let decay = outputscale * exp_minus(r);
            *v = (1.0 + r + square / 3.0) * decay;
            *slope = (1.0 + r) * decay / 3.0;
        }
    });
}

/// 1/k! for k from 13 down to 0.
const TAYLOR: [f64; 14] = {
    let mut inverse = [1.0; 14];
    let (mut k, mut factorial) = (1, 1.0);
    while k < 14 {
        factorial *= k as f64;
        inverse[13 - k] = 1.0 / factorial;
        k += 1;
    }
    inverse
};

/// ln 2 in two parts. The first has so few digits that small multiples of it are exact.
const LN_2_HIGH: f64 = f64::from_bits(LN_2.to_bits() & !0xffff_ffff);
const LN_2_LOW: f64 = 4.749_325_039_031_672_6e-7;

/// e⁻ʳ for r ≥ 0, to a few units in the last place. For r > 700 it is e⁻⁷⁰⁰, which is negligible relative to 1.
#[inline(always)]
pub fn exp_minus(r: f64) -> f64 {
    let r = r.min(700.0);
    // e⁻ʳ = 2⁻ⁿ e⁻ᶠ with |f| ≤ ln 2 / 2. Adding 1.5 · 2⁵² rounds to the integer n and puts it into the lowest bits.
    const ROUND: f64 = 6_755_399_441_055_744.0;
    let rounded = r * LOG2_E + ROUND;
    let n = rounded - ROUND;
    let f = r - n * LN_2_HIGH - n * LN_2_LOW;
    let power = TAYLOR.iter().fold(0.0, |sum, coefficient| coefficient - f * sum);
    let scale = 1023u64.wrapping_sub(rounded.to_bits()) << 52;
    power * f64::from_bits(scale)
}
