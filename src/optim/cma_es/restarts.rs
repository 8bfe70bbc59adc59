//! CMA-ES with restarts: when a run stops, the next one starts.
//!
//! References: IPOP, Auger & Hansen, CEC 2005: every restart doubles N. BIPOP, Hansen, GECCO 2009 workshop: the doubling runs
//! share the evaluations with runs of small, random N and σ. A new run starts at a uniform point of the box, or at the
//! original start if there is no box.

use nalgebra::{DMatrix, DVector};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use super::CmaEs;
use crate::optim::settings::Restarts;
use crate::optim::{Bounds, Diagnostics, Optimizer, Settings, SettingsError, StopReason, rates};
use crate::random::{Purpose, stream};

/// After this many doublings of N the search stops when its run stops, as in the BIPOP paper.
const MAX_DOUBLINGS: u32 = 9;

/// CMA-ES under IPOP or BIPOP.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Restarting {
    settings: Settings,
    start: DVector<f64>,
    run: CmaEs,
    /// Runs finished so far.
    restart: u64,
    /// Generations of the finished runs.
    generations: u64,
    doublings: u32,
    regime: Regime,
    spent: Spent,
    /// Center and lowest loss of the best finished run.
    champion: Option<(DVector<f64>, f64)>,
}

/// Which of BIPOP's two kinds of run this is; IPOP has only large ones.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
enum Regime {
    Large,
    /// Holds the number of evaluations that it may use.
    Small(u64),
}

/// Evaluations by kind of run.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct Spent {
    large: u64,
    small: u64,
    this_run: u64,
    last_large: u64,
}

impl Restarting {
    /// The first run is plain CMA-ES. `settings.restarts` decides which kinds of run follow.
    ///
    /// # Errors
    /// If a setting cannot be used; the error names the field and the remedy.
    pub fn new(settings: &Settings, mean: DVector<f64>) -> Result<Self, SettingsError> {
        settings.check(&mean)?;
        Ok(Self {
            run: CmaEs::start(settings, mean.clone()),
            settings: settings.clone(),
            start: mean,
            restart: 0,
            generations: 0,
            doublings: 0,
            regime: Regime::Small(u64::MAX),
            spent: Spent::default(),
            champion: None,
        })
    }

    /// Runs finished so far.
    pub fn restarts(&self) -> u64 {
        self.restart
    }

    fn finished(&self) -> bool {
        let exhausted = matches!(self.regime, Regime::Small(limit) if self.spent.this_run >= limit);
        exhausted || self.run.stop().is_some()
    }

    fn final_run(&self) -> bool {
        self.doublings == MAX_DOUBLINGS && self.regime == Regime::Large
    }

    /// Keeps the result of the finished run and starts the next one.
    fn restart(&mut self) {
        let lowest = self.run.losses.lowest;
        if self.champion.as_ref().is_none_or(|(_, loss)| lowest < *loss) {
            self.champion = Some((self.run.center(), lowest));
        }
        self.generations += self.run.state.generation;
        self.settle();
        self.restart += 1;

        let mut random = stream(self.settings.seed, Purpose::Start, self.restart, 0);
        let first = self.settings.batch.unwrap_or(rates::default_batch(self.start.len()));
        let sigma = self.settings.first_sigma();
        let small = self.settings.restarts == Restarts::Bipop && self.spent.small < self.spent.large;
        let (regime, batch, sigma) = if small {
            let (u, v): (f64, f64) = (random.random(), random.random());
            let ratio = 0.5 * f64::from(1u32 << self.doublings);
            let batch = (first as f64 * ratio.powf(u * u)) as usize;
            (Regime::Small(self.spent.last_large / 2), batch, sigma * 10f64.powf(-2.0 * v))
        } else {
            self.doublings += 1;
            (Regime::Large, first << self.doublings, sigma)
        };
        self.regime = regime;
        self.run = self.new_run(batch, sigma, &mut random);
    }

    /// Adds the evaluations of the finished run to the total of its kind.
    fn settle(&mut self) {
        let spent = std::mem::take(&mut self.spent.this_run);
        match self.regime {
            Regime::Small(_) => self.spent.small += spent,
            Regime::Large => {
                self.spent.large += spent;
                self.spent.last_large = spent;
            }
        }
    }

    fn new_run(&self, batch: usize, sigma: f64, random: &mut ChaCha8Rng) -> CmaEs {
        let mean = match self.settings.bounds {
            Bounds::None => self.start.clone(),
            Bounds::Clip { low, high } => self.start.map(|_| random.random_range(low..high)),
        };
        let settings = Settings { batch: Some(batch), sigma: Some(sigma), ..self.settings.clone() };
        CmaEs { restart: self.restart, ..CmaEs::start(&settings, mean) }
    }
}

impl Optimizer for Restarting {
    fn ask(&mut self) -> DMatrix<f64> {
        self.run.ask()
    }

    fn tell(&mut self, loss: &[f64]) {
        self.run.tell(loss);
        self.spent.this_run += loss.len() as u64;
        if self.finished() && !self.final_run() {
            self.restart();
        }
    }

    /// The center of the run with the lowest loss so far.
    fn center(&self) -> DVector<f64> {
        match &self.champion {
            Some((center, loss)) if *loss < self.run.losses.lowest => center.clone(),
            _ => self.run.center(),
        }
    }

    fn diagnostics(&self) -> Diagnostics {
        let diagnostics = self.run.diagnostics();
        Diagnostics { generation: self.generations + diagnostics.generation, ..diagnostics }
    }

    fn stop(&self) -> Option<StopReason> {
        self.final_run().then(|| self.run.stop()).flatten()
    }
}
