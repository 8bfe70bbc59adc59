//! `steady`: every mirrored pair moves the mean by the difference of its ranks, and the center is the mean of the
//! remembered generations.

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

/// Along a slope that explains all differences the mean moves κ_t σ in a generation, and nowhere else but for noise of
/// κ_t σ √(2/N) in every other direction, where κ_t σ is half as long once τ candidates were told, 100 √n by default.
#[test]
fn one_step_is_as_long_as_kappa_says() {
    for patience in [None, Some(3000.0)] {
        follow_a_slope(patience);
    }
}

fn follow_a_slope(patience: Option<f64>) {
    let (n, batch, generations) = (10, 400, 25);
    let settings = Settings { kappa: Some(1.5), sigma: Some(0.2), batch: Some(batch), patience, ..Settings::default() };
    let mut search = steady(settings, n);
    let patience = patience.unwrap_or(100.0 * (n as f64).sqrt());
    for _ in 0..generations {
        let candidates = search.ask();
        search.tell(&losses(&candidates, |x| -x[3]));
    }
    let step = |generation: usize| 1.5 * 0.2 / (1.0 + (generation * batch) as f64 / patience);
    let unit: f64 = (0..generations).map(step).sum();
    let along = search.mean()[3] / unit;
    assert!((along - 1.0).abs() < 0.05, "{along} of the step along the slope");
    let across = (search.mean().norm_squared() - search.mean()[3].powi(2)).sqrt();
    // Both ends of a pair carry the same noise, so it counts as one draw with twice the weight.
    let squares: f64 = (0..generations).map(|generation| step(generation).powi(2)).sum();
    let expected = (2.0 * (n - 1) as f64 / batch as f64 * squares).sqrt();
    assert!((across / expected - 1.0).abs() < 0.5, "{across} across, noise explains {expected}");
}

/// One step from a distance of 1 on a sphere, with the width at which pairs differ within as much as among themselves.
#[test]
fn on_a_sphere_a_quarter_of_the_first_kappa_gains_and_three_quarters_lose() {
    for (n, batch) in [(33, 16), (102, 20), (102, 40)] {
        let change = |share: f64| {
            let gain = |seed| {
                let settings = Settings {
                    variant: Variant::Steady,
                    kappa: Some(share * batch as f64 / (n as f64).sqrt()),
                    sigma: Some((2.0 / n as f64).sqrt()),
                    batch: Some(batch),
                    seed,
                    ..Settings::default()
                };
                let mut search =
                    Steady::new(&settings, DVector::from_fn(n, |i, _| f64::from(u8::from(i == 0)))).unwrap();
                let candidates = search.ask();
                search.tell(&losses(&candidates, |x| x.iter().map(|v| v * v).sum()));
                search.mean().norm_squared() - 1.0
            };
            (0..100).map(gain).sum::<f64>() / 100.0
        };
        assert!(change(0.25) < -0.04, "n = {n}, N = {batch}: {}", change(0.25));
        assert!(change(0.75) > 0.04, "n = {n}, N = {batch}: {}", change(0.75));
    }
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
/// with pairs a slope laid over the bowl decides alone, however steep the bowl is.
#[test]
fn what_both_ends_share_does_not_decide() {
    let mut search = steady(Settings { batch: Some(200), kappa: Some(1.0), ..Settings::default() }, 8);
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
