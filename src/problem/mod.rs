//! Problems that need no simulator.

pub mod functions;
