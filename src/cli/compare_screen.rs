//! What a user sees while a comparison runs: a line for every running trial, and one for all of them with the time left
//! and the ranking so far. Without a terminal, a line for every trial that ends.

use super::terminal::{clock, hanging};
use super::{in_flags, note, say};
use crate::plot::numbers::score;
use crate::statistics::mean;
use crate::train::{Moment, PlannedRun, Progress, Stop, Watch};
use crate::{Error, Result};
use console::Term;
use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::collections::BTreeMap;
use std::io::{IsTerminal, stderr};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// The steps of a trial's progress bar.
const BAR_STEPS: u64 = 1000;

pub struct CompareScreen {
    head: String,
    /// All trials, also those that are already finished.
    trials: usize,
    several_tasks: bool,
    began: Instant,
    lines: MultiProgress,
    state: Mutex<ScreenState>,
}

struct ScreenState {
    overall: ProgressBar,
    ranking: ProgressBar,
    bars: BTreeMap<String, ProgressBar>,
    /// How much of every open trial is done, between 0 and 1, and its newest held-out return.
    trials: BTreeMap<String, (String, f64, Option<f64>)>,
    finished: usize,
    /// The trials that were open at the start.
    open: usize,
}

impl CompareScreen {
    /// `head` says what is compared.
    pub fn new(head: String, trials: usize, several_tasks: bool) -> Self {
        let lines = MultiProgress::new();
        if !stderr().is_terminal() {
            lines.set_draw_target(ProgressDrawTarget::hidden());
        }
        let overall = lines.add(bar("  all trials", BAR_STEPS));
        let ranking = lines.add(ProgressBar::hidden());
        if let Ok(style) = ProgressStyle::with_template("  {wide_msg}") {
            ranking.set_style(style);
        }
        let state =
            ScreenState { overall, ranking, bars: BTreeMap::new(), trials: BTreeMap::new(), finished: 0, open: 0 };
        Self { head, trials, several_tasks, began: Instant::now(), lines, state: Mutex::new(state) }
    }

    /// Clears the lines.
    pub fn end(&self) {
        let _ = self.lines.clear();
    }

    fn state(&self) -> MutexGuard<'_, ScreenState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the group that a trial belongs to, and its own name.
    fn names(&self, trial: &PlannedRun) -> (String, String) {
        let settings = &trial.resolved.settings;
        let task = if self.several_tasks { settings.env.clone().unwrap_or_default() + " " } else { String::new() };
        let group = task + &settings.label();
        let name = format!("{group} seed {}", settings.seed.unwrap_or(0));
        (group, name)
    }

    fn update(&self, state: &ScreenState) {
        let done: f64 = state.trials.values().map(|(_, share, _)| share).sum();
        let left = state.open as f64 - done;
        state.overall.set_position((done * BAR_STEPS as f64) as u64);
        let time = clock((self.began.elapsed().as_secs_f64() / done.max(1e-9) * left).ceil());
        let time = if done > 0.0 { format!(", {time} left") } else { String::new() };
        let ranking: Vec<String> =
            ranking(state.trials.values()).iter().map(|(n, v)| format!("{n} {}", score(*v))).collect();
        state.overall.set_message(format!("{} of {} finished{time}", state.finished, state.open));
        if !ranking.is_empty() {
            state.ranking.set_message(format!("so far: {}", ranking.join(", ")));
        }
    }
}

impl Watch for CompareScreen {
    fn opens(&self, trials: usize) {
        let to_run = if trials == self.trials { String::new() } else { format!(", {trials} to run") };
        self.lines.suspend(|| say(&hanging(&Term::stderr(), &format!("{}{to_run}", self.head), 2)));
        let mut state = self.state();
        state.open = trials;
        state.overall.set_length(BAR_STEPS * trials as u64);
    }

