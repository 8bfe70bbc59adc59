//! The hyperparameters under which the data are most likely, found by L-BFGS-B on their logarithms.
//!
//! TuRBO's own code takes 50 steps of Adam instead. A quasi-Newton method reaches a higher likelihood with fewer
//! evaluations, each of which costs the cube of the number of data.

use std::cell::RefCell;

use basin::{BoxBounds, Constrained, ConstraintSet, CostFunction, Executor, FirstOrderState, Gradient, Lbfgs};
use nalgebra::{DMatrix, DVector};

use super::gp::{Hyper, log_marginal_likelihood};

/// Least value, start and greatest value, as in the paper. Every fit starts anew, so it depends on the data only.
/// Lengthscales start longer if that is likelier: in a hundred dimensions the points are so far apart that at the paper's
/// start they are all uncorrelated and the likelihood has no slope.
const OUTPUTSCALE: [f64; 3] = [0.05, 1.0, 20.0];
const LENGTHSCALE: [f64; 3] = [0.005, 0.5, 2.0];
const LONGER: [f64; 2] = [1.0, 2.0];
const NOISE: [f64; 3] = [5e-4, 5e-3, 0.2];
/// The constant mean of standardized values. It is free in the paper, and these limits do not matter in practice.
const MEAN: [f64; 3] = [-10.0, 0.0, 10.0];

/// The most likelihoods computed per fit.
const EVALUATIONS: usize = 50;
/// The fit ends when the relative gain in likelihood is below this.
const GAIN: f64 = 1e-5;

/// The most likely hyperparameters found and the number of likelihoods computed.
pub fn fit(x: &DMatrix<f64>, y: &DVector<f64>) -> (Hyper, usize) {
    let [low, start, high] = [0, 1, 2].map(|which| {
        let mut parameters = vec![OUTPUTSCALE[which].ln()];
        parameters.resize(x.nrows() + 1, LENGTHSCALE[which].ln());
        parameters.extend([NOISE[which].ln(), MEAN[which]]);
        parameters
    });
    let found = RefCell::new(Found { evaluations: 0, loss: f64::INFINITY, parameters: start.clone() });
    let bounds = ConstraintSet::new().with_bounds(BoxBounds::new(Some(low), Some(high)));
    let likelihood = Likelihood { x, y, found: &found };
    for lengthscale in std::iter::once(LENGTHSCALE[1]).chain(LONGER) {
        let mut start = start.clone();
        start[1..=x.nrows()].fill(lengthscale.ln());
        let _ = likelihood.cost(&start);
    }
    let start = found.borrow().parameters.clone();
    let problem = Constrained::new(likelihood, bounds);
    let solver = Lbfgs::new().with_relative_cost_reduction_tolerance(GAIN);
    // The result is the best that was seen, whether the fit converges or runs out of evaluations.
    let _ = Executor::new(problem, solver, FirstOrderState::new(start)).max_iter(EVALUATIONS as u64).run();
    let found = found.into_inner();
    (hyper(&found.parameters), found.evaluations)
}

/// [ln s, ln l_1 … ln l_d, ln σ², c], the order of the gradient.
fn hyper(parameters: &[f64]) -> Hyper {
    let d = parameters.len() - 3;
    Hyper {
        outputscale: parameters[0].exp(),
        lengthscales: DVector::from_fn(d, |k, _| parameters[k + 1].exp()),
        noise: parameters[d + 1].exp(),
        mean: parameters[d + 2],
    }
}

/// The best parameters so far.
struct Found {
    evaluations: usize,
    loss: f64,
    parameters: Vec<f64>,
}

/// −ln p(y | x) per datum as a function of the parameters.
struct Likelihood<'a> {
    x: &'a DMatrix<f64>,
    y: &'a DVector<f64>,
    found: &'a RefCell<Found>,
}

/// The limit on likelihoods is reached.
struct Enough;

impl CostFunction for Likelihood<'_> {
    type Param = Vec<f64>;
    type Output = f64;
    type Error = Enough;

    fn cost(&self, parameters: &Vec<f64>) -> Result<f64, Enough> {
        self.cost_and_gradient(parameters).map(|(loss, _)| loss)
    }
}

impl Gradient for Likelihood<'_> {
    type Gradient = Vec<f64>;

    fn gradient(&self, parameters: &Vec<f64>) -> Result<Vec<f64>, Enough> {
        self.cost_and_gradient(parameters).map(|(_, gradient)| gradient)
    }

    fn cost_and_gradient(&self, parameters: &Vec<f64>) -> Result<(f64, Vec<f64>), Enough> {
        let mut found = self.found.borrow_mut();
        if found.evaluations == EVALUATIONS {
            return Err(Enough);
        }
        found.evaluations += 1;
        let Ok((value, gradient)) = log_marginal_likelihood(self.x, self.y, &hyper(parameters)) else {
            return Ok((f64::INFINITY, vec![0.0; parameters.len()]));
        };
        let per_datum = -1.0 / self.y.len() as f64;
        let loss = per_datum * value;
        if loss < found.loss {
            found.loss = loss;
            found.parameters.clone_from(parameters);
        }
        Ok((loss, gradient.into_iter().map(|v| per_datum * v).collect()))
    }
}
