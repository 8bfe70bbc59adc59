//! The loop: ask → evaluate → tell → hold out → record, until there is a reason to stop.

use super::objective::{Objective, SCORE_EPISODES};
use super::progress::{Moment, Progress};
use super::state::{Contender, SearchState, Source};
use super::stop::Stop;
use crate::optim::Optimizer;
use crate::rollout::broker::Broker;
use crate::rollout::{Crew, Part, Work};
use crate::run_folder::{GenerationRow, LockedFolder, Metrics, RunFile, RunState};
use crate::settings::{HeldOut, PartialSettings, Space};
use crate::sim::Task;
use crate::statistics::quantile;
use crate::{Error, Result};
use nalgebra::DMatrix;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// The generations over which the lengths of the center's episodes are averaged.
const LATELY: u64 = 10;

/// A search in progress.
pub struct Training {
    pub task: Arc<Task>,
    pub run: RunFile,
    pub folder: LockedFolder,
    pub state: SearchState,
    /// What the user should know before the run continues.
    pub notes: Vec<String>,
    /// Where workers on other machines are found, if they take part.
    pub workers: Option<Broker>,
    pub(super) crew: Crew,
    /// The error for which the crew gave up, if it did.
    pub(super) lost: Option<Error>,
    pub(super) space: Space,
    pub(super) objective: Objective,
    pub(super) heldout: HeldOut,
    /// The episodes of all kinds since the run was started or continued.
    pub(super) played: u64,
    pub(super) metrics: Metrics,
    pub(super) checkpoint_every: Duration,
    /// Set from outside when the run must stop.
    pub(super) leave: Arc<AtomicBool>,
    pub(super) command: fn(&PartialSettings) -> String,
}

impl Training {
    /// Runs until there is a reason to stop. `watch` sees every finished generation.
    ///
    /// # Errors
    /// If the search leaves the finite numbers, the crew gives up, or a file cannot be written.
    pub fn run(&mut self, watch: &mut dyn FnMut(Moment, Progress)) -> Result<Stop> {
        let (started, seconds_before) = (Instant::now(), self.state.seconds);
        let mut saved = Instant::now();
        let elapsed = || seconds_before + started.elapsed().as_secs_f64();
        // A run that continues has this row already, or was begun by an earlier version.
        let fresh = self.state.generation == 0 && self.state.pending.is_none() && self.state.heldout.is_none();
        let origin = if fresh { self.origin()? } else { None };
        if let Some(mut row) = origin {
            row.seconds = elapsed();
            self.metrics.write(&row)?;
            watch(Moment::Generation(&row), self.progress());
        }
        let stop = loop {
            if self.state.pending.is_none() {
                // Check once before asking for candidates, which may cost a model fit, and again once their number is
                // known.
                if let Some(stop) = self.reason_to_stop(self.cost(1)) {
                    break stop;
                }
                let candidates = self.state.optimizer.ask();
                if let Some(stop) = self.reason_to_stop(self.cost(candidates.ncols())) {
                    break stop;
                }
                if self.generation(candidates).is_none() {
                    break Stop::Interrupted;
                }
                self.check_finite()?;
                self.state.seconds = elapsed();
            }
            let Some(mut row) = self.hold_out()? else { break Stop::Interrupted };
            row.seconds = elapsed();
            // Otherwise the time could run out before the next check, after a generation that is not held out.
            if row.heldout.is_some() {
                self.state.seconds = row.seconds;
            }
            self.metrics.write(&row)?;
            watch(Moment::Generation(&row), self.progress());
            if saved.elapsed() >= self.checkpoint_every {
                self.save()?;
                saved = Instant::now();
            }
        };
        self.state.seconds = elapsed();
        self.save()?;
        if stop != Stop::Interrupted {
            watch(Moment::Scoring, Progress { left: 2 * SCORE_EPISODES as u64, ..self.progress() });
        }
        let stop = if stop != Stop::Interrupted && self.finish()?.is_none() { Stop::Interrupted } else { stop };
        self.run.state = Some(match &stop {
            Stop::Interrupted => RunState::Stopped,
            reason => RunState::Finished { budget: self.settings().budget, because: reason.to_string() },
        });
        self.folder.write_run(&self.run)?;
        self.lost.take().map_or(Ok(stop), Err)
    }

