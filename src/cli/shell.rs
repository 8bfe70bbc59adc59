//! What a shell and a manual can show of the program: completions and man pages, both from its own flags.

use super::{Cli, print, versions};
use crate::atomic;
use crate::{Error, Result};
use clap::{Args, Command, CommandFactory};
use clap_complete::Shell;
use clap_mangen::Man;
use std::path::PathBuf;

const NAME: &str = "locomotion";

#[derive(Args)]
#[command(after_help = INSTALL)]
pub struct Completions {
    /// The shell
    #[arg(value_parser = ["bash", "zsh", "fish"])]
    shell: String,
}

const INSTALL: &str = "\
How to install it:
  bash  locomotion completions bash > ~/.local/share/bash-completion/completions/locomotion
  zsh   locomotion completions zsh > DIR/_locomotion, with DIR in $fpath before compinit
  fish  locomotion completions fish > ~/.config/fish/completions/locomotion.fish";

#[derive(Args)]
pub struct ManPages {
    /// Folder to write to; existing pages are replaced
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

impl Completions {
    pub fn run(self) -> Result<()> {
        let shell: Shell = self.shell.parse().map_err(Error::usage)?;
        let mut script = Vec::new();
        clap_complete::generate(shell, &mut shown(), NAME, &mut script);
        print(&String::from_utf8_lossy(&script))
    }
}

impl ManPages {
    pub fn run(self) -> Result<()> {
        std::fs::create_dir_all(&self.folder).map_err(|e| Error::output(&self.folder, e))?;
        let mut command = shown().disable_help_subcommand(true);
        command.build();
        let mut pages = vec![&command];
        let mut count = 0;
        while let Some(page) = pages.pop() {
            pages.extend(page.get_subcommands());
            let man = Man::new(page.clone());
            let file = self.folder.join(man.get_filename());
            let mut text = Vec::new();
            man.render(&mut text).map_err(|e| Error::output(&file, e))?;
            atomic::write(&file, &text)?;
            count += 1;
        }
        print(&format!("wrote {count} pages to {}\n", self.folder.display()))
    }
}

/// The commands without hidden ones, which generators of completions list nevertheless.
fn shown() -> Command {
    let whole = Cli::command();
    let visible = whole.get_subcommands().filter(|command| !command.is_hide_set()).cloned();
    Command::new(NAME)
        .version(versions())
        .about(whole.get_about().cloned().unwrap_or_default())
        .after_help(whole.get_after_help().cloned().unwrap_or_default())
        .subcommands(visible)
}
