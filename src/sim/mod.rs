//! Tasks equal to Gymnasium's to the last bit, over MuJoCo.
//!
//! A task is a TOML file and an MJCF model ([`definition`], [`library`]); a [`Simulator`] resets it with numpy's seeds
//! ([`seeds`]), steps it, observes it and pays its reward; [`episode`] lets a policy live in it.

mod definition;
mod episode;
mod health;
mod library;
mod observation;
mod reward;
pub mod seeds;
mod simulator;
pub mod sums;
mod task;

pub use definition::{Contact, Definition, Noise, Part, Yardstick};
pub use episode::{Outcome, rollout, rollout_of};
pub(crate) use library::for_all_tasks;
pub use library::{NAMES, find, is_built_in, text};
pub use reward::Reward;
pub use simulator::{Simulator, Step};
pub use task::Task;
