//! `steady` with several starts: they take turns, and the one that gets furthest continues alone.

use crate::common::losses;
use locomotion::optim::syncma::{Starts, Steady};
use locomotion::optim::{Optimizer, Settings, Variant};
use nalgebra::{DMatrix, DVector};

const N: usize = 9;
const BATCH: usize = 12;
/// The generations of each start before one is chosen: 240 √9 candidates.
const TRIAL: usize = 60;

fn settings(starts: Option<usize>) -> Settings {
    Settings { variant: Variant::Steady, starts, batch: Some(BATCH), seed: 5, ..Settings::default() }
}

fn sphere(x: &[f64]) -> f64 {
    x.iter().map(|v| (v - 2.0) * (v - 2.0)).sum()
}

/// The candidates of every generation.
fn run(search: &mut impl Optimizer, generations: usize, loss: impl Fn(usize, &[f64]) -> f64) -> Vec<DMatrix<f64>> {
    let generation = |g: usize| {
        let candidates = search.ask();
        search.tell(&losses(&candidates, |x| loss(g, x)));
        candidates
    };
    (0..generations).map(generation).collect()
}

#[test]
fn a_single_start_is_the_plain_search() {
    let start = DVector::zeros(N);
    let mut plain = Steady::new(&settings(None), start.clone()).unwrap();
    let expected = run(&mut plain, 2 * TRIAL, |_, x| sphere(x));
    for starts in [None, Some(1)] {
        let mut search = Starts::new(&settings(starts), start.clone()).unwrap();
        assert_eq!(run(&mut search, 2 * TRIAL, |_, x| sphere(x)), expected);
        assert_eq!(search.center(), plain.center());
    }
}

#[test]
fn starts_take_turns_and_differ() {
    let mut search = Starts::new(&settings(Some(3)), DVector::zeros(N)).unwrap();
    let taken = run(&mut search, 3 * TRIAL, |_, x| sphere(x));
    let mut first = Steady::new(&settings(None), DVector::zeros(N)).unwrap();
    let alone = run(&mut first, TRIAL, |_, x| sphere(x));
    let turns: Vec<DMatrix<f64>> = taken.iter().step_by(3).cloned().collect();
    assert_eq!(turns, alone, "the first start searches as if it were alone");
    assert_ne!(taken[0], taken[1]);
    assert_ne!(taken[1], taken[2]);
}

#[test]
fn the_best_continues_where_it_was() {
    for best in 0..3 {
        let mut search = Starts::new(&settings(Some(3)), DVector::zeros(N)).unwrap();
        // Each start is drawn along an axis of its own, and two of the three are worse by a constant, which changes no
        // rank within a generation.
        let loss = |g: usize, x: &[f64]| (x[g % 3] - 2.0).powi(2) + if g % 3 == best { 0.0 } else { 1e3 };
        run(&mut search, 3 * TRIAL - 1, loss);
        assert_eq!(search.count(), 3);
        run(&mut search, 1, |_, x| loss(2, x));
        assert_eq!(search.count(), 1);
        let mean = search.ask().column_mean();
        let axes = mean.rows(0, 3).map(|x| (x - 2.0).abs());
        assert_eq!(axes.imin(), best, "start {best} was best, {axes} went on");
    }
}

#[test]
fn the_choice_depends_on_ranks_alone() {
    let trace = |loss: fn(f64) -> f64| {
        let mut search = Starts::new(&settings(Some(4)), DVector::zeros(N)).unwrap();
        run(&mut search, 5 * TRIAL, |_, x| loss(sphere(x)))
    };
    assert_eq!(trace(|f| f), trace(|f| f.ln() * 7.0 - 3.0));
}

#[test]
fn a_start_whose_candidates_all_fail_is_given_up() {
    let mut search = Starts::new(&settings(Some(2)), DVector::zeros(N)).unwrap();
    run(&mut search, 2 * TRIAL, |g, x| if g % 2 == 0 { f64::NAN } else { sphere(x) });
    assert!(search.center().norm() > 0.1, "the start that learned goes on");
}
