//! CMA-ES against the programs it must agree with, and against the laws it must obey.

use locomotion::optim::cma_es::{CmaConstants, CmaEs, Restarting, Tolerances};
use locomotion::optim::linalg::{cholesky, multiply, transpose_multiply};
use locomotion::optim::rates::default_batch;
use locomotion::optim::settings::Restarts;
use locomotion::optim::{Bounds, Optimizer, Settings, StopReason};
use locomotion::random::{Purpose, stream};
use nalgebra::{DMatrix, DVector};
use rand::RngExt;
use rand_distr::{Distribution, StandardNormal};
use serde_json::Value;

type Function = fn(&[f64]) -> f64;

fn sphere(x: &[f64]) -> f64 {
    x.iter().map(|v| v * v).sum()
}

fn ellipsoid(x: &[f64]) -> f64 {
    ellipsoid_of(6.0, x)
}

fn ellipsoid_of(decades: f64, x: &[f64]) -> f64 {
    let last = (x.len() - 1) as f64;
    x.iter().enumerate().map(|(i, v)| 10f64.powf(decades * i as f64 / last) * v * v).sum()
}

fn cigar(x: &[f64]) -> f64 {
    x[0] * x[0] + 1e6 * sphere(&x[1..])
}

fn rosenbrock(x: &[f64]) -> f64 {
    x.windows(2).map(|p| 100.0 * (p[0] * p[0] - p[1]).powi(2) + (p[0] - 1.0).powi(2)).sum()
}

fn losses(x: &DMatrix<f64>, mut f: impl FnMut(&[f64]) -> f64) -> Vec<f64> {
    x.column_iter().map(|x| f(x.as_slice())).collect()
}

fn settings(sigma: f64, seed: u64) -> Settings {
    Settings { sigma: Some(sigma), seed, ..Settings::default() }
}

fn start(mean: DVector<f64>, sigma: f64, seed: u64) -> CmaEs {
    CmaEs::new(&settings(sigma, seed), mean).unwrap()
}

