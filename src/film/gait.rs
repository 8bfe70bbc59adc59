//! Measures how long one cycle of a gait takes.

/// The shortest and longest cycle to look for, in seconds.
const SHORTEST: f64 = 0.15;
const LONGEST: f64 = 4.0;
/// Seconds between two samples of the pose.
const GRID: f64 = 0.01;
/// How closely a motion must match itself one cycle later to count as periodic; 1 is an exact match.
const LIKE: f64 = 0.5;

/// Returns the period of the second half of the motion, after the start has died away, or `None` if it is not periodic.
pub fn period(poses: &[&[f64]], timestep: f64) -> Option<f64> {
    let stride = (GRID / timestep).round().max(1.0) as usize;
    let seen: Vec<&[f64]> = poses[poses.len() / 2..].iter().step_by(stride).copied().collect();
    let motion = standardized_changes(&seen);
    let grid = stride as f64 * timestep;
    let first = (SHORTEST / grid).ceil() as usize;
    // A cycle must fit in at least twice, or there is nothing to compare it with.
    let last = ((LONGEST / grid) as usize).min(motion.len() / 2);

    let likeness: Vec<f64> = (0..=last).map(|lag| autocorrelation(&motion, lag)).collect();
    let peaks = (first.max(1)..last).filter(|&k| likeness[k] >= likeness[k - 1] && likeness[k] >= likeness[k + 1]);
    let peaks: Vec<usize> = peaks.filter(|&k| likeness[k] > LIKE).collect();
    let best = peaks.iter().map(|&k| likeness[k]).fold(LIKE, f64::max);
    // Two cycles match as well as one does, so take the shortest of the good peaks.
    peaks.into_iter().find(|&k| likeness[k] > 0.9 * best).map(|lag| lag as f64 * grid)
}

/// Returns the change of every coordinate between samples, centered and scaled by its own spread. Traveling forward
/// then counts for nothing, and a small joint counts as much as a large one.
fn standardized_changes(seen: &[&[f64]]) -> Vec<Vec<f64>> {
    let mut changes: Vec<Vec<f64>> =
        seen.windows(2).map(|pair| pair[1].iter().zip(pair[0]).map(|(b, a)| b - a).collect()).collect();
    let count = changes.len().max(1) as f64;
    for j in 0..changes.first().map_or(0, Vec::len) {
        let mean = changes.iter().map(|change| change[j]).sum::<f64>() / count;
        let variance = changes.iter().map(|change| (change[j] - mean).powi(2)).sum::<f64>() / count;
        // A steady glide varies only by rounding errors, which are not a motion.
        let spread = variance.sqrt();
        let scale = if spread > 1e-6 * mean.abs() && spread > 1e-9 { spread.recip() } else { 0.0 };
        changes.iter_mut().for_each(|change| change[j] = (change[j] - mean) * scale);
    }
    changes
}

/// Returns how closely the motion matches itself `lag` samples later, from −1 to 1.
fn autocorrelation(motion: &[Vec<f64>], lag: usize) -> f64 {
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>();
    let pairs = || motion.iter().zip(&motion[lag..]);
    let product: f64 = pairs().map(|(a, b)| dot(a, b)).sum();
    let power: f64 = pairs().map(|(a, b)| (dot(a, a) + dot(b, b)) / 2.0).sum();
    if power > 0.0 { product / power } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::period;
    use std::f64::consts::TAU;

    fn poses(pose: impl Fn(f64) -> Vec<f64>) -> Vec<Vec<f64>> {
        (0..2000).map(|k| pose(k as f64 * 0.005)).collect()
    }

    fn found(poses: &[Vec<f64>]) -> Option<f64> {
        period(&poses.iter().map(Vec::as_slice).collect::<Vec<_>>(), 0.005)
    }

    #[test]
    fn a_cycle_is_found_while_traveling_and_with_an_overtone() {
        let walk = poses(|t| vec![1.5 * t, (TAU * t / 0.8).sin(), (TAU * t / 0.8).cos() + 0.5 * (TAU * t / 0.4).sin()]);
        assert!((found(&walk).unwrap() - 0.8).abs() < 0.011);
    }

    #[test]
    fn standing_and_gliding_have_no_cycle() {
        assert_eq!(found(&poses(|_| vec![1.0, 2.0])), None);
        assert_eq!(found(&poses(|t| vec![t, t * t])), None);
        assert_eq!(period(&[&[0.0]], 0.005), None);
    }
}
