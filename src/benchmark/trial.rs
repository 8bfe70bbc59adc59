//! One contestant on one problem from one seed.

use super::Contestant;
use crate::Result;
use crate::benchmark::outcome::Record;
use crate::benchmark::{Description, Problem, TrialOutcome};
use crate::optim::{Bounds, Optimizer, Settings};
use crate::random::{Purpose, stream};
use nalgebra::DVector;
use rand::RngExt;
use serde::{Serialize, Serializer};
use std::sync::atomic::{AtomicBool, Ordering};

/// Everything that decides a result. Its JSON is the key under which the result is stored.
#[derive(Clone, Debug, Serialize)]
pub struct Trial {
    pub program: &'static str,
    pub problem: Description,
    #[serde(serialize_with = "as_text")]
    pub contestant: Contestant,
    /// `None` stands for the contestant's default.
    pub batch: Option<usize>,
    pub sigma: f64,
    /// The number of evaluations. A generation that would exceed it is cut short.
    pub budget: u64,
    pub target: Option<f64>,
    pub seed: u64,
}

fn as_text<S: Serializer>(contestant: &Contestant, serializer: S) -> std::result::Result<S::Ok, S::Error> {
    serializer.collect_str(contestant)
}

/// Returns the batch size of the paper's code in n dimensions, for contestants that have one.
pub fn usual_batch(contestant: &Contestant, n: usize) -> Option<usize> {
    (!contestant.optimizer.has_own_batch()).then_some(2 * n)
}

impl Trial {
    /// Checks that the settings can work at all.
    ///
    /// # Errors
    /// If the contestant refuses its settings.
    pub fn check(&self) -> Result<()> {
        let problem = self.problem.instance(self.seed);
        self.settings(&*problem).build(self.start(&*problem))?;
        Ok(())
    }

    /// Runs until the budget is used up or the optimizer stops. Returns `None` if it was told to stop earlier.
    ///
    /// # Errors
    /// If the contestant refuses its settings.
    pub fn run(&self, leave: &AtomicBool) -> Result<Option<TrialOutcome>> {
        let problem = self.problem.instance(self.seed);
        let mut search = self.settings(&*problem).build(self.start(&*problem))?;
        let mut record = Record::new(self.budget, self.target);
        while record.evaluations() < self.budget && search.stop().is_none() {
            if leave.load(Ordering::Relaxed) {
                return Ok(None);
            }
            let candidates = search.ask();
            let left = (self.budget - record.evaluations()) as usize;
            let mut losses = Vec::with_capacity(candidates.ncols());
            for x in candidates.column_iter().take(left) {
                let value = problem.value(x.as_slice());
                record.count(x.as_slice(), value);
                losses.push(value);
            }
            if losses.len() == candidates.ncols() {
                search.tell(&losses);
            }
        }
        Ok(Some(record.finish()))
    }

    /// Draws a start uniformly in the problem's box, the same for all contestants of a seed.
    fn start(&self, problem: &dyn Problem) -> DVector<f64> {
        let (low, high) = problem.bounds();
        let mut random = stream(self.seed, Purpose::Start, 0, 0);
        DVector::from_fn(problem.dim(), |_, _| random.random_range(low..high))
    }

    fn settings(&self, problem: &dyn Problem) -> Settings {
        let (low, high) = problem.bounds();
        Settings {
            batch: self.batch,
            sigma: Some(self.sigma),
            // The others search without bounds, as the paper's code does.
            bounds: if self.contestant.optimizer.needs_box() { Bounds::Clip { low, high } } else { Bounds::None },
            seed: self.seed,
            ..self.contestant.settings()
        }
        .only_used()
    }
}
