//! Formats numbers for people.

/// Formats 12345.67 as `12,345.7`, with the given number of decimals.
pub fn thousands(value: f64, decimals: usize) -> String {
    if !value.is_finite() {
        return value.to_string();
    }
    let text = format!("{:.decimals$}", value.abs());
    let (whole, rest) = text.split_at(text.find('.').unwrap_or(text.len()));
    let mut grouped = String::new();
    for (at, digit) in whole.char_indices() {
        if at > 0 && (whole.len() - at) % 3 == 0 {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    let is_zero = text.chars().all(|c| matches!(c, '0' | '.'));
    format!("{}{grouped}{rest}", if value < 0.0 && !is_zero { "-" } else { "" })
}

/// Formats a return: with one decimal below a thousand, without above.
pub fn score(value: f64) -> String {
    thousands(value, usize::from(value.abs() < 1000.0))
}

/// Formats a reference value with the decimals it was given with, at most one.
pub fn mark(value: f64) -> String {
    thousands(value, usize::from(value.fract() != 0.0))
}

/// Formats a number of any size in at most seven characters, with three significant digits.
pub fn compact(value: f64) -> String {
    match value.abs() {
        0.0 => "0".to_string(),
        size if !size.is_finite() => value.to_string(),
        size if (1e-2..1e4).contains(&size) => {
            let digits = (2.0 - size.log10().floor()).clamp(0.0, 3.0) as usize;
            thousands(value, digits)
        }
        _ => format!("{value:.1e}"),
    }
}

/// Returns at most about `pieces` powers of ten in a range of logarithms. If there are only a few, 2 and 5 times each
/// are included.
pub fn log_ticks(low: f64, high: f64, pieces: usize) -> Vec<f64> {
    let multiples: &[f64] = if high - low < 2.5 { &[1.0, 2.0, 5.0] } else { &[1.0] };
    let step = ((high - low) / pieces as f64).ceil().max(1.0) as i32;
    let powers = (low.floor() as i32..=high.ceil() as i32).filter(|power| power % step == 0);
    let all = powers.flat_map(|power| multiples.iter().map(move |m| f64::from(power) + m.log10()));
    all.filter(|tick| (low..=high).contains(tick)).collect()
}

/// Returns the label of such a tick, which is the number itself.
pub fn log_name(tick: f64) -> String {
    let value = 10f64.powf(tick);
    if (-2.0..5.0).contains(&tick) {
        thousands(value, (-tick.floor()).max(0.0) as usize)
    } else {
        format!("{value:.0e}")
    }
}

/// Returns round numbers (1, 2 or 5 times a power of ten apart) that divide the range into about `pieces` parts.
pub fn ticks(low: f64, high: f64, pieces: usize) -> Vec<f64> {
    let rough = (high - low) / pieces as f64;
    if !(rough.is_finite() && rough > 0.0) {
        return vec![low];
    }
    let power = 10f64.powf(rough.log10().floor());
    let step = power * [1.0, 2.0, 5.0, 10.0].into_iter().find(|m| m * power >= rough).unwrap_or(10.0);
    let (first, last) = ((low / step).ceil() as i64, (high / step).floor() as i64);
    (first..=last).map(|k| k as f64 * step).collect()
}

/// Returns how many decimals it takes to tell these ticks apart.
pub fn decimals(ticks: &[f64]) -> usize {
    let step = ticks.windows(2).map(|pair| pair[1] - pair[0]).fold(f64::INFINITY, f64::min);
    if step.is_finite() && step > 0.0 { (-(step * 1.000001).log10().floor()).max(0.0) as usize } else { 0 }
}

/// Quotes a CSV field if necessary.
pub fn csv_field(text: &str) -> String {
    if text.contains([',', '"', '\n']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.to_string() }
}

#[cfg(test)]
mod tests {
    use super::{compact, decimals, log_name, log_ticks, mark, thousands, ticks};

    #[test]
    fn numbers_read_well() {
        assert_eq!(thousands(1234567.25, 1), "1,234,567.2");
        assert_eq!(thousands(-1000.0, 0), "-1,000");
        assert_eq!(thousands(-0.01, 1), "0.0");
        assert_eq!(thousands(999.0, 0), "999");
        assert_eq!((mark(5.9), mark(10497.0)), ("5.9".to_string(), "10,497".to_string()));
    }

    #[test]
    fn compact_numbers_have_three_digits_and_seven_characters() {
        let shown = [0.0, 0.02368, 29.16, 8758.4, 1.1e-12, -0.423, 1.23e106].map(compact);
        assert_eq!(shown, ["0", "0.024", "29.2", "8,758", "1.1e-12", "-0.423", "1.2e106"]);
    }

    #[test]
    fn logarithmic_ticks_are_powers_of_ten() {
        let names = |low, high| log_ticks(low, high, 4).into_iter().map(log_name).collect::<Vec<_>>();
        assert_eq!(names(-6.3, 2.1), ["1e-6", "1e-3", "1"]);
        assert_eq!(names(-0.4, 1.1), ["0.5", "1", "2", "5", "10"]);
    }

    #[test]
    fn ticks_are_round_and_inside() {
        assert_eq!(ticks(-3.0, 361.0, 6), [0.0, 100.0, 200.0, 300.0]);
        assert_eq!(ticks(0.0, 2000.0, 8), [0.0, 500.0, 1000.0, 1500.0, 2000.0]);
        assert_eq!((decimals(&ticks(0.0, 1.0, 5)), decimals(&[0.0, 100.0])), (1, 0));
    }
}
