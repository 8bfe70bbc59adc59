//! Why a run ended, as a value and in words.

use crate::optim::StopReason;
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
