//! SynCMA `exact` at Humanoid's size (n = 6392, N = 100) stays within 3 GiB, checkpoint and resume included.
//!
//! `cargo bench --bench memory`

mod memory_peak;

use locomotion::optim::{Optimizer, Settings, Variant};
use memory_peak::peak;
use nalgebra::DVector;

fn main() {
    let settings = Settings { variant: Variant::Exact, batch: Some(100), ..Settings::default() };
    let mut search = settings.build(DVector::zeros(6392)).unwrap();
    for _ in 0..3 {
        let started = std::time::Instant::now();
        let candidates = search.ask();
        let loss: Vec<f64> = candidates.column_iter().map(|x| x.norm_squared()).collect();
        search.tell(&loss);
        println!("a generation: {:.2} s, peak {:.2} GiB", started.elapsed().as_secs_f64(), peak());
    }
    assert_eq!(search.stop(), None);
    let checkpoint = postcard::to_allocvec(&search).unwrap();
    println!("checkpoint: {:.2} GiB, peak {:.2} GiB", checkpoint.len() as f64 / (1u64 << 30) as f64, peak());
    drop(search);
    let mut search: locomotion::optim::AnyOptimizer = postcard::from_bytes(&checkpoint).unwrap();
    assert_eq!(search.ask().shape(), (6392, 100));
    println!("loaded: peak {:.2} GiB", peak());
    assert!(peak() < 3.0, "{} GiB", peak());
}
