//! A search that was stored and loaded continues as if nothing had happened, to the last bit.

use crate::common::{ellipsoid, every_optimizer, losses};
use locomotion::optim::{AnyOptimizer, Optimizer};
use nalgebra::{DMatrix, DVector};

fn through_postcard(search: &AnyOptimizer) -> AnyOptimizer {
    postcard::from_bytes(&postcard::to_allocvec(search).unwrap()).unwrap()
}

fn through_json(search: &AnyOptimizer) -> AnyOptimizer {
    serde_json::from_str(&serde_json::to_string(search).unwrap()).unwrap()
}

fn generation(search: &mut AnyOptimizer) -> DMatrix<f64> {
    let candidates = search.ask();
    search.tell(&losses(&candidates, ellipsoid));
    candidates
}

#[test]
fn after_tell() {
    for (name, settings) in every_optimizer(9) {
        let mut search = settings.build(DVector::from_element(9, 1.0)).unwrap();
        (0..20).for_each(|_| drop(generation(&mut search)));
        let mut copies = vec![through_postcard(&search)];
        if name.starts_with("syncma") {
            copies.push(through_json(&search)); // others hold infinities, for which JSON has no word
        }
        for mut there in copies {
            let mut here = search.clone();
            for _ in 0..20 {
                assert_eq!(generation(&mut here), generation(&mut there), "{name}");
                assert_eq!(here.center(), there.center(), "{name}");
                assert_eq!(here.stop(), there.stop(), "{name}");
            }
            assert_eq!(postcard::to_allocvec(&here).unwrap(), postcard::to_allocvec(&there).unwrap(), "{name}");
        }
    }
}

#[test]
fn between_ask_and_tell() {
    for (name, settings) in every_optimizer(9) {
        let mut here = settings.build(DVector::from_element(9, 1.0)).unwrap();
        (0..20).for_each(|_| drop(generation(&mut here)));
        let candidates = here.ask();
        let mut there = through_postcard(&here);
        here.tell(&losses(&candidates, ellipsoid));
        there.tell(&losses(&candidates, ellipsoid));
        assert_eq!(generation(&mut here), generation(&mut there), "{name}");
    }
}

#[test]
fn asking_twice_gives_the_same_candidates() {
    for (name, settings) in every_optimizer(9) {
        let mut search = settings.build(DVector::from_element(9, 1.0)).unwrap();
        generation(&mut search);
        assert_eq!(search.ask(), search.ask(), "{name}");
    }
}

#[test]
fn another_seed_is_another_search() {
    for (name, settings) in every_optimizer(9) {
        let mut here = settings.build(DVector::from_element(9, 1.0)).unwrap();
        let mut there =
            locomotion::optim::Settings { seed: 1, ..settings }.build(DVector::from_element(9, 1.0)).unwrap();
        if name == "annealing" {
            // The first candidate of a walk is its start.
            assert_eq!(generation(&mut here), generation(&mut there));
        }
        assert_ne!(here.ask(), there.ask(), "{name}");
    }
}

/// A checkpoint names its optimizer by a number, which must keep its meaning forever.
#[test]
fn old_checkpoints_keep_their_meaning() {
    let number = |name: &str| match name {
        "cma-es" => 1,
        "ars" => 3,
        "random-search" => 4,
        "dd-cma" => 5,
        "tr-cma" => 6,
        "differential-evolution" => 7,
        "annealing" => 8,
        "turbo" => 9,
        syncma => {
            assert!(syncma.starts_with("syncma"), "{syncma} needs a number of its own");
            0
        }
    };
    for (name, settings) in every_optimizer(3) {
        let search = settings.build(DVector::from_element(3, 1.0)).unwrap();
        assert_eq!(postcard::to_allocvec(&search).unwrap()[0], number(&name), "{name}");
    }
}
