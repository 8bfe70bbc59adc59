//! Trains a robot of your own, given by a TOML file next to its MJCF model:
//! `cargo run --release --no-default-features --features mujoco --example own_robot`.

use locomotion::Result;
use locomotion::nalgebra::DVector;
use locomotion::optim::{Optimizer, Settings};
use locomotion::policy::LinearPolicy;
use locomotion::rollout::{Evaluator, Job};
use locomotion::sim::Task;
use locomotion::statistics::mean;
use std::path::Path;

fn main() -> Result<()> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/own_robot/cart_pole.toml");
    let task = Task::load(&file)?;
    let evaluator = Evaluator::new(&task, 0)?; // one thread per core
    let policy = |weights: &[f64]| LinearPolicy::from_rows(weights, task.observations, None);

    let mut search =
        Settings { sigma: Some(0.5), ..Settings::default() }.build(DVector::zeros(task.observations * task.actions))?;
    for generation in 0..40 {
        let candidates = search.ask(); // one policy's weights per column
        let policies: Vec<LinearPolicy> = candidates.column_iter().map(|x| policy(x.as_slice())).collect();
        let jobs: Vec<Job> = (0..policies.len()).map(|policy| Job { policy, seed: generation }).collect();
        let losses: Vec<f64> = evaluator.run(&policies, &jobs).iter().map(|episode| episode.loss()).collect();
        search.tell(&losses);
    }

    let episodes = evaluator.run_seeds(&policy(search.center().as_slice()), 1000, 20);
    let score = mean(&episodes.iter().map(|episode| episode.value).collect::<Vec<_>>());
    println!("{}: mean return {score:.0} of at most {} on 20 fresh seeds", task.name(), task.definition.horizon);
    assert!(score > 450.0);
    Ok(())
}
