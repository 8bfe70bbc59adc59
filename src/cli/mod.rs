//! In: the command line. Out: data on stdout, messages on stderr, an exit code. Must not know: how anything is done.
//! Each command has a file that parses it, calls the library and prints. Only this module knows flags and hints that name
//! them.
//!
//! | other files | hold |
//! |---|---|
//! | `settings_args`, `workers_args`, `policy_arg`, `number` | flags that several commands share, and their values |
//! | `resolve`, `print_config` | the settings of a run and its folder; settings as a file |
//! | `screen`, `compare_screen`, `live`, `progress`, `terminal` | what a user sees while a command runs |
//! | `shell` | completions and man pages |
//! | `interrupt` | signals |
//! | `again` | commands to print, quoted for a shell |

mod again;
mod bench;
mod compare;
mod compare_screen;
mod envs;
mod eval;
mod export;
mod interrupt;
mod live;
mod new;
mod number;
mod optimizers;
mod plot;
mod policies;
mod policy_arg;
mod print_config;
mod progress;
mod render;
mod report;
mod resolve;
mod screen;
mod serve_optimizer;
mod settings_args;
mod shell;
mod terminal;
mod train;
mod view;
mod worker;
mod workers_args;

use crate::atomic;
use crate::error::visible;
use crate::run_folder::mujoco_version;
use crate::{Error, Result};
use clap::{Parser, Subcommand};
use number::{Between, between};
use serde::Serialize;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;
use std::sync::OnceLock;

/// Searches for linear policies that make MuJoCo robots walk, without derivatives.
#[derive(Parser)]
#[command(version = versions(), arg_required_else_help = true, max_term_width = 110, after_help = EXIT_CODES)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

const EXIT_CODES: &str = "\
Exit codes: 0 done; 1 failed; 2 wrong command line or settings; 3 an input file is unreadable, corrupt or of another \
version; 4 cannot write; 129, 130, 143 interrupted after saving.";

/// The program's version, and those of the libraries in it.
fn versions() -> &'static str {
    static TEXT: OnceLock<String> = OnceLock::new();
    TEXT.get_or_init(|| {
        let (major, minor, patch) = hdf5::library_version();
        format!(
            "{} (MuJoCo {}, HDF5 {major}.{minor}.{patch}, build {})",
            env!("CARGO_PKG_VERSION"),
            mujoco_version(),
            &env!("TRAINING")[..12.min(env!("TRAINING").len())]
        )
    })
}

#[derive(Subcommand)]
enum Command {
    /// Search for a policy for a task
    Train(Box<train::Train>),
    /// Run several optimizers over several seeds and report which is better, and how certain that is
    Compare(Box<compare::Compare>),
    /// List the policies that ship with the program
    Policies(policies::Policies),
    /// List the optimizers
    Optimizers(optimizers::Optimizers),
    /// List the tasks, or show one task's definition
    Envs(envs::Envs),
    /// Write a first task for your own model
    New(new::New),
    /// Run a policy for some episodes and report its returns
    Eval(eval::Eval),
    /// Draw learning curves of runs
    Plot(plot::Plot),
    /// Present runs on one web page: curves, statistics, replays, settings, commands
    Report(report::Report),
    /// Show a policy: MP4 video, animated GIF, a PNG contact sheet of its gait, or an interactive web page
    Render(render::Render),
    /// Watch a policy in a window
    #[cfg_attr(not(feature = "viewer"), command(hide = true))]
    View(view::View),
    /// Record a policy's episodes as HDF5: one file, or a dataset that Minari opens
    Export(export::Export),
    /// Compute episodes for `train --workers` and `compare --workers` on other machines, until stopped
    Worker(worker::Worker),
    /// Benchmark optimizers on problems without a simulator, and the speed of simulations
    #[command(subcommand)]
    Bench(bench::Bench),
    /// Run an optimizer for a program in any language, by JSON lines on stdin and stdout
    ServeOptimizer(serve_optimizer::ServeOptimizer),
    /// Print a script that completes commands, flags and values in a shell
    Completions(shell::Completions),
    /// Write man pages, one per command
    Man(shell::ManPages),
}

