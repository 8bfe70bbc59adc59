//! Dense linear algebra on nalgebra matrices, computed by faer through views without copies.
//!
//! Always one thread (`Par::Seq`): results of faer depend on the number of threads, and those of an optimizer must not.
//! A symmetric matrix is kept in its lower triangle, and nothing here reads the strict upper one. `mirror` fills it.
//!
//! All functions panic if the sizes of their arguments do not fit together.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::matmul::triangular::BlockStructure::{Rectangular, TriangularLower, TriangularUpper};
use faer::linalg::{cholesky::llt, evd, matmul, matmul::triangular, triangular_solve};
use faer::{Accum, MatMut, MatRef, Par, diag::DiagMut};
use nalgebra::{DMatrix, DVector};

/// The matrix has a pivot that is not positive, so it is not the covariance of a Gaussian with a density.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the matrix is not positive definite")]
pub struct NotPositiveDefinite;

/// A = B diag(values) Bᵀ, eigenvalues ascending, eigenvectors in the columns of B.
#[derive(Clone, Debug)]
pub struct Eigen {
    pub values: DVector<f64>,
    pub vectors: DMatrix<f64>,
}

impl Eigen {
    /// B diag(f(values)) Bᵀ, in the lower triangle.
    pub fn compose(&self, f: impl Fn(f64) -> f64) -> DMatrix<f64> {
        let mut scaled = self.vectors.clone();
        scaled.column_iter_mut().zip(&self.values).for_each(|(mut column, &value)| column *= f(value));
        let mut product = DMatrix::zeros(scaled.nrows(), scaled.nrows());
        add_outer(&mut product, 1.0, &scaled, &self.vectors);
        product
    }
}

/// Overwrites `factor` with the lower L of A = LLᵀ, with zeros above the diagonal.
///
/// # Errors
/// If A is not positive definite; `factor` is then undefined.
pub fn cholesky_into(a: &DMatrix<f64>, factor: &mut DMatrix<f64>) -> Result<(), NotPositiveDefinite> {
    let n = a.nrows();
    for j in 0..n {
        let below = j * n + j..(j + 1) * n;
        factor.as_mut_slice()[below.clone()].copy_from_slice(&a.as_slice()[below]);
    }
    let mut memory = MemBuffer::new(llt::factor::cholesky_in_place_scratch::<f64>(n, Par::Seq, Default::default()));
    let stack = MemStack::new(&mut memory);
    llt::factor::cholesky_in_place(view_mut(factor), Default::default(), Par::Seq, stack, Default::default())
        .map_err(|_| NotPositiveDefinite)?;
    // faer leaves intermediate results above the diagonal.
    (1..n).for_each(|j| factor.as_mut_slice()[j * n..j * n + j].fill(0.0));
    // A NaN passes the pivot test but then shows up on the diagonal.
    if factor.diagonal().iter().all(|d| d.is_finite()) { Ok(()) } else { Err(NotPositiveDefinite) }
}

/// The lower L of A = LLᵀ.
///
/// # Errors
/// If A is not positive definite.
pub fn cholesky(a: &DMatrix<f64>) -> Result<DMatrix<f64>, NotPositiveDefinite> {
    let mut factor = DMatrix::zeros(a.nrows(), a.ncols());
    cholesky_into(a, &mut factor).map(|()| factor)
}

/// Eigendecomposition of the symmetric A. `None` if A has an entry that is not finite or the iteration fails.
pub fn eigen(a: &DMatrix<f64>) -> Option<Eigen> {
    let n = a.nrows();
    let (mut values, mut vectors) = (DVector::zeros(n), DMatrix::zeros(n, n));
    decompose(a, &mut values, Some(&mut vectors))?;
    Some(Eigen { values, vectors })
}

/// Eigenvalues of the symmetric A, ascending. `None` as for [`eigen`].
pub fn eigenvalues(a: &DMatrix<f64>) -> Option<DVector<f64>> {
    let mut values = DVector::zeros(a.nrows());
    decompose(a, &mut values, None)?;
    Some(values)
}

