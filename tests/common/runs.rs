//! Fabricated run folders for tests, in the format that `train` writes.

use super::policy_json;
use std::path::{Path, PathBuf};

pub const HEADER: &str = "generation,episodes,steps,seconds,center_return,heldout_mean,heldout_sd,best_return,\
batch_max,batch_q75,batch_median,batch_q25,batch_min,sigma,condition,diverged\n";

/// A fabricated run whose held-out return climbs to `top`, faster or slower depending on `seed`.
pub struct Fake {
    pub optimizer: &'static str,
    pub extra: &'static str,
    pub seed: u64,
    pub generations: usize,
    pub top: f64,
    pub rate: f64,
    pub finished: bool,
    /// Episodes of its score in which the physics broke down.
    pub diverged: u64,
}

impl Fake {
    pub fn new(optimizer: &'static str, seed: u64, top: f64) -> Self {
        Self { optimizer, extra: "", seed, generations: 20, top, rate: 4.0, finished: true, diverged: 0 }
    }

    /// The return of the deployable policy after this many generations.
    pub fn heldout(&self, generation: usize) -> f64 {
        let wiggle =
            ((generation as f64 * 2.3 + self.seed as f64 * 1.7).sin() + (generation as f64 * 0.9).cos()) * 0.02;
        let done = generation as f64 / self.generations as f64 * self.rate * (1.0 + 0.13 * (self.seed % 5) as f64);
        self.top * (1.0 - (-done * done / 2.0).exp()) * (1.0 + wiggle)
    }

    /// The center is evaluated in every second generation, and there is a best policy from the third one on.
    pub fn metrics(&self) -> String {
        let mut text = HEADER.to_string();
        let mut best = f64::NEG_INFINITY;
        for g in 1..=self.generations {
            let value = self.heldout(g);
            best = best.max(value * 1.03);
            let heldout = if g % 2 == 0 { format!("{value},3.5") } else { ",".into() };
            let known = if g > 2 { best.to_string() } else { String::new() };
            let (episodes, steps) = (g * 100, g * 100_000 + g * 37 * self.seed as usize);
            text += &format!("{g},{episodes},{steps},{}.5,{value},{heldout},{known},3,2,1,0,-1,0.1,1.5,0\n", g);
        }
        text
    }

    pub fn write(&self, root: &Path) -> PathBuf {
        let label = format!("{}{}", self.optimizer, self.extra.replace(['\n', '"', ' ', '='], ""));
        let folder = root.join("swimmer").join(label).join(format!("seed-{}", self.seed));
        std::fs::create_dir_all(&folder).unwrap();
        let settings = format!(
            "format = \"locomotion-run/1\"\n\n[program]\nversion = \"0.1.0\"\n\n[settings]\nenv = \"swimmer\"\n\
             optimizer = \"{}\"\nbatch = 100\nbudget = 2000\nseed = {}\n{}",
            self.optimizer, self.seed, self.extra
        );
        std::fs::write(folder.join("run.toml"), settings).unwrap();
        std::fs::write(folder.join("metrics.csv"), self.metrics()).unwrap();
        if self.finished {
            let mut policy = policy_json("swimmer", 8, 2, 0.1);
            let mean = self.heldout(self.generations);
            policy["score"] = serde_json::json!({ "mean": mean, "std": 1.0, "episodes": 100, "first_seed": 7 });
            if self.diverged > 0 {
                policy["score"]["diverged"] = self.diverged.into();
            }
            std::fs::write(folder.join("final.json"), policy.to_string()).unwrap();
        }
        folder
    }
}
