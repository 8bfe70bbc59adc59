//! Sums in numpy's order, so that rewards equal Gymnasium's to the last bit.

/// `numpy.sum` of a contiguous float64 vector: blocks of at most 128 with eight running sums, halved recursively above.
pub fn numpy_sum(values: &[f64]) -> f64 {
    sum_by(values.len(), &|i| values[i])
}

/// `numpy.sum(numpy.square(values))`.
pub fn numpy_sum_of_squares(values: &[f64]) -> f64 {
    sum_by(values.len(), &|i| values[i] * values[i])
}

/// `numpy.sum` of n numbers that are given by their index.
pub fn sum_by(n: usize, value: &impl Fn(usize) -> f64) -> f64 {
    if n == 0 { 0.0 } else { pairwise(0, n, value) }
}

fn pairwise(start: usize, n: usize, value: &impl Fn(usize) -> f64) -> f64 {
    if n < 8 {
        return (start..start + n).fold(-0.0, |sum, i| sum + value(i));
    }
    if n > 128 {
        let half = n / 2 - (n / 2) % 8;
        return pairwise(start, half, value) + pairwise(start + half, n - half, value);
    }
    let mut r: [f64; 8] = std::array::from_fn(|k| value(start + k));
    let whole = n - n % 8;
    for block in (8..whole).step_by(8) {
        for (k, sum) in r.iter_mut().enumerate() {
            *sum += value(start + block + k);
        }
    }
    let blocks = ((r[0] + r[1]) + (r[2] + r[3])) + ((r[4] + r[5]) + (r[6] + r[7]));
    (start + whole..start + n).fold(blocks, |sum, i| sum + value(i))
}