/// Parses the command line, runs the command and reports errors. This is the only place where an error becomes an exit
/// code.
pub fn run() -> ExitCode {
    let done = match Cli::parse().command {
        Command::Train(command) => command.run(),
        Command::Compare(command) => command.run(),
        Command::Policies(command) => command.run().map(|()| 0),
        Command::Optimizers(command) => command.run().map(|()| 0),
        Command::Envs(command) => command.run().map(|()| 0),
        Command::New(command) => command.run().map(|()| 0),
        Command::Eval(command) => command.run().map(|()| 0),
        Command::Plot(command) => command.run().map(|()| 0),
        Command::Report(command) => command.run().map(|()| 0),
        Command::Render(command) => command.run().map(|()| 0),
        Command::View(command) => command.run().map(|()| 0),
        Command::Export(command) => command.run().map(|()| 0),
        Command::Worker(command) => command.run(),
        Command::Bench(command) => command.run(),
        Command::ServeOptimizer(command) => command.run(),
        Command::Completions(command) => command.run().map(|()| 0),
        Command::Man(command) => command.run().map(|()| 0),
    };
    match done {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            say(&format!("error: {}", in_flags(&error.message, &error.fields)));
            if let Some(hint) = &error.hint {
                say(&format!("hint: {}{}", in_flags(hint, &error.fields), offer(&error, hint)));
            }
            ExitCode::from(error.exit_code())
        }
    }
}

/// Rewrites settings in an error as flags: `name` becomes --name, and `name value` becomes `--name value`.
fn in_flags(text: &str, fields: &[&str]) -> String {
    fields.iter().fold(text.to_string(), |text, field| {
        let flag = format!("--{}", field.replace('_', "-"));
        text.replace(&format!("`{field}`"), &flag).replace(&format!("`{field} "), &format!("`{flag} "))
    })
}

/// Returns the command that shows what the hint speaks of, if there is one.
fn offer(error: &Error, hint: &str) -> &'static str {
    if error.message.starts_with("no task") {
        return "; `locomotion envs` lists them";
    }
    if hint.contains("envs/ant.toml") { "; `locomotion envs --show ant` prints it" } else { "" }
}

/// Writes to stdout. A reader that has gone away is not an error.
fn print(text: &str) -> Result<()> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(e) if e.kind() != io::ErrorKind::BrokenPipe => Err(Error::output("standard output", e)),
        _ => Ok(()),
    }
}

/// Writes a line to stderr. A closed or full stderr is not an error.
fn say(text: &str) {
    let _ = writeln!(io::stderr(), "{}", visible(text));
}

/// Tells the user something that does not change the result.
fn note(text: &str) {
    say(&format!("note: {text}"));
}

/// Refuses more threads than anyone can mean. More than this machine can use are reduced, with a note.
fn threads() -> Between<usize> {
    between(0, 65_535)
}

/// Accepts up to a million episodes, because their outcomes are kept in memory.
fn episodes() -> Between<u32> {
    between(1, 1_000_000)
}

/// Prints one JSON document on stdout.
fn print_json(document: &impl Serialize) -> Result<()> {
    print(&format!("{}\n", to_json(document)?))
}

fn to_json(document: &impl Serialize) -> Result<String> {
    serde_json::to_string_pretty(document).map_err(|e| Error::failed(format!("cannot write JSON: {e}")))
}

/// Writes a table in all its formats, next to each other: text, CSV and Markdown as given, and JSON of the struct
/// itself.
fn write_table(place: &Path, name: &str, [text, csv, markdown]: [String; 3], table: &impl Serialize) -> Result<()> {
    for (ending, content) in [("txt", text), ("csv", csv), ("md", markdown), ("json", to_json(table)?)] {
        atomic::write(&place.join(format!("{name}.{ending}")), content.as_bytes())?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::in_flags;

    #[test]
    fn settings_become_flags_and_other_words_stay() {
        let text = "`heldout_every` is 0; `camera side` or `budget`";
        assert_eq!(in_flags(text, &["heldout_every", "camera"]), "--heldout-every is 0; `--camera side` or `budget`");
    }
}