fn data(name: &str) -> Value {
    let path = format!("{}/tests/data/{name}.json", env!("CARGO_MANIFEST_DIR"));
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn number(v: &Value) -> f64 {
    v.as_f64().unwrap()
}

fn vector(v: &Value) -> DVector<f64> {
    DVector::from_iterator(v.as_array().unwrap().len(), v.as_array().unwrap().iter().map(number))
}

/// The rows of `v` as columns.
fn columns(v: &Value) -> DMatrix<f64> {
    DMatrix::from_columns(&v.as_array().unwrap().iter().map(vector).collect::<Vec<_>>())
}

/// The largest difference, relative to the largest expected entry.
fn error(got: &[f64], expected: &[f64]) -> f64 {
    let scale = expected.iter().fold(f64::MIN_POSITIVE, |m, v| m.max(v.abs()));
    got.iter().zip(expected).fold(0.0, |m: f64, (g, e)| m.max((g - e).abs() / scale))
}

/// Our CMA-ES with the constants stored for a run of updates_golden.json.
fn replica(run: &Value, adjust: impl FnOnce(&mut CmaConstants)) -> CmaEs {
    let golden = data("cma_tell");
    let p = &run["params"];
    let mut k = CmaConstants::tutorial(6, 12);
    k.weights = vector(&p["weights"]).as_slice().to_vec();
    (k.mu_eff, k.c_1, k.c_mu) = (number(&p["mueff"]), number(&p["c1"]), number(&p["cmu"]));
    (k.c_c, k.c_sigma, k.d_sigma) = (number(&p["cc"]), number(&p["cs"]), number(&p["damps"]));
    adjust(&mut k);
    CmaEs::with_constants(k, vector(&golden["mean0"]), number(&golden["sigma0"]), columns(&run["C0"]), 0)
}

/// Feeds the recorded generations and compares every state along the way.
fn assert_same_states(run: &Value, mut cma: CmaEs) {
    for (g, generation) in run["generations"].as_array().unwrap().iter().enumerate() {
        cma.learn(&columns(&generation["X"]), vector(&generation["y"]).as_slice());
        let (p_sigma, p_c) = cma.paths();
        for (name, got) in [
            ("mean", cma.center().as_slice()),
            ("p_sigma", p_sigma.as_slice()),
            ("p_c", p_c.as_slice()),
            ("C", cma.covariance().as_slice()),
        ] {
            let expected = if name == "C" {
                columns(&generation["C"]).as_slice().to_vec()
            } else {
                vector(&generation[name]).as_slice().to_vec()
            };
            let error = error(got, &expected);
            assert!(error < 1e-10, "generation {}: {name} differs by {error:e}", g + 1);
        }
        let error = error(&[cma.sigma()], &[number(&generation["sigma"])]);
        assert!(error < 1e-10, "generation {}: sigma differs by {error:e}", g + 1);
    }
}

/// updates_golden.json, `runs["pycma-4.5.0"]`, all six generations.
#[test]
fn pycma_with_its_constants_is_reproduced() {
    let run = &data("cma_tell")["runs"]["pycma-4.5.0"];
    assert_same_states(
        run,
        replica(run, |k| {
            // √2 Γ(7/2) / Γ(3), exact.
            k.chi_n = 2f64.sqrt() * 15.0 / 16.0 * std::f64::consts::PI.sqrt();
            k.stall_length = (6.0 * (2.0 + 4.0 / 7.0f64)).sqrt();
            k.length_guard = 1e-9;
        }),
    );
}

/// updates_golden.json, `runs["cmaes-0.13.1"]`, all six generations.
#[test]
fn cyberagents_cmaes_with_its_constants_is_reproduced() {
    let run = &data("cma_tell")["runs"]["cmaes-0.13.1"];
    assert_same_states(
        run,
        replica(run, |k| {
            k.stall_lead = 1;
            k.square_guard = 1e-8;
        }),
    );
}

/// updates_golden.json, `runs["pypop7-0.0.82-CMAES"]`, first generation: pypop7 has the tutorial's constants, and
/// scales negative weights by the norms of other samples than they belong to. So everything agrees but C.
#[test]
fn pypop7_agrees_with_the_tutorial_in_all_but_its_mispaired_norms() {
    let golden = data("cma_tell");
    let generation = &golden["runs"]["pypop7-0.0.82-CMAES"]["generations"][0];
    let mut cma = CmaEs::with_constants(
        CmaConstants::tutorial(6, 12),
        vector(&golden["mean0"]),
        number(&golden["sigma0"]),
        DMatrix::identity(6, 6),
        0,
    );
    cma.learn(&columns(&generation["X"]), vector(&generation["y"]).as_slice());
    let (p_sigma, p_c) = cma.paths();
    assert!(error(cma.center().as_slice(), vector(&generation["mean"]).as_slice()) < 1e-10);
    assert!(error(&[cma.sigma()], &[number(&generation["sigma"])]) < 1e-10);
    assert!(error(p_sigma.as_slice(), vector(&generation["p_sigma"]).as_slice()) < 1e-10);
    assert!(error(p_c.as_slice(), vector(&generation["p_c"]).as_slice()) < 1e-10);
    assert!(error(cma.covariance().as_slice(), columns(&generation["C"]).as_slice()) > 1e-3);
}

/// params_golden.json: the tutorial's constants are the column `pypop7-0.0.82 CMAES`, the laziness is pycma's
/// `lazy_gap`.
#[test]
fn constants_are_the_tutorials() {
    for (cell, columns) in data("cma_constants")["cells"].as_object().unwrap() {
        let mut sizes = cell.split(',').map(|s| s[2..].parse::<usize>().unwrap());
        let k = CmaConstants::tutorial(sizes.next().unwrap(), sizes.next().unwrap());
        let negative: f64 = k.weights.iter().filter(|w| **w < 0.0).sum();
        let (first, last) = (k.weights[0], k.weights[k.population() - 1]);
        let tutorial = &columns["pypop7-0.0.82 CMAES"];
        for (name, got) in [
            ("mueff", k.mu_eff),
            ("cc", k.c_c),
            ("c1", k.c_1),
            ("cmu", k.c_mu),
            ("cs", k.c_sigma),
            ("damps", k.d_sigma),
            ("w0", first),
            ("w_last", last),
            ("sum_neg", negative),
            ("e_chi", k.chi_n),
        ] {
            assert!(error(&[got], &[number(&tutorial[name])]) < 1e-12, "{cell}: {name} = {got}");
        }
        assert!(error(&[k.eigen_gap], &[number(&columns["pycma-4.5.0"]["lazy_gap"])]) < 1e-12, "{cell}");
    }
}

#[test]
fn a_moved_problem_has_the_moved_trajectory() {
    let shift = DVector::from_fn(10, |i, _| 7.0 * (i as f64 - 4.0));
    let mut here = start(DVector::repeat(10, 1.0), 0.5, 1);
    let mut there = start(DVector::repeat(10, 1.0) + &shift, 0.5, 1);
    for _ in 0..300 {
        let x = here.ask();
        here.tell(&losses(&x, rosenbrock));
        let x = there.ask();
        there.tell(&losses(&x, |x| rosenbrock((DVector::from_column_slice(x) - &shift).as_slice())));
    }
    assert!((there.center() - &shift - here.center()).amax() < 1e-9 * shift.amax());
    assert!(error(&[there.sigma()], &[here.sigma()]) < 1e-9);
    assert!(error(there.covariance().as_slice(), here.covariance().as_slice()) < 1e-9);
}

/// f(Rx) from R⁻¹m0 and R⁻¹C0R⁻ᵀ, with the rotated samples.
#[test]
fn a_rotated_problem_has_the_rotated_trajectory() {
    let n = 10;
    let mut random = stream(3, Purpose::Start, 0, 0);
    let turn = DMatrix::<f64>::from_fn(n, n, |_, _| StandardNormal.sample(&mut random)).qr().q();
    let k = CmaConstants::tutorial(n, 12);
    let mean = DVector::repeat(n, 1.0);
    let shape = DMatrix::from_diagonal(&DVector::from_fn(n, |i, _| 1.0 + i as f64));
    let turned_shape = multiply(&transpose_multiply(&turn, &shape), &turn);
    let mut plain = CmaEs::with_constants(k.clone(), mean.clone(), 0.5, shape, 5);
    let mut turned = CmaEs::with_constants(k, turn.tr_mul(&mean), 0.5, turned_shape, 5);
    for _ in 0..150 {
        let x = plain.ask();
        plain.tell(&losses(&x, ellipsoid));
        let x = transpose_multiply(&turn, &x);
        turned.learn(&x, &losses(&x, |x| ellipsoid((&turn * DVector::from_column_slice(x)).as_slice())));
    }
    let back = multiply(&multiply(&turn, &turned.covariance()), &turn.transpose());
    assert!(error((&turn * turned.center()).as_slice(), plain.center().as_slice()) < 1e-9);
    assert!(error(&[turned.sigma()], &[plain.sigma()]) < 1e-9);
    assert!(error(back.as_slice(), plain.covariance().as_slice()) < 1e-9);
}

#[test]
fn only_the_order_of_losses_matters() {
    let mut plain = start(DVector::repeat(8, 2.0), 0.3, 2);
    let mut bent = plain.clone();
    for _ in 0..200 {
        let x = plain.ask();
        assert_eq!(x, bent.ask());
        plain.tell(&losses(&x, rosenbrock));
        bent.tell(&losses(&x, |x| rosenbrock(x).powf(0.25) * 3.0 - 100.0));
    }
    assert_eq!(plain.center(), bent.center());
    assert_eq!(plain.covariance(), bent.covariance());
}

#[test]
fn failed_candidates_rank_last() {
    for failure in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let mut failing = start(DVector::repeat(5, 2.0), 0.3, 2);
        let mut punished = failing.clone();
        for g in 0..50 {
            let mut loss = losses(&failing.ask(), sphere);
            loss[g % 8] = failure;
            failing.tell(&loss);
            loss[g % 8] = 1e300;
            punished.tell(&loss);
        }
        assert_eq!(failing.center(), punished.center());
        assert_eq!(failing.covariance(), punished.covariance());
    }
}

