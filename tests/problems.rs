//! Problems without a simulator: what moving and rotating must not change, and the rover compared with its reference.

#![cfg(feature = "cli")]

mod common;

use locomotion::benchmark::rover::{self, PLACES};
use locomotion::benchmark::{Function, Instance, Problem, Rover, Synthetic};
use locomotion::random::{Purpose, stream};
use locomotion::statistics::{mean, ranks, standard_deviation};
use nalgebra::{DMatrix, DVector};
use rand::RngExt;
use serde::Deserialize;

const DIM: usize = 12;

fn instance(function: Function, moved: bool, rotated: bool, seed: u64) -> Instance {
    Synthetic { function, dim: DIM, moved, rotated }.instance(seed)
}

fn points(count: u64) -> Vec<DVector<f64>> {
    let mut random = stream(3, Purpose::Bootstrap, 0, 0);
    (0..count).map(|_| DVector::from_fn(DIM, |_, _| random.random_range(-5.0..10.0))).collect()
}

#[test]
fn an_instance_neither_moved_nor_rotated_is_the_function_bit_for_bit() {
    for function in Function::ALL {
        for x in points(10) {
            let (ours, plain) = (instance(function, false, false, 7).value(x.as_slice()), function.value(x.as_slice()));
            assert_eq!(ours.to_bits(), plain.to_bits(), "{}", function.name());
        }
    }
}

#[test]
fn the_value_at_the_optimum_is_zero_and_lower_nowhere() {
    for function in Function::ALL {
        for (moved, rotated) in [(false, false), (true, false), (false, true), (true, true)] {
            for seed in 0..5 {
                let problem = instance(function, moved, rotated, seed);
                let least = problem.value(problem.optimum().as_slice());
                assert!(least.abs() < 1e-12, "{}: {least}", function.name());
                for x in points(20) {
                    assert!(problem.value(x.as_slice()) > least);
                }
            }
        }
    }
}

#[test]
fn a_moved_function_is_the_function_seen_from_elsewhere() {
    for function in Function::ALL {
        let problem = instance(function, true, false, 4);
        for x in points(5) {
            let seen = x.add_scalar(-function.argmin()) + problem.optimum();
            let (ours, plain) = (problem.value(seen.as_slice()), function.value(x.as_slice()));
            assert!((ours - plain).abs() <= 1e-9 * plain.abs().max(1.0), "{}: {ours}, {plain}", function.name());
        }
    }
}

#[test]
fn moved_optima_are_uniform_in_their_box_and_differ_by_seed() {
    let all: Vec<f64> = (0..400)
        .flat_map(|seed| instance(Function::Rosenbrock, true, true, seed).optimum().as_slice().to_vec())
        .collect();
    assert!(all.iter().all(|v| (-3.0..3.0).contains(v)));
    // These are 4800 numbers: the mean is within 0.1 and the deviation, 6/√12, within 0.05, four standard errors each.
    assert!(mean(&all).abs() < 0.1, "{}", mean(&all));
    assert!((standard_deviation(&all) - 6.0 / 12f64.sqrt()).abs() < 0.05, "{}", standard_deviation(&all));
}

#[test]
fn rotations_are_orthogonal_proper_and_favor_no_direction() {
    let mut middle = DMatrix::zeros(DIM, DIM);
    for seed in 0..300 {
        let problem = instance(Function::Ackley, false, true, seed);
        let rotation = problem.rotation().unwrap();
        let error = (rotation.transpose() * rotation - DMatrix::identity(DIM, DIM)).abs().max();
        assert!(error < 1e-13, "{error}");
        assert!((rotation.determinant() - 1.0).abs() < 1e-12);
        middle += rotation / 300.0;
    }
    // Entries have variance 1/12, so these means have a standard error of 0.017. A QR with arbitrary signs would be off
    // by 0.2.
    assert!(middle.abs().max() < 0.09, "{middle:.2}");
}

#[test]
fn rotating_changes_no_function_of_the_distance() {
    for x in points(10) {
        let (plain, turned) = (instance(Function::Sphere, true, false, 1), instance(Function::Sphere, true, true, 1));
        let (a, b) = (plain.value(x.as_slice()), turned.value(x.as_slice()));
        assert!((a - b).abs() < 1e-12 * a);
    }
}

/// The content of tests/data/rover.json: inputs and values of the reference.
#[derive(Deserialize)]
struct Golden {
    random: Vec<Pair>,
    made: Vec<Pair>,
}

#[derive(Deserialize)]
struct Pair {
    x: Vec<f64>,
    value: f64,
}

#[test]
fn the_rover_agrees_with_the_reference_to_1e_12() {
    let Golden { random, made } = common::data("rover.json");
    assert_eq!((random.len(), made.len()), (20, 4));
    for Pair { x, value } in random.iter().chain(&made) {
        let ours = Rover.value(x);
        assert!((ours - value).abs() < 1e-12 * value.abs(), "{ours} instead of {value}");
    }
}

#[test]
fn the_rover_clips_to_its_box() {
    let mut random = stream(9, Purpose::Bootstrap, 0, 0);
    let x: Vec<f64> = (0..60).map(|_| random.random_range(-1.0..2.0)).collect();
    let inside: Vec<f64> = x.iter().map(|v| v.clamp(0.0, 1.0)).collect();
    assert_eq!(Rover.value(&x).to_bits(), Rover.value(&inside).to_bits());
}

#[test]
fn a_rover_path_of_coinciding_points_stays_finite_and_near_them() {
    // All points in one place, in two, in three: too few distinct parameters for a cubic.
    let corners = [[0.25, 0.5], [0.75, 0.5], [0.75, 1.0]];
    for distinct in 1..=3 {
        let x: Vec<f64> = (0..30).flat_map(|k| corners[k * distinct / 30]).collect();
        assert!(Rover.value(&x).is_finite());
        let path = rover::path(&x);
        assert_eq!(path.len(), PLACES);
        assert!(path.iter().flatten().all(|v| (-0.2..1.2).contains(v)));
        if distinct == 1 {
            assert!(path.iter().all(|place| (place[0] - 0.2).abs() < 1e-9 && (place[1] - 0.5).abs() < 1e-9));
        }
    }
    assert!(Rover.value(&[f64::NAN; 60]).is_nan());
    assert!(Rover.value(&[f64::INFINITY; 60]).is_finite());
}

#[test]
fn equal_values_share_the_mean_of_their_ranks() {
    assert_eq!(ranks(&[3.0, 1.0, f64::INFINITY, 1.0, f64::INFINITY]), [3.0, 1.5, 4.5, 1.5, 4.5]);
}

#[test]
fn a_point_that_is_not_finite_has_no_value() {
    for function in locomotion::benchmark::Function::ALL {
        for nowhere in [[f64::NAN, 0.0, 0.0], [0.0, f64::NAN, 0.0], [0.0, 0.0, f64::NAN]] {
            assert!(function.value(&nowhere).is_nan(), "{}", function.name());
        }
    }
}
