use super::common::{Common, Ended, Plan};
use super::preset::{self, Preset};
use crate::Result;
use crate::experiment::Contestant;
use crate::problem::{self, Description, Function, Outcome, paper};
use crate::report::benchmark::{Benchmark, Cell, Column, Row};
use crate::report::numbers::thousands;
use clap::{Args, ValueEnum};

#[derive(Args)]
pub struct Synthetic {
    /// A table of the paper; any other flag wins over it
    #[arg(long)]
    preset: Option<Preset>,
    /// Functions, with commas between; all ten without it
    #[arg(long, value_delimiter = ',', value_name = "FUNCTION")]
    functions: Vec<Function>,
    /// Dimensions [default: 32]
    #[arg(long, value_parser = clap::value_parser!(u16).range(2..))]
    dim: Option<u16>,
    /// Where the optimum is: where the functions have it, or uniform in [-3, 3] by trial; both without it
    #[arg(long)]
    shift: Option<Shift>,
    /// Turn the functions about their optimum, by trial; without --shift those whose optimum is moved
    #[arg(long)]
    rotate: bool,
    #[command(flatten)]
    common: Common,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Shift {
    None,
    Random,
}

/// One column of the paper's table, and one that it has not.
#[derive(Clone, Copy)]
struct Condition {
    moved: bool,
    rotated: bool,
}

/// What is run where nothing is said.
const OPTIMIZERS: &str = "syncma:published:2 syncma:adaptive cma-es random-search";
const NAME: &str = "synthetic";

impl Synthetic {
    pub fn run(self) -> Result<u8> {
        let plan = self.plan()?;
        let functions = if self.functions.is_empty() { Function::ALL.to_vec() } else { self.functions.clone() };
        let conditions = self.conditions();
        let mut trials = Vec::new();
        for condition in &conditions {
            let problem = |function: &Function| {
                let Condition { moved, rotated } = *condition;
                Description::Synthetic(problem::Synthetic { function: *function, dim: plan.dim, moved, rotated })
            };
            trials.extend(self.common.trials(&plan, &functions.iter().map(problem).collect::<Vec<_>>())?);
        }
        let outcomes = match self.common.run(NAME, &trials)? {
            Ended::Whole(outcomes) => outcomes,
            Ended::Interrupted(code) => return Ok(code),
        };
        let each = outcomes.len() / conditions.len();
        let columns = conditions.iter().zip(outcomes.chunks(each));
        let columns = columns.map(|(condition, outcomes)| column(&plan, &functions, *condition, outcomes)).collect();
        let benchmark = self.benchmark(&plan, columns);
        let figures = conditions
            .iter()
            .zip(&benchmark.columns)
            .map(|(condition, column)| Ok((format!("{NAME}-{}", condition.word()), benchmark.figure(column)?)));
        self.common.conclude(NAME, &benchmark, &figures.collect::<Result<Vec<_>>>()?).map(|()| 0)
    }

    fn plan(&self) -> Result<Plan> {
        let contestants = match (&self.common.optimizers[..], self.preset) {
            ([], Some(_)) => preset::contestants()?,
            ([], None) => preset::parse(OPTIMIZERS)?,
            (given, _) => given.to_vec(),
        };
        Ok(Plan {
            contestants,
            dim: self.dim.map(usize::from).or(self.preset.map(Preset::dim)).unwrap_or(paper::DIM),
            trials: self.common.trials.or(self.preset.map(Preset::trials)).unwrap_or(10),
            budget: self.common.budget.or(self.preset.map(Preset::budget)).unwrap_or(10_000),
            target: Some(paper::TARGET),
        })
    }

    fn conditions(&self) -> Vec<Condition> {
        match self.shift {
            Some(shift) => vec![Condition { moved: shift == Shift::Random, rotated: self.rotate }],
            None => vec![Condition { moved: false, rotated: false }, Condition { moved: true, rotated: self.rotate }],
        }
    }

    fn benchmark(&self, plan: &Plan, columns: Vec<Column>) -> Benchmark {
        let (n, trials) = (plan.dim, usize::from(plan.trials));
        let (budget, setup) = (thousands(plan.budget as f64, 0), self.common.about(n));
        Benchmark {
            command: self.command(),
            title: format!("Synthetic functions in {n} dimensions"),
            about: format!("{trials} trials of {budget} evaluations, {setup}, start uniform in [-5, 10]; minimum 0"),
            budget: plan.budget,
            trials,
            target: plan.target,
            logarithmic: true,
            columns,
        }
    }

    /// What makes the same table again.
    fn command(&self) -> String {
        let functions: Vec<&str> = self.functions.iter().map(|function| function.name()).collect();
        let own = [
            self.preset.map(|preset| format!("--preset {}", preset.name())),
            (!functions.is_empty()).then(|| format!("--functions {}", functions.join(","))),
            self.dim.map(|dim| format!("--dim {dim}")),
            self.shift.map(|shift| format!("--shift {}", if shift == Shift::None { "none" } else { "random" })),
            self.rotate.then(|| "--rotate".to_string()),
        ];
        let flags: Vec<String> = own.into_iter().flatten().chain(self.common.flags()).collect();
        format!("locomotion bench {NAME} {}", flags.join(" ")).trim_end().to_string()
    }
}

impl Condition {
    fn word(self) -> &'static str {
        match (self.moved, self.rotated) {
            (false, false) => "at-0",
            (false, true) => "rotated",
            (true, false) => "moved",
            (true, true) => "moved-rotated",
        }
    }

    fn name(self) -> String {
        let place = if self.moved { "optimum moved, uniform in [-3, 3]" } else { "optimum where the paper has it" };
        format!("{place}{}", if self.rotated { ", axes rotated" } else { "" })
    }

    /// Whether this is what the paper measured.
    fn is_the_paper_s(self, plan: &Plan, contestant: &Contestant) -> bool {
        !self.moved && !self.rotated && plan.dim == paper::DIM && contestant.to_string() == paper::CONTESTANT
    }
}

/// The outcomes of one condition, in the order of its trials.
fn column(plan: &Plan, functions: &[Function], condition: Condition, outcomes: &[Outcome]) -> Column {
    let each = usize::from(plan.trials);
    let rows = plan.contestants.iter().zip(outcomes.chunks(each * functions.len())).map(|(contestant, outcomes)| {
        let cells = functions.iter().zip(outcomes.chunks(each)).map(|(function, outcomes)| Cell {
            printed: condition.is_the_paper_s(plan, contestant).then(|| paper::printed(*function)),
            ..Cell::new(function.name(), function.short(), outcomes, plan.budget)
        });
        let (optimizer, family) = (contestant.to_string(), contestant.family().to_string());
        Row { optimizer, family, rank: 0.0, problems: cells.collect() }
    });
    Column::new(condition.name(), rows.collect())
}
