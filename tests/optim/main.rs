//! The optimizers: exact, invariant, sound and resumable.

mod adaptive_keeps_up_with_cma_es;
mod ars;
mod baselines;
mod candidates_are_not_clipped;
mod checkpoints_resume_bit_exactly;
mod cma_es;
mod cma_relatives;
mod common;
mod covariance_stays_sound;
mod invigo_is_moment_matching;
mod matrix_variant;
mod paper_table_is_reproduced;
mod published_matches_the_reference;
mod ranking_and_linear_algebra;
mod searches_are_invariant;
mod settings_are_checked;
mod starts_compete;
mod steady_follows_the_ranks;
mod step_size_follows_the_slope;
mod synthetic_functions;
mod turbo;
