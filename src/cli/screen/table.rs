//! The table of a run: a row for every held-out evaluation, as wide as the terminal allows.

use crate::cli::terminal::{Ink, Pen, clock};
use crate::plot::numbers::thousands;
use crate::run_folder::GenerationRow;

/// From this width on there is room for all columns.
const WIDE: usize = 104;

/// A table of a certain width.
pub struct Table {
    wide: bool,
    pen: Pen,
    /// The best return that was shown last.
    best: f64,
}

/// What a row shows besides the generation itself.
pub struct Shown {
    /// The mean length of the training episodes since the previous row.
    pub length: Option<f64>,
    /// The number of episodes of the run that diverged.
    pub diverged: u64,
}

impl Table {
    pub fn new(width: usize, pen: Pen) -> Self {
        Self { wide: width >= WIDE, pen, best: f64::NEG_INFINITY }
    }

    pub fn is_wide(&self) -> bool {
        self.wide
    }

    pub fn header(&self) -> String {
        let mut text = "   gen   episodes".to_string();
        if self.wide {
            text += "    steps";
        }
        text += "     time  length    center    held out             best";
        if self.wide {
            text += "   sigma    cond    lost";
        }
        self.pen.write(Ink::Faint, &text) + "\n"
    }

    pub fn row(&mut self, row: &GenerationRow, (mean, sd): (f64, f64), shown: &Shown) -> String {
        let number =
            |value: Option<f64>| value.filter(|v| v.is_finite()).map_or("–".to_string(), |v| format!("{v:.1}"));
        let length = shown.length.map_or("–".to_string(), |length| format!("{length:.0}"));
        let mut text = format!("{:>6} {:>10}", row.generation, thousands(row.episodes as f64, 0));
        if self.wide {
            text += &format!(" {:>8}", steps(row.steps));
        }
        text += &format!(" {:>8} {length:>7} {:>9}", clock(row.seconds), number(Some(row.center_return)));
        // A mean with a diverged episode is no number.
        let mean = if mean.is_finite() { format!("{mean:.1}") } else { "diverged".to_string() };
        text += &self.pen.write(Ink::Bold, &format!(" {mean:>9} ± {sd:<7.1}"));
        let best = format!(" {:>8}", number(row.best_return));
        let better = row.best_return.is_some_and(|best| best > self.best);
        text += &if better { self.pen.write(Ink::Good, &best) } else { best };
        self.best = row.best_return.unwrap_or(self.best);
        let lost = format!(" {:>7}", shown.diverged);
        if self.wide {
            text += &format!(" {:>7.3} {:>7}", row.sigma, condition(row.condition));
            text += &if shown.diverged > 0 { self.pen.write(Ink::Bad, &lost) } else { lost };
        } else if shown.diverged > 0 {
            text += &self.pen.write(Ink::Bad, &format!("  {} lost", shown.diverged));
        }
        text + "\n"
    }
}

/// Formats a number of steps: 950, 9.5k, 1.2M.
fn steps(steps: u64) -> String {
    match steps as f64 {
        few if few < 1e3 => format!("{few:.0}"),
        some if some < 1e6 => format!("{:.1}k", some / 1e3),
        many => format!("{:.1}M", many / 1e6),
    }
}

/// Formats the condition of a covariance: 1.2, 340, 1.5e6.
fn condition(condition: f64) -> String {
    match condition {
        few if few < 100.0 => format!("{few:.1}"),
        some if some < 1e5 => format!("{some:.0}"),
        many => format!("{many:.1e}"),
    }
}

#[cfg(test)]
mod tests {
    use super::{Pen, Shown, Table, condition, steps};
    use crate::run_folder::GenerationRow;

    fn row() -> GenerationRow {
        GenerationRow {
            generation: 12_345,
            episodes: 1_234_567,
            steps: 987_654_321,
            seconds: 36_000.0,
            center_return: -1234.5,
            heldout: Some((-1234.5, 1234.5)),
            best_return: Some(12345.6),
            batch: [0.0; 5],
            sigma: 0.1,
            center_step: 0.0,
            condition: 1.2,
            diverged: 0,
        }
    }

    /// Even large numbers fit, and the header stands above them.
    #[test]
    fn rows_fit_the_width_and_end_where_their_header_ends() {
        for width in [80, 120] {
            let mut table = Table::new(width, Pen { color: false });
            let header = table.header().trim_end().chars().count();
            let row = table.row(&row(), (-1234.5, 1234.5), &Shown { length: Some(1000.0), diverged: 0 });
            assert_eq!(row.trim_end().chars().count(), header, "{row}");
            assert!(header <= width, "{header}");
        }
    }

    #[test]
    fn numbers_are_short_and_plain() {
        assert_eq!([condition(1.23), condition(5432.1), condition(1.5e6)], ["1.2", "5432", "1.5e6"]);
        assert_eq!([steps(950), steps(9_500), steps(1_230_000)], ["950", "9.5k", "1.2M"]);
    }
}
