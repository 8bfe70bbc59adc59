//! The limits of a run, which are checked before it starts: numbers that files can hold, and the memory of this machine.

use super::objective::most_steps;
use crate::optim::{OptimizerKind, Variant, turbo};
use crate::settings::{Normalize, PartialSettings, Protocol, Space};
use crate::sim::Task;
use crate::{Error, Result};

/// TOML, in which run.toml is written, has signed integers.
const MOST: u64 = i64::MAX as u64;

/// Refuses numbers that make no sense, whatever the task.
pub fn check(settings: &PartialSettings) -> Result<()> {
    let counts = [
        ("budget", settings.budget),
        ("batch", settings.batch.map(|n| n as u64)),
        ("episodes_per_candidate", settings.episodes_per_candidate.map(|n| n as u64)),
        ("heldout_episodes", settings.heldout_episodes.map(|n| n as u64)),
        ("heldout_every", settings.heldout_every),
        ("segments", settings.segments.map(|n| n as u64)),
        ("training_steps", settings.training_steps.map(u64::from)),
    ];
    if let Some((field, _)) = counts.iter().find(|(_, value)| *value == Some(0)) {
        return Err(Error::usage(format!("`{field}` must be at least 1")).naming(&[field]));
    }
    if let Some(share) = settings.survival_share.filter(|share| !(0.0..=1.0).contains(share)) {
        let what = format!("`survival_share` is {share}: use a number from 0 to 1");
        return Err(Error::usage(what).naming(&["survival_share"]));
    }
    check_segments(settings)?;
    let seed = [("seed", settings.seed)];
    let too_large = |(_, value): &&(&str, Option<u64>)| value.is_some_and(|value| value > MOST);
    if let Some((field, _)) = counts.iter().chain(&seed).find(too_large) {
        return Err(Error::usage(format!("`{field}` must be at most {MOST}")).naming(&[field]));
    }
    Ok(())
}

/// Refuses what contradicts candidates that share episodes.
fn check_segments(settings: &PartialSettings) -> Result<()> {
    if settings.segments.unwrap_or(1) == 1 {
        return Ok(());
    }
    let wrong = |other: &'static str, what: &str| {
        let what = format!("with `segments` candidates share their episodes, but {what}");
        Err(Error::usage(what).hint("set `segments` to 1").naming(&["segments", other]))
    };
    if settings.episodes_per_candidate.is_some_and(|episodes| episodes > 1) {
        return wrong("episodes_per_candidate", "`episodes_per_candidate` gives them more than one of their own");
    }
    if settings.protocol == Some(Protocol::Paper) {
        return wrong("protocol", "`protocol` paper gives them ten of their own");
    }
    Ok(())
}

/// Refuses more segments than an episode has steps.
pub fn check_steps(settings: &PartialSettings, horizon: usize) -> Result<()> {
    let segments = settings.segments.unwrap_or(1);
    let steps = most_steps(settings, horizon);
    if segments > steps {
        let what = format!("`segments` is {segments}, but a training episode has {steps} steps");
        return Err(Error::usage(what).hint("use fewer segments").naming(&["segments"]));
    }
    Ok(())
}

/// Refuses a run that does not fit into the memory of this machine.
pub fn check_memory_for(settings: &PartialSettings, task: &Task) -> Result<()> {
    let (rows, columns) = (task.actions, task.observations);
    let weights = Space::new(settings, task)?.dim();
    check_memory(settings, (weights, columns), &format!("W has {rows} × {columns} numbers"))
}

/// Refuses a search for this many weights, with this many observations, that does not fit into the memory of this machine.
/// `what` tells its size.
///
/// # Errors
/// If it does not fit.
pub fn check_memory(settings: &PartialSettings, size: (usize, usize), what: &str) -> Result<()> {
    let (needed, free) = (needed(settings, size), free());
    if needed <= free {
        return Ok(());
    }
    let gigabytes = |bytes: f64| format!("{:.1} GB", bytes / 1e9);
    let what =
        format!("this needs at least {} of memory, but only {} are free\n  {what}", gigabytes(needed), gigabytes(free));
    let remedy = match has_square_matrix(settings) {
        true => "`variant steady` and `optimizer ars` need far less memory for a large W; so does a smaller `batch`",
        false => "lower `batch`, `episodes_per_candidate` or `heldout_episodes`",
    };
    let named = ["variant", "optimizer", "batch", "episodes_per_candidate", "heldout_episodes"];
    Err(Error::usage(what).hint(remedy).naming(&named))
}

