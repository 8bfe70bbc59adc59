use super::number::flag;
use super::terminal::hanging;
use super::{print, print_json};
use crate::sim::{self, Task};
use crate::{Error, Result};
use clap::Args;
use console::Term;
use serde_json::json;

#[derive(Args)]
pub struct Envs {
    /// Print this task's TOML definition, as a starting point for your own
    #[arg(long, value_name = "TASK", value_parser = flag::<String>(), hide_possible_values = true)]
    show: Option<String>,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

impl Envs {
    pub fn run(self) -> Result<()> {
        if let Some(name) = &self.show {
            let known = sim::text(name);
            return match known {
                Some(text) => print(text),
                None => Err(sim::find(name).err().unwrap_or_else(|| Error::usage(format!("`{name}` is not built in")))),
            };
        }
        let tasks = sim::NAMES.iter().map(|name| sim::find(name)).collect::<Result<Vec<_>>>()?;
        if self.json {
            let rows: Vec<_> = tasks.iter().map(|task| describe(task)).collect();
            return print_json(&json!({ "tasks": rows }));
        }
        let mut table = format!("{:<16} {:>5} {:>4} {:>5}  {}\n", "task", "obs", "act", "W", "rules of");
        for task in &tasks {
            let rules = task.definition.gymnasium.as_deref().unwrap_or("its own");
            let (obs, act) = (task.observations, task.actions);
            let (w, about) = (obs * act, &task.definition.about);
            let line = format!("{:<16} {obs:>5} {act:>4} {w:>5}  {rules:<15} {about}", task.name());
            table += &(hanging(&Term::stdout(), &line, 51) + "\n");
        }
        print(&table)
    }
}

fn describe(task: &Task) -> serde_json::Value {
    let definition = &task.definition;
    json!({
        "task": task.name(),
        "about": definition.about,
        "gymnasium": definition.gymnasium,
        "observations": task.observations,
        "actions": task.actions,
        "parameters": task.observations * task.actions,
        "frame_skip": definition.frame_skip,
        "dt": task.dt(),
        "horizon": definition.horizon,
        "model": definition.model,
        "model_sha256": task.model_sha256,
        "yardsticks": definition.yardsticks.iter().map(|y| json!({ "return": y.value, "what": y.what })).collect::<Vec<_>>(),
    })
}
