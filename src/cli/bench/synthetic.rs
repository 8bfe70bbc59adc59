use super::super::number::between;
use super::common::{Common, Ended, Plan, USUAL, once_each};
use super::preset::{self, Preset, Table};
use crate::Result;
use crate::benchmark::{self, Description, Function, TrialOutcome, paper};
use crate::report::benchmark::{Benchmark, Column};
use clap::{Args, ValueEnum};

#[derive(Args)]
pub struct Synthetic {
    /// A table of the paper; other flags override it
    #[arg(long)]
    preset: Option<Preset>,
    /// Functions, separated by commas [default: all ten]
    #[arg(long, value_delimiter = ',', value_name = "FUNCTION")]
    functions: Vec<Function>,
    /// Dimensions [default: 32]
    #[arg(long, allow_negative_numbers = true, value_parser = between(2, u16::MAX))]
    dim: Option<u16>,
    /// Where the optimum is: none leaves it in place, random moves it uniformly in [-3, 3] for each trial [default: both]
    #[arg(long)]
    shift: Option<Shift>,
    /// Rotate the functions about their optimum, differently in each trial; without --shift, only those with a moved
    /// optimum
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

/// One column of the paper's table, or the one we add.
#[derive(Clone, Copy)]
struct Condition {
    moved: bool,
    rotated: bool,
}

/// The default table.
const PLAIN: Table = Table { name: "", dim: paper::DIM, budget: paper::BUDGET, trials: 10 };
const NAME: &str = "synthetic";

impl Synthetic {
    pub fn run(self) -> Result<u8> {
        let plan = self.plan()?;
        let functions = if self.functions.is_empty() { Function::ALL.to_vec() } else { once_each(&self.functions) };
        let conditions = self.conditions();
        let mut trials = Vec::new();
        for condition in &conditions {
            let problem = |function: &Function| {
                let Condition { moved, rotated } = *condition;
                Description::Synthetic(benchmark::Synthetic { function: *function, dim: plan.dim, moved, rotated })
            };
            trials.extend(self.common.trials(&plan, &functions.iter().map(problem).collect::<Vec<_>>())?);
        }
        let outcomes = match self.common.run(NAME, &trials)? {
            Ended::Complete(outcomes) => outcomes,
            Ended::Interrupted(code) => return Ok(code),
        };
        let each = outcomes.len() / conditions.len();
        let columns = conditions.iter().zip(outcomes.chunks(each));
        let columns =
            columns.map(|(condition, outcomes)| self.column(&plan, &functions, *condition, outcomes)).collect();
        let benchmark = self.benchmark(&plan, columns);
        let name = self.preset.map_or(NAME, |preset| preset.table().name);
        let figures = conditions
            .iter()
            .zip(&benchmark.columns)
            .map(|(condition, column)| Ok((format!("{name}-{}", condition.word()), benchmark.figure(column)?)));
        self.common.conclude(name, &benchmark, &figures.collect::<Result<Vec<_>>>()?).map(|()| 0)
    }

    fn plan(&self) -> Result<Plan> {
        let table = self.preset.map(Preset::table);
        let usual = if table.is_some() { preset::OPTIMIZERS } else { USUAL };
        let Table { dim, trials, budget, .. } = table.unwrap_or(PLAIN);
        Ok(Plan {
            contestants: self.common.contestants(usual)?,
            dim: self.dim.map_or(dim, usize::from),
            trials: self.common.trials.unwrap_or(trials),
            budget: self.common.budget.unwrap_or(budget),
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
        Benchmark {
            command: self.command(),
            title: format!("Synthetic functions in {} dimensions", plan.dim),
            about: format!("{}, start uniform in [-5, 10]; minimum 0", self.common.about(plan)),
            budget: plan.budget,
            trials: plan.trials.into(),
            target: plan.target,
            logarithmic: true,
            columns,
        }
    }

    /// Builds the column of one condition, with the paper's numbers if it measured the same.
    fn column(&self, plan: &Plan, functions: &[Function], condition: Condition, outcomes: &[TrialOutcome]) -> Column {
        let names: Vec<_> = functions.iter().map(|function| (function.name(), function.short())).collect();
        let mut column = plan.column(condition.name(), &names, outcomes);
        let same = !condition.moved && !condition.rotated && self.common.is_as_in_the_paper(plan);
        for row in column.optimizers.iter_mut().filter(|row| same && paper::CONTESTANTS.contains(&&*row.optimizer)) {
            for (cell, function) in row.problems.iter_mut().zip(functions) {
                cell.printed = Some(paper::printed(*function));
            }
        }
        column
    }

    /// Returns the command that reproduces the table.
    fn command(&self) -> String {
        let functions: Vec<&str> = self.functions.iter().map(|function| function.name()).collect();
        let shift = |shift| if shift == Shift::None { "--shift none" } else { "--shift random" };
        let own = [
            self.preset.map(|preset| format!("--preset {}", preset.table().name)),
            (!functions.is_empty()).then(|| format!("--functions {}", functions.join(","))),
            self.dim.map(|dim| format!("--dim {dim}")),
            self.shift.map(|word| shift(word).to_string()),
            self.rotate.then(|| "--rotate".to_string()),
        ];
        self.common.command(NAME, own.into_iter().flatten())
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
        let place = match self.moved {
            true => "optimum moved, uniform in [-3, 3]",
            false => "optimum at the paper's place, 0 (levy-montalvo at -1, rosenbrock at 1)",
        };
        format!("{place}{}", if self.rotated { ", axes rotated" } else { "" })
    }
}
