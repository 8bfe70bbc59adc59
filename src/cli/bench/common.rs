//! What the benchmarks share: flags, trials side by side, tables and figures in a folder.

use super::super::again::path;
use super::super::interrupt::Interrupt;
use super::super::number::{between, flag, threads};
use super::super::progress;
use super::super::{print, print_json, say, write_table};
use crate::benchmark::{Contestant, Results, Trial, run_all, usual_batch};
use crate::benchmark::{Description, TrialOutcome, paper};
use crate::optim::{OptimizerKind, turbo};
use crate::plot::Figure;
use crate::plot::numbers::thousands;
use crate::report::benchmark::{Benchmark, Cell, Column, OptimizerRow};
use crate::settings::PartialSettings;
use crate::train::check_memory;
use crate::{Error, Result};
use clap::Args;
use std::path::PathBuf;

const OUT: &str = "runs/bench";
/// The optimizers that run if none are named.
pub const USUAL: &str = "syncma:published:2 syncma:adaptive cma-es random-search";
/// The build that produced the results. Results of another build are not reused.
const PROGRAM: &str = concat!(env!("CARGO_PKG_VERSION"), "+", env!("SEARCHES"));

#[derive(Args)]
pub struct Common {
    /// Optimizers, separated by commas. SynCMA's variant and lambda0 may follow: syncma:exact:4
    #[arg(long, value_delimiter = ',', value_name = "NAME[:VARIANT[:LAMBDA0]]")]
    pub optimizers: Vec<Contestant>,
    /// Trials per optimizer and problem, each from a different start
    #[arg(long, allow_negative_numbers = true, value_parser = between(1, u16::MAX))]
    pub trials: Option<u16>,
    /// Evaluations per trial; the last generation is cut short if necessary
    #[arg(long, allow_negative_numbers = true, value_parser = between(1, 1_000_000_000_000u64))]
    pub budget: Option<u64>,
    /// Candidates per generation [default: twice the dimension; annealing and TuRBO have their own]
    #[arg(long, allow_negative_numbers = true, value_parser = flag::<usize>())]
    batch: Option<usize>,
    /// Initial standard deviation of a candidate's coordinates
    #[arg(long, default_value_t = paper::SIGMA, allow_negative_numbers = true, value_parser = flag::<f64>())]
    sigma: f64,
    /// Seed of the first trial; the others follow
    #[arg(long, default_value_t = 0, allow_negative_numbers = true, value_parser = flag::<u64>())]
    seed: u64,
    /// Folder to write to; existing results are kept and missing trials added
    #[arg(long, default_value = OUT, value_name = "DIR")]
    out: PathBuf,
    /// Threads; 0 means one per core. Results do not depend on it
    #[arg(long, default_value_t = 0, allow_negative_numbers = true, value_parser = super::super::threads())]
    threads: usize,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

/// What all trials of a benchmark share, with all defaults filled in.
pub struct Plan {
    pub contestants: Vec<Contestant>,
    pub dim: usize,
    pub trials: u16,
    pub budget: u64,
    pub target: Option<f64>,
}

/// The outcomes of a completed call, or the exit code of an interrupted one.
pub enum Ended {
    Complete(Vec<TrialOutcome>),
    Interrupted(u8),
}

impl Plan {
    /// Builds a column from the outcomes of [`Common::trials`] on these problems, each with its short name.
    pub fn column(&self, name: String, problems: &[(&'static str, &'static str)], outcomes: &[TrialOutcome]) -> Column {
        let each = usize::from(self.trials);
        let rows = self.contestants.iter().zip(outcomes.chunks(each * problems.len())).map(|(contestant, outcomes)| {
            let cells = problems.iter().zip(outcomes.chunks(each));
            let cells = cells.map(|((name, short), outcomes)| Cell::new(name, short, outcomes, self.budget));
            let (optimizer, family) = (contestant.to_string(), contestant.family().to_string());
            OptimizerRow { optimizer, family, rank: 0.0, problems: cells.collect() }
        });
        Column::new(name, rows.collect())
    }
}

/// Removes repeated items, keeping the first of each.
pub fn once_each<T: Clone + PartialEq>(items: &[T]) -> Vec<T> {
    let mut once: Vec<T> = Vec::new();
    items.iter().for_each(|item| {
        if !once.contains(item) {
            once.push(item.clone())
        }
    });
    once
}

impl Common {
    /// Returns the named contestants, or the usual ones, which are separated by spaces.
    pub fn contestants(&self, usual: &str) -> Result<Vec<Contestant>> {
        match &self.optimizers[..] {
            [] => usual.split_whitespace().map(|word| word.parse().map_err(Error::usage)).collect(),
            given => Ok(once_each(given)),
        }
    }

