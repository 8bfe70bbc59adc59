//! The parts that all optimizers are built on.

use crate::common::normal;
use locomotion::optim::Bounds;
use locomotion::optim::linalg::{self, NotPositiveDefinite};
use locomotion::optim::weights::{Weights, is_flat, ranking};
use nalgebra::DMatrix;

#[test]
fn failures_rank_last_and_ties_keep_their_order() {
    let loss = [2.0, f64::NAN, 1.0, f64::INFINITY, 2.0, f64::NEG_INFINITY, 1.0];
    assert_eq!(ranking(&loss), [2, 6, 0, 4, 1, 3, 5]);
    assert_eq!(ranking(&[0.0, -0.0, 0.0]), [0, 1, 2]);
    assert!(is_flat(&[f64::NAN, f64::INFINITY]) && is_flat(&[1.0, 1.0, 1.0]) && !is_flat(&[1.0, f64::NAN]));
}

#[test]
fn weights_sum_to_one_and_minus_one_and_fall_with_rank() {
    for batch in [2, 3, 4, 7, 12, 64, 101] {
        let w = Weights::new(batch);
        assert_eq!(w.positive.len() + w.negative.len(), batch);
        assert!((w.positive.iter().sum::<f64>() - 1.0).abs() < 1e-14);
        assert!((w.negative.iter().sum::<f64>() + 1.0).abs() < 1e-14);
        assert!(w.positive.iter().chain(&w.negative).collect::<Vec<_>>().windows(2).all(|w| w[0] > w[1]) || batch < 4);
        assert!(w.mu_eff >= 1.0 && w.mu_eff <= w.positive.len() as f64);
    }
}

fn covariance(n: usize) -> DMatrix<f64> {
    let a = normal(n, 2 * n, n as u64);
    &a * a.transpose()
}

#[test]
fn decompositions_give_the_matrix_back() {
    for n in [1, 2, 7, 100] {
        let c = covariance(n);
        let l = linalg::cholesky(&c).unwrap();
        assert!((&l * l.transpose() - &c).norm() < 1e-12 * c.norm());
        assert_eq!(l, l.lower_triangle());
        let e = linalg::eigen(&c).unwrap();
        let back = &e.vectors * DMatrix::from_diagonal(&e.values) * e.vectors.transpose();
        assert!((back - &c).norm() < 1e-12 * c.norm());
    }
}

#[test]
fn the_upper_triangle_is_never_read() {
    let c = covariance(30);
    let mut soiled = c.clone();
    (0..30).for_each(|j| (0..j).for_each(|i| soiled[(i, j)] = f64::NAN));
    assert_eq!(linalg::cholesky(&c), linalg::cholesky(&soiled));
    assert_eq!(linalg::eigen(&c).unwrap().vectors, linalg::eigen(&soiled).unwrap().vectors);
    let (x, mut clean) = (normal(30, 4, 1), c);
    for a in [&mut clean, &mut soiled] {
        linalg::add_outer(a, 0.5, &x, &x);
        linalg::scale(a, 0.9);
        linalg::mirror(a);
    }
    assert_eq!(clean, soiled);
}

#[test]
fn what_is_not_positive_definite_or_finite_is_reported() {
    assert_eq!(linalg::cholesky(&DMatrix::from_diagonal_element(3, 3, -1.0)), Err(NotPositiveDefinite));
    for bad in [f64::NAN, f64::INFINITY] {
        let mut c = covariance(5);
        c[(3, 1)] = bad;
        assert_eq!(linalg::cholesky(&c), Err(NotPositiveDefinite));
        assert!(linalg::eigen(&c).is_none());
    }
}

#[test]
fn triangular_products_and_solves_agree_with_nalgebra() {
    let (l, z, x) = (linalg::cholesky(&covariance(40)).unwrap(), normal(40, 9, 2), normal(40, 6, 3));
    assert!((linalg::lower_times(&l, &z) - &l * &z).norm() < 1e-11);
    let mut b = &l * x.column(0);
    linalg::solve_lower(&l, &mut b);
    assert!((b - x.column(0)).norm() < 1e-10);
    let mut a = covariance(40);
    let expected = &a + &x * x.transpose() * 0.3;
    linalg::add_outer(&mut a, 0.3, &x, &x);
    assert!((a - expected).lower_triangle().norm() < 1e-11);
    assert!((linalg::multiply(&l, &x) - &l * &x).norm() < 1e-11);
    assert!((linalg::transpose_multiply(&l, &x) - l.transpose() * &x).norm() < 1e-11);
}

#[test]
fn clipping_brings_points_into_the_box_and_only_those() {
    let points = DMatrix::from_row_slice(1, 4, &[-3.0, -0.5, 0.5, 3.0]);
    let clipped = Bounds::Clip { low: -1.0, high: 1.0 }.apply(points.clone());
    assert_eq!(clipped.as_slice(), [-1.0, -0.5, 0.5, 1.0]);
    assert_eq!(Bounds::None.apply(points.clone()), points);
}
