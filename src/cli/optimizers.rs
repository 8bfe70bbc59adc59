use super::terminal::hanging;
use super::{print, print_json};
use crate::Result;
use crate::optim::OptimizerKind;
use clap::Args;
use console::Term;
use serde_json::json;

#[derive(Args)]
pub struct Optimizers {
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

impl Optimizers {
    pub fn run(self) -> Result<()> {
        if self.json {
            let row = |kind: &OptimizerKind| json!({ "optimizer": kind.name(), "about": about(*kind) });
            return print_json(&json!({ "optimizers": OptimizerKind::ALL.iter().map(row).collect::<Vec<_>>() }));
        }
        let line = |kind: &OptimizerKind| {
            hanging(&Term::stdout(), &format!("{:<22} {}", kind.name(), about(*kind)), 23) + "\n"
        };
        print(&OptimizerKind::ALL.iter().map(line).collect::<String>())
    }
}

fn about(kind: OptimizerKind) -> &'static str {
    match kind {
        OptimizerKind::SynCma => {
            "SynCMA (L4DC 2024): --variant steady, adaptive, matrix, exact or published, --lambda0"
        }
        OptimizerKind::CmaEs => "CMA-ES as in Hansen's tutorial, with negative weights",
        OptimizerKind::DdCma => "DD-CMA (Akimoto and Hansen 2020): CMA-ES with a fast diagonal next to its matrix",
        OptimizerKind::TrCma => "TR-CMA-ES (Abdolmaleki et al. 2017): each update bounded in KL divergence",
        OptimizerKind::DifferentialEvolution => "DE/rand/1/bin (Storn and Price 1997)",
        OptimizerKind::Annealing => {
            "simulated annealing, one candidate at a time; --batch sets the number of parallel walks"
        }
        OptimizerKind::Ars => {
            "Augmented Random Search (Mania, Guy and Recht 2018), V2 with --normalize running, else V1"
        }
        OptimizerKind::RandomSearch => "uniform in the box",
        OptimizerKind::Turbo => "TuRBO-1 (Eriksson et al. 2019), Bayesian optimization; stops after 5000 candidates",
    }
}
