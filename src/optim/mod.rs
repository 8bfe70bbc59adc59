//! Black-box optimizers. Each proposes candidates and is told their losses. None evaluates, uses files or starts threads.
//!
//! All minimize. A candidate whose loss is NaN or infinite has failed and ranks last. Ties are broken by index.
//!
//! The transformations that do not change a search, by design and by test (`tests/optim/searches_are_invariant.rs`):
//!
//! | | moving the origin | linear maps that also map the first Gaussian | increasing maps of the loss |
//! |---|---|---|---|
//! | SynCMA `exact` and `adaptive`, TR-CMA-ES | yes | all | yes |
//! | SynCMA `matrix` | yes | all that map rows and columns separately: W → PWQ | yes |
//! | CMA-ES | yes | rotations; others approximately | yes |
//! | SynCMA `steady` | yes | rotations and uniform scalings | yes |
//! | DD-CMA | yes | scalings of the coordinates | yes |
//! | SynCMA `published` | **no** | rotations about the origin | yes |
//! | differential evolution, random search, in a box that moves too | yes | none | yes |
//! | ARS, simulated annealing | yes | none | no |
//! | TuRBO, in a box that moves too | yes, until rounding changes a choice | none | no |
//!
//! A generation in which all candidates have equal losses carries no information. CMA-ES, DD-CMA, TR-CMA-ES, ARS and SynCMA count it and
//! learn nothing from it, except for SynCMA `published`, which follows its reference code.
//!
//! ```
//! use locomotion::nalgebra::DVector;
//! use locomotion::optim::{Optimizer, Settings};
//!
//! let loss = |x: &[f64]| x.iter().map(|v| (v - 1.0).powi(2)).sum::<f64>();
//! let settings = Settings { sigma: Some(0.5), seed: 7, ..Settings::default() };
//! let mut search = settings.build(DVector::zeros(5))?;
//! for _ in 0..300 {
//!     let candidates = search.ask();
//!     let losses: Vec<f64> = candidates.column_iter().map(|x| loss(x.as_slice())).collect();
//!     search.tell(&losses);
//! }
//! assert!(loss(search.center().as_slice()) < 1e-6);
//! # Ok::<(), locomotion::optim::SettingsError>(())
//! ```

pub mod annealing;
pub mod ars;
pub mod bounds;
pub mod cma_es;
pub mod covariance;
pub mod dd_cma;
mod defaults;
mod delegate;
pub mod differential_evolution;
pub mod gaussian;
pub mod invigo;
pub mod linalg;
pub mod matrix_gaussian;
mod packed;
pub mod random_search;
pub mod rates;
pub mod settings;
mod settings_error;
pub mod stop;
pub mod syncma;
pub mod tr_cma;
pub mod turbo;
pub mod used_settings;
pub mod weights;

use delegate::delegate;
use nalgebra::{DMatrix, DVector};
use serde::{Deserialize, Serialize};

pub use bounds::Bounds;
pub use settings::{OptimizerKind, Settings, Variant, names};
pub use settings_error::SettingsError;
pub use stop::StopReason;

/// A search that proposes candidates and is told their losses.
pub trait Optimizer {
    /// The next candidates, n × N, one per column. Asking again before `tell` gives the same candidates. They are not clipped
    /// to the bounds of the settings: use [`Bounds::apply`] before evaluating them. `tell` learns from the candidates as
    /// they were asked.
    fn ask(&mut self) -> DMatrix<f64>;
    /// Takes the losses of the candidates asked last, in column order. NaN means failed and ranks last.
    ///
    /// # Panics
    /// If there is not one loss per candidate.
    fn tell(&mut self, loss: &[f64]);
    /// The point to deploy if the search ended now. It is not clipped either.
    fn center(&self) -> DVector<f64>;
    /// Numbers for the log.
    fn diagnostics(&self) -> Diagnostics;
    /// The reason for which the optimizer itself wants to stop, if there is one.
    fn stop(&self) -> Option<StopReason>;
}

