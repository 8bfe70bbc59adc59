use super::interrupt::Interrupt;
use super::{again, print};
use crate::report::page;
use crate::{Error, Result};
use clap::Args;
use std::path::PathBuf;

#[derive(Args)]
pub struct Report {
    /// Run folders, or folders above them such as `compare` creates: every run below is included
    #[arg(required = true, value_name = "RUN")]
    runs: Vec<PathBuf>,
    /// Output file: one page that needs no network
    #[arg(short, long, value_name = "FILE.html")]
    output: PathBuf,
    /// Replace an existing file
    #[arg(long)]
    force: bool,
}

impl Report {
    pub fn run(self) -> Result<()> {
        if self.output.extension().is_none_or(|ending| !ending.eq_ignore_ascii_case("html")) {
            return Err(Error::usage(format!("--output must end in .html: {}", self.output.display())));
        }
        Interrupt::clean_up()?;
        let runs = page::write(&self.runs, again::commands, &self.output, self.force)?;
        let plural = if runs == 1 { "" } else { "s" };
        print(&format!("wrote {} ({runs} run{plural})\n", self.output.display()))
    }
}
