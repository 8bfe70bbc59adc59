use super::interrupt::Interrupt;
use super::print;
use super::screen::Screen;
use super::settings_args::{SettingsArgs, command};
use crate::optim::OptimizerKind;
use crate::plot::Axis;
use crate::report::curves;
use crate::sim;
use crate::train::{Folder, PartialSettings, Resolved, Resume, RunOptions, Stop, Training};
use crate::{Error, Result};
use clap::Args;
use std::path::{Path, PathBuf};
use std::time::Duration;

#[derive(Args)]
pub struct Train {
    #[command(flatten)]
    settings: SettingsArgs,
    /// Run this optimizer too, under the same budget, seed and objective, and draw both curves
    #[arg(long, value_name = "OPTIMIZER")]
    baseline: Option<OptimizerKind>,
    /// Folder to write to [default: runs/<env>/<optimizer>/seed-<n>]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Go on with the run in this folder; start it there if there is none yet
    #[arg(long, value_name = "DIR", conflicts_with = "out")]
    resume: Option<PathBuf>,
    /// With --resume: go on from the checkpoint before the latest
    #[arg(long, requires = "resume")]
    previous: bool,
    /// With --resume: go on although program, MuJoCo or model have changed since; recorded in run.toml
    #[arg(long, requires = "resume")]
    allow_drift: bool,
    /// Settings from a TOML file; flags win over it
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Print every setting with its origin, and stop
    #[arg(long)]
    print_config: bool,
    /// Threads; 0 means one per core. Results do not depend on it
    #[arg(long, default_value_t = 0)]
    threads: usize,
    /// Least seconds between checkpoints
    #[arg(long, default_value_t = 30.0, value_name = "SECONDS")]
    checkpoint_every: f64,
    /// Replace a run that is in the folder already
    #[arg(long)]
    force: bool,
    /// Print JSON lines
    #[arg(long)]
    json: bool,
    /// Print nothing but errors
    #[arg(long, conflicts_with = "json")]
    quiet: bool,
}

impl Train {
    /// The exit code: 0, or 128 + the signal that ended it.
    pub fn run(self) -> Result<u8> {
        let config = self.config.as_deref().map(PartialSettings::read).transpose()?;
        if self.print_config {
            return explain(&resolve(self.settings.into(), config)?).map(|()| 0);
        }
        let given = self.flags().over(config.clone().unwrap_or_default());
        if self.baseline.is_some_and(|baseline| baseline == given.optimizer.unwrap_or_default()) {
            return Err(Error::usage("--baseline names the optimizer of the run itself")
                .hint("variants of one optimizer are compared by `locomotion compare`"));
        }
        let interrupt = Interrupt::listen()?;
        let search = self.open(config.clone(), &interrupt)?;
        let (main, stop) = self.follow(search)?;
        let mut folders = vec![main];
        if let (Some(baseline), true) = (self.baseline, stop != Stop::Interrupted) {
            let search = self.open_baseline(baseline, config, folders[0].path(), &interrupt)?;
            folders.push(self.follow(search)?.0);
        }
        if let Some(code) = interrupt.code() {
            return Ok(code);
        }
        let paths: Vec<PathBuf> = folders.iter().map(|folder| folder.path().to_path_buf()).collect();
        curves::write(&paths, Axis::Episodes, &paths[0].join("curves.svg"), true)?;
        Ok(0)
    }

    fn flags(&self) -> PartialSettings {
        self.settings.clone().into()
    }

    fn options(&self, interrupt: &Interrupt) -> Result<RunOptions> {
        let every = Duration::try_from_secs_f64(self.checkpoint_every);
        Ok(RunOptions {
            threads: self.threads,
            checkpoint_every: every.map_err(|e| Error::usage(format!("--checkpoint-every: {e}")))?,
            leave: interrupt.leave(),
            command,
        })
    }

    fn open(&self, config: Option<PartialSettings>, interrupt: &Interrupt) -> Result<Training> {
        let options = self.options(interrupt)?;
        let how = Resume { previous: self.previous, allow_drift: self.allow_drift };
        if let Some(folder) = self.resume.as_deref().map(Folder::new).filter(Folder::is_taken) {
            let given = self.flags().over(config.unwrap_or_default());
            return Training::resume(&given, folder, how, options);
        }
        let resolved = resolve(self.flags(), config)?;
        let folder = match self.out.as_ref().or(self.resume.as_ref()) {
            Some(path) => Folder::new(path),
            None => usual_folder(Path::new("runs"), &resolved.settings)?,
        };
        Training::start(&resolved, folder, self.force, options)
    }

    /// The same task, budget, seed and objective for another optimiser, in the folder beside this run's; what is there of
    /// it already is gone on with.
    fn open_baseline(
        &self,
        baseline: OptimizerKind,
        config: Option<PartialSettings>,
        main: &Path,
        interrupt: &Interrupt,
    ) -> Result<Training> {
        let resolved = resolve(self.flags().for_other(baseline), config.map(|c| c.for_other(baseline)))?;
        let folder = match self.out.as_ref().or(self.resume.as_ref()) {
            Some(_) => Folder::new(main.join(format!("baseline-{}", baseline.name()))),
            None => usual_folder(Path::new("runs"), &resolved.settings)?,
        };
        let options = self.options(interrupt)?;
        if folder.is_taken() && !self.force {
            return Training::resume(&resolved.settings, folder, Resume::default(), options);
        }
        Training::start(&resolved, folder, self.force, options)
    }

    /// Runs the search before the user's eyes.
    fn follow(&self, mut search: Training) -> Result<(Folder, Stop)> {
        let mut screen = Screen::new(&search, self.json, self.quiet)?;
        let mut failed = Ok(());
        let stop = search.run(&mut |row| {
            if let Err(error) = screen.row(row) {
                failed = Err(error);
            }
        })?;
        failed?;
        screen.end(&search, &stop)?;
        Ok((search.folder.clone(), stop))
    }
}

fn resolve(flags: PartialSettings, config: Option<PartialSettings>) -> Result<Resolved> {
    let resolved = resolve_shared(flags, config)?;
    resolved.check_used()?;
    Ok(resolved)
}

/// For settings that several optimizers share, where one may not use what another does.
pub fn resolve_shared(flags: PartialSettings, config: Option<PartialSettings>) -> Result<Resolved> {
    Resolved::new(flags, config, |env| Ok(sim::find(env)?.definition.defaults.clone()))
}

/// runs/<env>/<optimizer>[-tag]/seed-<n>, the same for the same settings, so that a sweep run again goes on.
pub fn usual_folder(root: &Path, settings: &PartialSettings) -> Result<Folder> {
    let task = sim::find(settings.env.as_deref().unwrap_or_default())?;
    let seed = format!("seed-{}", settings.seed.unwrap_or(0));
    Ok(Folder::new(root.join(task.name()).join(settings.label()).join(seed)))
}

fn explain(resolved: &Resolved) -> Result<()> {
    let rows = resolved.explain();
    let line = |(name, value, origin): (&str, Option<String>, &str)| {
        format!("{:<24} {:<14} # {origin}\n", format!("{name} ="), value.unwrap_or("(unset)".into()))
    };
    print(&rows.into_iter().map(line).collect::<String>())
}
