//! Black-box optimisers. Each proposes candidates and is told losses; none evaluates, knows files or threads.
//!
//! What a search does not depend on, by design and by test (`tests/optim/searches_are_invariant.rs`):
//!
//! | | the origin | linear maps that take the first Gaussian along | increasing maps of the loss |
//! |---|---|---|---|
//! | SynCMA `exact` and `adaptive`, TR-CMA-ES | yes | all | yes |
//! | SynCMA `matrix` | yes | all that map rows and columns apart: W → PWQ | yes |
//! | CMA-ES | yes | rotations; others nearly | yes |
//! | SynCMA `steady` | yes | rotations and uniform scalings | yes |
//! | DD-CMA | yes | scalings of the coordinates | yes |
//! | SynCMA `published` | **no** | rotations about the origin | yes |
//! | differential evolution, random search, in a box that moves along | yes | none | yes |
//! | ARS, simulated annealing | yes | none | no |
//! | TuRBO, in a box that moves along | yes, until rounding decides a choice | none | no |
//!
//! All minimise. A candidate whose loss is NaN or infinite has failed and ranks last; ties are broken by index.
//!
//! ```
//! use locomotion::optim::{Optimizer, Settings};
//! use nalgebra::DVector;
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
pub mod differential_evolution;
pub mod gaussian;
pub mod invigo;
pub mod linalg;
pub mod matrix_gaussian;
mod packed;
pub mod random_search;
pub mod rates;
pub mod settings;
pub mod stop;
pub mod syncma;
pub mod tr_cma;
pub mod turbo;
pub mod weights;

use nalgebra::{DMatrix, DVector};
use serde::{Deserialize, Serialize};

pub use bounds::Bounds;
pub use settings::{OptimizerKind, Settings, SettingsError, Variant, names};
pub use stop::StopReason;

/// Proposes, is told losses, never evaluates.
pub trait Optimizer {
    /// The next candidates, n × N, one per column. Asking again before `tell` gives the same candidates.
    fn ask(&mut self) -> DMatrix<f64>;
    /// The losses of the candidates asked last, in column order. NaN = failed, ranked last.
    fn tell(&mut self, loss: &[f64]);
    /// What we would deploy now.
    fn center(&self) -> DVector<f64>;
    /// Numbers for the log.
    fn diagnostics(&self) -> Diagnostics;
    /// Why the optimiser itself wants to stop, if it does.
    fn stop(&self) -> Option<StopReason>;
}

/// The pulse of a search.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Diagnostics {
    /// Generations told so far.
    pub generation: u64,
    /// Typical standard deviation of one coordinate of a candidate.
    pub sigma: f64,
    /// Condition number of the sampling covariance (1 for an isotropic search).
    pub condition: f64,
}

/// Any of the optimisers, whole: what a checkpoint stores.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[allow(clippy::large_enum_variant)] // one lives per run, and every one holds matrices
pub enum AnyOptimizer {
    // Checkpoints know these by their place: new ones come last.
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
    /// The optimiser these settings describe, about to search from `mean`.
    pub fn build(&self, mean: DVector<f64>) -> Result<AnyOptimizer, SettingsError> {
        self.check(&mean)?;
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

impl AnyOptimizer {
    fn inner(&self) -> &dyn Optimizer {
        match self {
            Self::SynCma(o) => o,
            Self::CmaEs(o) => o,
            Self::RestartingCmaEs(o) => o,
            Self::DdCma(o) => o,
            Self::TrCma(o) => o,
            Self::Ars(o) => o,
            Self::DifferentialEvolution(o) => o,
            Self::Annealing(o) => o,
            Self::RandomSearch(o) => o,
            Self::Turbo(o) => o,
        }
    }

    fn inner_mut(&mut self) -> &mut dyn Optimizer {
        match self {
            Self::SynCma(o) => o,
            Self::CmaEs(o) => o,
            Self::RestartingCmaEs(o) => o,
            Self::DdCma(o) => o,
            Self::TrCma(o) => o,
            Self::Ars(o) => o,
            Self::DifferentialEvolution(o) => o,
            Self::Annealing(o) => o,
            Self::RandomSearch(o) => o,
            Self::Turbo(o) => o,
        }
    }
}

impl Optimizer for AnyOptimizer {
    fn ask(&mut self) -> DMatrix<f64> {
        self.inner_mut().ask()
    }
    fn tell(&mut self, loss: &[f64]) {
        self.inner_mut().tell(loss);
    }
    fn center(&self) -> DVector<f64> {
        self.inner().center()
    }
    fn diagnostics(&self) -> Diagnostics {
        self.inner().diagnostics()
    }
    fn stop(&self) -> Option<StopReason> {
        self.inner().stop()
    }
}
