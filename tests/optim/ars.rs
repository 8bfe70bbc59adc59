//! Augmented Random Search checked by hand, by its laws, and against pure random search.

use locomotion::optim::ars::Ars;
use locomotion::optim::random_search::RandomSearch;
use locomotion::optim::{Bounds, Optimizer, Settings};
use locomotion::random::{Purpose, stream};
use nalgebra::{DMatrix, DVector};
use rand_distr::{Distribution, StandardNormal};

fn ars(batch: usize, top: usize, mean: DVector<f64>) -> Ars {
    let settings = Settings { batch: Some(batch), top_directions: Some(top), seed: 3, ..Settings::default() };
    Ars::new(&settings, mean).unwrap()
}

fn losses(x: &DMatrix<f64>, f: impl FnMut(&[f64]) -> f64) -> Vec<f64> {
    let mut f = f;
    x.column_iter().map(|x| f(x.as_slice())).collect()
}

fn quadratic(x: &[f64]) -> f64 {
    x.iter().map(|v| (v - 1.0).powi(2)).sum()
}

#[test]
fn candidates_are_pairs_around_the_center() {
    let mut ars = ars(8, 4, DVector::repeat(3, 2.0));
    let x = ars.ask();
    assert_eq!(x, ars.ask());
    for pair in x.column_iter().collect::<Vec<_>>().chunks(2) {
        assert!(((pair[0] + pair[1]) / 2.0 - ars.center()).amax() < 1e-15);
        assert!((pair[0] - pair[1]).amax() > 0.0);
    }
}

/// Three directions with returns (3, 4), (2, 8), (5, 1), of which the best two by their better end are the second and
/// the third: σ_R² = var(2, 8, 5, 1) = 7.5, and W moves by α/2σ_R · (−6 δ_2 + 4 δ_3).
#[test]
fn one_step_is_the_papers_formula() {
    let w = DVector::from_vec(vec![0.5, -1.0]);
    let mut ars = ars(6, 2, w.clone());
    let x = ars.ask();
    let delta = |k: usize| (x.column(2 * k) - x.column(2 * k + 1)) / (2.0 * 0.03);
    ars.tell(&[-3.0, -4.0, -2.0, -8.0, -5.0, -1.0]);
    let expected = w + 0.02 / (2.0 * 7.5f64.sqrt()) * (4.0 * delta(2) - 6.0 * delta(1));
    assert!((ars.center() - expected).amax() < 1e-14);
}

#[test]
fn a_moved_problem_has_the_moved_trajectory() {
    let shift = DVector::from_fn(6, |i, _| 5.0 * i as f64 - 10.0);
    let mut here = ars(16, 4, DVector::zeros(6));
    let mut there = ars(16, 4, shift.clone());
    for _ in 0..200 {
        let x = here.ask();
        here.tell(&losses(&x, quadratic));
        let x = there.ask();
        there.tell(&losses(&x, |x| quadratic((DVector::from_column_slice(x) - &shift).as_slice())));
    }
    assert!((there.center() - shift - here.center()).amax() < 1e-9);
}

/// Returns a r + b with a > 0 lead to the same steps.
#[test]
fn units_of_the_return_do_not_matter() {
    let mut plain = ars(16, 8, DVector::zeros(6));
    let mut scaled = plain.clone();
    for _ in 0..200 {
        let loss = losses(&plain.ask(), quadratic);
        plain.tell(&loss);
        scaled.tell(&loss.iter().map(|l| 1000.0 * l - 77.0).collect::<Vec<_>>());
    }
    assert!((plain.center() - scaled.center()).amax() < 1e-9);
}

#[test]
fn a_noisy_quadratic_is_descended() {
    let mut random = stream(8, Purpose::Episodes, 0, 0);
    let mut noisy = |x: &[f64]| quadratic(x) + 0.05 * Distribution::<f64>::sample(&StandardNormal, &mut random);
    let mut ars = ars(16, 4, DVector::zeros(20));
    for _ in 0..1000 {
        let loss = losses(&ars.ask(), &mut noisy);
        ars.tell(&loss);
    }
    let left = quadratic(ars.center().as_slice());
    assert!(left < 0.2, "20 at the start, {left} left");
}

#[test]
fn failed_candidates_never_reach_the_policy() {
    for failure in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let mut search = ars(8, 4, DVector::zeros(5));
        for g in 0..300 {
            let mut loss = losses(&search.ask(), quadratic);
            loss[g % 8] = failure;
            if g % 50 == 0 {
                loss.fill(failure);
            }
            search.tell(&loss);
        }
        assert!(quadratic(search.center().as_slice()) < 0.1);
    }
}

/// A direction with a failed end counts for nothing, whatever its other end returned.
#[test]
fn a_direction_with_a_failed_end_is_the_worst() {
    let w = DVector::zeros(4);
    let mut failing = ars(6, 2, w.clone());
    let mut ignored = ars(6, 2, w);
    failing.tell(&[-1e9, f64::NAN, 1.0, 2.0, 4.0, 3.0]);
    ignored.tell(&[9.0, 9.0, 1.0, 2.0, 4.0, 3.0]);
    assert_eq!(failing.center(), ignored.center());
}

#[test]
fn equal_or_overflowing_returns_leave_the_policy_alone() {
    for loss in [[1.0; 8], [f64::NAN; 8], [1e308, -1e308, 1e308, -1e308, 1e308, -1e308, 1e308, -1e308]] {
        let mut ars = ars(8, 4, DVector::repeat(3, 2.0));
        ars.tell(&loss);
        assert_eq!(ars.center(), DVector::repeat(3, 2.0));
        assert_eq!(ars.diagnostics().generation, 1);
    }
}

#[test]
fn impossible_settings_are_refused() {
    let odd = Settings { batch: Some(7), ..Settings::default() };
    assert_eq!(Ars::new(&odd, DVector::zeros(2)).unwrap_err().field(), "batch");
    let greedy = Settings { batch: Some(8), top_directions: Some(5), ..Settings::default() };
    assert_eq!(Ars::new(&greedy, DVector::zeros(2)).unwrap_err().field(), "top_directions");
    assert_eq!(RandomSearch::new(&Settings::default(), DVector::zeros(2)).unwrap_err().field(), "bounds");
}

#[test]
fn random_search_fills_the_box_and_keeps_the_best() {
    let settings = Settings { bounds: Bounds::Clip { low: -2.0, high: 3.0 }, ..Settings::default() };
    let mut search = RandomSearch::new(&settings, DVector::repeat(2, 9.0)).unwrap();
    search.tell(&[f64::NAN; 100]);
    assert_eq!(search.center(), DVector::repeat(2, 9.0));
    let mut seen = Vec::new();
    for _ in 0..100 {
        let x = search.ask();
        search.tell(&losses(&x, quadratic));
        seen.extend(x.column_iter().map(|x| x.into_owned()));
    }
    assert!(seen.iter().all(|x| x.iter().all(|v| (-2.0..3.0).contains(v))));
    let mean = seen.iter().map(|x| x[0]).sum::<f64>() / seen.len() as f64;
    assert!((mean - 0.5).abs() < 0.05, "{mean}");
    let best = seen.iter().min_by(|a, b| quadratic(a.as_slice()).total_cmp(&quadratic(b.as_slice()))).unwrap();
    assert_eq!(&search.center(), best);
}