/// Eigenvalues and, if `vectors` is given, eigenvectors.
fn decompose(a: &DMatrix<f64>, values: &mut DVector<f64>, vectors: Option<&mut DMatrix<f64>>) -> Option<()> {
    let n = a.nrows();
    if (0..n).any(|j| a.as_slice()[j * n + j..(j + 1) * n].iter().any(|v| !v.is_finite())) {
        return None;
    }
    let wanted = if vectors.is_some() { evd::ComputeEigenvectors::Yes } else { evd::ComputeEigenvectors::No };
    let mut memory = MemBuffer::new(evd::self_adjoint_evd_scratch::<f64>(n, wanted, Par::Seq, Default::default()));
    let diagonal = DiagMut::from_slice_mut(values.as_mut_slice());
    let stack = MemStack::new(&mut memory);
    evd::self_adjoint_evd(view(a), diagonal, vectors.map(view_mut), Par::Seq, stack, Default::default()).ok()
}

/// lower(A) += alpha · X Yᵀ. The product has to be symmetric, so Y is X or X with scaled columns.
pub fn add_outer(a: &mut DMatrix<f64>, alpha: f64, x: &DMatrix<f64>, y: &DMatrix<f64>) {
    let a = view_mut(a);
    let y_transposed = view(y).transpose();
    triangular::matmul(
        a,
        TriangularLower,
        Accum::Add,
        view(x),
        Rectangular,
        y_transposed,
        Rectangular,
        alpha,
        Par::Seq,
    );
}

/// lower(A) ← alpha · lower(A) + beta · lower(B).
pub fn blend(a: &mut DMatrix<f64>, alpha: f64, b: &DMatrix<f64>, beta: f64) {
    let n = a.nrows();
    for j in 0..n {
        let below = j * n + j..(j + 1) * n;
        for (a, b) in a.as_mut_slice()[below.clone()].iter_mut().zip(&b.as_slice()[below]) {
            *a = alpha * *a + beta * b;
        }
    }
}

/// lower(A) ← alpha · lower(A).
pub fn scale(a: &mut DMatrix<f64>, alpha: f64) {
    let n = a.nrows();
    for j in 0..n {
        a.as_mut_slice()[j * n + j..(j + 1) * n].iter_mut().for_each(|v| *v *= alpha);
    }
}

/// L Z for a lower triangular L: turns standard normal columns into columns of N(0, LLᵀ).
pub fn lower_times(l: &DMatrix<f64>, z: &DMatrix<f64>) -> DMatrix<f64> {
    let mut product = DMatrix::zeros(l.nrows(), z.ncols());
    let into = view_mut(&mut product);
    let (l, z) = (view(l), view(z));
    triangular::matmul(into, Rectangular, Accum::Replace, l, TriangularLower, z, Rectangular, 1.0, Par::Seq);
    product
}

/// A B, both full.
pub fn multiply(a: &DMatrix<f64>, b: &DMatrix<f64>) -> DMatrix<f64> {
    let mut product = DMatrix::zeros(a.nrows(), b.ncols());
    matmul::matmul(view_mut(&mut product), Accum::Replace, view(a), view(b), 1.0, Par::Seq);
    product
}

/// Aᵀ B, both full.
pub fn transpose_multiply(a: &DMatrix<f64>, b: &DMatrix<f64>) -> DMatrix<f64> {
    let mut product = DMatrix::zeros(a.ncols(), b.ncols());
    matmul::matmul(view_mut(&mut product), Accum::Replace, view(a).transpose(), view(b), 1.0, Par::Seq);
    product
}

/// Overwrites b with L⁻¹ b: whitens a deviation from the mean of N(m, LLᵀ).
pub fn solve_lower(l: &DMatrix<f64>, b: &mut DVector<f64>) {
    let rows = b.nrows();
    let b = MatMut::from_column_major_slice_mut(b.as_mut_slice(), rows, 1);
    triangular_solve::solve_lower_triangular_in_place(view(l), b, Par::Seq);
}

/// Overwrites every column b of B with L⁻¹ b.
pub fn solve_lower_columns(l: &DMatrix<f64>, b: &mut DMatrix<f64>) {
    triangular_solve::solve_lower_triangular_in_place(view(l), view_mut(b), Par::Seq);
}

/// Overwrites every row b of B with L⁻¹ b, that is B with B L⁻ᵀ.
pub fn solve_lower_rows(l: &DMatrix<f64>, b: &mut DMatrix<f64>) {
    triangular_solve::solve_lower_triangular_in_place(view(l), view_mut(b).transpose_mut(), Par::Seq);
}

