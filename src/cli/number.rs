//! Numbers as people type them: what cannot be one gets a sentence.

use super::note;
use crate::optim::{OptimizerKind, Variant};
use crate::settings::{Bound, Init, Normalize, Protocol, Resets, SurvivalShift, Target, Time};
use std::str::FromStr;

/// A value of a flag.
pub trait FlagValue: Sized {
    fn parse(text: &str) -> Result<Self, String>;
}

macro_rules! whole {
    ($($type:ty),*) => {$(
        impl FlagValue for $type {
            fn parse(text: &str) -> Result<Self, String> {
                text.parse().map_err(|_| format!("use a whole number from 0 to {}", <$type>::MAX))
            }
        }
    )*};
}
whole!(u32, u64, usize);

impl FlagValue for f64 {
    fn parse(text: &str) -> Result<Self, String> {
        text.parse().map_err(|_| "use a number such as 0.1, -2 or 1e-3".to_string())
    }
}

macro_rules! words {
    ($($type:ty),*) => {$(
        impl FlagValue for $type {
            fn parse(text: &str) -> Result<Self, String> {
                Self::from_str(text).map_err(|e| e.to_string())
            }
        }
    )*};
}
words!(Bound, Init, Normalize, OptimizerKind, Protocol, Resets, SurvivalShift, Target, Time, Variant);

/// Returns the number of threads to use: the requested one, but at most four per core.
pub fn threads(requested: usize) -> usize {
    let cores = crate::threads::count(0);
    let most = 4 * cores;
    if requested <= most {
        return requested;
    }
    note(&format!(
        "--threads {requested}: this machine has {}; {most} threads are used",
        super::terminal::count(cores, "core")
    ));
    most
}
