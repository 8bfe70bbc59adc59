//! The loop: ask → evaluate → tell → hold out → record, until a rule says stop.

use super::objective::{CONFIRM_SEED, HELDOUT_SEED, Objective, SCORE_EPISODES};
use super::state::{Contender, SearchState, Source};
use super::stop::Stop;
use crate::optim::Optimizer;
use crate::rollout::broker::Broker;
use crate::rollout::{Crew, Part, Start, Work};
use crate::run_folder::{GenerationRow, LockedFolder, Metrics, RunFile, RunState};
use crate::settings::{Due, HeldOut, PartialSettings, Target};
use crate::sim::{EpisodeOutcome, Task, merit, returns};
use crate::statistics::{quantile, standard_deviation};
use crate::{Error, Result};
use nalgebra::DMatrix;
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// What a run has come to.
pub enum Moment<'a> {
    /// A generation is finished. The first row is that of generation 0, before any training.
    Generation(&'a GenerationRow),
    /// The training is over, and the policies are being scored.
    Scoring,
}

/// Episodes of all kinds: of candidates and centers, held out and for scores.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    pub done: u64,
    /// An estimate.
    pub left: u64,
}

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
    /// Runs until a rule says stop. `watch` sees every finished generation.
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
        if let (Some(Target(Some(target))), Some(heldout)) = (self.settings().target, self.state.heldout)
            && self.state.generation > 0
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

    /// Evaluates the center before any training. Returns `None` if told to stop.
    fn origin(&mut self) -> Result<Option<GenerationRow>> {
        let center = self.state.center(self.settings());
        let Some(answer) = self.outcomes(&[(&center, HELDOUT_SEED, self.heldout.episodes)]) else { return Ok(None) };
        let heldout = merit(&answer[0]);
        self.state.heldout = Some(heldout);
        let diagnostics = self.state.optimizer.diagnostics();
        Ok(Some(GenerationRow {
            generation: 0,
            episodes: 0,
            steps: 0,
            seconds: 0.0,
            center_return: f64::NAN,
            heldout: Some((heldout, standard_deviation(&returns(&answer[0])))),
            best_return: None,
            batch: [f64::NAN; 5],
            sigma: diagnostics.sigma,
            center_step: f64::NAN,
            condition: diagnostics.condition,
            diverged: 0,
        }))
    }

    /// Completes the pending generation. If an evaluation is due, the center plays on the held-out seeds, and if a
    /// confirmation is due, a policy that would be the new best must confirm it on fresh ones.
    fn hold_out(&mut self) -> Result<Option<GenerationRow>> {
        let Some(mut row) = self.state.pending.clone() else { return Err(Error::failed("no generation to complete")) };
        // After the last generation too, so that the best sample since the previous evaluation is confirmed.
        let last = self.rule(self.state.cost).is_some();
        let due = self.heldout.due(self.state.generation, self.state.episodes, self.state.cost, last);
        if due != Due::Nothing {
            let episodes = self.heldout.confirming;
            let fresh = CONFIRM_SEED + self.state.generation * episodes as u64;
            let mut center = self.state.center(self.settings());
            let challenger = self.state.challenger.clone().filter(|_| due == Due::Confirmation);
            let mut asked = vec![(&center, HELDOUT_SEED, self.heldout.episodes)];
            asked.extend(challenger.iter().map(|challenger| (challenger, fresh, episodes)));
            let Some(mut answers) = self.outcomes(&asked) else { return Ok(None) };
            // A few episodes may reach the target by luck.
            let target = self.settings().target.and_then(|target| target.0);
            if self.heldout.episodes < episodes && target.is_some_and(|target| merit(&answers[0]) >= target) {
                let Some(mut more) = self.outcomes(&[(&center, HELDOUT_SEED, episodes)]) else { return Ok(None) };
                answers[0] = more.remove(0);
            }

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
            if due == Due::Confirmation && better(heldout, &best) {
                let Some(answer) = self.outcomes(&[(&center, fresh, episodes)]) else { return Ok(None) };
                center.value = merit(&answer[0]);
                if better(center.value, &best) {
                    best = Some(center);
                }
            }
            row.heldout = Some((heldout, standard_deviation(&returns(&answers[0]))));
            row.best_return = best.as_ref().map(|best| best.value);
            self.state.heldout = Some(heldout);
            if due == Due::Confirmation {
                self.state.challenger = None;
            }
            if best != self.state.best {
                self.state.best = best;
                self.write_best(json!({ "mean": row.best_return, "episodes": episodes, "first_seed": fresh }))?;
            }
        }
        self.state.pending = None;
        Ok(Some(row))
    }

    /// Counts what has been played and estimates what is left: the rest of the budget, its evaluations and the scores.
    fn progress(&self) -> Progress {
        let (state, heldout) = (&self.state, &self.heldout);
        let budget = self.settings().budget.unwrap_or(state.episodes);
        let cost = state.cost.max(1);
        let generations = budget.saturating_sub(state.episodes) / cost;
        let confirmations = generations.div_ceil(heldout.generations_between(cost));
        let looks = heldout.points(budget).saturating_sub(heldout.points(state.episodes)).min(generations);
        let held_out = looks * heldout.episodes as u64 + confirmations * (heldout.episodes + heldout.confirming) as u64;
        Progress { done: self.played, left: generations * (cost + 1) + held_out + 2 * SCORE_EPISODES as u64 }
    }

    /// `None` if told to leave, or if the crew is lost: then too, what has been done is saved, and the error told after.
    fn compute(&mut self, work: &Work, generation: u64) -> Option<Vec<Part>> {
        let parts = self.crew.compute(work, generation, &self.leave);
        self.played += work.episodes();
        parts.unwrap_or_else(|error| {
            self.lost = Some(error);
            None
        })
    }

    /// Plays as many episodes of each policy as asked for, from consecutive seeds; `None` if told to leave.
    pub(super) fn outcomes(&mut self, asked: &[(&Contender, u64, usize)]) -> Option<Vec<Vec<EpisodeOutcome>>> {
        let mut work = Work::new(usize::MAX, None);
        for (contender, first, episodes) in asked {
            let policy = work.policy(&contender.weights, contender.normalizer.as_ref());
            (0..*episodes as u64).for_each(|i| work.job(policy, Start::Seed(first + i)));
        }
        let mut parts = self.compute(&work, self.state.generation)?.into_iter().map(|part| part.outcome);
        Some(asked.iter().map(|(_, _, episodes)| parts.by_ref().take(*episodes).collect()).collect())
    }
}
