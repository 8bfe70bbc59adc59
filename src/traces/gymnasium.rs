//! The Gymnasium environment that a task matches, in the format of Gymnasium's `spec.to_json()`.

use crate::sim::{self, Task};
use serde_json::{Value, json};

/// Gymnasium's name, its module, and the return at which it considers the environment solved.
const ENVIRONMENTS: [(&str, &str, Option<f64>); 6] = [
    ("Swimmer", "swimmer", Some(360.0)),
    ("Hopper", "hopper", Some(3800.0)),
    ("HalfCheetah", "half_cheetah", Some(4800.0)),
    ("Walker2d", "walker2d", None),
    ("Ant", "ant", Some(6000.0)),
    ("Humanoid", "humanoid", None),
];

/// Returns the specification that rebuilds the environment, or `None` for a task that Gymnasium does not have.
pub fn env_spec(task: &Task) -> Option<Value> {
    if !sim::is_built_in(task) {
        return None;
    }
    let id = task.definition.gymnasium.as_deref()?;
    let (name, version) = id.rsplit_once("-v")?;
    let (_, module, threshold) = ENVIRONMENTS.iter().find(|(known, ..)| *known == name)?;
    // Our Ant observes contact forces in both versions. Gymnasium's v4 does so only on request.
    let kwargs = if id == "Ant-v4" { json!({ "use_contact_forces": true }) } else { json!({}) };
    Some(json!({
        "id": id,
        "entry_point": format!("gymnasium.envs.mujoco.{module}_v{version}:{name}Env"),
        "reward_threshold": threshold,
        "nondeterministic": false,
        "max_episode_steps": task.definition.horizon,
        "order_enforce": true,
        "disable_env_checker": false,
        "kwargs": kwargs,
        "additional_wrappers": [],
        "vector_entry_point": null,
    }))
}
