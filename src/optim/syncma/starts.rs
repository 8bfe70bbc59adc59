//! Several searches from the same point, of which the one that has come furthest goes on.
//!
//! On Walker a search either finds a gait within some thousand episodes or goes on lunging and falling for as long as one
//! lets it. Which of the two it will be cannot be seen at the start, but well before the budget is used.
//!
//! ```text
//! take turns   one generation each, until each has had `trial` candidates, 240 √n by default
//! compare      by the loss that the best quarter of a search's latest 5 generations has reached
//! go on        with the best half until each of those has had twice as many candidates, and so on until one is left
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

/// Generations by which searches are compared.
const RECENT: usize = 5;

/// SynCMA, variant `steady`, with one start or several.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Starts {
    /// Those that have not been given up.
    searches: Vec<Steady>,
    /// The losses of each search's latest generations, the newest last.
    recent: Vec<Vec<Vec<f64>>>,
    generation: u64,
    /// The search whose generation is next.
    turn: usize,
    /// Generations that each search has had.
    had: u64,
    /// Generations of each search after which the worse half is given up.
    trial: u64,
}

/// Candidates of each of several starts until the worse half is given up.
pub fn default_trial(n: usize) -> usize {
    (240.0 * (n as f64).sqrt()).ceil() as usize
}

impl Starts {
    /// A search that starts from `mean`.
    ///
    /// # Errors
    /// If a setting cannot be used; the error names the field and the remedy.
    pub fn new(settings: &Settings, mean: DVector<f64>) -> Result<Self, SettingsError> {
        let count = settings.starts.unwrap_or(1);
        let candidates = settings.trial.unwrap_or(default_trial(mean.len()));
        let searches: Vec<Steady> = (0..count as u64)
            .map(|start| {
                let seed = match start {
                    0 => settings.seed,
                    _ => stream(settings.seed, Purpose::Start, start, 0).next_u64(),
                };
                Steady::new(&Settings { seed, ..settings.clone() }, mean.clone())
            })
            .collect::<Result<_, _>>()?;
        let trial = candidates.div_ceil(searches[0].batch()) as u64;
        Ok(Self { recent: vec![Vec::new(); searches.len()], searches, generation: 0, turn: 0, had: 0, trial })
    }

    /// How many searches are still under way.
    pub fn count(&self) -> usize {
        self.searches.len()
    }

    /// The searches, the one that has come furthest first.
    fn order(&self) -> Vec<usize> {
        let reached = |recent: &Vec<Vec<f64>>| {
            let losses = recent.concat();
            ranking(&losses).get(losses.len() / 4).map_or(f64::INFINITY, |&i| losses[i])
        };
        ranking(&self.recent.iter().map(reached).collect::<Vec<f64>>())
    }

    fn give_up_the_worse_half(&mut self) {
        let mut kept = self.order();
        kept.truncate(kept.len() / 2);
        let mut place = 0..;
        self.searches.retain(|_| place.next().is_some_and(|i| kept.contains(&i)));
        let mut place = 0..;
        self.recent.retain(|_| place.next().is_some_and(|i| kept.contains(&i)));
        self.trial *= 2;
    }
}

impl Optimizer for Starts {
    fn ask(&mut self) -> DMatrix<f64> {
        self.searches[self.turn].ask()
    }

    fn tell(&mut self, loss: &[f64]) {
        self.searches[self.turn].tell(loss);
        self.generation += 1;
        if self.searches.len() == 1 {
            return;
        }
        let recent = &mut self.recent[self.turn];
        recent.push(loss.to_vec());
        if recent.len() > RECENT {
            recent.remove(0);
        }
        self.turn = (self.turn + 1) % self.searches.len();
        if self.turn == 0 {
            self.had += 1;
            if self.had == self.trial {
                self.give_up_the_worse_half();
            }
        }
    }

    /// The center of the search that has come furthest.
    fn center(&self) -> DVector<f64> {
        match &self.searches[..] {
            [only] => only.center(),
            several => several[self.order()[0]].center(),
        }
    }

    fn diagnostics(&self) -> Diagnostics {
        Diagnostics { generation: self.generation, ..self.searches[0].diagnostics() }
    }

    fn stop(&self) -> Option<StopReason> {
        None
    }
}
