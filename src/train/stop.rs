//! When a run has to stop, and why.

use super::Training;
use crate::optim::{Optimizer, StopReason};
use crate::settings::Target;
use std::fmt;
use std::time::Duration;

/// Why a run ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Stop {
    Budget(u64),
    Target(f64),
    Time(Duration),
    Optimizer(StopReason),
    /// Told to stop. Everything is saved.
    Interrupted,
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Budget(budget) => write!(f, "the budget of {budget} episodes is used"),
            Self::Target(target) => write!(f, "the held-out return has reached the target {target}"),
            Self::Time(time) => write!(f, "the time is up ({})", humantime::format_duration(*time)),
            Self::Optimizer(reason) => write!(f, "the optimizer stopped: {reason}"),
            Self::Interrupted => f.write_str("interrupted"),
        }
    }
}

impl Training {
    /// Why a generation of this many training episodes may no longer begin.
    pub(super) fn reason_to_stop(&self, cost: u64) -> Option<Stop> {
        let budget = self.settings().budget.unwrap_or(u64::MAX);
        if let (Some(Target(Some(target))), Some(heldout)) = (self.settings().target, self.state.heldout)
            && self.state.generation > 0
            && heldout >= target
        {
            return Some(Stop::Target(target));
        }
        if let Some(reason) = self.state.optimizer.stop() {
            return Some(Stop::Optimizer(reason));
        }
        if self.state.episodes.saturating_add(cost) > budget {
            return Some(Stop::Budget(budget));
        }
        let time = self.settings().time?.0;
        (self.state.seconds >= time.as_secs_f64()).then_some(Stop::Time(time))
    }
}
