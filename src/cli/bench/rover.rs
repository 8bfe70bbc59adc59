use super::common::{Common, Ended, Plan, USUAL};
use crate::Result;
use crate::benchmark::{Description, Problem, TrialOutcome, rover};
use crate::report::benchmark::Benchmark;
use clap::Args;

#[derive(Args)]
pub struct Rover {
    #[command(flatten)]
    common: Common,
}

const NAME: &str = "rover";

impl Rover {
    pub fn run(self) -> Result<u8> {
        let plan = Plan {
            contestants: self.common.contestants(USUAL)?,
            dim: rover::Rover.dim(),
            trials: self.common.trials.unwrap_or(10),
            budget: self.common.budget.unwrap_or(2000),
            target: None,
        };
        let trials = self.common.trials(&plan, &[Description::Rover])?;
        let outcomes = match self.common.run(NAME, &trials)? {
            Ended::Complete(outcomes) => outcomes,
            Ended::Interrupted(code) => return Ok(code),
        };
        let benchmark = self.benchmark(&plan, &outcomes);
        let paths: Vec<_> = outcomes.chunks(usize::from(plan.trials)).map(best_path).collect();
        let column = &benchmark.columns[0];
        let figures = [
            (format!("{NAME}-curves"), benchmark.figure(column)?),
            (NAME.to_string(), benchmark.terrain(column, &paths)?),
        ];
        self.common.conclude(NAME, &benchmark, &figures).map(|()| 0)
    }

    fn benchmark(&self, plan: &Plan, outcomes: &[TrialOutcome]) -> Benchmark {
        let name = "cost - 5, which is minimized; the reward is its negative";
        Benchmark {
            command: self.common.command(NAME, std::iter::empty()),
            title: "Rover path in 60 dimensions".into(),
            about: format!("{}, start uniform in [0, 1]", self.common.about(plan)),
            budget: plan.budget,
            trials: plan.trials.into(),
            target: None,
            logarithmic: false,
            columns: vec![plan.column(name.into(), &[(NAME, NAME)], outcomes)],
        }
    }
}

/// Returns the path of the best trial.
fn best_path(outcomes: &[TrialOutcome]) -> Vec<rover::Place> {
    let value = |outcome: &TrialOutcome| outcome.best.unwrap_or(f64::INFINITY);
    let found = outcomes.iter().filter(|outcome| outcome.best.is_some());
    let best = found.min_by(|a, b| value(a).total_cmp(&value(b)));
    best.map_or(Vec::new(), |outcome| rover::path(&outcome.point))
}
