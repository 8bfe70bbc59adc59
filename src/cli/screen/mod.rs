//! What a user sees of a run: the settings, a table, the end. With --json, JSON lines for programs.

mod crew;
mod head;
mod table;

use super::again::path;
use super::terminal::{self, Pen, clock, count, sparkline};
use super::{note, print};
use crate::Result;
use crate::plot::numbers::{score, thousands};
use crate::rollout::broker::{Board, Counts};
use crate::run_folder::{BEST, FINAL, GenerationRow};
use crate::settings::Protocol;
use crate::train::{Moment, Progress, Stop, Training};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::{Value, json};
use std::io::IsTerminal;
use std::sync::Arc;
use std::time::{Duration, Instant};
use table::{Shown, Table};

pub struct Screen {
    json: bool,
    quiet: bool,
    bar: ProgressBar,
    table: Table,
    /// The held-out returns so far.
    curve: Vec<f64>,
    /// The episodes and steps of training at the previous row.
    before: (u64, u64),
    budget: u64,
    horizon: usize,
    began: Instant,
    diverged: u64,
    /// Whether the user has been told that episodes are short.
    hinted: bool,
    /// The command that continues the run and its baseline.
    again: String,
    /// What workers on other machines are doing, if there are any.
    board: Option<Arc<Board>>,
}

/// Episodes this short teach nothing: the robot counts as fallen before it can move.
const FEW_STEPS: f64 = 8.0;
/// The generation after which the user is told so.
const HINT_AFTER: u64 = 3;

impl Screen {
    pub fn new(search: &Training, json: bool, quiet: bool, again: String) -> Result<Self> {
        let bar = ProgressBar::with_draw_target(Some(1), ProgressDrawTarget::hidden());
        if let Ok(style) = ProgressStyle::with_template("  {bar:12} {percent:>3}%  {wide_msg}") {
            bar.set_style(style.progress_chars("━╸ "));
        }
        let pen = Pen { color: terminal::has_color() };
        let screen = Self {
            json,
            quiet,
            bar,
            table: Table::new(terminal::width(), pen),
            curve: Vec::new(),
            before: (search.state.episodes, search.state.steps),
            budget: search.run.settings.budget.unwrap_or(0),
            horizon: search.task.definition.horizon,
            began: Instant::now(),
            diverged: 0,
            hinted: false,
            again,
            board: search.workers.as_ref().map(|broker| broker.board.clone()),
        };
        if json {
            screen.json_line(json!({
                "event": "start",
                "folder": search.folder.path(),
                "settings": search.run.settings,
                "program": search.run.program,
                "generation": search.state.generation,
                "notes": search.notes,
            }))?;
        } else if !quiet {
            search.notes.iter().for_each(|text| note(text));
            print(&(head::head(search) + &screen.table.header()))?;
            // Not earlier, or the first line of the bar would appear above the head.
            if std::io::stderr().is_terminal() {
                screen.bar.set_draw_target(ProgressDrawTarget::stderr());
                screen.bar.enable_steady_tick(Duration::from_millis(250));
            }
        }
        Ok(screen)
    }

    /// Shows how far the run has come.
    pub fn see(&mut self, moment: Moment, progress: Progress) -> Result<()> {
        self.bar.set_length(progress.done + progress.left);
        self.bar.set_position(progress.done);
        let left = self.left(progress);
        match moment {
            Moment::Generation(row) => self.row(row, &left),
            Moment::Scoring => {
                self.bar.set_message(format!("scoring the final policies, {left} left"));
                Ok(())
            }
        }
    }

    /// The time that is left, if every episode takes as long as those so far.
    pub fn left(&self, progress: Progress) -> String {
        clock((self.began.elapsed().as_secs_f64() / progress.done.max(1) as f64 * progress.left as f64).ceil())
    }

