//! A Gaussian process: a model of a function from a few evaluations.
//!
//! Reference: Rasmussen & Williams, "Gaussian Processes for Machine Learning", MIT Press 2006, algorithm 2.1 and eq. (5.9).
//!
//! | symbol | here | |
//! |---|---|---|
//! | c, s, σ² | `mean`, `outputscale`, `noise` | f ~ GP(c, s·k), y = f + N(0, σ²) |
//! | l | `lengthscales` | one per coordinate |
//! | u | `scaled` | (x − ½)/l; centered, because then differences of squares lose fewer digits |
//! | r | | √5 ‖u − u'‖; the Matérn-5/2 kernel is k = (1 + r + r²/3) e⁻ʳ |
//! | K = LLᵀ | `factor` | covariance of the observations, s·k + σ² on the diagonal |
//! | α | `alpha` | K⁻¹ (y − c) |
//!
//! Points are columns. Distances of pairs come from matrix products; a scalar loop computes one exponential per pair.

use nalgebra::{DMatrix, DVector};

use super::matern::matern;
use crate::optim::linalg::{self, NotPositiveDefinite};

/// The hyperparameters of a Gaussian process.
#[derive(Clone, Debug, PartialEq)]
pub struct Hyper {
    pub outputscale: f64,
    pub lengthscales: DVector<f64>,
    pub noise: f64,
    pub mean: f64,
}

/// A Gaussian process conditioned on data.
pub struct Gp {
    hyper: Hyper,
    scaled: DMatrix<f64>,
    factor: DMatrix<f64>,
    alpha: DVector<f64>,
}

impl Gp {
    /// Conditioned on the values `y` at the columns of `x`.
    ///
    /// # Errors
    /// If the kernel matrix is not positive definite in double precision.
    pub fn new(x: &DMatrix<f64>, y: &DVector<f64>, hyper: Hyper) -> Result<Self, NotPositiveDefinite> {
        let scaled = scale(x, &hyper.lengthscales);
        let factor = factorize(covariance(&scaled, hyper.outputscale, hyper.noise, None))?;
        let mut alpha = y.add_scalar(-hyper.mean);
        linalg::solve_factorized(&factor, &mut alpha);
        Ok(Self { hyper, scaled, factor, alpha })
    }

    /// Mean and covariance (in its lower triangle) of f at the columns of `x`, with `noise` added to the variances.
    pub fn posterior(&self, x: &DMatrix<f64>, noise: f64) -> (DVector<f64>, DMatrix<f64>) {
        let scaled = scale(x, &self.hyper.lengthscales);
        let mut cross = linalg::transpose_multiply(&scaled, &self.scaled);
        let (here, there) = (squared_norms(&scaled), squared_norms(&self.scaled));
        let mut slopes = vec![0.0; here.len()];
        for (column, &norm) in cross.as_mut_slice().chunks_exact_mut(here.len()).zip(&there) {
            matern(self.hyper.outputscale, norm, &here, column, &mut slopes);
        }
        let mean = (&cross * &self.alpha).add_scalar(self.hyper.mean);
        linalg::solve_lower_rows(&self.factor, &mut cross);
        let mut covariance = covariance(&scaled, self.hyper.outputscale, noise, None);
        linalg::add_outer(&mut covariance, -1.0, &cross, &cross);
        (mean, covariance)
    }

    /// Joint draws of noisy observations at the columns of `x`, one per column of standard `normal` numbers.
    ///
    /// # Errors
    /// If the posterior covariance is not positive definite in double precision.
    pub fn samples(&self, x: &DMatrix<f64>, normal: &DMatrix<f64>) -> Result<DMatrix<f64>, NotPositiveDefinite> {
        let (mean, covariance) = self.posterior(x, self.hyper.noise);
        let mut samples = linalg::lower_times(&factorize(covariance)?, normal);
        samples.column_iter_mut().for_each(|mut sample| sample += &mean);
        Ok(samples)
    }
}

