//! `steady`: the best mirrored pairs move the mean by the differences of their ranks, by a set length, and the center is the
//! mean of the remembered generations.

use crate::common::{losses, normal};
use locomotion::optim::syncma::Steady;
use locomotion::optim::weights::normal_scores;
use locomotion::optim::{Optimizer, Settings, Variant};
use nalgebra::DVector;

fn steady(settings: Settings, n: usize) -> Steady {
    Steady::new(&Settings { variant: Variant::Steady, ..settings }, DVector::zeros(n)).unwrap()
}

#[test]
fn scores_are_the_means_of_ordered_normal_numbers() {
    // Exact values: Harter (1961).
    let exact: [(usize, &[f64]); 3] =
        [(2, &[0.56419]), (5, &[1.16296, 0.49502, 0.0]), (10, &[1.53875, 1.00136, 0.65606, 0.37576, 0.12267])];
    for (batch, best) in exact {
        let scores = normal_scores(batch);
        assert_eq!(scores.len(), batch);
        for (ours, exact) in scores.iter().zip(best) {
            assert!((ours - exact).abs() < 0.03, "N = {batch}: {ours} instead of {exact}");
        }
        for (good, bad) in scores.iter().zip(scores.iter().rev()) {
            assert_eq!(*good, -bad, "the worst count as much as the best");
        }
        assert!(scores.windows(2).all(|pair| pair[0] > pair[1]));
    }
}

/// Ranks that say nothing move the mean by a κ a² σ per coordinate, whatever the number of pairs that take part; a is 1/√2
/// once τ candidates were told, and never below √0.3; τ is 150 √n by default.
#[test]
fn one_step_is_as_long_as_kappa_says() {
    let (n, batch) = (4000, 20);
    for (patience, top) in [(None, None), (Some(30.0), None), (None, Some(1)), (None, Some(10))] {
        let settings = Settings {
            kappa: Some(1.5),
            sigma: Some(0.2),
            batch: Some(batch),
            patience,
            top_directions: top,
            ..Settings::default()
        };
        let mut search = steady(settings, n);
        let patience = patience.unwrap_or(150.0 * (n as f64).sqrt());
        for generation in 0..6 {
            let before = search.mean().clone();
            search.ask();
            search.tell(normal(1, batch, generation).as_slice());
            let moved = (search.mean() - before).norm() / (n as f64).sqrt();
            let width = (1.0 / (1.0 + (generation as usize * batch) as f64 / patience)).max(0.6);
            let expected = 1.5 * 0.2 * width.powf(1.5);
            assert!((moved / expected - 1.0).abs() < 0.05, "{moved} instead of {expected}");
        }
    }
}

/// Successive Gaussians are ½ ‖Δm‖² / σ² apart. That is one nat per candidate at the start.
#[test]
fn the_first_step_costs_one_nat_per_candidate() {
    for (n, batch) in [(888, 40), (6392, 100), (102, 40)] {
        let divergence = |seed| {
            let mut search = steady(Settings { batch: Some(batch), sigma: Some(0.3), seed, ..Settings::default() }, n);
            search.ask();
            search.tell(normal(1, batch, seed).as_slice());
            0.5 * search.mean().norm_squared() / 0.3f64.powi(2)
        };
        let mean = (0..20).map(divergence).sum::<f64>() / 20.0;
        assert!((mean / batch as f64 - 1.0).abs() < 0.1, "n = {n}, N = {batch}: {mean} nats");
    }
}

/// A pair of which both ends are bad does not move the mean, however much its ends differ.
#[test]
fn only_the_pairs_with_a_good_end_take_part() {
    let settings = Settings { batch: Some(6), top_directions: Some(1), ..Settings::default() };
    let mut search = steady(settings, 5);
    let candidates = search.ask();
    search.tell(&[5.0, 6.0, 0.1, 0.2, 3.0, 1e9]);
    let along = candidates.column(2) - candidates.column(3);
    let cosine = search.mean().dot(&along) / (search.mean().norm() * along.norm());
    assert!((cosine - 1.0).abs() < 1e-12, "the pair with the best end decides alone: {cosine}");
    let all = Settings { variant: Variant::Steady, batch: Some(6), top_directions: Some(4), ..Settings::default() };
    let error = Steady::new(&all, DVector::zeros(5)).unwrap_err();
    assert_eq!(error.field(), "top_directions", "{error}");
}

