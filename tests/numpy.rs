//! Seeds and sums are numpy's, bit for bit. Data: tests/data/make_golden.py.

#![cfg(feature = "cli")]

mod common;

use common::{bits, data, digest};
use locomotion::sim::numpy_rng::NumpyRng;
use locomotion::sim::numpy_sum::{numpy_sum, numpy_sum_of_squares};
use serde_json::Value;

fn draws(n: usize, mut draw: impl FnMut() -> f64) -> Vec<f64> {
    (0..n).map(|_| draw()).collect()
}

#[test]
fn the_generator_draws_numpys_numbers() {
    let cases: Vec<Value> = data("numpy_random.json");
    assert!(cases.len() >= 9);
    for case in &cases {
        let seed = case["seed"].as_u64().unwrap();
        let numbers = |field: &str| -> Vec<f64> { serde_json::from_value(case[field].clone()).unwrap() };
        let mut rng = NumpyRng::new(seed);
        assert_eq!(bits(&draws(8, || rng.uniform(-1.0, 1.0))), bits(&numbers("uniform")), "uniform, seed {seed}");
        let mut rng = NumpyRng::new(seed);
        assert_eq!(bits(&draws(8, || rng.standard_normal())), bits(&numbers("normal")), "normal, seed {seed}");
        let mut rng = NumpyRng::new(seed);
        let many = draws(200_000, || rng.standard_normal());
        assert_eq!(digest(&many), case["normal_200000_sha256"], "200,000 normals, seed {seed}");
        let mut rng = NumpyRng::new(seed);
        let mut mixed = Vec::new();
        for _ in 0..100 {
            mixed.extend(draws(15, || rng.uniform(-0.1, 0.1)));
            mixed.extend(draws(14, || rng.standard_normal()));
        }
        assert_eq!(digest(&mixed), case["mixed_sha256"], "mixed, seed {seed}");
    }
}

#[test]
fn sums_round_like_numpys() {
    let cases: Vec<Value> = data("numpy_sums.json");
    for case in &cases {
        let (seed, n) = (case["seed"].as_u64().unwrap(), case["n"].as_u64().unwrap() as usize);
        let mut rng = NumpyRng::new(seed);
        let vector = draws(n, || rng.standard_normal());
        let expected = |field: &str| u64::from_str_radix(case[field].as_str().unwrap(), 16).unwrap();
        assert_eq!(numpy_sum(&vector).to_bits(), expected("sum"), "sum of {n}");
        assert_eq!(numpy_sum_of_squares(&vector).to_bits(), expected("sum_of_squares"), "squares of {n}");
    }
}