/// ln p(y | x) and its gradient with respect to [ln s, ln l_1 … ln l_d, ln σ², c].
///
/// # Errors
/// If the kernel matrix is not positive definite in double precision.
pub fn log_marginal_likelihood(
    x: &DMatrix<f64>,
    y: &DVector<f64>,
    hyper: &Hyper,
) -> Result<(f64, Vec<f64>), NotPositiveDefinite> {
    let (scaled, n) = (scale(x, &hyper.lengthscales), y.len());
    // ∂K_ij/∂ln l_k = 5 (u_ik − u_jk)² G_ij with G = s (1 + r) e⁻ʳ / 3.
    let mut g = DMatrix::zeros(n, n);
    let k = covariance(&scaled, hyper.outputscale, hyper.noise, Some(&mut g));
    let factor = factorize(k)?;
    let residual = y.add_scalar(-hyper.mean);
    let mut alpha = residual.clone();
    linalg::solve_factorized(&factor, &mut alpha);
    let fit = residual.dot(&alpha);
    let log_determinant = 2.0 * factor.diagonal().iter().map(|d| d.ln()).sum::<f64>();
    let value = -0.5 * (fit + log_determinant + n as f64 * (2.0 * std::f64::consts::PI).ln());

    // Every derivative is ½ tr(A ∂K) with A = ααᵀ − K⁻¹. W = A ∘ G, and its diagonal is 0 because a point has no distance
    // from itself.
    let mut w = linalg::inverse_of_factorized(&factor);
    drop(factor);
    let trace = alpha.norm_squared() - w.trace();
    for j in 0..n {
        w[(j, j)] = 0.0;
        for i in j + 1..n {
            w[(i, j)] = (alpha[i] * alpha[j] - w[(i, j)]) * g[(i, j)];
        }
    }
    linalg::mirror(&mut w);

    // Σ_ij W_ij (u_ik − u_jk)² = 2 Σ_i u_ik (u_ik Σ_j W_ij − (UW)_ki).
    let sums = w.row_sum();
    let products = linalg::multiply(&scaled, &w);
    let mut lengths = DVector::zeros(scaled.nrows());
    for ((u, p), sum) in scaled.column_iter().zip(products.column_iter()).zip(sums.iter()) {
        lengths += 5.0 * u.component_mul(&(u * *sum - p));
    }
    let noise = 0.5 * hyper.noise * trace;
    let mut gradient = vec![0.5 * (fit - n as f64) - noise];
    gradient.extend(lengths.iter());
    gradient.extend([noise, alpha.sum()]);
    Ok((value, gradient))
}

fn scale(x: &DMatrix<f64>, lengthscales: &DVector<f64>) -> DMatrix<f64> {
    let mut scaled = x.add_scalar(-0.5);
    scaled.column_iter_mut().for_each(|mut u| u.component_div_assign(lengthscales));
    scaled
}

fn squared_norms(scaled: &DMatrix<f64>) -> Vec<f64> {
    scaled.column_iter().map(|u| u.norm_squared()).collect()
}

/// s·k between all pairs of points, in the lower triangle, plus the noise on the diagonal; and G below the diagonal.
fn covariance(scaled: &DMatrix<f64>, outputscale: f64, noise: f64, g: Option<&mut DMatrix<f64>>) -> DMatrix<f64> {
    let (n, rows, norms) = (scaled.ncols(), scaled.transpose(), squared_norms(scaled));
    let mut k = DMatrix::zeros(n, n);
    linalg::add_outer(&mut k, 1.0, &rows, &rows);
    let mut unwanted = DMatrix::zeros(n, if g.is_some() { 0 } else { 1 });
    let (g, stride) = match g {
        Some(g) => (g.as_mut_slice(), n),
        None => (unwanted.as_mut_slice(), 0),
    };
    for j in 0..n {
        k[(j, j)] = outputscale + noise;
        let below = &mut k.as_mut_slice()[j * n + j + 1..(j + 1) * n];
        matern(outputscale, norms[j], &norms[j + 1..], below, &mut g[j * stride + j + 1..j * stride + n]);
    }
    k
}

/// The Cholesky factor. If rounding has made the matrix indefinite, a little is added to its diagonal.
fn factorize(mut a: DMatrix<f64>) -> Result<DMatrix<f64>, NotPositiveDefinite> {
    let size = a.diagonal().mean();
    let mut factor = DMatrix::zeros(a.nrows(), a.ncols());
    for jitter in [1e-9, 1e-7, 1e-5, 1e-3] {
        if linalg::cholesky_into(&a, &mut factor).is_ok() {
            return Ok(factor);
        }
        (0..a.nrows()).for_each(|i| a[(i, i)] += jitter * size);
    }
    linalg::cholesky_into(&a, &mut factor)?;
    Ok(factor)
}
