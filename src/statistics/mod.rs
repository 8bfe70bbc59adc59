//! In: samples. Out: means, quantiles, ranks, intervals. Must not know: what was measured.

mod bootstrap;

pub use bootstrap::{Interval, RESAMPLES, improvement_interval, interval};

/// The arithmetic mean, summed in index order, or NaN if there are no values.
pub fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// The sample standard deviation (n − 1), or 0 for a single value.
pub fn standard_deviation(values: &[f64]) -> f64 {
    if values.len() < 2 {
        return 0.0;
    }
    let middle = mean(values);
    let squares: f64 = values.iter().map(|x| (x - middle) * (x - middle)).sum();
    (squares / (values.len() - 1) as f64).sqrt()
}

/// The p-quantile with linear interpolation between order statistics (numpy's and R's default, type 7), or NaN if there are
/// no values.
///
/// # Panics
/// If p is not between 0 and 1.
pub fn quantile(values: &[f64], p: f64) -> f64 {
    assert!((0.0..=1.0).contains(&p), "a quantile is between 0 and 1, not {p}");
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let Some(last) = sorted.len().checked_sub(1) else { return f64::NAN };
    let at = p * last as f64;
    let (low, part) = (at.floor() as usize, at.fract());
    // Two infinite neighbors have no finite difference.
    match sorted.get(low + 1) {
        Some(next) if part > 0.0 && *next != sorted[low] => sorted[low] + part * (next - sorted[low]),
        _ => sorted[low],
    }
}

/// The median, or NaN if there are no values. It is the mean of the two middle values if their number is even.
pub fn median(values: &[f64]) -> f64 {
    quantile(values, 0.5)
}

/// The interquartile mean: a quarter of the values, rounded down, is dropped at either end (as in rliable, and the same
/// as SciPy's `trim_mean(values, 0.25)`). It resists a lucky seed as the median does, and it uses twice the data.
pub fn interquartile_mean(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let cut = sorted.len() / 4;
    mean(&sorted[cut..sorted.len() - cut])
}

/// The probability that a value of `x` exceeds one of `y`, where a tie counts half. 0.5 means that neither is better.
pub fn probability_of_improvement(x: &[f64], y: &[f64]) -> f64 {
    let wins =
        |x: &f64| -> f64 { y.iter().map(|y| if x > y { 1.0 } else { f64::from(u8::from(x == y)) / 2.0 }).sum::<f64>() };
    x.iter().map(wins).sum::<f64>() / (x.len() * y.len()) as f64
}

/// The rank of each value, 1 for the lowest. Equal values share the mean of their ranks.
pub fn ranks(values: &[f64]) -> Vec<f64> {
    let rank = |v: &f64| {
        let less = values.iter().filter(|other| *other < v).count();
        let equal = values.iter().filter(|other| *other == v).count();
        less as f64 + (equal as f64 + 1.0) / 2.0
    };
    values.iter().map(rank).collect()
}
