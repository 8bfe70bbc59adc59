use super::{print, print_json};
use crate::Result;
use crate::policy::PolicyFile;
use crate::run_folder::SHIPPED;
use clap::Args;
use serde_json::json;

#[derive(Args)]
pub struct Policies {
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

impl Policies {
    pub fn run(self) -> Result<()> {
        let mut rows = Vec::new();
        for (task, text) in SHIPPED {
            let policy = PolicyFile::from_text(text, format!("policies/{task}.json").as_ref())?;
            rows.push((task, policy.score.unwrap_or_default(), policy.provenance.unwrap_or_default()));
        }
        if self.json {
            let row = |(task, score, provenance): &(_, _, _)| json!({ "policy": task, "score": score, "provenance": provenance });
            return print_json(&json!({ "policies": rows.iter().map(row).collect::<Vec<_>>() }));
        }
        let number = |value: &serde_json::Value| value.as_f64().unwrap_or(f64::NAN);
        let mut table = format!(
            "{:<16} {:>8}   {:<7} {:>8} {:>8} {:>5} {:>8} {:>9}\n",
            "policy", "return", "", "median", "min", "fell", "diverged", "episodes"
        );
        for (task, score, provenance) in &rows {
            let [mean, std, median, min] = ["mean", "std", "median", "min"].map(|field| number(&score[field]));
            let fell = score["fell"].as_f64().map_or("–".to_string(), |share| format!("{:.0}%", 100.0 * share));
            // A score counts them only if there are any.
            let diverged = score["diverged"].as_u64().unwrap_or(0);
            let episodes = number(&provenance["episodes"]);
            table += &format!(
                "{task:<16} {mean:>8.1} ± {std:<7.1} {median:>8.1} {min:>8.1} {fell:>5} {diverged:>8} {episodes:>9}\n"
            );
        }
        print(&(table + NOTES))
    }
}

const NOTES: &str = "
return    mean ± standard deviation on 100 seeds not seen in training
fell      share of the episodes that ended unhealthy
diverged  episodes in which the physics broke down
play one: locomotion eval swimmer
";