    /// A search can leave the range of finite numbers, and then no file could hold its policy.
    fn check_finite(&self) -> Result<()> {
        if self.state.optimizer.center().iter().all(|x| x.is_finite()) {
            return Ok(());
        }
        let what = format!("the weights are no longer finite numbers, in generation {}", self.state.generation);
        Err(Error::failed(format!("{what}\n  of {}", self.folder.path().display()))
            .hint("start again with smaller steps: a lower `sigma`, `step_size` or `noise`")
            .naming(&["sigma", "step_size", "noise"]))
    }

    /// Writes a checkpoint.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn save(&mut self) -> Result<()> {
        self.state.metrics = self.metrics.sync()?;
        self.folder.checkpoint().save(&self.folder, &self.run.settings, &self.state)
    }

    pub(super) fn settings(&self) -> &PartialSettings {
        &self.run.settings
    }

    /// The center as it would be deployed now.
    pub(super) fn center(&self) -> Contender {
        self.state.center(self.settings(), &self.space)
    }

    /// The training episodes of a generation.
    fn cost(&self, candidates: usize) -> u64 {
        self.objective.cost(candidates, self.shares())
    }

    /// Whether the candidates of the next generation share episodes.
    fn shares(&self) -> bool {
        self.objective.shares(self.state.lasted)
    }

    /// Evaluates the candidates and tells the optimizer. Returns `None` if told to stop; nothing has changed then.
    fn generation(&mut self, candidates: DMatrix<f64>) -> Option<()> {
        let points = self.settings().bounds().apply(candidates);
        let candidates: Vec<Vec<f64>> =
            points.column_iter().map(|point| self.space.weights(point.as_slice())).collect();
        let Contender { normalizer, weights: center, .. } = self.center();
        let (generation, shared) = (self.state.generation + 1, self.shares());
        let work = self.objective.work(&candidates, &center, normalizer.as_ref(), generation, shared);
        let parts = self.compute(&work, generation)?;
        let batch = self.objective.judge(parts, shared)?;

        let state = &mut self.state;
        let before = state.optimizer.center();
        state.optimizer.tell(&batch.losses);
        state.generation = generation;
        state.episodes += batch.episodes;
        state.lasted += (batch.center_lasted - state.lasted) / generation.min(LATELY) as f64;
        state.steps += batch.steps;
        if let (Some(all), Some(new)) = (&mut state.observed, &batch.observed) {
            all.merge(new);
        }
        let honest: Vec<usize> = (0..batch.returns.len()).filter(|&i| !batch.losses[i].is_nan()).collect();
        let returns: Vec<f64> = honest.iter().map(|&i| batch.returns[i]).collect();
        let best = honest.into_iter().max_by(|&a, &b| batch.returns[a].total_cmp(&batch.returns[b]).then(b.cmp(&a)));
        // The return of a segment says little about a whole episode.
        if let Some(i) = best
            && !shared
            && state.challenger.as_ref().is_none_or(|old| batch.returns[i] > old.value)
        {
            state.challenger = Some(Contender {
                weights: candidates[i].clone(),
                normalizer,
                value: batch.returns[i],
                generation,
                from: Source::Sample,
            });
        }
        let diagnostics = state.optimizer.diagnostics();
        let moved = (state.optimizer.center() - before).norm();
        state.pending = Some(GenerationRow {
            generation,
            episodes: state.episodes,
            steps: state.steps,
            seconds: 0.0,
            center_return: batch.center_return,
            heldout: None,
            best_return: state.best.as_ref().map(|best| best.value),
            batch: [1.0, 0.75, 0.5, 0.25, 0.0].map(|p| quantile(&returns, p)),
            sigma: diagnostics.sigma,
            center_step: moved / diagnostics.sigma,
            condition: diagnostics.condition,
            diverged: batch.diverged,
        });
        state.cost = batch.episodes;
        Some(())
    }

    /// Computes the work. Returns `None` if told to stop, or if the crew gives up; then the run is saved before it ends with
    /// the crew's error.
    pub(super) fn compute(&mut self, work: &Work, generation: u64) -> Option<Vec<Part>> {
        let parts = self.crew.compute(work, generation, &self.leave);
        self.played += work.episodes();
        parts.unwrap_or_else(|error| {
            self.lost = Some(error);
            None
        })
    }
}
