//! The terminal: its width, whether it takes colors, and small pictures made of characters.

use console::Term;
use std::env;
use std::io::IsTerminal;

/// The width that every screen fits into, which is also assumed for a file or a pipe.
pub const NARROW: usize = 80;

/// The width of stdout in columns.
pub fn width() -> usize {
    width_of(&Term::stdout())
}

fn width_of(stream: &Term) -> usize {
    let asked = env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok()).filter(|columns| *columns > 0);
    let shown = || stream.size_checked().map(|(_, columns)| usize::from(columns));
    asked.or_else(|| stream.is_term().then(shown).flatten()).unwrap_or(NARROW)
}

/// Whether stdout shows colors. https://no-color.org
pub fn has_color() -> bool {
    let said = |name: &str| env::var_os(name).is_some_and(|value| !value.is_empty());
    std::io::stdout().is_terminal() && !said("NO_COLOR") && env::var_os("TERM").is_none_or(|term| term != "dumb")
}

/// How a text stands out.
#[derive(Clone, Copy)]
pub enum Ink {
    Bold,
    Faint,
    Good,
    Bad,
}

/// Colors texts, or leaves them alone.
#[derive(Clone, Copy)]
pub struct Pen {
    pub color: bool,
}

impl Pen {
    pub fn write(&self, ink: Ink, text: &str) -> String {
        let code = match ink {
            Ink::Bold => "1",
            Ink::Faint => "2",
            Ink::Good => "32",
            Ink::Bad => "31",
        };
        if self.color { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_string() }
    }
}

/// Draws the newest values, at most `most` of them, as bars of one character each.
pub fn sparkline(values: &[f64], most: usize) -> String {
    const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let finite: Vec<f64> = values.iter().copied().filter(|value| value.is_finite()).collect();
    let (low, high) = finite.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(*v), h.max(*v)));
    let bar = |value: &f64| BARS[((value - low) / (high - low).max(f64::MIN_POSITIVE) * 7.0).round() as usize];
    finite[finite.len().saturating_sub(most)..].iter().map(bar).collect()
}

/// Breaks a line between words where a terminal would break it anywhere, and indents what follows. A file or a pipe gets it
/// in one piece. `stream` is where the line goes: stdout or stderr.
pub fn hanging(stream: &Term, line: &str, indent: usize) -> String {
    if stream.is_term() { broken(line, indent, width_of(stream)) } else { line.to_string() }
}

fn broken(line: &str, indent: usize, width: usize) -> String {
    let (mut text, mut column) = (String::new(), 0);
    for word in line.split_inclusive(' ') {
        let length = word.trim_end().chars().count();
        if column + length > width && column > indent {
            text.truncate(text.trim_end().len());
            text += &format!("\n{:indent$}", "");
            column = indent;
        }
        text += word;
        column += word.chars().count();
    }
    text
}

/// `1 thread`, `2 threads`.
pub fn count(n: usize, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}

/// Formats seconds as 0:07, 12:03 or 1:02:03.
pub fn clock(seconds: f64) -> String {
    let s = seconds as u64;
    match s / 3600 {
        0 => format!("{}:{:02}", s / 60, s % 60),
        hours => format!("{hours}:{:02}:{:02}", s / 60 % 60, s % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::{Ink, Pen, broken, sparkline};

    #[test]
    fn a_sparkline_spans_its_values_and_shows_the_newest() {
        assert_eq!(sparkline(&[0.0, 1.0, f64::NAN, 2.0], 8), "▁▅█");
        assert_eq!(sparkline(&[5.0, 5.0], 8), "▁▁");
        assert_eq!(sparkline(&[0.0, 7.0, 3.5], 2).chars().count(), 2);
        assert_eq!(sparkline(&[], 8), "");
    }

    #[test]
    fn lines_break_between_words_and_keep_their_columns() {
        let line = "ant   four legs walk in space";
        assert_eq!(broken(line, 6, 80), line);
        assert_eq!(broken(line, 6, 21), "ant   four legs walk\n      in space");
        assert_eq!(broken("ant   unbreakable", 6, 10), "ant   unbreakable", "a long word stands where it would anyway");
    }

    #[test]
    fn without_colors_a_text_stays_as_it_is() {
        assert_eq!(Pen { color: false }.write(Ink::Good, "a"), "a");
        assert_eq!(Pen { color: true }.write(Ink::Bold, "a"), "\x1b[1ma\x1b[0m");
    }
}
