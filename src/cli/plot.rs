use super::interrupt::Interrupt;
use super::print;
use crate::plot::Axis;
use crate::report::curves;
use crate::{Error, Result};
use clap::{Args, ValueEnum};
use std::path::PathBuf;

#[derive(Args)]
pub struct Plot {
    /// Run folders, or folders above them: every run below is drawn
    #[arg(required = true, value_name = "RUN")]
    runs: Vec<PathBuf>,
    /// Output file; the SVG, the PNG and a CSV of the data are written next to each other
    #[arg(short, long, value_name = "FILE.{svg,png}")]
    out: PathBuf,
    /// What the horizontal axis counts
    #[arg(long, value_enum, default_value_t)]
    x: X,
    /// Replace existing files
    #[arg(long)]
    force: bool,
}

#[derive(Clone, Copy, Default, ValueEnum)]
enum X {
    /// Training episodes
    #[default]
    Episodes,
    /// Environment steps taken in training
    Steps,
}

impl Plot {
    pub fn run(self) -> Result<()> {
        let ending = self.out.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
        if !matches!(ending, "svg" | "png") {
            return Err(Error::usage(format!("--out must end in .svg or .png: {}", self.out.display())));
        }
        let axis = match self.x {
            X::Episodes => Axis::Episodes,
            X::Steps => Axis::Steps,
        };
        Interrupt::clean_up()?;
        let written = curves::write(&self.runs, axis, &self.out, self.force)?;
        print(&written.iter().map(|file| format!("wrote {}\n", file.display())).collect::<String>())
    }
}
