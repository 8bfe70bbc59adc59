//! The commands that reproduce a report, for its page.

use crate::report::repetitions::Group;
use crate::settings::PartialSettings;
use std::borrow::Cow;
use std::path::{Path, PathBuf};

/// Repeated runs go to a new folder, so that they do not collide with existing runs.
const AGAIN: &str = "again";

/// Returns the commands that reproduce the runs, the page and the films of a report, each with a description.
pub fn commands(groups: &[Group], folders: &[PathBuf], shown: &[(PathBuf, String)]) -> Vec<(&'static str, String)> {
    let runs: Vec<String> = groups.iter().map(train).collect();
    let again = format!("{}\nlocomotion report {AGAIN} -o report.html", runs.join("\n"));
    let here: Vec<String> = folders.iter().map(|folder| path(folder)).collect();
    let page = format!("locomotion report {} -o report.html", here.join(" "));
    let film = |(policy, name): &(PathBuf, String)| format!("locomotion render {} -o {}.mp4", path(policy), slug(name));
    let films: Vec<String> = shown.iter().map(film).collect();
    let mut blocks =
        vec![("Repeat all runs and make their page:", again), ("Make this page from the existing runs:", page)];
    if !films.is_empty() {
        blocks.push(("Make a film of each policy shown above:", films.join("\n")));
    }
    blocks
}

/// Returns one line for all seeds of a group.
fn train(group: &Group) -> String {
    let Some(first) = group.runs.first() else { return String::new() };
    let settings = PartialSettings { env: Some(first.robot.clone()), ..first.settings.clone() };
    let command = format!("locomotion train{}", flags(&settings));
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

/// Puts the task and the optimizer first, as one would type them. Older runs also store settings that their optimizer
/// does not use.
fn flags(settings: &PartialSettings) -> String {
    let used = settings.clone().only_used();
    let (first, rest): (Vec<_>, Vec<_>) = used
        .told()
        .into_iter()
        .filter(|(name, _)| *name != "seed")
        .partition(|(name, _)| ["env", "optimizer"].contains(name));
    first.into_iter().chain(rest).map(flag).collect()
}

/// Formats a setting and its value as a flag, with a space in front.
pub fn flag((name, value): (&str, String)) -> String {
    format!(" --{} {}", name.replace('_', "-"), quoted(&value))
}

pub fn path(path: &Path) -> String {
    quoted(&path.display().to_string())
}

/// Quotes a word for the shell. Only a NUL cannot be quoted, and no argument contains one.
fn quoted(word: &str) -> String {
    shlex::try_quote(word).map_or_else(|_| word.to_string(), Cow::into_owned)
}

/// Turns a label into the name of a folder.
fn slug(label: &str) -> String {
    label.chars().map(|c| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '-' }).collect()
}

#[cfg(test)]
mod tests {
    use super::{flags, slug};
    use crate::optim::OptimizerKind;
    use crate::settings::PartialSettings;

    #[test]
    fn words_survive_the_shell() {
        let flags = |env: &str| flags(&PartialSettings { env: Some(env.into()), ..Default::default() });
        assert_eq!(flags("runs/robot.toml"), " --env runs/robot.toml");
        let odd = "my robot's $HOME.toml";
        assert_eq!(shlex::split(&flags(odd)).unwrap(), ["--env", odd]);
        assert_eq!(slug("syncma lambda0=2"), "syncma-lambda0-2");
    }

    #[test]
    fn settings_that_the_optimizer_does_not_use_are_no_flags() {
        let (optimizer, lambda0) = (Some(OptimizerKind::CmaEs), Some(2.0));
        let old = PartialSettings { optimizer, lambda0, batch: Some(8), ..Default::default() };
        assert_eq!(flags(&old), " --optimizer cma-es --batch 8");
    }
}
