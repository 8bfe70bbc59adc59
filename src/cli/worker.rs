use super::interrupt::Interrupt;
use super::number;
use super::say;
use super::terminal::count;
use crate::plot::numbers::thousands;
use crate::rollout::broker::{Address, Desk, Heard, name_of_process, program, short, work};
use crate::{Result, threads};
use clap::Args;
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How often a busy worker reports what it has done.
const REPORT_EVERY: Duration = Duration::from_secs(10);
/// How long it waits for a task before it looks for other runs and checks whether it must stop.
const WAIT: Duration = Duration::from_millis(500);

#[derive(Args)]
pub struct Worker {
    /// The broker: redis://HOST:PORT, or rediss://HOST:PORT for TLS. A password may come from LOCOMOTION_REDIS_PASSWORD
    url: String,
    /// Threads; 0 means one per core
    #[arg(long, default_value_t = 0, allow_negative_numbers = true, value_parser = super::threads())]
    threads: usize,
    /// How long the broker may be unreachable before the worker gives up
    #[arg(long, value_name = "TIME", default_value = "5m")]
    patience: humantime::Duration,
}

/// What the worker has done, and when it last reported that.
struct Activity {
    reported: Instant,
    /// Episodes and busy seconds by run since then.
    runs: BTreeMap<String, (usize, f64)>,
    episodes: usize,
    rejected: u64,
}

impl Worker {
    /// Serves run after run until told to stop. Returns the exit code: 128 + the signal.
    pub fn run(self) -> Result<u8> {
        let address = Address::parse(&self.url)?;
        let threads = threads::count(number::threads(self.threads));
        let interrupt = Interrupt::listen()?;
        let activity =
            Mutex::new(Activity { reported: Instant::now(), runs: BTreeMap::new(), episodes: 0, rejected: 0 });
        let leave = interrupt.leave();
        let hear = |heard: Heard| activity.lock().unwrap_or_else(PoisonError::into_inner).hear(&heard);
        let desk = Desk::new(name_of_process(), &leave, WAIT, &hear);
        let many = count(threads, "thread");
        say(&format!("worker {} · program {} · {many} · {address}", desk.name, program()));
        let served = work(&address, threads, self.patience.into(), &desk);
        let activity = activity.into_inner().unwrap_or_else(PoisonError::into_inner);
        let mut end = format!("stopped after {} episodes", thousands(activity.episodes as f64, 0));
        if activity.rejected > 0 {
            end += &format!(", {} messages rejected", activity.rejected);
        }
        say(&end);
        served.map(|()| interrupt.code().unwrap_or(0))
    }
}

impl Activity {
    fn hear(&mut self, heard: &Heard) {
        match heard {
            Heard::Note(what) => say(what),
            Heard::Rejected(why) => {
                self.rejected += 1;
                say(&format!("rejected a message: {why} ({} so far)", self.rejected));
            }
            Heard::Done { run, task, episodes, seconds } => {
                let (count, busy) = self.runs.entry(format!("{} ({task})", short(run))).or_default();
                *count += episodes;
                *busy += seconds;
                self.episodes += episodes;
            }
        }
        let passed = self.reported.elapsed();
        if passed < REPORT_EVERY {
            return;
        }
        self.reported = Instant::now();
        for (run, (episodes, busy)) in std::mem::take(&mut self.runs) {
            let (rate, busy) = (episodes as f64 / passed.as_secs_f64(), busy / passed.as_secs_f64());
            say(&format!("run {run}: {episodes} episodes, {rate:.1} per second, {busy:.1} threads busy"));
        }
    }
}
