//! Ranking of losses and the recombination weights of the ranks.
//!
//! Reference: Hansen, "The CMA Evolution Strategy: A Tutorial", arXiv:1604.00772, eq. (49)-(53).

use std::cmp::Ordering;

/// Column indices from best to worst. A loss that is NaN or infinite has failed and ranks last, even -∞, which no valid
/// objective returns. Ties keep the order of their indices.
pub fn ranking(loss: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..loss.len()).collect();
    order.sort_by(|&a, &b| failed_last(loss[a]).partial_cmp(&failed_last(loss[b])).unwrap_or(Ordering::Equal));
    order
}

/// Whether all candidates have equal losses, so that their ranks are only the order of their indices.
pub fn is_flat(loss: &[f64]) -> bool {
    loss.windows(2).all(|pair| failed_last(pair[0]) == failed_last(pair[1]))
}

fn failed_last(loss: f64) -> f64 {
    if loss.is_finite() { loss } else { f64::INFINITY }
}

/// Recombination weights in rank order. Learning rates have not scaled the negative ones yet.
#[derive(Clone, Debug)]
pub struct Weights {
    /// The best ⌊N/2⌋, summing to 1.
    pub positive: Vec<f64>,
    /// The rest, summing to -1 (empty or all zero only if N < 3).
    pub negative: Vec<f64>,
    /// Variance-effective selection mass of the positive weights, μ_eff.
    pub mu_eff: f64,
    /// The same of the negative weights, μ_eff⁻.
    pub mu_eff_negative: f64,
}

impl Weights {
    /// w'_i = ln((N+1)/2) - ln i for a batch of N.
    pub fn new(batch: usize) -> Self {
        let raw: Vec<f64> = (1..=batch).map(|i| ((batch as f64 + 1.0) / 2.0).ln() - (i as f64).ln()).collect();
        let (positive, negative) = raw.split_at(batch / 2);
        Self {
            mu_eff: effective(positive),
            mu_eff_negative: effective(negative),
            positive: normalized(positive),
            negative: normalized(negative),
        }
    }
}

/// (Σw)² / Σw², or 0 without weights.
fn effective(weights: &[f64]) -> f64 {
    let (sum, squares) = weights.iter().fold((0.0, 0.0), |(s, q), w| (s + w, q + w * w));
    if squares > 0.0 { sum * sum / squares } else { 0.0 }
}

/// The weights divided by |Σw|, or unchanged if they sum to 0.
fn normalized(weights: &[f64]) -> Vec<f64> {
    let sum: f64 = weights.iter().sum();
    let scale = if sum == 0.0 { 1.0 } else { sum.abs() };
    weights.iter().map(|w| w / scale).collect()
}

/// Expected length of a standard normal vector, approximately √n (1 - 1/4n + 1/21n²).
pub fn expected_norm(n: usize) -> f64 {
    let n = n as f64;
    n.sqrt() * (1.0 - 1.0 / (4.0 * n) + 1.0 / (21.0 * n * n))
}

/// Normal scores in rank order, best first: Blom's approximation Φ⁻¹((N + 5/8 − i)/(N + 1/4)) of the mean of the i-th
/// largest of N standard normal numbers. They sum to 0.
pub fn normal_scores(batch: usize) -> Vec<f64> {
    // Φ on a grid, by the trapezoidal rule from the middle outward, accurate to 1e-7.
    const STEP: f64 = 1e-3;
    let density = |z: f64| (-0.5 * z * z).exp() / std::f64::consts::TAU.sqrt();
    let upper: Vec<f64> = std::iter::successors(Some((0.0, 0.5)), |&(z, p): &(f64, f64)| {
        Some((z + STEP, p + STEP * (density(z) + density(z + STEP)) / 2.0))
    })
    .take(8_000)
    .map(|(_, p)| p)
    .collect();
    let quantile = |p: f64| {
        let above = upper.partition_point(|&known| known < p).clamp(1, upper.len() - 1);
        let (low, high) = (upper[above - 1], upper[above]);
        STEP * ((above - 1) as f64 + (p - low) / (high - low))
    };
    let best: Vec<f64> =
        (1..=batch / 2).map(|i| quantile((batch as f64 + 0.625 - i as f64) / (batch as f64 + 0.25))).collect();
    let middle = (batch % 2 == 1).then_some(0.0);
    best.iter().copied().chain(middle).chain(best.iter().rev().map(|score| -score)).collect()
}