#[test]
fn asking_twice_changes_nothing() {
    let mut cma = start(DVector::repeat(5, 2.0), 0.3, 2);
    let mut once = cma.clone();
    for _ in 0..5 {
        let x = cma.ask();
        assert_eq!(x, cma.ask());
        cma.tell(&losses(&x, sphere));
        once.ask();
        once.tell(&losses(&x, sphere));
    }
    assert_eq!(cma.center(), once.center());
}

#[test]
fn learning_from_others_forgets_what_was_asked() {
    let mut asked = start(DVector::repeat(5, 2.0), 0.3, 2);
    let mut silent = asked.clone();
    let x = asked.ask() * 0.9;
    asked.learn(&x, &losses(&x, sphere));
    silent.learn(&x, &losses(&x, sphere));
    assert_eq!(asked.ask(), silent.ask());
}

/// Between `ask` and `tell` too, and in generations without an eigendecomposition.
#[test]
fn a_restored_search_continues_bit_for_bit() {
    let constants = CmaConstants { eigen_gap: 3.0, ..CmaConstants::tutorial(12, 10) };
    let mut cma = CmaEs::with_constants(constants, DVector::repeat(12, 1.0), 0.5, DMatrix::identity(12, 12), 9);
    for _ in 0..31 {
        let x = cma.ask();
        cma.tell(&losses(&x, rosenbrock));
    }
    cma.ask();
    let mut restored: CmaEs = postcard::from_bytes(&postcard::to_stdvec(&cma).unwrap()).unwrap();
    for _ in 0..50 {
        let (x, same) = (cma.ask(), restored.ask());
        assert_eq!(x, same);
        cma.tell(&losses(&x, rosenbrock));
        restored.tell(&losses(&x, rosenbrock));
    }
    assert_eq!(cma.covariance(), restored.covariance());
    assert_eq!(cma.stop(), restored.stop());
}