/// Overwrites every block of B with block · L⁻ᵀ. A block has as many columns as L.
pub fn solve_lower_blocks(l: &DMatrix<f64>, b: &mut DMatrix<f64>) {
    let (rows, columns) = (b.nrows(), l.nrows());
    for block in b.as_mut_slice().chunks_exact_mut(rows * columns) {
        let block = MatMut::from_column_major_slice_mut(block, rows, columns);
        triangular_solve::solve_lower_triangular_in_place(view(l), block.transpose_mut(), Par::Seq);
    }
}

/// Every block of B times Lᵀ for a lower triangular L. A block has as many columns as L.
pub fn blocks_times_transposed(b: &DMatrix<f64>, l: &DMatrix<f64>) -> DMatrix<f64> {
    let (rows, columns) = (b.nrows(), l.nrows());
    let mut product = DMatrix::zeros(rows, b.ncols());
    let blocks = b.as_slice().chunks_exact(rows * columns);
    for (into, block) in product.as_mut_slice().chunks_exact_mut(rows * columns).zip(blocks) {
        let into = MatMut::from_column_major_slice_mut(into, rows, columns);
        let block = MatRef::from_column_major_slice(block, rows, columns);
        let l = view(l).transpose();
        triangular::matmul(into, Rectangular, Accum::Replace, block, Rectangular, l, TriangularUpper, 1.0, Par::Seq);
    }
    product
}

/// lower(A) += alpha · Σ blockᵀ block over the blocks of B. A block has as many columns as A.
pub fn add_inner_of_blocks(a: &mut DMatrix<f64>, alpha: f64, b: &DMatrix<f64>) {
    let (rows, columns) = (b.nrows(), a.nrows());
    for block in b.as_slice().chunks_exact(rows * columns) {
        let block = MatRef::from_column_major_slice(block, rows, columns);
        let (a, turned) = (view_mut(a), block.transpose());
        triangular::matmul(a, TriangularLower, Accum::Add, turned, Rectangular, block, Rectangular, alpha, Par::Seq);
    }
}

/// Overwrites b with A⁻¹ b for A = LLᵀ.
pub fn solve_factorized(l: &DMatrix<f64>, b: &mut DVector<f64>) {
    solve_lower(l, b);
    let rows = b.nrows();
    let b = MatMut::from_column_major_slice_mut(b.as_mut_slice(), rows, 1);
    triangular_solve::solve_upper_triangular_in_place(view(l).transpose(), b, Par::Seq);
}

/// A⁻¹ of A = LLᵀ, in the lower triangle.
pub fn inverse_of_factorized(l: &DMatrix<f64>) -> DMatrix<f64> {
    let n = l.nrows();
    let mut inverse = DMatrix::zeros(n, n);
    let mut memory = MemBuffer::new(llt::inverse::inverse_scratch::<f64>(n, Par::Seq));
    llt::inverse::inverse(view_mut(&mut inverse), view(l), Par::Seq, MemStack::new(&mut memory));
    inverse
}

/// tr(A B) of symmetric A and B.
pub fn trace_of_product(a: &DMatrix<f64>, b: &DMatrix<f64>) -> f64 {
    let n = a.nrows();
    let column = |j: usize| {
        let below = j * n + j + 1..(j + 1) * n;
        let products = a.as_slice()[below.clone()].iter().zip(&b.as_slice()[below]).map(|(a, b)| a * b);
        a[(j, j)] * b[(j, j)] + 2.0 * products.sum::<f64>()
    };
    (0..n).map(column).sum()
}

/// A cheap lower bound on the condition number of LLᵀ: the squared ratio of the largest to the smallest pivot.
pub fn condition(l: &DMatrix<f64>) -> f64 {
    let pivots = l.diagonal();
    (pivots.max() / pivots.min()).powi(2)
}

/// √(Σ v² / n).
pub fn root_mean_square(v: &DVector<f64>) -> f64 {
    (v.norm_squared() / v.len() as f64).sqrt()
}

/// Copies the lower triangle onto the upper one.
pub fn mirror(a: &mut DMatrix<f64>) {
    a.fill_upper_triangle_with_lower_triangle();
}

fn view(a: &DMatrix<f64>) -> MatRef<'_, f64> {
    MatRef::from_column_major_slice(a.as_slice(), a.nrows(), a.ncols())
}

fn view_mut(a: &mut DMatrix<f64>) -> MatMut<'_, f64> {
    let (rows, columns) = a.shape();
    MatMut::from_column_major_slice_mut(a.as_mut_slice(), rows, columns)
}
