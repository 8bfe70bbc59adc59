//! The loop: ask → evaluate → tell → hold out → record, until a rule says stop.

use super::objective::{CONFIRM_SEED, HELDOUT_SEED, Objective};
use super::state::{Contender, SearchState, Source};
use super::stop::Stop;
use crate::optim::Optimizer;
use crate::rollout::broker::Broker;
use crate::rollout::{Crew, Part, Start, Work};
use crate::run_folder::{GenerationRow, LockedFolder, Metrics, RunFile, RunState};
use crate::settings::PartialSettings;
use crate::sim::{EpisodeOutcome, Task, merit, returns};
use crate::statistics::{quantile, standard_deviation};
use crate::{Error, Result};
use nalgebra::DMatrix;
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

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
    /// Why the crew could not go on.
    pub(super) lost: Option<Error>,
    pub(super) objective: Objective,
    pub(super) metrics: Metrics,
    pub(super) checkpoint_every: Duration,
    /// Set from outside when the run must stop.
    pub(super) leave: Arc<AtomicBool>,
    pub(super) command: fn(&PartialSettings) -> String,
}

impl Training {
    /// Runs until a rule says stop. `watch` sees every finished generation.
    pub fn run(&mut self, watch: &mut dyn FnMut(&GenerationRow)) -> Result<Stop> {
        let (started, seconds_before) = (Instant::now(), self.state.seconds);
        let mut saved = Instant::now();
        let elapsed = || seconds_before + started.elapsed().as_secs_f64();
        let stop = loop {
            if self.state.pending.is_none() {
                // Check once before asking for candidates, which may cost a model fit, and again once their number is
                // known.
                if let Some(stop) = self.rule(self.cost(1)) {
                    break stop;
                }
                let candidates = self.state.optimizer.ask();
                if let Some(stop) = self.rule(self.cost(candidates.ncols())) {
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
            // Otherwise the time could run out between here and the rule, after a generation that is not held out.
            if row.heldout.is_some() {
                self.state.seconds = row.seconds;
            }
            self.metrics.write(&row)?;
            watch(&row);
            if saved.elapsed() >= self.checkpoint_every {
                self.save()?;
                saved = Instant::now();
            }
        };
        self.state.seconds = elapsed();
        self.save()?;
        let stop = if stop != Stop::Interrupted && self.finish()?.is_none() { Stop::Interrupted } else { stop };
        self.run.state = Some(match &stop {
            Stop::Interrupted => RunState::Stopped,
            rule => RunState::Finished { budget: self.settings().budget, because: rule.to_string() },
        });
        self.folder.write_run(&self.run)?;
        self.lost.take().map_or(Ok(stop), Err)
    }

    /// A search can leave the range of numbers, and no file could hold its policy then.
    fn check_finite(&self) -> Result<()> {
        if self.state.optimizer.center().iter().all(|x| x.is_finite()) {
            return Ok(());
        }
        let what = format!("the weights are no longer finite numbers, in generation {}", self.state.generation);
        Err(Error::failed(format!("{what}\n  of {}", self.folder.path().display()))
            .hint("start again with smaller steps: a lower `sigma`, `step_size` or `noise`")
            .naming(&["sigma", "step_size", "noise"]))
    }

    pub fn save(&mut self) -> Result<()> {
        self.state.metrics = self.metrics.sync()?;
        self.folder.checkpoint().save(&self.folder, &self.run.settings, &self.state)
    }

    pub(super) fn settings(&self) -> &PartialSettings {
        &self.run.settings
    }

    /// Why a generation of this many training episodes may no longer begin.
    fn rule(&self, cost: u64) -> Option<Stop> {
        let budget = self.settings().budget.unwrap_or(u64::MAX);
        if let (Some(target), Some(heldout)) = (self.settings().target, self.state.heldout)
            && heldout >= target
        {
            return Some(Stop::Target(target));
        }
        if let Some(reason) = self.state.optimizer.stop() {
            return Some(Stop::Optimizer(reason));
        }
        if self.state.episodes.saturating_add(cost) > budget {
            return Some(Stop::Budget(budget));
        }
        let time = self.settings().time?.0;
        (self.state.seconds >= time.as_secs_f64()).then_some(Stop::Time(time))
    }

    /// The training episodes of a generation.
    fn cost(&self, candidates: usize) -> u64 {
        (candidates * self.objective.episodes()) as u64
    }

    /// Evaluates and tells. Returns `None` if told to stop, and nothing has changed then.
    fn generation(&mut self, candidates: DMatrix<f64>) -> Option<()> {
        let candidates = self.settings().bounds().apply(candidates);
        let (normalizer, center) = (self.state.normalizer(), self.state.center(self.settings()));
        let generation = self.state.generation + 1;
        let work = self.objective.work(&candidates, &center.weights, normalizer.as_ref(), generation);
        let parts = self.compute(&work, generation)?;
        let batch = self.objective.judge(parts)?;

        let cost = self.cost(candidates.ncols());
        let state = &mut self.state;
        let before = state.optimizer.center();
        state.optimizer.tell(&batch.losses);
        state.generation = generation;
        state.episodes += cost;
        state.steps += batch.steps;
        if let (Some(all), Some(new)) = (&mut state.observed, &batch.observed) {
            all.merge(new);
        }
        let honest: Vec<usize> = (0..batch.returns.len()).filter(|&i| !batch.losses[i].is_nan()).collect();
        let returns: Vec<f64> = honest.iter().map(|&i| batch.returns[i]).collect();
        let best = honest.into_iter().max_by(|&a, &b| batch.returns[a].total_cmp(&batch.returns[b]).then(b.cmp(&a)));
        if let Some(i) = best
            && state.challenger.as_ref().is_none_or(|old| batch.returns[i] > old.value)
        {
            state.challenger = Some(Contender {
                weights: candidates.column(i).as_slice().to_vec(),
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
        state.cost = cost;
        Some(())
    }

    /// Completes the pending generation. If an evaluation is due, the center plays on the held-out seeds, and a policy
    /// that would be the new best must confirm it on fresh ones.
    fn hold_out(&mut self) -> Result<Option<GenerationRow>> {
        let Some(mut row) = self.state.pending.clone() else { return Err(Error::failed("no generation to complete")) };
        if self.heldout_is_due() {
            let episodes = self.settings().heldout_episodes.unwrap_or(20);
            let fresh = CONFIRM_SEED + self.state.generation * episodes as u64;
            let mut center = self.state.center(self.settings());
            let challenger = self.state.challenger.clone();
            let mut asked = vec![(&center, HELDOUT_SEED)];
            asked.extend(challenger.iter().map(|challenger| (challenger, fresh)));
            let Some(answers) = self.outcomes(&asked, episodes) else { return Ok(None) };

            let heldout = merit(&answers[0]);
            let better = |value: f64, best: &Option<Contender>| {
                value > best.as_ref().map_or(f64::NEG_INFINITY, |best| best.value)
            };
            let mut best = self.state.best.clone();
            if let (Some(challenger), Some(answer)) = (challenger, answers.get(1))
                && better(merit(answer), &best)
            {
                best = Some(Contender { value: merit(answer), ..challenger });
            }
            if better(heldout, &best) {
                let Some(answer) = self.outcomes(&[(&center, fresh)], episodes) else { return Ok(None) };
                center.value = merit(&answer[0]);
                if better(center.value, &best) {
                    best = Some(center);
                }
            }
            row.heldout = Some((heldout, standard_deviation(&returns(&answers[0]))));
            row.best_return = best.as_ref().map(|best| best.value);
            self.state.heldout = Some(heldout);
            self.state.challenger = None;
            if best != self.state.best {
                self.state.best = best;
                self.write_best(json!({ "mean": row.best_return, "episodes": episodes, "first_seed": fresh }))?;
            }
        }
        self.state.pending = None;
        Ok(Some(row))
    }

    /// Every few generations, so that evaluation stays a small part of the work, and after the last one, so that the best
    /// sample since the previous evaluation is confirmed too.
    fn heldout_is_due(&self) -> bool {
        let cost = self.state.cost;
        let episodes = self.settings().heldout_episodes.unwrap_or(20) as u64;
        let every = self.settings().heldout_every.unwrap_or(episodes.saturating_mul(10).div_ceil(cost.max(1)));
        self.state.generation.is_multiple_of(every.max(1)) || self.rule(cost).is_some()
    }

    /// `None` if told to leave, or if the crew is lost: then too, what has been done is saved, and the error told after.
    fn compute(&mut self, work: &Work, generation: u64) -> Option<Vec<Part>> {
        let parts = self.crew.compute(work, generation, &self.leave);
        parts.unwrap_or_else(|error| {
            self.lost = Some(error);
            None
        })
    }

    /// Episodes of policies from consecutive seeds; `None` if told to leave.
    pub(super) fn outcomes(
        &mut self,
        asked: &[(&Contender, u64)],
        episodes: usize,
    ) -> Option<Vec<Vec<EpisodeOutcome>>> {
        let mut work = Work::new(usize::MAX, None);
        for (contender, first) in asked {
            let policy = work.policy(&contender.weights, contender.normalizer.as_ref());
            (0..episodes as u64).for_each(|i| work.job(policy, Start::Seed(first + i)));
        }
        let parts = self.compute(&work, self.state.generation)?;
        let outcomes = |parts: &[Part]| parts.iter().map(|part| part.outcome).collect();
        Some(parts.chunks(episodes).map(outcomes).collect())
    }
}