/// 10⁴ generations that ignore `stop`: C remains a covariance, or there is a reason to stop.
fn assert_sound_for_long(n: usize, mut f: impl FnMut(&[f64]) -> f64) {
    let mut cma = start(DVector::repeat(n, 3.0), 0.5, 4);
    for g in 1..=10_000 {
        let x = cma.ask();
        assert!(x.iter().all(|v| v.is_finite()));
        cma.tell(&losses(&x, &mut f));
        if g % 500 == 0 {
            let c = cma.covariance();
            let sound = c == c.transpose() && c.iter().all(|v| v.is_finite()) && cholesky(&c).is_ok();
            assert!(sound || cma.stop().is_some(), "generation {g}");
            assert!(cma.sigma().is_finite() && cma.sigma() > 0.0);
        }
    }
}

#[test]
fn a_flat_function_does_no_harm() {
    assert_sound_for_long(10, |_| 0.0);
    assert_sound_for_long(30, |_| 0.0);
}

#[test]
fn noise_does_no_harm() {
    let mut random = stream(1, Purpose::Episodes, 0, 0);
    assert_sound_for_long(10, |x| sphere(x) * 1e-6 + random.random::<f64>());
    assert_sound_for_long(30, |x| sphere(x) * 1e-6 + random.random::<f64>());
}

#[test]
fn ill_conditioning_does_no_harm() {
    assert_sound_for_long(10, |x| ellipsoid_of(12.0, x));
    assert_sound_for_long(30, |x| ellipsoid_of(12.0, x));
}

#[test]
fn failures_do_no_harm() {
    assert_sound_for_long(10, |_| f64::NAN);
}

#[test]
fn it_stops_when_it_has_converged_and_not_before() {
    let mut cma = start(DVector::repeat(10, 3.0), 0.5, 1);
    let mut best = f64::INFINITY;
    while cma.stop().is_none() {
        let loss = losses(&cma.ask(), ellipsoid);
        best = loss.iter().copied().fold(best, f64::min);
        cma.tell(&loss);
        assert!(cma.diagnostics().generation < 2_000);
    }
    assert!(best < 1e-9, "stopped at {best:e}: {}", cma.stop().unwrap());
}

/// On noise alone nothing improves, and the search says so, but only after a few hundred generations.
#[test]
fn it_stops_when_it_stagnates() {
    let mut random = stream(2, Purpose::Episodes, 0, 0);
    let settings = Settings { batch: Some(100), ..settings(0.1, 3) };
    let mut cma = CmaEs::new(&settings, DVector::zeros(16)).unwrap();
    while cma.stop().is_none() {
        let loss = losses(&cma.ask(), |_| random.random());
        cma.tell(&loss);
        assert!(cma.diagnostics().generation < 3_000);
    }
    assert!(cma.diagnostics().generation > 500, "{:?}", cma.diagnostics());
    assert!(matches!(cma.stop(), Some(StopReason::Stagnation(_))), "{:?}", cma.stop());
}

