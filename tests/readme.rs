//! Every command of the README is executed here, as written.

#![cfg(feature = "cli")]

mod common;

use common::redis::Server;
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// The lines of the README's shell blocks that call the program.
fn commands() -> Vec<Vec<String>> {
    let text = std::fs::read_to_string(common::root().join("README.md")).unwrap();
    let blocks = text.split("```sh\n").skip(1).filter_map(|rest| rest.split("```").next());
    let lines = blocks.flat_map(str::lines).map(|line| line.split(" #").next().unwrap_or(line).trim());
    let calls = |line: &str| {
        let program = line.strip_prefix("cargo run --release -- ").or(line.strip_prefix("locomotion "));
        match (program, line) {
            (Some(arguments), _) => Some(arguments.split_whitespace().map(String::from).collect()),
            // The command that runs this very test.
            (None, "cargo test --release" | "") => None,
            (None, other) => panic!("`{other}`: who executes this command?"),
        }
    };
    lines.filter_map(calls).collect()
}

/// The broker of the README's example; the test's own listens at a free port instead.
const BROKER: &str = "redis://localhost:6379";

/// A command that goes on until it is stopped, in a terminal of its own.
struct Terminal(Child);

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A place that looks like the repository to the commands.
fn link(folder: &Path, name: &str) {
    std::os::unix::fs::symlink(common::root().join(name), folder.join(name)).unwrap();
}

#[test]
fn every_command_of_the_readme_works_as_written() {
    let folder = tempfile::tempdir().unwrap();
    link(folder.path(), "policies");
    let commands = commands();
    assert!(commands.len() >= 5, "{commands:?}");
    let (broker, mut workers) = (Server::start(&[]), Vec::new());
    for arguments in commands {
        let arguments: Vec<String> = arguments.iter().map(|word| word.replace(BROKER, &broker.url())).collect();
        let mut command = Command::new(env!("CARGO_BIN_EXE_locomotion"));
        command.current_dir(&folder).args(&arguments);
        if arguments[0] == "worker" {
            let said = std::fs::File::create(folder.path().join("worker.txt")).unwrap();
            workers.push(Terminal(command.stderr(said).stdout(Stdio::null()).spawn().unwrap()));
            continue;
        }
        let output = command.output().unwrap();
        let no_gl = common::stderr(&output).contains("libegl1");
        assert!(output.status.success() || no_gl, "{arguments:?}: {}", common::stderr(&output));
    }
    assert!(!workers.is_empty());
    let said = std::fs::read_to_string(folder.path().join("worker.txt")).unwrap();
    assert!(said.contains("serving run"), "the worker takes part: {said}");
    assert!(
        folder.path().join("runs/swimmer/syncma-adaptive-l2/seed-0/curves.svg").exists(),
        "the first command's result"
    );
}

#[test]
fn the_two_commands_come_first() {
    let text = std::fs::read_to_string(common::root().join("README.md")).unwrap();
    let first = text.split("```sh\n").nth(1).unwrap();
    assert!(first.starts_with("cargo run --release -- train"), "{first}");
    assert!(first.contains("\ncargo test --release"), "{first}");
    let picture = text.find("<img src=").unwrap();
    assert!(picture < text.find("```sh").unwrap(), "a picture on top");
}

/// The targets of a page's links and pictures that are files.
fn files(text: &str) -> Vec<&str> {
    let links = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    let pictures = text.split("<img src=\"").skip(1).filter_map(|rest| rest.split('"').next());
    links.chain(pictures).filter(|target| !target.starts_with("http")).collect()
}

#[test]
fn every_file_the_pages_point_to_is_there() {
    let docs = std::fs::read_dir(common::root().join("docs")).unwrap().map(|entry| entry.unwrap().path());
    let pages: Vec<_> = docs.chain([common::root().join("README.md")]).collect();
    assert!(pages.len() >= 5, "{pages:?}");
    for page in pages {
        let text = std::fs::read_to_string(&page).unwrap();
        for file in files(&text) {
            assert!(page.parent().unwrap().join(file).is_file(), "{} points to {file}", page.display());
        }
    }
    assert!(files(&std::fs::read_to_string(common::root().join("README.md")).unwrap()).len() >= 5);
}
