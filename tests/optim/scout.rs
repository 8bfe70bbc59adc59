//! `steady` behind a scout: an `adaptive` search draws first, and `steady` goes on from its mean.

use crate::common::losses;
use locomotion::optim::syncma::{Starts, Steady};
use locomotion::optim::{Optimizer, Settings, Variant};
use nalgebra::{DMatrix, DVector};

const N: usize = 7;
const BATCH: usize = 10;

fn search(scout: Option<u64>) -> Starts {
    let settings = Settings {
        variant: Variant::Steady,
        scout,
        batch: Some(BATCH),
        seed: 3,
        sigma: Some(0.2),
        ..Settings::default()
    };
    Starts::new(&settings, DVector::from_element(N, 1.0)).unwrap()
}

fn sphere(x: &[f64]) -> f64 {
    x.iter().map(|v| (v - 2.0) * (v - 2.0)).sum()
}

/// The candidates of the next generations.
fn go_on(search: &mut Starts, generations: usize, loss: impl Fn(&[f64]) -> f64) -> Vec<DMatrix<f64>> {
    let generation = |_| {
        let candidates = search.ask();
        search.tell(&losses(&candidates, &loss));
        candidates
    };
    (0..generations).map(generation).collect()
}

/// Whether candidates lie around the center in mirrored pairs.
fn paired(candidates: &DMatrix<f64>, center: &DVector<f64>) -> bool {
    (0..BATCH / 2).all(|k| {
        let middle = (candidates.column(2 * k) + candidates.column(2 * k + 1)) / 2.0;
        (middle - center).norm() < 1e-12
    })
}

#[test]
fn without_a_scout_it_is_the_plain_search() {
    let settings =
        Settings { variant: Variant::Steady, batch: Some(BATCH), seed: 3, sigma: Some(0.2), ..Settings::default() };
    let mut plain = Steady::new(&settings, DVector::from_element(N, 1.0)).unwrap();
    for scout in [None, Some(0)] {
        assert_eq!(search(scout).ask(), plain.ask());
    }
}

/// 41 candidates are five generations of ten: a generation is not cut.
#[test]
fn steady_begins_where_the_scout_has_come() {
    for candidates in [41, 50] {
        let mut search = search(Some(candidates));
        let scouted = go_on(&mut search, 5, sphere);
        let start = DVector::from_element(N, 1.0);
        assert!(!paired(&scouted[0], &start), "a scout has no pairs");
        let spread = (scouted[0].clone() - &start * DMatrix::from_element(1, BATCH, 1.0)).norm();
        let width = spread / ((N * BATCH) as f64).sqrt();
        assert!((0.07..0.13).contains(&width), "a scout has a width of its own: {width}");
        assert!(search.pairs());
        let found = search.center();
        assert!(sphere(found.as_slice()) < sphere(start.as_slice()));
        let settled = search.ask();
        assert!(paired(&settled, &found));
        assert_eq!(search.diagnostics().generation, 5, "generations are counted on");
    }
}

#[test]
fn only_the_ranks_of_losses_count() {
    let run = |loss: &dyn Fn(&[f64]) -> f64| go_on(&mut search(Some(40)), 9, loss);
    assert_eq!(run(&sphere), run(&|x| sphere(x).exp()));
}

#[test]
fn a_restored_search_goes_the_same_way() {
    for told in [2, 4, 6] {
        let mut first = search(Some(40));
        go_on(&mut first, told, sphere);
        let stored = postcard::to_allocvec(&first).unwrap();
        let mut second: Starts = postcard::from_bytes(&stored).unwrap();
        assert_eq!(go_on(&mut first, 6, sphere), go_on(&mut second, 6, sphere), "after {told} generations");
    }
}