/// Dimensions and populations at the edge of the constants' formulas.
#[test]
fn tiny_problems_are_solved() {
    for (n, batch) in [(1, 3), (1, 4), (1, 200), (2, 4), (2, 5), (2, 500)] {
        let settings = Settings { batch: Some(batch), ..settings(0.5, 1) };
        let mut cma = CmaEs::new(&settings, DVector::repeat(n, 3.0)).unwrap();
        for _ in 0..300 {
            let loss = losses(&cma.ask(), sphere);
            cma.tell(&loss);
        }
        assert!(sphere(cma.center().as_slice()) < 1e-8, "n = {n}, N = {batch}: {}", cma.center());
    }
}

/// Rastrigin's function defeats a small population. Doubling it helps.
#[test]
fn restarts_enlarge_the_population_until_the_valley_is_found() {
    let rastrigin = |x: &[f64]| x.iter().map(|v| v * v - 10.0 * (std::f64::consts::TAU * v).cos() + 10.0).sum::<f64>();
    for restarts in [Restarts::Ipop, Restarts::Bipop] {
        let bounds = Bounds::Clip { low: -5.0, high: 5.0 };
        let settings = Settings { restarts, bounds, ..settings(2.0, 1) };
        let mut search = Restarting::new(&settings, DVector::repeat(5, 3.0)).unwrap();
        let mut twin = search.clone();
        let (mut best, mut evaluations, mut largest) = (f64::INFINITY, 0, 0);
        while best > 1e-8 && evaluations < 200_000 {
            let x = search.ask();
            assert_eq!(x, twin.ask(), "{restarts:?}: a restored search went another way");
            let loss = losses(&x, rastrigin);
            best = loss.iter().copied().fold(best, f64::min);
            evaluations += loss.len();
            largest = largest.max(loss.len());
            search.tell(&loss);
            twin.tell(&loss);
            twin = postcard::from_bytes(&postcard::to_stdvec(&twin).unwrap()).unwrap();
        }
        assert!(best <= 1e-8, "{restarts:?}: {best:e}");
        assert!(search.restarts() > 0 && largest >= 16, "{restarts:?}: {} restarts", search.restarts());
    }
}

/// Evaluations until the first f < 1e-8.
fn evaluations(f: Function, n: usize, batch: usize, mean: f64, sigma: f64, seed: u64) -> Option<usize> {
    let settings = Settings { batch: Some(batch), ..settings(sigma, seed) };
    let mut cma = CmaEs::new(&settings, DVector::repeat(n, mean)).unwrap().with_tolerances(Tolerances::never());
    for g in 0..200_000 / batch {
        let loss = losses(&cma.ask(), f);
        if let Some(i) = loss.iter().position(|&l| l < 1e-8) {
            return Some(g * batch + i + 1);
        }
        cma.tell(&loss);
    }
    None
}

/// Median of 11 seeds against pycma's in cma_reference.json, with its start, σ0 and N (default and 2n), at n = 10, 20,
/// 40.
fn assert_as_quick_as_pycma(name: &str, f: Function, mean: f64, sigma: f64) {
    let golden = data("cma_evaluations");
    for n in [10, 20, 40] {
        for (label, batch) in [("default", default_batch(n)), ("2n", 2 * n)] {
            let runs: Option<Vec<usize>> = (0..11).map(|seed| evaluations(f, n, batch, mean, sigma, seed)).collect();
            let mut runs = runs.unwrap_or_else(|| panic!("{name}, n = {n}, N = {batch}: a run missed 1e-8"));
            runs.sort();
            let pycma = number(&golden["pycma"][label][name][n.to_string()]);
            let ratio = runs[5] as f64 / pycma;
            println!("{name:7} n {n:2} N {batch:2}: {:6} evaluations, {ratio:.2} x pycma's {pycma}", runs[5]);
            assert!(ratio <= 1.2, "{name}, n = {n}, N = {batch}: {} evaluations, pycma {pycma}", runs[5]);
        }
    }
}

#[test]
fn sphere_takes_no_more_evaluations_than_pycma() {
    assert_as_quick_as_pycma("sphere", sphere, 3.0, 0.5);
}

#[test]
fn ellipsoid_takes_no_more_evaluations_than_pycma() {
    assert_as_quick_as_pycma("elli", ellipsoid, 3.0, 0.5);
}

#[test]
fn cigar_takes_no_more_evaluations_than_pycma() {
    assert_as_quick_as_pycma("cigar", cigar, 3.0, 0.5);
}

#[test]
fn rosenbrock_takes_no_more_evaluations_than_pycma() {
    assert_as_quick_as_pycma("rosen", rosenbrock, 0.0, 0.1);
}
