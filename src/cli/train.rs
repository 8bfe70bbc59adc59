use super::again::path;
use super::interrupt::Interrupt;
use super::live::LivePage;
use super::number::flag;
use super::print_config;
use super::resolve::{read_config, resolve, root_of, usual_folder};
use super::screen::Screen;
use super::settings_args::{SettingsArgs, command};
use super::workers_args::WorkersArgs;
use super::{note, print};
use crate::optim::OptimizerKind;
use crate::plot::Axis;
use crate::plot::numbers::score;
use crate::report::runs::Run;
use crate::report::tensorboard::EventFile;
use crate::report::{curves, repetitions, runs};
use crate::run_folder::{Folder, LockedFolder, RunFile};
use crate::settings::PartialSettings;
use crate::train::{Moment, Resume, RunOptions, Stop, Training};
use crate::{Error, Result};
use clap::Args;
use std::path::{Path, PathBuf};
use std::time::Duration;

#[derive(Args)]
pub struct Train {
    #[command(flatten)]
    settings: SettingsArgs,
    /// Also run this optimizer with the same budget, seed and objective, and draw both curves
    #[arg(long, value_name = "OPTIMIZER", value_parser = flag::<OptimizerKind>(), hide_possible_values = true)]
    baseline: Option<OptimizerKind>,
    /// Folder to write to [default: runs/<env>/<optimizer>/seed-<n>]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Continue the run in this folder, or start it there if there is none yet
    #[arg(long, value_name = "DIR", conflicts_with = "out")]
    resume: Option<PathBuf>,
    /// With --resume: continue from the previous checkpoint instead of the latest
    #[arg(long, requires = "resume")]
    previous: bool,
    /// With --resume: continue even if the program, MuJoCo, the task or the model has changed; recorded in run.toml
    #[arg(long, requires = "resume")]
    allow_drift: bool,
    /// Settings from a TOML file, as --print-config prints it, or those of another run; flags override them
    #[arg(long, value_name = "FILE|RUN")]
    config: Option<PathBuf>,
    /// Print every setting with its origin as TOML, and exit
    #[arg(long)]
    print_config: bool,
    #[command(flatten)]
    workers: WorkersArgs,
    /// Minimum seconds between checkpoints
    #[arg(long, default_value_t = 30.0, allow_negative_numbers = true, value_parser = flag::<f64>(), value_name = "SECONDS")]
    checkpoint_every: f64,
    /// Replace an existing run in the folder
    #[arg(long)]
    force: bool,
    /// Keep a web page of the run up to date: the curve, the best policy so far and the time left. An open page
    /// follows the run
    #[arg(long)]
    live: bool,
    /// Also write the measurements as an event file for TensorBoard, into the run folder
    #[arg(long)]
    tensorboard: bool,
    /// Print JSON lines
    #[arg(long)]
    json: bool,
    /// Print nothing but errors
    #[arg(long, conflicts_with = "json")]
    quiet: bool,
}

impl Train {
    /// Returns the exit code: 0, or 128 + the signal that ended it.
    pub fn run(self) -> Result<u8> {
        let config = self.config.as_deref().map(read_config).transpose()?;
        if self.print_config {
            return print(&print_config::text(&resolve(self.settings.into(), config)?)?).map(|()| 0);
        }
        self.check_baseline(config.as_ref())?;
        let interrupt = Interrupt::listen()?;
        let options = self.options(&interrupt)?;
        let main = self.follow(self.open(config, options.clone())?, None)?;
        let mut paths = vec![main.folder.path().to_path_buf()];
        if let (Some(baseline), true) = (self.baseline, main.stop != Stop::Interrupted) {
            let search = self.open_baseline(baseline, &main, options)?;
            paths.push(self.follow(search, Some(&main))?.folder.path().to_path_buf());
        }
        if let Some(code) = interrupt.code() {
            return Ok(code);
        }
        let runs = runs::read(&paths)?;
        let figure = main.folder.file("curves.svg");
        let verdict = verdict(&runs);
        let groups = repetitions::group(runs)?;
        let drawn = curves::can_draw(&groups);
        if drawn {
            curves::figure(&groups, Axis::Episodes)?.write(&figure, true)?;
        } else if !self.quiet {
            note("no curves were drawn, because there is no held-out return yet");
        }
        if !self.json && !self.quiet {
            let page = main.folder.file("report.html");
            let page = if self.live { format!("  page:  {}\n", page.display()) } else { String::new() };
            let figure = if drawn { format!("  curve: {}\n", figure.display()) } else { String::new() };
            print(&format!("{verdict}{figure}{page}"))?;
        }
        Ok(0)
    }

    /// A resumed run keeps the optimizer it was started with, even if no flag names it.
    fn check_baseline(&self, config: Option<&PartialSettings>) -> Result<()> {
        let optimizer = match self.resumed() {
            Some(folder) => folder.read_run()?.settings.optimizer,
            None => self.flags().over(config.cloned().unwrap_or_default()).optimizer,
        };
        match self.baseline {
            Some(baseline) if baseline == optimizer.unwrap_or_default() => {
                Err(Error::usage("--baseline names the optimizer of the run itself")
                    .hint("use `locomotion compare` to compare variants of one optimizer"))
            }
            _ => Ok(()),
        }
    }

