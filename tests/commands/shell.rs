//! Completions and man pages follow the commands and their flags.

use crate::common::{locomotion, ok, stderr, stdout};
use std::collections::BTreeSet;
use std::process::{Command, Stdio};

/// The commands that the help lists.
fn commands() -> BTreeSet<String> {
    let help = stdout(&locomotion(&["help"]));
    let list = help.split("Commands:\n").nth(1).unwrap().split("\n\n").next().unwrap();
    let name =
        |line: &str| line.strip_prefix("  ")?.split(' ').next().filter(|name| !name.is_empty()).map(String::from);
    list.lines().filter_map(name).filter(|name| name != "help").collect()
}

#[test]
fn completions_offer_every_command_and_no_hidden_one() {
    let commands = commands();
    assert!(commands.len() > 10 && commands.contains("serve-optimizer"), "{commands:?}");
    assert_eq!(commands.contains("view"), cfg!(feature = "viewer"));
    for shell in ["bash", "zsh", "fish"] {
        let output = locomotion(&["completions", shell]);
        ok(&output);
        let script = stdout(&output);
        assert!(commands.iter().all(|name| script.contains(name.as_str())), "{shell}");
        assert!(script.contains("half-cheetah") && script.contains("dd-cma"), "{shell}: values");
        if !cfg!(feature = "viewer") {
            assert!(!script.contains("view"), "{shell} offers a command that this build does not have");
        }
    }
    assert_eq!(locomotion(&["completions", "tcsh"]).status.code(), Some(2));
}

/// What bash itself offers after this line.
fn offered(line: &str) -> BTreeSet<String> {
    let script = "eval \"$(\"$1\" completions bash)\"; COMP_WORDS=($2); [[ $2 == *' ' ]] && COMP_WORDS+=(''); \
                  COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); \
                  _locomotion locomotion \"${COMP_WORDS[COMP_CWORD]}\" \"${COMP_WORDS[COMP_CWORD-1]}\"; \
                  printf '%s\\n' \"${COMPREPLY[@]}\"";
    let program = env!("CARGO_BIN_EXE_locomotion");
    let output =
        Command::new("bash").args(["-c", script, "bash", program, line]).stdin(Stdio::null()).output().unwrap();
    ok(&output);
    assert_eq!(stderr(&output), "");
    stdout(&output).lines().map(String::from).collect()
}

#[test]
fn bash_completes_commands_flags_and_values() {
    let set = |words: &[&str]| words.iter().map(|word| word.to_string()).collect::<BTreeSet<String>>();
    assert_eq!(offered("locomotion opt"), set(&["optimizers"]));
    assert_eq!(offered("locomotion train --env swim"), set(&["swimmer", "swimmer-v5"]));
    assert_eq!(offered("locomotion train --optimizer tu"), set(&["turbo"]));
    assert_eq!(offered("locomotion train --heldout-e"), set(&["--heldout-episodes", "--heldout-every"]));
    assert_eq!(offered("locomotion bench syn"), set(&["synthetic"]));
}

#[test]
fn every_command_has_a_man_page() {
    let folder = tempfile::tempdir().unwrap();
    let pages = folder.path().join("man1");
    ok(&locomotion(&["man", pages.to_str().unwrap()]));
    let name = |entry: std::io::Result<std::fs::DirEntry>| entry.unwrap().file_name().into_string().unwrap();
    let written: BTreeSet<String> = std::fs::read_dir(&pages).unwrap().map(name).collect();
    let mut wanted: BTreeSet<String> = commands().iter().map(|name| format!("locomotion-{name}.1")).collect();
    wanted.extend(["", "-bench-synthetic", "-bench-rover", "-bench-throughput"].map(|n| format!("locomotion{n}.1")));
    assert_eq!(written, wanted);
    let train = std::fs::read_to_string(pages.join("locomotion-train.1")).unwrap();
    assert!(train.contains("heldout") && train.contains(".SH"), "{train}");
    let file = folder.path().join("file");
    std::fs::write(&file, "").unwrap();
    assert_eq!(locomotion(&["man", file.to_str().unwrap()]).status.code(), Some(4));
}
