//! What a run is about: its task, optimizer, evaluation, budget and folder.

use crate::cli::terminal::count;
use crate::optim::{Optimizer, OptimizerKind};
use crate::plot::numbers::thousands;
use crate::run_folder::mujoco_version;
use crate::settings::{HeldOut, Inputs, Protocol, Symmetry};
use crate::train::Training;

pub fn head(search: &Training) -> String {
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
    let episodes = count(per, "episode");
    let target =
        settings.target.and_then(|target| target.0).map_or(String::new(), |target| format!("   target {target}"));
    let mut text = format!(
        "locomotion {} · MuJoCo {} · {}\n\n",
        env!("CARGO_PKG_VERSION"),
        mujoco_version(),
        count(search.threads(), "thread")
    );
    let (obs, act) = (task.observations, task.actions);
    text +=
        &format!("  task        {:<14} {obs} observations, {act} actions, W has {} numbers\n", task.name(), obs * act);
    let limits = [
        (settings.symmetry == Some(Symmetry::Mirror)).then_some("left and right are treated alike"),
        (settings.inputs == Some(Inputs::State)).then_some("only positions and velocities count"),
    ];
    let mut about_policies = format!("  policies    {:<14}", format!("{} free", search.state.optimizer.center().len()));
    for limit in limits.into_iter().flatten() {
        text += &format!("{about_policies} {limit}\n");
        about_policies = " ".repeat(28);
    }
    text += &format!("  optimizer   {about}\n");
    let steps =
        settings.training_steps.map_or(task.definition.horizon, |cut| task.definition.horizon.min(cut as usize));
    text += &format!("  evaluation  {episodes} of at most {steps} steps per candidate\n");
    if let Some(segments) = settings.segments.filter(|segments| *segments > 1) {
        text += &format!("              or two in each of {segments} segments, once the center lasts\n");
    }
    let (when, episodes) = HeldOut::new(settings).told();
    text += &format!("  held out    {}, at the start and {when}\n", count(episodes, "episode"));
    if settings.protocol == Some(Protocol::Paper) {
        text += "  protocol    paper: seeds 0 to 9 in lockstep, all stop when one ends; raw\n";
        text += "              observations, although the paper's code used the statistics of a\n";
        text += "              policy trained by ARS beforehand; scores use other seeds\n";
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
    text + "\n"
}
