//! Why an optimiser wants to stop, in words.

use serde::{Deserialize, Serialize};

/// Why the optimiser itself wants to stop. Budgets and targets are the run's business, not the optimiser's.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, thiserror::Error)]
pub enum StopReason {
    /// Candidates have become too alike to differ in floating point or in any useful digit.
    #[error("converged: candidates differ by less than {0:.1e} in every coordinate")]
    StepTooSmall(f64),
    /// The step size has grown far beyond its start: the objective rewards running away.
    #[error("diverged: the step size grew {0:.1e}-fold")]
    StepTooLarge(f64),
    /// The best losses of the recent generations, and of the last one, lie within rounding of each other.
    #[error("converged: the losses of recent generations differ by less than {0:.1e}")]
    LossRangeTooSmall(f64),
    /// All candidates of a generation, or most, have the same loss.
    #[error("flat: candidates have equal losses")]
    FlatLoss,
    /// Neither best nor median loss has improved for this many generations.
    #[error("stagnated: no better loss for {0} generations")]
    Stagnation(u64),
    /// The covariance is so elongated that double precision no longer represents it.
    #[error("ill-conditioned: the condition number of the covariance is {0:.1e}")]
    IllConditioned(f64),
    /// The covariance is no longer positive definite or finite in double precision.
    #[error("numerical breakdown: the covariance is no longer positive definite")]
    NotPositiveDefinite,
    /// The optimiser's own limit on generations.
    #[error("{0} generations are enough for a problem of this size")]
    GenerationLimit(u64),
    /// The optimiser's own limit on evaluations, where each costs more than the one before.
    #[error("{0} evaluations are as many as this optimizer can model")]
    EvaluationLimit(u64),
}

/// Whether a search that started with standard deviation `start` has left what double precision can search.
pub fn out_of_range(sigma: f64, condition: f64, start: f64) -> Option<StopReason> {
    let growth = sigma / start;
    if growth.is_nan() || condition.is_nan() {
        Some(StopReason::NotPositiveDefinite)
    } else if growth < 1e-14 {
        Some(StopReason::StepTooSmall(sigma))
    } else if growth > 1e14 {
        Some(StopReason::StepTooLarge(growth))
    } else if condition > 1e14 {
        Some(StopReason::IllConditioned(condition))
    } else {
        None
    }
}
