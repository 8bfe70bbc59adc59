use super::again::{self, path};
use super::compare_screen::CompareScreen;
use super::interrupt::Interrupt;
use super::number::between;
use super::resolve::{resolve_shared, usual_folder};
use super::settings_args::{SettingsArgs, command};
use super::terminal::{count, hanging};
use super::workers_args::WorkersArgs;
use super::{in_flags, note, print, print_json, say, write_table};
use crate::benchmark::Contestant;
use crate::plot::Axis;
use crate::report::comparison::Comparison;
use crate::report::{curves, page, repetitions, runs};
use crate::settings::PartialSettings;
use crate::train::{Failure, PlannedRun, Resume, RunOptions, run_all};
use crate::{Error, Result};
use clap::Args;
use console::Term;
use std::path::{Path, PathBuf};
use std::time::Duration;

#[derive(Args)]
pub struct Compare {
    /// The settings of every trial; `--env` takes several tasks, separated by commas.
    #[command(flatten)]
    settings: SettingsArgs,
    /// Optimizers, separated by commas. SynCMA's variant and lambda0 may follow: syncma:exact:4
    #[arg(long, value_delimiter = ',', required = true, value_name = "NAME[:VARIANT[:LAMBDA0]]")]
    optimizers: Vec<Contestant>,
    /// Number of seeds: SEED, SEED + 1, …
    #[arg(long, default_value_t = 10, allow_negative_numbers = true, value_parser = between(1, u16::MAX))]
    seeds: u16,
    /// Folder to create the runs in
    #[arg(long, default_value = "runs", value_name = "DIR")]
    out: PathBuf,
    /// Print one resumable command per trial, and exit
    #[arg(long)]
    list: bool,
    /// Continue trials and accept finished ones even if the program, MuJoCo, the task or the model has changed since
    #[arg(long)]
    allow_drift: bool,
    #[command(flatten)]
    workers: WorkersArgs,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

impl Compare {
    pub fn run(self) -> Result<u8> {
        if self.settings.optimizer.is_some() {
            return Err(Error::usage("--optimizer is for a single run; a comparison takes --optimizers a,b,…"));
        }
        let trials = self.trials()?;
        if self.list {
            let line = |trial: &PlannedRun| {
                format!("{} --resume {} --quiet\n", command(&trial.resolved.settings), path(trial.folder.path()))
            };
            return print(&trials.iter().map(line).collect::<String>()).map(|()| 0);
        }
        let interrupt = Interrupt::listen()?;
        let leave = interrupt.leave();
        let options = RunOptions {
            threads: self.workers.threads(),
            workers: self.workers.broker(note)?,
            checkpoint_every: Duration::from_secs(30),
            leave,
            command,
        };
        let how = Resume { previous: false, allow_drift: self.allow_drift };
        let screen = CompareScreen::new(self.head(trials.len()), trials.len(), self.envs().len() > 1);
        let failures = run_all(&trials, how, &options, &screen);
        screen.end();
        if !failures.is_empty() {
            return Err(combined(failures, trials.len()));
        }
        if let Some(code) = interrupt.code() {
            say("saved; run the same command again to continue");
            return Ok(code);
        }
        self.conclude(&trials).map(|()| 0)
    }

    /// The tasks, separated by commas.
    fn envs(&self) -> Vec<Option<String>> {
        match &self.settings.env {
            Some(envs) => envs.split(',').map(|env| Some(env.trim().to_string())).collect(),
            None => vec![None],
        }
    }

    /// Says what is compared.
    fn head(&self, trials: usize) -> String {
        let envs: Vec<String> = self.envs().into_iter().flatten().collect();
        let optimizers: Vec<String> = self.optimizers.iter().map(|contestant| contestant.to_string()).collect();
        format!(
            "comparing {} on {}, {} each: {}",
            optimizers.join(", "),
            envs.join(", "),
            count(self.seeds.into(), "seed"),
            count(trials, "trial"),
        )
    }