    /// Returns the folder of the run to resume.
    fn resumed(&self) -> Option<Folder> {
        self.resume.as_deref().map(Folder::new).filter(Folder::is_taken)
    }

    fn flags(&self) -> PartialSettings {
        self.settings.clone().into()
    }

    fn options(&self, interrupt: &Interrupt) -> Result<RunOptions> {
        let every = Duration::try_from_secs_f64(self.checkpoint_every);
        Ok(RunOptions {
            threads: self.workers.threads(),
            workers: self.workers.broker(note)?,
            checkpoint_every: every.map_err(|e| Error::usage(format!("--checkpoint-every: {e}")))?,
            leave: interrupt.leave(),
            command,
        })
    }

    fn open(&self, config: Option<PartialSettings>, options: RunOptions) -> Result<Training> {
        let how = Resume { previous: self.previous, allow_drift: self.allow_drift };
        if let Some(folder) = self.resumed() {
            let given = self.flags().over(config.unwrap_or_default());
            return Training::resume(&given, &folder, how, options);
        }
        let resolved = resolve(self.flags(), config)?;
        let folder = match self.out.as_ref().or(self.resume.as_ref()) {
            Some(path) => Folder::new(path),
            None => usual_folder(Path::new("runs"), &resolved.settings)?,
        };
        Training::start(&resolved, &folder, self.force, options)
    }

    /// Opens a run with the same task, budget, seed and objective for another optimizer, based on the settings of the
    /// main run. A baseline that was started before continues.
    fn open_baseline(&self, baseline: OptimizerKind, main: &Ended, options: RunOptions) -> Result<Training> {
        let settings = &main.run.settings;
        let shared = PartialSettings {
            env: settings.env.clone(),
            seed: settings.seed,
            budget: settings.budget,
            target: settings.target,
            time: settings.time,
            ..PartialSettings::default()
        };
        // An older run does not record which settings were given and which were defaults.
        let given = main.run.given.clone().unwrap_or_else(|| settings.clone());
        let resolved = resolve(shared.clone().over(given).for_other(baseline), None)?;
        let folder = match root_of(&main.folder, settings)? {
            Some(root) => usual_folder(&root, &resolved.settings)?,
            None => main.folder.baseline(baseline.name()),
        };
        // Its workers are counted apart from those of the main run.
        let options = RunOptions { workers: self.workers.broker(note)?, ..options };
        if folder.is_taken() && !self.force {
            let how = Resume { previous: false, allow_drift: self.allow_drift };
            let given = if main.run.given.is_some() { &resolved.settings } else { &shared };
            return Training::resume(given, &folder, how, options);
        }
        Training::start(&resolved, &folder, self.force, options)
    }

    /// Runs the search and shows its progress. If it is a baseline, `main` is the run it belongs to.
    fn follow(&self, mut search: Training, main: Option<&Ended>) -> Result<Ended> {
        let folder = main.map_or(search.folder.path(), |main| main.folder.path());
        let baseline = self.baseline.map_or(String::new(), |baseline| format!(" --baseline {}", baseline.name()));
        let again = format!("locomotion train --resume {}{baseline}", path(folder));
        let mut screen = Screen::new(&search, self.json, self.quiet, again)?;
        let mut live = self.live.then(|| LivePage::new(search.folder.path(), self.quiet));
        let mut events = self.tensorboard.then(|| EventFile::create(search.folder.path())).transpose()?;
        let mut failed = Ok(());
        let stop = search.run(&mut |moment, progress| {
            let seen = live.as_mut().map_or(Ok(()), |page| page.see(&moment, progress, &screen.left(progress)));
            let logged = match (&mut events, &moment) {
                (Some(events), Moment::Generation(row)) => events.write(row),
                _ => Ok(()),
            };
            if let Err(error) = seen.and(logged).and_then(|()| screen.see(moment, progress)) {
                failed = Err(error);
            }
        })?;
        failed?;
        if let Some(page) = live {
            page.end()?;
        }
        screen.end(&search, &stop)?;
        Ok(Ended { folder: search.folder, run: search.run, stop })
    }
}

/// Says which of a run and its baseline ended better, and how little one seed shows.
fn verdict(runs: &[Run]) -> String {
    let [main, baseline] = runs else { return String::new() };
    let (Some(ours), Some(theirs)) = (main.final_score, baseline.final_score) else { return String::new() };
    let (better, worse) = if ours >= theirs { (main, baseline) } else { (baseline, main) };
    let (high, low) = (ours.max(theirs), ours.min(theirs));
    let (winner, loser) = (&better.optimizer, &worse.optimizer);
    let said = match ours == theirs {
        true => format!("{winner} and {loser} are tied at {}", score(ours)),
        false => format!("{winner} finishes ahead of {loser}: {} to {}", score(high), score(low)),
    };
    format!(
        "\nverdict: {said}\n\
         Both were scored on the same 100 fresh seeds. This is one training seed\n\
         each; `locomotion compare` measures over several.\n\n"
    )
}

/// A run that has ended or was saved, with its folder still locked.
struct Ended {
    folder: LockedFolder,
    run: RunFile,
    stop: Stop,
}
