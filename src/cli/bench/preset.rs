//! The paper's tables by name.

use clap::ValueEnum;

/// A table of the paper: all its optimizers and functions for one number of dimensions.
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

/// The paper's optimizers, and SynCMA in our variants.
pub const OPTIMIZERS: &str = "random-search annealing differential-evolution dd-cma cma-es tr-cma \
    syncma:published:0 syncma:published:1 syncma:published:2 syncma:published:4 \
    syncma:exact:0 syncma:exact:1 syncma:exact:2 syncma:exact:4 \
    syncma:adaptive:0 syncma:adaptive:1 syncma:adaptive:2 syncma:adaptive:4";

/// The settings that a preset stands for.
pub struct Table {
    pub name: &'static str,
    pub dim: usize,
    /// The paper's code runs 10,000 evaluations in 32 dimensions. We chose the others.
    pub budget: u64,
    pub trials: u16,
}

impl Preset {
    pub fn table(self) -> Table {
        match self {
            Self::Paper32 => Table { name: "paper-32", dim: 32, budget: 10_000, trials: 20 },
            Self::Paper64 => Table { name: "paper-64", dim: 64, budget: 20_000, trials: 10 },
            Self::Paper128 => Table { name: "paper-128", dim: 128, budget: 40_000, trials: 5 },
        }
    }
}
