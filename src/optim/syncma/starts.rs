//! Several searches from the same point, of which the one that has come furthest goes on.
//!
//! On Walker a search either finds a gait within some thousand episodes or goes on lunging and falling for as long as one
//! lets it. Which of the two it will be cannot be seen at the start, but well before the budget is used.
//!
//! ```text
//! take turns   generation g belongs to search g mod S, until each has had 240 √n candidates
//! compare      by the loss that the best quarter of a search's latest 5 generations has reached
//! go on        with the best; the others are given up
//! ```
//!
//! The best quarter is compared and not the middle, because a gait just found is fragile: most candidates around it fall.
//! A quantile is a matter of ranks, so the choice is the same for any increasing function of the losses.

use nalgebra::{DMatrix, DVector};
use rand::Rng;
use serde::{Deserialize, Serialize};

use super::Steady;
use crate::optim::weights::ranking;
use crate::optim::{Diagnostics, Optimizer, Settings, SettingsError, StopReason};
use crate::random::{Purpose, stream};

/// Candidates that each search gets before one is chosen, divided by √n.
const CANDIDATES: f64 = 240.0;
/// Generations by which searches are compared.
const RECENT: usize = 5;

/// SynCMA, variant `steady`, with one start or several.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Starts {
    /// All until one is chosen, then that one.
    searches: Vec<Steady>,
    /// The losses of each search's latest generations, the newest last.
    recent: Vec<Vec<Vec<f64>>>,
    generation: u64,
    /// Generations of each search before one is chosen.
    trial: u64,
}

impl Starts {
    /// A search that starts from `mean`.
    ///
    /// # Errors
    /// If a setting cannot be used; the error names the field and the remedy.
    pub fn new(settings: &Settings, mean: DVector<f64>) -> Result<Self, SettingsError> {
        let count = settings.starts.unwrap_or(1);
        let candidates = CANDIDATES * (mean.len() as f64).sqrt();
        let searches: Vec<Steady> = (0..count as u64)
            .map(|start| {
                let seed = match start {
                    0 => settings.seed,
                    _ => stream(settings.seed, Purpose::Start, start, 0).next_u64(),
                };
                Steady::new(&Settings { seed, ..settings.clone() }, mean.clone())
            })
            .collect::<Result<_, _>>()?;
        let trial = (candidates / searches[0].batch() as f64).ceil() as u64;
        Ok(Self { recent: vec![Vec::new(); searches.len()], searches, generation: 0, trial })
    }

    /// How many searches are still under way.
    pub fn count(&self) -> usize {
        self.searches.len()
    }

    fn turn(&self) -> usize {
        (self.generation % self.searches.len() as u64) as usize
    }

    /// The search that has come furthest.
    fn leader(&self) -> usize {
        let reached = |recent: &Vec<Vec<f64>>| {
            let losses = recent.concat();
            ranking(&losses).get(losses.len() / 4).map_or(f64::INFINITY, |&i| losses[i])
        };
        ranking(&self.recent.iter().map(reached).collect::<Vec<f64>>())[0]
    }
}

impl Optimizer for Starts {
    fn ask(&mut self) -> DMatrix<f64> {
        let turn = self.turn();
        self.searches[turn].ask()
    }

    fn tell(&mut self, loss: &[f64]) {
        let turn = self.turn();
        self.searches[turn].tell(loss);
        self.generation += 1;
        if self.searches.len() == 1 {
            return;
        }
        let recent = &mut self.recent[turn];
        recent.push(loss.to_vec());
        if recent.len() > RECENT {
            recent.remove(0);
        }
        if self.generation == self.trial * self.searches.len() as u64 {
            let leader = self.leader();
            self.searches = vec![self.searches.swap_remove(leader)];
            self.recent.clear();
        }
    }

    /// The center of the search that has come furthest.
    fn center(&self) -> DVector<f64> {
        match &self.searches[..] {
            [only] => only.center(),
            several => several[self.leader()].center(),
        }
    }

    fn diagnostics(&self) -> Diagnostics {
        Diagnostics { generation: self.generation, ..self.searches[0].diagnostics() }
    }

    fn stop(&self) -> Option<StopReason> {
        None
    }
}