/// Whether the search keeps matrices with a row and a column for every weight.
fn has_square_matrix(settings: &PartialSettings) -> bool {
    match settings.optimizer.unwrap_or_default() {
        OptimizerKind::SynCma => !matches!(settings.variant.unwrap_or_default(), Variant::Steady | Variant::Matrix),
        kind => matches!(kind, OptimizerKind::CmaEs | OptimizerKind::DdCma | OptimizerKind::TrCma),
    }
}

/// A lower bound on the bytes that a run needs, as a floating-point number, which does not overflow.
fn needed(settings: &PartialSettings, (weights, observations): (usize, usize)) -> f64 {
    const NUMBER: f64 = 8.0;
    /// An episode to run and how it went.
    const EPISODE: f64 = 100.0;
    let n = weights as f64;
    let batch = settings.batch.map_or(4.0 + 3.0 * n.max(1.0).ln(), |batch| batch as f64);
    // A covariance, its factor and room to update them; a generation as it is asked, kept, sent out and acted on.
    let matrices = if has_square_matrix(settings) { 3.0 * n * n } else { 0.0 };
    let model = match settings.optimizer {
        Some(OptimizerKind::Turbo) => settings.budget.unwrap_or(0).min(turbo::MOST_EVALUATIONS as u64) as f64 * n,
        _ => 0.0,
    };
    let candidates = 4.0 * batch * n + 8.0 * n;
    let seen = settings.normalize.as_ref().and_then(Normalize::observed).map_or(0.0, |_| 2.0 * NUMBER);
    let training = batch * settings.episodes_per_candidate.unwrap_or(1) as f64;
    let heldout = 2.0 * settings.heldout_episodes.unwrap_or(0) as f64;
    NUMBER * (matrices + model + candidates) + training * (EPISODE + seen * observations as f64) + heldout * EPISODE
}

/// The bytes that this process can still use, by the machine, its control group and its own limits. Infinite if nothing
/// is known.
fn free() -> f64 {
    let read = |file: &str| std::fs::read_to_string(file).unwrap_or_default();
    let number = |word: Option<&str>| word.and_then(|word| word.parse::<f64>().ok()).unwrap_or(f64::INFINITY);
    let field = |text: &str, name: &str, at: usize| {
        let line = text.lines().find(|line| line.starts_with(name)).map(|line| line[name.len()..].to_string());
        line.map_or(f64::INFINITY, |line| number(line.split_whitespace().nth(at)))
    };
    let machine = field(&read("/proc/meminfo"), "MemAvailable:", 0) * 1024.0;
    let group = number(read("/sys/fs/cgroup/memory.max").split_whitespace().next());
    let process = field(&read("/proc/self/limits"), "Max address space", 0);
    machine.min(group).min(process)
}

#[cfg(test)]
mod tests {
    use super::{check_memory_for, free, needed};
    use crate::optim::{OptimizerKind, Variant};
    use crate::settings::PartialSettings;
    use crate::sim;

    #[test]
    fn everything_that_ships_fits_and_absurd_sizes_do_not() {
        assert!(free() > 1e8);
        for name in sim::NAMES {
            let task = sim::find(name).unwrap();
            let steady = PartialSettings { variant: Some(Variant::Steady), ..PartialSettings::default() };
            assert!(needed(&steady, (task.actions * task.observations, task.observations)) < 5e7, "{name}");
            check_memory_for(&steady, &task).unwrap();
            let huge = [
                PartialSettings { batch: Some(1 << 60), ..steady.clone() },
                PartialSettings { heldout_episodes: Some(1 << 60), ..steady.clone() },
                PartialSettings { episodes_per_candidate: Some(1 << 62), batch: Some(4), ..steady.clone() },
            ];
            for settings in huge {
                let error = check_memory_for(&settings, &task).unwrap_err();
                assert_eq!(error.exit_code(), 2);
                assert!(error.message.contains("GB of memory"), "{error}");
            }
        }
        // 6,392 weights: 41 million entries per matrix.
        let humanoid = sim::find("humanoid").unwrap();
        let full = PartialSettings { optimizer: Some(OptimizerKind::CmaEs), ..PartialSettings::default() };
        assert!(
            (0.9e9..1.2e9).contains(&needed(&full, (humanoid.actions * humanoid.observations, humanoid.observations)))
        );
    }
}
