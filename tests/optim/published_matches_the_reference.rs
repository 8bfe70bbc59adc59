//! `published` matches the reference implementation up to rounding.

use locomotion::optim::syncma::Published;
use locomotion::optim::{Settings, Variant};
use nalgebra::{DMatrix, DVector};
use serde::Deserialize;

/// Excerpt of golden/optim/updates_golden.json, entry runs."repo-SynCMA".
#[derive(Deserialize)]
struct Golden {
    mean0: Vec<f64>,
    params: Params,
    generations: Vec<Generation>,
}

#[derive(Deserialize)]
struct Params {
    lam_0: f64,
    sigma: f64,
}

#[derive(Deserialize)]
#[allow(non_snake_case)]
struct Generation {
    X: Vec<Vec<f64>>,
    y: Vec<f64>,
    mean: Vec<f64>,
    p_c: Vec<f64>,
    p_m: Vec<f64>,
    C: Vec<Vec<f64>>,
    Q1: Vec<Vec<f64>>,
    Q2: Vec<f64>,
    Q3: f64,
}

fn matrix(rows: &[Vec<f64>]) -> DMatrix<f64> {
    DMatrix::from_fn(rows.len(), rows[0].len(), |i, j| rows[i][j])
}

fn assert_close(what: &str, ours: &DMatrix<f64>, theirs: &DMatrix<f64>) {
    let error = (ours - theirs).amax() / theirs.amax();
    assert!(error < 1e-10, "{what}: relative error {error:e}");
}

#[test]
fn six_generations_agree_with_the_stored_states() {
    let golden: Golden = serde_json::from_str(include_str!("../data/published_tell.json")).unwrap();
    let settings = Settings {
        variant: Variant::Published,
        lambda0: Some(golden.params.lam_0),
        sigma: Some(golden.params.sigma),
        batch: Some(golden.generations[0].y.len()),
        ..Settings::default()
    };
    let mut search = Published::new(&settings, DVector::from_vec(golden.mean0)).unwrap();
    for (g, after) in golden.generations.iter().enumerate() {
        search.learn(&matrix(&after.X).transpose(), &after.y);
        let state = search.state();
        let column = |v: &[f64]| DMatrix::from_column_slice(v.len(), 1, v);
        for (what, ours, theirs) in [
            ("mean", state.m.as_slice(), &after.mean),
            ("s_c", state.s_c.as_slice(), &after.p_c),
            ("s_m", state.s_m.as_slice(), &after.p_m),
            ("Q2", state.q2.as_slice(), &after.Q2),
            ("Q3", &[state.q3], &vec![after.Q3]),
        ] {
            assert_close(&format!("{what} after generation {g}"), &column(ours), &column(theirs));
        }
        for (what, ours, theirs) in [("C", &state.c, &after.C), ("Q1", &state.q1, &after.Q1)] {
            let theirs = matrix(theirs);
            assert_close(&format!("{what} after generation {g}"), &ours.lower_triangle(), &theirs.lower_triangle());
        }
    }
}
