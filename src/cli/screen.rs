//! What a user sees of a run: the settings, a table, the end. With --json, JSON lines for programs.

use super::again::path;
use super::print;
use crate::Result;
use crate::optim::{Optimizer, OptimizerKind};
use crate::plot::numbers::thousands;
use crate::rollout::broker::{Board, Counts, Standing, WorkerRate};
use crate::run_folder::{BEST, FINAL, GenerationRow, mujoco_version};
use crate::settings::Protocol;
use crate::train::{Stop, Training};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use serde_json::{Value, json};
use std::fmt;
use std::io::IsTerminal;
use std::sync::Arc;

pub struct Screen {
    json: bool,
    quiet: bool,
    bar: ProgressBar,
    diverged: u64,
    /// The command that continues the run and its baseline.
    again: String,
    /// What is heard of workers on other machines.
    board: Option<Arc<Board>>,
}

/// So many workers are named; the others are only counted.
const NAMED: usize = 6;

impl Screen {
    pub fn new(search: &Training, json: bool, quiet: bool, again: String) -> Result<Self> {
        let budget = search.run.settings.budget.unwrap_or(0);
        let bar = ProgressBar::with_draw_target(Some(budget), ProgressDrawTarget::hidden());
        let style = ProgressStyle::with_template("  {bar:32} {pos}/{len} episodes  {rate}  {eta} left");
        let rate = |state: &ProgressState, out: &mut dyn fmt::Write| {
            let _ = write!(out, "{:.0} per second", state.per_sec());
        };
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()).with_key("rate", rate));
        bar.set_position(search.state.episodes);
        bar.reset_eta();
        let board = search.workers.as_ref().map(|broker| broker.board.clone());
        let screen = Self { json, quiet, bar, diverged: 0, again, board };
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
            search.notes.iter().for_each(|note| super::note(note));
            print(&head(search))?;
            // Not earlier, or the first line of the bar would appear above the head.
            if std::io::stderr().is_terminal() {
                screen.bar.set_draw_target(ProgressDrawTarget::stderr());
            }
        }
        Ok(screen)
    }

    pub fn row(&mut self, row: &GenerationRow) -> Result<()> {
        self.bar.set_position(row.episodes);
        self.diverged += row.diverged;
        if self.json {
            let mut event = json!({ "event": "generation", "row": row });
            if let Some(board) = &self.board {
                event["workers"] = json!(board.standing());
            }
            return self.json_line(event);
        }
        match row.heldout {
            Some(heldout) if !self.quiet => {
                let workers = self.board.as_ref().map_or(String::new(), |board| crew(&board.standing()));
                self.bar.suspend(|| print(&(line(row, heldout, self.diverged) + &workers)))
            }
            _ => Ok(()),
        }
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
            let mut spread = format!("median {median:.1}, least {min:.1}, {:.0} % fell", 100.0 * fell);
            if let Some(diverged) = score["diverged"].as_u64() {
                spread += &format!(", the physics broke down in {diverged}");
            }
            format!("  {name:<8} {mean:>8.1} ± {std:<7.1} {what}\n{:<30}{spread}\n", "")
        };
        let mut text = format!("\ndone: {stop}\n\n");
        let fixed = search.run.settings.protocol == Some(Protocol::Paper);
        let fresh = if fixed {
            "the center, on 100 seeds other than those of training"
        } else {
            "the center, on 100 fresh seeds"
        };
        text += &tell("final", FINAL, fresh);
        text += &tell("best", BEST, "the best policy found and confirmed, on the same 100 fresh seeds");
        if let Some(counts) = counts.filter(|counts| *counts != Counts::default()) {
            text += &format!("\n  on the way: {}; the result is not affected\n", troubles(&counts));
        }
        let best = path(&search.folder.file(BEST));
        text += &format!("\n  {best}   play it: locomotion eval {best}\n");
        print(&text)
    }

    fn json_line(&self, value: Value) -> Result<()> {
        print(&format!("{value}\n"))
    }
}

