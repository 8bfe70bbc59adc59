//! The commands that make a report again, for its page.

use crate::report::repetitions::Group;
use crate::settings::PartialSettings;
use std::path::{Path, PathBuf};

/// Where the repeated runs go: a new folder, so that they meet no run that is there already.
const AGAIN: &str = "again";

/// What makes the runs, the page and the films of a report again: each with what it does.
pub fn commands(groups: &[Group], folders: &[PathBuf], shown: &[(PathBuf, u64)]) -> Vec<(&'static str, String)> {
    let runs: Vec<String> = groups.iter().map(train).collect();
    let again = format!("{}\nlocomotion report {AGAIN} -o report.html", runs.join("\n"));
    let here: Vec<String> = folders.iter().map(|folder| path(folder)).collect();
    let page = format!("locomotion report {} -o report.html", here.join(" "));
    let film = |(policy, seed): &(PathBuf, u64)| format!("locomotion render {} -o seed-{seed}.mp4", path(policy));
    let films: Vec<String> = shown.iter().map(film).collect();
    let mut blocks =
        vec![("All runs again, and their page:", again), ("This page from the runs that are there:", page)];
    if !films.is_empty() {
        blocks.push(("A film of each policy shown above:", films.join("\n")));
    }
    blocks
}

/// One line for all seeds of a group.
fn train(group: &Group) -> String {
    let Some(first) = group.runs.first() else { return String::new() };
    let command = format!("locomotion train{}", flags(&first.settings));
    let place = format!("{AGAIN}/{}", slug(&group.label));
    match &group.runs[..] {
        [one] => format!("{command} --seed {0} --out {place}/seed-{0}", one.seed),
        many => {
            let seeds: Vec<String> = many.iter().map(|run| run.seed.to_string()).collect();
            let seeds = seeds.join(" ");
            format!("for seed in {seeds}; do {command} --seed $seed --out {place}/seed-$seed; done")
        }
    }
}

/// Task and optimiser first, as one would type it.
fn flags(settings: &PartialSettings) -> String {
    let (first, rest): (Vec<_>, Vec<_>) = settings
        .told()
        .into_iter()
        .filter(|(name, _)| *name != "seed")
        .partition(|(name, _)| ["env", "optimizer"].contains(name));
    let flag = |(name, value): (&str, String)| format!(" --{} {}", name.replace('_', "-"), quoted(&value));
    first.into_iter().chain(rest).map(flag).collect()
}

pub fn path(path: &Path) -> String {
    quoted(&path.display().to_string())
}

/// A word as a shell reads it.
pub fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=+,@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_string()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

/// A label as the name of a folder.
fn slug(label: &str) -> String {
    label.chars().map(|c| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '-' }).collect()
}

#[cfg(test)]
mod tests {
    use super::{quoted, slug};

    #[test]
    fn words_survive_the_shell() {
        assert_eq!(quoted("runs/ant/seed-0"), "runs/ant/seed-0");
        assert_eq!(quoted("my robot's.toml"), "'my robot'\\''s.toml'");
        assert_eq!(slug("syncma lambda0=2"), "syncma-lambda0-2");
    }
}
