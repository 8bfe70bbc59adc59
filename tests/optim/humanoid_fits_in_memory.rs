//! `exact` at n = 6392, Humanoid's number of weights, needs less than 3 GiB, its checkpoint included.
//!
//! Half a minute alone on a fast core: `cargo test --release --test humanoid_fits_in_memory -- --ignored --nocapture`.

use crate::common::losses;
use locomotion::optim::{Optimizer, Settings, Variant};
use nalgebra::DVector;

/// Most memory this process has ever held, in GiB.
fn peak() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<f64>().unwrap() / (1 << 20) as f64
}

#[test]
#[ignore = "takes half a minute and 2 GiB"]
fn three_generations_and_a_checkpoint() {
    let settings = Settings { variant: Variant::Exact, batch: Some(100), ..Settings::default() };
    let mut search = settings.build(DVector::zeros(6392)).unwrap();
    for _ in 0..3 {
        let started = std::time::Instant::now();
        let candidates = search.ask();
        search.tell(&losses(&candidates, |x| x.iter().map(|v| (v - 1.0).powi(2)).sum()));
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
