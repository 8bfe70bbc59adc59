use super::interrupt::Interrupt;
use super::number::{flag, threads};
use super::policy_arg::PolicyArg;
use super::{print, progress};
use crate::policy::PolicyFile;
use crate::rollout::Evaluator;
use crate::traces::metadata::Totals;
use crate::traces::minari::{self, DatasetId};
use crate::traces::{self, Layout, Request};
use crate::{Error, Result};
use clap::{ArgGroup, Args, ValueEnum};
use std::path::{Path, PathBuf};

#[derive(Args)]
#[command(group = ArgGroup::new("target").required(true).args(["output", "minari"]))]
pub struct Export {
    #[command(flatten)]
    policy: PolicyArg,
    /// Write one HDF5 file with the metadata as attributes
    #[arg(short, long, value_name = "FILE.h5")]
    output: Option<PathBuf>,
    /// Write a Minari dataset instead, [namespace/…]name-v<N>
    #[arg(long, value_name = "DATASET_ID")]
    minari: Option<String>,
    /// The folder of Minari datasets [default: $MINARI_DATASETS_PATH, or ~/.minari/datasets]
    #[arg(long, value_name = "DIR", requires = "minari", conflicts_with = "output")]
    root: Option<PathBuf>,
    /// Layout of the file
    #[arg(long, value_enum, default_value_t = FileLayout::Minari, conflicts_with = "minari")]
    format: FileLayout,
    /// Number of episodes
    #[arg(long, default_value_t = 10, allow_negative_numbers = true, value_parser = super::episodes())]
    episodes: u32,
    /// Reset seed of the first episode, as in Gymnasium's reset(seed=…); episode i uses SEED + i
    #[arg(long, default_value_t = 0, allow_negative_numbers = true, value_parser = flag::<u64>())]
    seed: u64,
    /// Threads; 0 means one per core. Results do not depend on it
    #[arg(long, default_value_t = 0, allow_negative_numbers = true, value_parser = super::threads())]
    threads: usize,
    /// Replace an existing file or dataset
    #[arg(long)]
    force: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum FileLayout {
    /// One group per episode, as in a Minari dataset
    Minari,
    /// All steps one after the other, as in D4RL
    D4rl,
}

impl Export {
    pub fn run(self) -> Result<()> {
        if let Some(output) = &self.output {
            let ending = output.extension().unwrap_or_default().to_ascii_lowercase();
            if !["h5", "hdf5"].iter().any(|known| ending == *known) {
                let what = format!("--output must end in .h5 or .hdf5: {}", output.display());
                return Err(Error::usage(what).hint("traces are HDF5 files; h5py, MATLAB and Julia read them"));
            }
        }
        let (task, policy, file) = self.policy.open()?;
        let last = self.seed.checked_add(u64::from(self.episodes));
        if last.is_none_or(|last| i64::try_from(last).is_err()) {
            return Err(Error::usage("--seed is too large: traces store seeds as signed 64-bit integers"));
        }
        let id = self.minari.as_deref().map(DatasetId::parse).transpose()?;
        Interrupt::clean_up()?;
        let evaluator = Evaluator::new(&task, threads(self.threads))?;
        let request = Request {
            evaluator: &evaluator,
            task: &task,
            policy: &policy,
            first_seed: self.seed,
            episodes: self.episodes as usize,
            origin: origin(&file),
        };
        let bar = progress::bar(request.episodes, "episodes");
        let mut seen = |done| bar.set_position(done as u64);
        let (totals, place) = match (&self.output, &id) {
            (Some(output), _) => {
                let layout = match self.format {
                    FileLayout::Minari => Layout::Minari,
                    FileLayout::D4rl => Layout::D4rl,
                };
                (traces::write_file(&request, layout, output, self.force, &mut seen)?, output.clone())
            }
            (None, Some(id)) => {
                let root = self.root.clone().map_or_else(minari::default_root, Ok)?;
                (minari::write(&request, id, &root, self.force, &mut seen)?, root.join(id.as_str()))
            }
            (None, None) => return Err(Error::usage("no output given: add `-o FILE.h5` or `--minari DATASET_ID`")),
        };
        bar.finish_and_clear();
        print(&summary(task.name(), &totals, &place))
    }
}

/// Returns the command that found the policy, if its file names it.
fn origin(file: &PolicyFile) -> Option<String> {
    let command = file.provenance.as_ref().and_then(|provenance| provenance.get("command")?.as_str());
    command.map(str::to_string)
}

fn summary(task: &str, totals: &Totals, place: &Path) -> String {
    format!(
        "{task}: {} episodes, {} steps, mean return {:.1}\n  in {}\n",
        totals.returns.len(),
        totals.steps,
        totals.mean_return(),
        place.display()
    )
}
