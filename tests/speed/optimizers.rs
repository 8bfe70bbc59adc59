//! The cost of one ask + tell at n = 888, N = 100 (Ant) on one thread, compared with one Cholesky factorization of that
//! size.
//!
//! `cargo bench --bench optimizers -- [n] [N] [p] [NAME]`, where p is the number of rows that `matrix` makes of n and
//! NAME selects one contestant: `6392 100 17 matrix` is Humanoid's size, where the others take seconds. Contestants
//! take turns, so that a busy machine slows all of them alike. It prints the shortest time, which a busy machine
//! disturbs least, the median, and the mean, because CMA-ES decomposes its matrix only every few generations.

use std::hint::black_box;
use std::time::Instant;

use locomotion::optim::cma_es::{CmaConstants, CmaEs};
use locomotion::optim::{AnyOptimizer, Optimizer, OptimizerKind, Settings, Variant, linalg};
use nalgebra::{DMatrix, DVector};

const ROUNDS: usize = 31;

fn milliseconds(mut work: impl FnMut()) -> f64 {
    let start = Instant::now();
    work();
    start.elapsed().as_secs_f64() * 1e3
}

struct Times {
    least: f64,
    median: f64,
    mean: f64,
}

fn times(mut all: Vec<f64>) -> Times {
    all.sort_by(f64::total_cmp);
    Times { least: all[0], median: all[all.len() / 2], mean: all.iter().sum::<f64>() / all.len() as f64 }
}

/// The times of one ask and tell.
fn generation(search: &mut AnyOptimizer) -> f64 {
    let mut candidates = DMatrix::zeros(0, 0);
    let ask = milliseconds(|| candidates = search.ask());
    let loss: Vec<f64> = candidates.column_iter().map(|x| x.norm_squared()).collect();
    let tell = milliseconds(|| search.tell(&loss));
    assert_eq!(search.stop(), None, "a stopped search does no work");
    ask + tell
}

fn main() {
    let mut numbers = std::env::args().skip(1).filter_map(|a| a.parse::<usize>().ok());
    let mut number = |default| numbers.next().unwrap_or(default);
    let (n, batch, rows) = (number(888), number(100), number(8));
    let wanted = std::env::args().skip(1).find(|a| !a.starts_with('-') && a.parse::<usize>().is_err());
    let syncma = |variant| Settings { variant, ..Settings::default() };
    let contestants = [
        ("syncma matrix", Settings { shape: Some((rows, n / rows)), ..syncma(Variant::Matrix) }),
        ("syncma exact", syncma(Variant::Exact)),
        ("syncma adaptive", syncma(Variant::Adaptive)),
        ("syncma published", syncma(Variant::Published)),
        ("cma-es", Settings { optimizer: OptimizerKind::CmaEs, ..Settings::default() }),
    ];
    let contestants = contestants.into_iter().filter(|(name, _)| wanted.as_ref().is_none_or(|w| name.contains(w)));
    let mut searches: Vec<_> = contestants
        .map(|(name, settings)| {
            let settings = Settings { sigma: Some(0.1), batch: Some(batch), ..settings };
            (name, settings.build(DVector::from_element(n, 1.0)).expect("sound settings"), Vec::new())
        })
        .collect();
    if wanted.is_some() {
        for (name, mut search, mut told) in searches {
            told.extend((0..ROUNDS + 3).map(|_| generation(&mut search)));
            let Times { least, median, mean } = times(told.split_off(3));
            println!("n = {n}, N = {batch}, {name}: least {least:.2}, median {median:.2}, mean {mean:.2} ms");
        }
        return;
    }
    let covariance = DMatrix::from_fn(n, n, |i, j| 0.99f64.powi((i as i32 - j as i32).abs()));
    let mut factor = DMatrix::zeros(n, n);
    let (mut cholesky, mut eigen) = (Vec::new(), Vec::new());
    for round in 0..ROUNDS + 3 {
        let factorized = milliseconds(|| linalg::cholesky_into(&covariance, &mut factor).expect("positive definite"));
        let decomposed = (round % 8 == 3).then(|| milliseconds(|| drop(black_box(linalg::eigen(&covariance)))));
        let told: Vec<f64> = searches.iter_mut().map(|(_, search, _)| generation(search)).collect();
        // The first rounds warm up caches and memory.
        if round >= 3 {
            cholesky.push(factorized);
            eigen.extend(decomposed);
            searches.iter_mut().zip(told).for_each(|((.., times), told)| times.push(told));
        }
    }
    let unit = times(cholesky);
    println!("n = {n}, N = {batch}, one thread, {ROUNDS} rounds, in ms and in units of the Cholesky factorization");
    println!("{:18} {:>8} {:>8} {:>8}   {:>6} {:>6} {:>6}", "", "least", "median", "mean", "least", "median", "mean");
    let print = |name: &str, t: &Times| {
        let ratios = [t.least / unit.least, t.median / unit.median, t.mean / unit.mean];
        let [least, median, mean] = ratios;
        println!("{name:18} {:8.2} {:8.2} {:8.2}   {least:6.2} {median:6.2} {mean:6.2}", t.least, t.median, t.mean);
    };
    print("faer Cholesky", &unit);
    print("faer eigen", &times(eigen));
    for (name, _, told) in searches {
        print(name, &times(told));
    }
    cma_es_beside_its_eigendecomposition(n, batch);
}

/// CMA-ES renews its eigendecomposition every few generations. This compares a generation with its share of that cost.
fn cma_es_beside_its_eigendecomposition(n: usize, batch: usize) {
    let period = CmaConstants::tutorial(n, batch).eigen_gap.ceil() as usize;
    let settings =
        Settings { optimizer: OptimizerKind::CmaEs, sigma: Some(0.1), batch: Some(batch), ..Settings::default() };
    let mut cma = CmaEs::new(&settings, DVector::repeat(n, 1.0)).expect("sound settings");
    let (mut generations, mut shares) = (Vec::new(), Vec::new());
    for _ in 0..15 {
        generations.push(milliseconds(|| {
            for _ in 0..period {
                let loss: Vec<f64> = cma.ask().column_iter().map(|x| x.norm_squared()).collect();
                cma.tell(&loss);
            }
        }));
        let covariance = cma.covariance();
        shares.push(milliseconds(|| drop(black_box(linalg::eigen(&covariance)))));
    }
    let (generations, shares) = (times(generations), times(shares));
    println!(
        "cma-es, {period} generations with one eigendecomposition: {:.2} x that decomposition (median; least {:.2} x)",
        generations.median / shares.median,
        generations.least / shares.least
    );
}
