//! Compares optimizers on problems without a simulator, and measures the speed of simulations.

mod common;
mod preset;
mod rover;
mod synthetic;
mod throughput;

use crate::Result;
use clap::Subcommand;

#[derive(Subcommand)]
pub enum Bench {
    /// Compare optimizers on the ten synthetic functions of the SynCMA paper, with the optimum at 0 and moved
    Synthetic(synthetic::Synthetic),
    /// Compare optimizers on the 60-dimensional rover path problem
    Rover(rover::Rover),
    /// Compare the speed of episodes with a bare MuJoCo loop that takes the same steps
    Throughput(throughput::Speed),
}

impl Bench {
    /// Returns the exit code: 0, or 128 + the signal that ended it.
    pub fn run(self) -> Result<u8> {
        match self {
            Self::Synthetic(command) => command.run(),
            Self::Rover(command) => command.run(),
            Self::Throughput(command) => command.run().map(|()| 0),
        }
    }
}