    /// Returns the command that repeats the measurement: the benchmark's own flags, and those here that differ from the
    /// default.
    pub fn command(&self, name: &str, own: impl Iterator<Item = String>) -> String {
        let names: Vec<String> = self.optimizers.iter().map(Contestant::to_string).collect();
        let flags = [
            (!names.is_empty()).then(|| format!("--optimizers {}", names.join(","))),
            self.trials.map(|trials| format!("--trials {trials}")),
            self.budget.map(|budget| format!("--budget {budget}")),
            self.batch.map(|batch| format!("--batch {batch}")),
            (self.sigma != paper::SIGMA).then(|| format!("--sigma {}", self.sigma)),
            (self.seed != 0).then(|| format!("--seed {}", self.seed)),
            (self.out != *OUT).then(|| format!("--out {}", path(&self.out))),
        ];
        let flags: String = own.chain(flags.into_iter().flatten()).map(|flag| format!(" {flag}")).collect();
        format!("locomotion bench {name}{flags}")
    }

    /// Describes how the trials were made.
    pub fn about(&self, plan: &Plan) -> String {
        let own = plan.contestants.iter().filter(|contestant| usual_batch(contestant, plan.dim).is_none());
        let own: Vec<String> = own.filter(|_| self.batch.is_none()).map(Contestant::to_string).collect();
        let except = match &own[..] {
            [] => String::new(),
            [one] => format!(" ({one}: its own)"),
            several => format!(" ({}: their own)", several.join(", ")),
        };
        let (trials, budget) = (plan.trials, thousands(plan.budget as f64, 0));
        let batch = self.batch.unwrap_or(2 * plan.dim);
        let capped = plan.budget > turbo::MOST_EVALUATIONS as u64
            && plan.contestants.iter().any(|contestant| contestant.optimizer == OptimizerKind::Turbo);
        let cap =
            if capped { format!(" (turbo: {})", thousands(turbo::MOST_EVALUATIONS as f64, 0)) } else { String::new() };
        format!("{trials} trials of {budget} evaluations{cap}, batch {batch}{except}, sigma {}", self.sigma)
    }

    /// Whether the paper's numbers are comparable with ours.
    pub fn is_as_in_the_paper(&self, plan: &Plan) -> bool {
        let usual = 2 * plan.dim;
        plan.dim == paper::DIM
            && plan.budget == paper::BUDGET
            && self.sigma == paper::SIGMA
            && self.batch.unwrap_or(usual) == usual
    }

    /// Lists the trials of all contestants on these problems: contestant by contestant, problem by problem, seed by
    /// seed.
    pub fn trials(&self, plan: &Plan, problems: &[Description]) -> Result<Vec<Trial>> {
        let mut trials = Vec::new();
        for contestant in &plan.contestants {
            let batch = self.batch.or_else(|| usual_batch(contestant, plan.dim));
            fits_into_memory(contestant, batch, plan)?;
            for problem in problems {
                for k in 0..u64::from(plan.trials) {
                    trials.push(Trial {
                        program: PROGRAM,
                        problem: problem.clone(),
                        contestant: *contestant,
                        batch,
                        sigma: self.sigma,
                        budget: plan.budget,
                        target: plan.target,
                        seed: self.seed.wrapping_add(k),
                    });
                }
            }
            let name = |e: Error| Error { message: format!("{contestant}: {}", e.message), ..e };
            trials.last().map_or(Ok(()), Trial::check).map_err(name)?;
        }
        Ok(trials)
    }

    /// Runs the missing trials and returns the outcomes of all.
    pub fn run(&self, name: &str, trials: &[Trial]) -> Result<Ended> {
        let results = Results::open(&self.out.join(format!("{name}-trials.jsonl")))?;
        let interrupt = Interrupt::listen()?;
        let bar = progress::bar(trials.len(), "trials");
        let outcomes =
            run_all(trials, &results, threads(self.threads), &interrupt.leave(), &|count| bar.inc(count as u64))?;
        bar.finish_and_clear();
        match (outcomes, interrupt.code()) {
            (Some(outcomes), None) => Ok(Ended::Complete(outcomes)),
            (_, code) => {
                say("saved; run the same command again to continue");
                Ok(Ended::Interrupted(code.unwrap_or(1)))
            }
        }
    }

    /// Writes tables and figures, and prints the table.
    pub fn conclude(&self, name: &str, benchmark: &Benchmark, figures: &[(String, Figure)]) -> Result<()> {
        write_table(&self.out, name, [benchmark.text(), benchmark.csv(), benchmark.markdown()], benchmark)?;
        let mut written = vec![format!("{}", self.out.join(format!("{name}.{{txt,csv,md,json}}")).display())];
        for (name, figure) in figures {
            figure.write(&self.out.join(format!("{name}.svg")), true)?;
            written.push(format!("{name}.{{svg,png}}"));
        }
        if self.json {
            return print_json(benchmark);
        }
        print(&format!("{}\nwrote {}\n", benchmark.text(), written.join(", ")))
    }
}

fn fits_into_memory(contestant: &Contestant, batch: Option<usize>, plan: &Plan) -> Result<()> {
    let settings = PartialSettings {
        optimizer: Some(contestant.optimizer),
        variant: contestant.variant,
        batch,
        budget: Some(plan.budget),
        ..PartialSettings::default()
    };
    check_memory(&settings, (plan.dim, 0), &format!("{contestant} in {} dimensions", plan.dim))
}