    fn trials(&self) -> Result<Vec<PlannedRun>> {
        let first = self.settings.seed.unwrap_or(0);
        let end = first.saturating_add(u64::from(self.seeds));
        if end > i64::MAX as u64 {
            return Err(Error::usage(format!("--seed is too large: the last trial's seed must be below {}", i64::MAX)));
        }
        let mut trials: Vec<(&Contestant, PlannedRun)> = Vec::new();
        for (env, contestant) in self.envs().iter().flat_map(|env| self.optimizers.iter().map(move |c| (env, c))) {
            for seed in first..end {
                let flags = PartialSettings {
                    env: env.clone(),
                    optimizer: Some(contestant.optimizer),
                    variant: contestant.variant.or(self.settings.variant),
                    lambda0: contestant.lambda0.or(self.settings.lambda0),
                    seed: Some(seed),
                    ..self.settings.clone().into()
                };
                let resolved = resolve_shared(flags, None)?;
                let folder = usual_folder(&self.out, &resolved.settings)?;
                if let Some((twin, _)) = trials.iter().find(|(_, trial)| trial.folder == folder) {
                    let what = format!("`{twin}` and `{contestant}` are the same optimizer with the same settings");
                    let place = folder.path().display();
                    return Err(Error::usage(format!("{what}; both would run in\n  {place}"))
                        .hint("name only one of them in --optimizers, or give them different settings"));
                }
                trials.push((contestant, PlannedRun { resolved, folder }));
            }
        }
        // A flag applies to the optimizers that use it, and at least one must.
        let trials: Vec<PlannedRun> = trials.into_iter().map(|(_, trial)| trial).collect();
        let unused = |trial: &PlannedRun, name: &str| trial.resolved.unused().contains(&name);
        let used_by_none = |name: &&str| trials.iter().all(|trial| unused(trial, name));
        if let Some(name) = trials[0].resolved.unused().iter().find(|name| used_by_none(name)) {
            let what = format!("none of the optimizers uses --{}", name.replace('_', "-"));
            return Err(Error::usage(what).hint("leave it out, or compare an optimizer that uses it"));
        }
        Ok(trials)
    }

    /// Prints the table of every task and writes it next to its trials, together with the figure and the page.
    fn conclude(&self, trials: &[PlannedRun]) -> Result<()> {
        let of_task = |trial: &PlannedRun| trial.resolved.settings.env.clone();
        let comparisons = trials.chunk_by(|a, b| of_task(a) == of_task(b)).map(conclude).collect::<Result<Vec<_>>>()?;
        if self.json {
            return match &comparisons[..] {
                [(one, _)] => print_json(one),
                several => print_json(&several.iter().map(|(comparison, _)| comparison).collect::<Vec<_>>()),
            };
        }
        let told = |(comparison, place): &(Comparison, PathBuf)| {
            format!(
                "{}\nwrote {}\n      {}\n      {}\n",
                comparison.text_with(|note| hanging(&Term::stdout(), note, 4)),
                place.join("comparison.{txt,csv,md,json}").display(),
                place.join("comparison-curves.{svg,png,csv}").display(),
                place.join("report.html").display()
            )
        };
        print(&comparisons.iter().map(told).collect::<Vec<_>>().join("\n"))
    }
}

/// Compares the trials of one task. Returns the folder that the results were written to.
fn conclude(trials: &[PlannedRun]) -> Result<(Comparison, PathBuf)> {
    let folders: Vec<PathBuf> = trials.iter().map(|trial| trial.folder.path().to_path_buf()).collect();
    let groups = repetitions::group(runs::read(&folders)?)?;
    let comparison = Comparison::new(&groups);
    let place = folders[0].ancestors().nth(2).unwrap_or(Path::new(".")).to_path_buf();
    if curves::can_draw(&groups) {
        curves::figure(&groups, Axis::Episodes)?.write(&place.join("comparison-curves.svg"), true)?;
    } else {
        note("no curves were drawn, because no trial has a held-out return");
    }
    let table = [comparison.text(), comparison.csv(), comparison.markdown()];
    write_table(&place, "comparison", table, &comparison)?;
    page::write(&folders, again::commands, &place.join("report.html"), true)?;
    Ok((comparison, place))
}

/// All failures of a comparison as one error, of the first one's kind.
fn combined(failures: Vec<Failure>, trials: usize) -> Error {
    let line = |failure: &Failure| {
        let Error { message, fields, .. } = &failure.error;
        format!("\n{}: {}", failure.trial.folder.path().display(), in_flags(message, fields))
    };
    let list: String = failures.iter().map(line).collect();
    let what = format!("{} of {trials} trials failed:{list}", failures.len());
    let kind = failures.first().map_or(crate::error::Kind::Failed, |failure| failure.error.kind);
    let remedy = "the others are saved: run the same command again to complete the comparison";
    let hint = failures.into_iter().find_map(|failure| Some(in_flags(&failure.error.hint?, &failure.error.fields)));
    let hint = hint.map_or(remedy.to_string(), |hint| format!("{hint}\n  {remedy}"));
    Error { kind, ..Error::failed(what) }.hint(hint)
}