/// Numbers that show how a search is doing.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Diagnostics {
    /// Generations told so far.
    pub generation: u64,
    /// Typical standard deviation of one coordinate of a candidate.
    pub sigma: f64,
    /// How elongated the search distribution is; 1 means round. What the number is depends on the optimizer, so compare it
    /// only between runs of one optimizer:
    ///
    /// | optimizer | value |
    /// |---|---|
    /// | CMA-ES | the condition number of C at its last eigendecomposition, a few generations old |
    /// | DD-CMA | the larger of the condition numbers of D² and of C, each on its own; that of D C D may be larger or smaller |
    /// | TR-CMA-ES, SynCMA `exact` and `adaptive` | a lower bound on the condition number of C, from its Cholesky factor |
    /// | SynCMA `matrix` | the product of such bounds for A and B, also a lower bound |
    /// | SynCMA `published` | the same bound, or the exact value while C has no Cholesky factor |
    /// | TuRBO | the squared ratio of the longest to the shortest side of the trust region |
    /// | all others, SynCMA `steady` | 1 |
    pub condition: f64,
}

/// Any of the optimizers with its whole state, as a checkpoint stores it.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[allow(clippy::large_enum_variant)] // there is one per run, and all hold matrices
pub enum AnyOptimizer {
    // A checkpoint stores the position in this list, so new ones come last.
    SynCma(syncma::SynCma),
    CmaEs(cma_es::CmaEs),
    RestartingCmaEs(cma_es::Restarting),
    Ars(ars::Ars),
    RandomSearch(random_search::RandomSearch),
    DdCma(dd_cma::DdCma),
    TrCma(tr_cma::TrCma),
    DifferentialEvolution(differential_evolution::DifferentialEvolution),
    Annealing(annealing::Annealing),
    Turbo(turbo::Turbo),
}

impl Settings {
    /// The optimizer that these settings describe, at the start of a search from `mean`.
    ///
    /// # Errors
    /// If a setting cannot be used, or if the optimizer does not use a setting that is set; the error names the field.
    pub fn build(&self, mean: DVector<f64>) -> Result<AnyOptimizer, SettingsError> {
        self.check_used()?;
        Ok(match self.optimizer {
            OptimizerKind::SynCma => AnyOptimizer::SynCma(syncma::SynCma::new(self, mean)?),
            OptimizerKind::CmaEs if self.restarts == settings::Restarts::None => {
                AnyOptimizer::CmaEs(cma_es::CmaEs::new(self, mean)?)
            }
            OptimizerKind::CmaEs => AnyOptimizer::RestartingCmaEs(cma_es::Restarting::new(self, mean)?),
            OptimizerKind::DdCma => AnyOptimizer::DdCma(dd_cma::DdCma::new(self, mean)?),
            OptimizerKind::TrCma => AnyOptimizer::TrCma(tr_cma::TrCma::new(self, mean)?),
            OptimizerKind::Ars => AnyOptimizer::Ars(ars::Ars::new(self, mean)?),
            OptimizerKind::DifferentialEvolution => {
                AnyOptimizer::DifferentialEvolution(differential_evolution::DifferentialEvolution::new(self, mean)?)
            }
            OptimizerKind::Annealing => AnyOptimizer::Annealing(annealing::Annealing::new(self, mean)?),
            OptimizerKind::RandomSearch => AnyOptimizer::RandomSearch(random_search::RandomSearch::new(self, mean)?),
            OptimizerKind::Turbo => AnyOptimizer::Turbo(turbo::Turbo::new(self, mean)?),
        })
    }
}

delegate!(
    AnyOptimizer: SynCma, CmaEs, RestartingCmaEs, Ars, RandomSearch, DdCma, TrCma, DifferentialEvolution, Annealing, Turbo
);
