//! The reasons for which an optimizer wants to stop.

use serde::{Deserialize, Serialize};

/// The reason for which an optimizer wants to stop. Budgets and targets are checked elsewhere.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, thiserror::Error)]
pub enum StopReason {
    /// Candidates no longer differ in any useful digit.
    #[error("converged: candidates differ by less than {0:.1e} in every coordinate")]
    StepTooSmall(f64),
    /// The step size has grown far beyond its start: the loss has no minimum in reach.
    #[error("diverged: the step size grew {0:.1e}-fold")]
    StepTooLarge(f64),
    /// The best losses of the recent generations and all losses of the last one agree up to rounding.
    #[error("converged: the losses of recent generations differ by less than {0:.1e}")]
    LossRangeTooSmall(f64),
    /// All or most candidates of a generation have the same loss.
    #[error("flat: candidates have equal losses")]
    FlatLoss,
    /// Neither the best nor the median loss has improved for this many generations.
    #[error("stagnated: no better loss for {0} generations")]
    Stagnation(u64),
    /// The covariance is too elongated for double precision.
    #[error("ill-conditioned: the condition number of the covariance is {0:.1e}")]
    IllConditioned(f64),
    /// The covariance is no longer positive definite or finite in double precision.
    #[error("numerical breakdown: the covariance is no longer positive definite")]
    NotPositiveDefinite,
    /// The optimizer's own limit on generations.
    #[error("{0} generations are the limit for a problem of this size")]
    GenerationLimit(u64),
    /// The optimizer's own limit on evaluations, if each costs more than the one before.
    #[error("{0} evaluations are the most that this optimizer can model")]
    EvaluationLimit(u64),
}

/// Whether a search that started with standard deviation `start` has left the range of double precision.
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