    fn begins(&self, trial: &PlannedRun, notes: &[String]) {
        let (group, name) = self.names(trial);
        let told = |text: &String| note(&format!("{}: {text}", trial.folder.path().display()));
        self.lines.suspend(|| notes.iter().for_each(told));
        let mut state = self.state();
        let line = self.lines.insert_before(&state.overall, bar(&format!("  {name}"), BAR_STEPS));
        state.bars.insert(name.clone(), line);
        state.trials.insert(name, (group, 0.0, None));
        self.update(&state);
    }

    fn sees(&self, trial: &PlannedRun, moment: Moment, progress: Progress) {
        let (_, name) = self.names(trial);
        let mut state = self.state();
        let share = progress.done as f64 / (progress.done + progress.left).max(1) as f64;
        let Some(known) = state.trials.get_mut(&name) else { return };
        known.1 = share;
        let text = match moment {
            Moment::Generation(row) => {
                known.2 = row.heldout_mean().or(known.2);
                known.2.map_or(String::new(), |value| format!("held out {}", score(value)))
            }
            Moment::Scoring => "scoring".to_string(),
        };
        if let Some(bar) = state.bars.get(&name) {
            bar.set_position((share * BAR_STEPS as f64) as u64);
            bar.set_message(text);
        }
        self.update(&state);
    }

    fn ends(&self, trial: &PlannedRun, how: Result<&Stop, &Error>) {
        let (_, name) = self.names(trial);
        let mut state = self.state();
        if let Some(bar) = state.bars.remove(&name) {
            bar.finish_and_clear();
            self.lines.remove(&bar);
        }
        if let Some(known) = state.trials.get_mut(&name).filter(|_| !matches!(how, Ok(Stop::Interrupted))) {
            known.1 = 1.0;
        }
        let folder = trial.folder.path().display();
        let told = match how {
            Ok(Stop::Interrupted) => return,
            Ok(stop) => {
                state.finished += 1;
                let value = state.trials.get(&name).and_then(|known| known.2);
                let value = value.map_or(String::new(), |value| format!(", held out {}", score(value)));
                format!("{folder}: {stop}{value}")
            }
            Err(error) => format!("{folder}: failed: {}", in_flags(&error.message, &error.fields)),
        };
        self.update(&state);
        self.lines.suspend(|| say(&hanging(&Term::stderr(), &told, 2)));
    }
}

/// Returns the groups by their mean newest held-out return, best first.
fn ranking<'a>(trials: impl Iterator<Item = &'a (String, f64, Option<f64>)>) -> Vec<(String, f64)> {
    let mut groups: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for (group, _, value) in trials {
        if let Some(value) = value {
            groups.entry(group).or_default().push(*value);
        }
    }
    let mut ranking: Vec<(String, f64)> =
        groups.iter().map(|(group, values)| (group.to_string(), mean(values))).collect();
    ranking.sort_by(|a, b| b.1.total_cmp(&a.1));
    ranking
}

fn bar(name: &str, parts: u64) -> ProgressBar {
    // Visible only once it has its place among the others.
    let bar = ProgressBar::with_draw_target(Some(parts), ProgressDrawTarget::hidden()).with_prefix(name.to_string());
    if let Ok(style) = ProgressStyle::with_template("{prefix:<30!} {bar:12} {percent:>3}%  {wide_msg}") {
        bar.set_style(style.progress_chars("━╸ "));
    }
    bar
}

#[cfg(test)]
mod tests {
    use super::ranking;

    #[test]
    fn the_best_group_comes_first_and_unknown_trials_do_not_count() {
        let trial = |group: &str, value: Option<f64>| (group.to_string(), 0.5, value);
        let trials =
            [trial("a", Some(1.0)), trial("a", None), trial("b", Some(2.0)), trial("b", Some(4.0)), trial("c", None)];
        assert_eq!(ranking(trials.iter()), [("b".to_string(), 3.0), ("a".to_string(), 1.0)]);
    }
}
