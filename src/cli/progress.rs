//! Shows a progress bar for long work, but only if stderr is a terminal.

use indicatif::{ProgressBar, ProgressStyle};

pub fn bar(total: usize, unit: &str) -> ProgressBar {
    let bar = ProgressBar::new(total as u64);
    let template = format!("{{bar:40}} {{pos}}/{{len}} {unit}, {{eta}} left");
    if let Ok(style) = ProgressStyle::with_template(&template) {
        bar.set_style(style);
    }
    bar
}