    fn row(&mut self, row: &GenerationRow, left: &str) -> Result<()> {
        self.diverged += row.diverged;
        let (episodes, steps) = (row.episodes - self.before.0, row.steps - self.before.1);
        let length = (episodes > 0).then(|| steps as f64 / episodes as f64);
        if self.json {
            let mut event = json!({ "event": "generation", "row": row.named() });
            if let Some(board) = &self.board {
                event["workers"] = json!(board.standing());
            }
            return self.json_line(event);
        }
        if self.quiet {
            return Ok(());
        }
        self.hint(row, length);
        if let Some(heldout) = row.heldout {
            self.curve.push(heldout.0);
            self.before = (row.episodes, row.steps);
            let workers = self.board.as_ref().map_or(String::new(), |board| crew::crew(&board.standing()));
            let line = self.table.row(row, heldout, &Shown { length, diverged: self.diverged });
            self.bar.suspend(|| print(&(line + &workers)))?;
        }
        let value = Some(row.center_return).filter(|value| value.is_finite());
        let value = value.map_or(String::new(), |value| format!("  return {}", score(value)));
        let length = length.map_or(String::new(), |length| format!("  length {length:.0}"));
        let curve = sparkline(&self.curve, if self.table.is_wide() { 24 } else { 8 });
        let (episodes, budget) = (thousands(row.episodes as f64, 0), thousands(self.budget as f64, 0));
        self.bar.set_message(format!("{left} left  {episodes}/{budget}  {curve}{value}{length}"));
        Ok(())
    }

    /// Tells once if the episodes end before anything can be learned.
    fn hint(&mut self, row: &GenerationRow, length: Option<f64>) {
        let short = length.is_some_and(|length| length <= FEW_STEPS) && self.horizon as f64 > 4.0 * FEW_STEPS;
        if self.hinted || row.generation < HINT_AFTER || !short {
            return;
        }
        self.hinted = true;
        let told = format!(
            "most episodes end within a few steps ({:.1} of {} on average); the task's `healthy` ranges, `reset` noise or \
             `frame_skip` may be too strict for this model",
            length.unwrap_or_default(),
            self.horizon
        );
        self.bar.suspend(|| note(&told));
    }

    pub fn end(&self, search: &Training, stop: &Stop) -> Result<()> {
        self.bar.finish_and_clear();
        let folder = search.folder.path().display();
        let score = |name: &str| {
            let policy = search.folder.read_policy(name).ok().flatten();
            policy.and_then(|policy| policy.score).unwrap_or(Value::Null)
        };
        let counts = self.board.as_ref().map(|board| board.counts());
        if self.json {
            let mut event = json!({
                "event": "end",
                "stop": stop.to_string(),
                "folder": search.folder.path(),
                "final": score(FINAL),
                "best": score(BEST),
            });
            if let Some(counts) = counts {
                event["workers"] = json!(counts);
            }
            return self.json_line(event);
        }
        if self.quiet {
            return Ok(());
        }
        if *stop == Stop::Interrupted {
            let saved = format!("saved      {folder}  (generation {})", search.state.generation);
            return print(&format!("{saved}\ncontinue   {}\n", self.again));
        }
        let number = |score: &Value, field: &str| score[field].as_f64().unwrap_or(f64::NAN);
        let tell = |name: &str, file: &str, what: &str| {
            let score = score(file);
            let [mean, std, median, min, fell] =
                ["mean", "std", "median", "min", "fell"].map(|field| number(&score, field));
            let mut spread = format!("median {median:.1}, min {min:.1}, {:.0}% fell", 100.0 * fell);
            if let Some(diverged) = score["diverged"].as_u64() {
                spread += &format!(", the physics broke down in {}", count(diverged as usize, "episode"));
            }
            format!("  {name:<8} {mean:>8.1} ± {std:<7.1} {what}\n{:<30}{spread}\n", "")
        };
        let mut text = format!("\ndone: {stop}\n\n");
        let fixed = search.run.settings.protocol == Some(Protocol::Paper);
        let fresh =
            if fixed { "the center, on 100 seeds not used in training" } else { "the center, on 100 fresh seeds" };
        text += &tell("final", FINAL, fresh);
        text += &tell("best", BEST, "the best policy found, on the same seeds");
        if let Some(counts) = counts.filter(|counts| *counts != Counts::default()) {
            text += &format!("\n  during the run: {}; the result is not affected\n", crew::troubles(&counts));
        }
        let best = path(&search.folder.file(BEST));
        text += &format!("\n  {best}\n  play it: locomotion eval {best}\n");
        print(&text)
    }

    fn json_line(&self, value: Value) -> Result<()> {
        print(&format!("{value}\n"))
    }
}
