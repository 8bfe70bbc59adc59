//! The cost of TuRBO up to its limit: 5,000 evaluations of Ackley's function in 102 dimensions, 100 at a time, within 3
//! GiB.
//!
//! `cargo bench --bench turbo -- [DIMENSION] [BATCH] [EVALUATIONS]`

mod memory_peak;

use locomotion::benchmark::functions::Function;
use locomotion::optim::{Bounds, Optimizer, OptimizerKind, Settings};
use memory_peak::peak;
use nalgebra::DVector;
use std::time::Instant;

fn main() {
    let mut numbers = std::env::args().skip(1).filter_map(|a| a.parse().ok());
    let mut number = |default: usize| numbers.next().unwrap_or(default);
    let (d, batch, evaluations) = (number(102), number(100), number(5000));
    let (low, high) = Function::START;
    let bounds = Bounds::Clip { low, high };
    let settings = Settings { optimizer: OptimizerKind::Turbo, bounds, batch: Some(batch), ..Settings::default() };
    let mut search = settings.build(DVector::repeat(d, 0.5 * (low + high))).expect("sound settings");
    let (started, mut longest) = (Instant::now(), 0f64);
    for generation in 0..evaluations.div_ceil(batch) {
        let asked = Instant::now();
        let candidates = search.ask();
        let took = asked.elapsed().as_secs_f64();
        longest = longest.max(took);
        let loss: Vec<f64> = candidates.column_iter().map(|x| Function::Ackley.value(x.as_slice())).collect();
        search.tell(&loss);
        let best = Function::Ackley.value(search.center().as_slice());
        let told = (generation + 1) * batch;
        println!("{told:5} evaluations: ask {took:7.3} s, best {best:8.4}, sigma {:.3}", search.diagnostics().sigma);
    }
    let total = started.elapsed().as_secs_f64();
    println!("in all {total:.1} s, longest ask {longest:.1} s, peak {:.2} GiB, {:?}", peak(), search.stop());
    assert!(peak() < 3.0, "{} GiB", peak());
}