fn head(search: &Training) -> String {
    let (task, settings) = (&search.task, &search.run.settings);
    let optimizer = settings.optimizer.unwrap_or_default();
    let diagnostics = search.state.optimizer.diagnostics();
    let mut about = match optimizer {
        OptimizerKind::SynCma => format!("SynCMA         variant {}   ", settings.variant.unwrap_or_default().name()),
        other => format!("{:<15}", other.name()),
    };
    if let Some(lambda0) = settings.lambda0 {
        about += &format!("lambda0 {lambda0}   ");
    }
    if let Some(batch) = settings.batch {
        about += &format!("batch {batch}   ");
    }
    about += &format!("sigma {:.3}", diagnostics.sigma);
    let per = settings.episodes_per_candidate.unwrap_or(1);
    let episodes = if per == 1 { "1 episode".into() } else { format!("{per} episodes") };
    let target = settings.target.map_or(String::new(), |target| format!("   target {target}"));
    let mut text = format!(
        "locomotion {} · MuJoCo {} · {} threads\n\n",
        env!("CARGO_PKG_VERSION"),
        mujoco_version(),
        search.threads()
    );
    let (obs, act) = (task.observations, task.actions);
    text +=
        &format!("  task        {:<14} {obs} observations, {act} actions, W has {} numbers\n", task.name(), obs * act);
    text += &format!("  optimizer   {about}\n");
    text += &format!(
        "  evaluation  {episodes} of at most {} steps per candidate   held out: {} episodes\n",
        task.definition.horizon,
        settings.heldout_episodes.unwrap_or(20)
    );
    if settings.protocol == Some(Protocol::Paper) {
        text += "  protocol    paper: seeds 0 to 9 in lockstep, all stop when one ends; raw observations, although the paper's\n";
        text +=
            "              code used the statistics of a policy trained by ARS beforehand; scores use other seeds\n";
    }
    text += &format!("  budget      {} episodes{target}\n", thousands(settings.budget.unwrap_or(0) as f64, 0));
    if let Some(broker) = &search.workers {
        let timeout = humantime::format_duration(broker.task_timeout);
        text += &format!("  workers     {}   task timeout {timeout}\n", broker.address);
    }
    text += &format!("  output      {}\n", search.folder.path().display());
    if search.state.generation > 0 {
        text += &format!("  continues   after generation {}\n", search.state.generation);
    }
    text + "\n   gen   episodes    steps     time    center    held out            best   sigma     cond   lost\n"
}

fn line(row: &GenerationRow, (mean, sd): (f64, f64), diverged: u64) -> String {
    let best = row.best_return.map_or("–".into(), |best| format!("{best:.1}"));
    // A mean with a diverged episode is no number.
    let number = |value: f64| if value.is_finite() { format!("{value:.1}") } else { "diverged".to_string() };
    let (center, mean) = (number(row.center_return), number(mean));
    format!(
        "{:>6} {:>10} {:>8} {:>8} {center:>9} {mean:>9} ± {sd:<7.1} {best:>7} {:>7.3} {:>8.1e} {diverged:>6}\n",
        row.generation,
        thousands(row.episodes as f64, 0),
        format!("{:.1}M", row.steps as f64 / 1e6),
        clock(row.seconds),
        row.sigma,
        row.condition,
    )
}

/// The workers and their rates.
fn crew(standing: &Standing) -> String {
    let workers = &standing.workers;
    let threads: usize = workers.iter().map(|worker| worker.threads).sum();
    let rate: f64 = workers.iter().map(|worker| worker.episodes_per_second).sum();
    let each = |worker: &WorkerRate| format!("{} {:.1}", worker.name, worker.episodes_per_second);
    let named: Vec<String> = workers.iter().take(NAMED).map(each).collect();
    let more = workers.len().saturating_sub(NAMED);
    let more = if more > 0 { format!(", {more} more") } else { String::new() };
    let many = |count: usize, what: &str| format!("{count} {what}{}", if count == 1 { "" } else { "s" });
    let (workers, threads) = (many(workers.len(), "worker"), many(threads, "thread"));
    format!("       {workers}, {threads}, {rate:.1} episodes/s: {}{more}\n", named.join(", "))
}

/// What did not go straight, where anything did not.
fn troubles(counts: &Counts) -> String {
    let all = [
        (counts.resent, "tasks sent again"),
        (counts.duplicates, "late or double results ignored"),
        (counts.rejected, "messages rejected"),
        (counts.refused, "workers refused"),
        (counts.recovered, "recoveries of the broker"),
    ];
    let told: Vec<String> =
        all.into_iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}")).collect();
    told.join(", ")
}

fn clock(seconds: f64) -> String {
    let s = seconds as u64;
    match s / 3600 {
        0 => format!("{}:{:02}", s / 60, s % 60),
        hours => format!("{hours}:{:02}:{:02}", s / 60 % 60, s % 60),
    }
}
