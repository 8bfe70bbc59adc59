//! What the screen says about workers on other machines.

use crate::cli::terminal::count;
use crate::rollout::broker::{Counts, Standing, WorkerRate};

/// How many workers are named. The others are only counted.
const NAMED: usize = 6;

/// The workers and their rates.
pub fn crew(standing: &Standing) -> String {
    let workers = &standing.workers;
    let threads: usize = workers.iter().map(|worker| worker.threads).sum();
    let rate: f64 = workers.iter().map(|worker| worker.episodes_per_second).sum();
    let each = |worker: &WorkerRate| format!("{} {:.1}", worker.name, worker.episodes_per_second);
    let named: Vec<String> = workers.iter().take(NAMED).map(each).collect();
    let more = workers.len().saturating_sub(NAMED);
    let more = if more > 0 { format!(", {more} more") } else { String::new() };
    let (workers, threads) = (count(workers.len(), "worker"), count(threads, "thread"));
    format!("       {workers}, {threads}, {rate:.1} episodes/s: {}{more}\n", named.join(", "))
}

/// What went wrong during the run, or an empty text.
pub fn troubles(counts: &Counts) -> String {
    let all = [
        (counts.resent, "tasks sent again"),
        (counts.duplicates, "late or duplicate results ignored"),
        (counts.rejected, "messages rejected"),
        (counts.refused, "workers refused"),
        (counts.recovered, "broker recoveries"),
    ];
    let told: Vec<String> =
        all.into_iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}")).collect();
    told.join(", ")
}
