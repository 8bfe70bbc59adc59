//! The paper's tables by name.

use clap::ValueEnum;

/// A table of the paper: all its optimisers and functions in so many dimensions.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Preset {
    /// 32 dimensions, 10,000 evaluations, 20 trials
    #[value(name = "paper-32")]
    Paper32,
    /// 64 dimensions, 20,000 evaluations, 10 trials
    #[value(name = "paper-64")]
    Paper64,
    /// 128 dimensions, 40,000 evaluations, 5 trials
    #[value(name = "paper-128")]
    Paper128,
}

/// The paper's optimisers, and SynCMA in our variants.
pub const OPTIMIZERS: &str = "random-search annealing differential-evolution dd-cma cma-es tr-cma \
    syncma:published:0 syncma:published:1 syncma:published:2 syncma:published:4 \
    syncma:exact:0 syncma:exact:1 syncma:exact:2 syncma:exact:4 \
    syncma:adaptive:0 syncma:adaptive:1 syncma:adaptive:2 syncma:adaptive:4";

impl Preset {
    pub fn name(self) -> &'static str {
        match self {
            Self::Paper32 => "paper-32",
            Self::Paper64 => "paper-64",
            Self::Paper128 => "paper-128",
        }
    }

    pub fn dim(self) -> usize {
        match self {
            Self::Paper32 => 32,
            Self::Paper64 => 64,
            Self::Paper128 => 128,
        }
    }

    /// The paper's code runs 10,000 at 32 dimensions; the others are ours.
    pub fn budget(self) -> u64 {
        match self {
            Self::Paper32 => 10_000,
            Self::Paper64 => 20_000,
            Self::Paper128 => 40_000,
        }
    }

    pub fn trials(self) -> u16 {
        match self {
            Self::Paper32 => 20,
            Self::Paper64 => 10,
            Self::Paper128 => 5,
        }
    }
}
