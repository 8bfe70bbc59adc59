//! The settings of a run as a TOML file that `--config` reads back, each with its origin.

use crate::settings::{HeldOut, Resolved, Space};
use crate::{Result, sim};

/// Every setting with its value. Those that the optimizer chooses itself are shown with the values it will use, and
/// those without a value are comments.
pub fn text(resolved: &Resolved) -> Result<String> {
    let settings = &resolved.settings;
    let task = sim::find(settings.env.as_deref().unwrap_or_default())?;
    let space = Space::new(settings, &task)?;
    let own = settings.for_optimizer(space.shape()).with_defaults(space.dim())?;
    let own = serde_json::to_value(own).unwrap_or_default();
    let of_optimizer = |name: &str| own.get(name).filter(|value| value.is_number()).map(|value| value.to_string());
    let mut text = "# Settings of `locomotion train`; --config reads this file back.\n".to_string();
    for (name, value, origin) in resolved.explain() {
        let chosen = value.is_none() && origin == OPTIMIZERS;
        text += &match value.or_else(|| of_optimizer(name).filter(|_| chosen)) {
            Some(value) => format!("{:<24} # {origin}\n", format!("{name} = {value}")),
            None => format!("# {name}: {}\n", why(name, origin, &HeldOut::new(settings))),
        };
    }
    Ok(text)
}

/// What [`Resolved::explain`] says of a setting that no layer gives.
const OPTIMIZERS: &str = "the optimizer's default";

/// Why a setting has no value.
fn why(name: &str, origin: &'static str, heldout: &HeldOut) -> String {
    match name {
        _ if origin != OPTIMIZERS => origin.to_string(),
        "heldout_episodes" | "heldout_every" => {
            let (when, episodes) = heldout.told();
            format!("not set: the center plays {episodes} episodes at the start and {when}")
        }
        "target" | "time" => "not set: it does not end the run".to_string(),
        "survival_steps" | "survival_share" => "not set: 0".to_string(),
        "inputs" => "not set: all".to_string(),
        "symmetry" => "not set: every weight is free".to_string(),
        "training_steps" => "not set: training episodes run to the task's horizon".to_string(),
        _ => "not set: the optimizer chooses it".to_string(),
    }
}
