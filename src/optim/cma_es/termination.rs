//! The stop criteria of CMA-ES, from the distribution and the recent losses: those of pycma with its defaults.

use std::collections::VecDeque;
use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::CmaEs;
use crate::optim::StopReason;

/// The long memory of losses takes in every `SPARSITY`-th generation and has at most `MEMORY` entries.
const SPARSITY: u64 = 5;
const MEMORY: usize = 20_000;

/// Thresholds of the stop criteria.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tolerances {
    /// Range of the losses of this generation, and of the best losses of recent generations.
    pub fun: f64,
    /// Range of the best losses of recent generations.
    pub fun_history: f64,
    /// Standard deviation of every coordinate, and σ p_c.
    pub x: f64,
    /// Growth of a coordinate's standard deviation over the initial σ. Then the start was far too narrow or f has no minimum.
    pub up_x: f64,
    /// Condition number of C.
    pub condition: f64,
    /// Growth of σ over its start, relative to the longest axis of C.
    pub up_sigma: f64,
    /// Scale, in generations, of the windows over which the losses' medians must improve.
    pub stagnation: usize,
    /// Generations in a row in which three quarters of the losses were equal.
    pub flat: u32,
    /// Generations in all.
    pub generations: u64,
}

impl Tolerances {
    /// pycma's defaults.
    pub fn pycma(dimension: usize, population: usize) -> Self {
        let (n, batch) = (dimension as f64, population as f64);
        Self {
            fun: 1e-11,
            fun_history: 1e-12,
            x: 1e-11,
            up_x: 1e3,
            condition: 1e14,
            up_sigma: 1e20,
            stagnation: (100.0 + 100.0 * n.powf(1.5) / batch) as usize,
            flat: 1,
            generations: 100 + (150.0 * (n + 3.0).powi(2) / batch.sqrt()) as u64,
        }
    }

    /// Tolerances that never stop the search, for callers with their own budget or target.
    pub fn never() -> Self {
        Self {
            fun: 0.0,
            fun_history: 0.0,
            x: 0.0,
            up_x: f64::INFINITY,
            condition: f64::INFINITY,
            up_sigma: f64::INFINITY,
            stagnation: usize::MAX,
            flat: u32::MAX,
            generations: u64::MAX,
        }
    }
}

/// What the criteria need to know about the losses so far.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Losses {
    generation: u64,
    /// The best of each recent generation, newest first.
    recent: VecDeque<f64>,
    /// Best and median of every fifth generation, newest first.
    best: VecDeque<f64>,
    median: VecDeque<f64>,
    /// Worst minus best of the last generation.
    range: f64,
    /// The number of flat generations in a row.
    flat: u32,
    /// The lowest loss so far and the generation that found it.
    pub(super) lowest: f64,
    lowest_at: u64,
}

impl Losses {
    pub(super) fn new() -> Self {
        let [recent, best, median] = [VecDeque::new(), VecDeque::new(), VecDeque::new()];
        Self { generation: 0, recent, best, median, range: 0.0, flat: 0, lowest: f64::INFINITY, lowest_at: 0 }
    }

    /// Records the losses of a generation in n dimensions. `rank` lists them from best to worst.
    pub(super) fn record(&mut self, loss: &[f64], rank: &[usize], n: usize) {
        let at = |r: usize| if loss[rank[r]].is_finite() { loss[rank[r]] } else { f64::INFINITY };
        let batch = rank.len();
        self.generation += 1;
        remember(&mut self.recent, at(0), 10 + 30 * n / batch);
        if self.generation.is_multiple_of(SPARSITY) {
            remember(&mut self.best, at(0), MEMORY);
            remember(&mut self.median, at(batch / 2), MEMORY);
        }
        if at(0) < self.lowest {
            (self.lowest, self.lowest_at) = (at(0), self.generation);
        }
        self.range = at(batch - 1) - at(0);
        self.flat = if at(0) == at(3 * batch / 4) { self.flat + 1 } else { 0 };
    }

    /// The window over which losses stagnate, in generations: the best and median losses of the newest window are no better
    /// than those of the window before it, and the lowest loss is not recent.
    fn stagnation(&self, scale: usize) -> Option<u64> {
        let window = (scale / (2 * SPARSITY as usize)).max(self.best.len() / 10);
        let worse = |memory: &VecDeque<f64>| median(memory, 0..window) >= median(memory, window..2 * window);
        let old = self.generation - self.lowest_at > scale as u64 / 2;
        let stagnates =
            old && self.best.len() > window.saturating_mul(2).max(100) && worse(&self.median) && worse(&self.best);
        stagnates.then_some(window as u64 * SPARSITY)
    }
}

fn remember(memory: &mut VecDeque<f64>, value: f64, capacity: usize) {
    memory.push_front(value);
    memory.truncate(capacity);
}

/// The first criterion that is met, if any.
pub(super) fn reason(cma: &CmaEs) -> Option<StopReason> {
    let CmaEs { constants, tolerances: limit, state, losses, sigma_start, .. } = cma;
    let (n, batch) = (state.mean.len(), constants.population());
    let condition = state.condition();
    let deviation = state.c.diagonal().map(|v| state.sigma * v.sqrt());
    let step = deviation.max().max(state.sigma * state.p_c.amax());
    let growth = deviation.max() / sigma_start;
    let recent = range(&losses.recent);
    let past_start = state.generation as f64 > n as f64 * (5.0 + 100.0 / batch as f64);
    let stagnation = || losses.stagnation(limit.stagnation).filter(|_| past_start);

    if !state.sound {
        Some(StopReason::NotPositiveDefinite)
    } else if condition > limit.condition {
        Some(StopReason::IllConditioned(condition))
    } else if recent < limit.fun && losses.range < limit.fun {
        Some(StopReason::LossRangeTooSmall(limit.fun))
    } else if losses.recent.len() > 9 && recent < limit.fun_history {
        Some(StopReason::LossRangeTooSmall(limit.fun_history))
    } else if step < limit.x {
        Some(StopReason::StepTooSmall(limit.x))
    } else if growth > limit.up_x {
        Some(StopReason::StepTooLarge(growth))
    } else if state.sigma / sigma_start > limit.up_sigma * state.d.max() {
        Some(StopReason::StepTooLarge(state.sigma / sigma_start))
    } else if losses.flat > limit.flat {
        Some(StopReason::FlatLoss)
    } else if let Some(generations) = stagnation() {
        Some(StopReason::Stagnation(generations))
    } else if state.generation >= limit.generations {
        Some(StopReason::GenerationLimit(limit.generations))
    } else {
        None
    }
}

/// Largest minus smallest; infinite for fewer than two.
fn range(values: &VecDeque<f64>) -> f64 {
    if values.len() < 2 {
        return f64::INFINITY;
    }
    let (low, high) = values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), &v| (l.min(v), h.max(v)));
    high - low
}

/// The median of the losses of these ages.
fn median(memory: &VecDeque<f64>, ages: Range<usize>) -> f64 {
    let mut window: Vec<f64> = memory.range(ages).copied().collect();
    let middle = window.len() / 2;
    *window.select_nth_unstable_by(middle, f64::total_cmp).1
}