#[test]
fn candidates_come_in_mirrored_pairs() {
    let mut search = steady(Settings { batch: Some(12), ..Settings::default() }, 7);
    for generation in 0..5 {
        let (mean, candidates) = (search.mean().clone(), search.ask());
        assert_eq!(candidates.ncols(), 12);
        for pair in 0..6 {
            let middle = (candidates.column(2 * pair) + candidates.column(2 * pair + 1)) / 2.0;
            assert!((middle - &mean).amax() < 1e-15);
        }
        search.tell(normal(1, 12, generation).as_slice());
    }
    let odd = Settings { variant: Variant::Steady, batch: Some(7), ..Settings::default() };
    let error = Steady::new(&odd, DVector::zeros(7)).unwrap_err().to_string();
    assert!(error.contains("batch") && error.contains("even"), "{error}");
}

/// In a bowl around the mean both ends of every pair are equally far up: without pairs the losses would say much, and
/// with pairs a slope laid over the bowl decides alone, however steep the bowl is. All pairs take part here: the best ones
/// are those that were drawn near the mean, and say less.
#[test]
fn what_both_ends_share_does_not_decide() {
    let settings = Settings { batch: Some(200), kappa: Some(1.0), top_directions: Some(100), ..Settings::default() };
    let mut search = steady(settings, 8);
    let candidates = search.ask();
    search.tell(&losses(&candidates, |x| 1e6 * x.iter().map(|v| v * v).sum::<f64>() + x[2]));
    let along = -search.mean()[2] / search.mean().norm();
    assert!(along > 0.8, "{along} of the step is along the slope");
}

#[test]
fn a_failed_end_loses_to_the_other_end() {
    let mut search = steady(Settings { batch: Some(2), kappa: Some(1.0), ..Settings::default() }, 6);
    let candidates = search.ask();
    search.tell(&[f64::NAN, 1e9]);
    let away = candidates.column(1) - candidates.column(0);
    let cosine = search.mean().dot(&away) / (search.mean().norm() * away.norm());
    assert!((cosine - 1.0).abs() < 1e-12, "the mean moves straight away from what failed: {cosine}");
}

#[test]
fn the_center_is_the_mean_of_the_remembered_generations() {
    let lambda0: f64 = 3.0;
    let mut search = steady(Settings { lambda0: Some(lambda0), ..Settings::default() }, 4);
    let mut means = vec![search.mean().clone()];
    for generation in 0..40 {
        let candidates = search.ask();
        let noise = normal(1, candidates.ncols(), generation);
        search.tell(noise.as_slice());
        means.push(search.mean().clone());
    }
    let weight = |age: usize| (lambda0 / (lambda0 + 1.0)).powi(age as i32);
    let ages = (0..means.len()).rev();
    let total: f64 = ages.clone().map(weight).sum();
    let mut average = DVector::zeros(4);
    means.iter().zip(ages).for_each(|(mean, age)| average += mean * (weight(age) / total));
    assert!((search.center() - average).amax() < 1e-12);
    let mut forgetful = steady(Settings { lambda0: Some(0.0), ..Settings::default() }, 4);
    let candidates = forgetful.ask();
    forgetful.tell(&losses(&candidates, |x| x[0]));
    assert_eq!(forgetful.center(), *forgetful.mean(), "without a memory the center is the mean");
}

/// Noise as strong as the spread of a batch: the distance to the optimum still falls, in 100 dimensions with 20
/// candidates, and more so for the center than for the mean.
#[test]
fn noise_is_averaged_out() {
    let n = 100;
    let optimum = DVector::from_element(n, 0.3);
    let (mut centers, mut means) = (0.0, 0.0);
    for seed in 0..5 {
        let settings = Settings { sigma: Some(0.05), kappa: Some(1.0), batch: Some(20), seed, ..Settings::default() };
        let mut search = steady(settings, n);
        for generation in 0..400 {
            let candidates = search.ask();
            let noise = normal(1, candidates.ncols(), 1000 * seed + generation);
            let clean: Vec<f64> = candidates.column_iter().map(|x| (x - &optimum).norm_squared()).collect();
            let middle = clean.iter().sum::<f64>() / clean.len() as f64;
            let spread = (clean.iter().map(|l| (l - middle).powi(2)).sum::<f64>() / clean.len() as f64).sqrt();
            search.tell(&clean.iter().zip(noise.iter()).map(|(l, e)| l + spread * e).collect::<Vec<_>>());
        }
        centers += (search.center() - &optimum).norm() / optimum.norm();
        means += (search.mean() - &optimum).norm() / optimum.norm();
    }
    assert!(centers / 5.0 < 0.6, "the center is still {} of the way off", centers / 5.0);
    assert!(centers < means, "center {centers}, mean {means}");
}
