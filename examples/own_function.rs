//! Minimizes a function of your own: `cargo run --release --no-default-features --example own_function`.

use locomotion::nalgebra::DVector;
use locomotion::optim::{Optimizer, OptimizerKind, Settings, SettingsError};

/// A narrow valley along the parabola y = x², lowest at (1, 1).
fn loss(x: &[f64]) -> f64 {
    100.0 * (x[1] - x[0] * x[0]).powi(2) + (1.0 - x[0]).powi(2)
}

fn main() -> Result<(), SettingsError> {
    let settings = Settings { optimizer: OptimizerKind::CmaEs, sigma: Some(0.5), seed: 1, ..Settings::default() };
    let mut search = settings.build(DVector::from_vec(vec![-1.0, 1.0]))?;
    while search.stop().is_none() {
        let candidates = search.ask(); // one per column
        let losses: Vec<f64> = candidates.column_iter().map(|x| loss(x.as_slice())).collect();
        search.tell(&losses);
    }
    let found = search.center();
    println!("{:.4?} after {} generations", found.as_slice(), search.diagnostics().generation);
    assert!((found - DVector::from_vec(vec![1.0, 1.0])).norm() < 1e-4);
    Ok(())
}
