//! Compares an optimizer of your own with one of ours: `cargo run --release --no-default-features --example
//! own_optimizer`.

use locomotion::benchmark::{Function, Problem, Synthetic};
use locomotion::nalgebra::{DMatrix, DVector};
use locomotion::optim::{Diagnostics, Optimizer, Settings, SettingsError, StopReason};

/// Tries a step along each axis, both ways, and halves it when none helps.
struct Compass {
    center: DVector<f64>,
    best: f64,
    step: f64,
    generation: u64,
}

impl Optimizer for Compass {
    fn ask(&mut self) -> DMatrix<f64> {
        let n = self.center.len();
        let mut candidates = DMatrix::from_fn(n, 2 * n, |i, _| self.center[i]);
        for axis in 0..n {
            candidates[(axis, 2 * axis)] += self.step;
            candidates[(axis, 2 * axis + 1)] -= self.step;
        }
        candidates
    }

    fn tell(&mut self, loss: &[f64]) {
        let candidates = self.ask();
        assert_eq!(loss.len(), candidates.ncols(), "one loss per candidate");
        let (best, center) = (0..loss.len()).fold((self.best, None), |(best, center), k| {
            if loss[k] < best { (loss[k], Some(candidates.column(k).into_owned())) } else { (best, center) }
        });
        self.best = best;
        match center {
            Some(center) => self.center = center,
            None => self.step /= 2.0,
        }
        self.generation += 1;
    }

    fn center(&self) -> DVector<f64> {
        self.center.clone()
    }

    fn diagnostics(&self) -> Diagnostics {
        Diagnostics { generation: self.generation, sigma: self.step, condition: 1.0 }
    }

    fn stop(&self) -> Option<StopReason> {
        (self.step < 1e-9).then_some(StopReason::StepTooSmall(self.step))
    }
}

fn main() -> Result<(), SettingsError> {
    let problem = Synthetic { function: Function::Sphere, dim: 5, moved: true, rotated: false }.instance(1);
    let start = DVector::from_element(problem.dim(), 5.0);
    let own = Compass { center: start.clone(), best: f64::INFINITY, step: 1.0, generation: 0 };
    let ours = Settings { sigma: Some(1.0), ..Settings::default() }.build(start)?;
    let searches: [(&str, Box<dyn Optimizer>); 2] = [("compass", Box::new(own)), ("syncma", Box::new(ours))];
    for (name, mut search) in searches {
        let mut evaluations = 0;
        while evaluations < 5000 && search.stop().is_none() {
            let candidates = search.ask();
            let losses: Vec<f64> = candidates.column_iter().map(|x| problem.value(x.as_slice())).collect();
            search.tell(&losses);
            evaluations += losses.len();
        }
        let value = problem.value(search.center().as_slice());
        println!("{name}: {value:.1e} after {evaluations} evaluations");
        assert!(value < 1e-6);
    }
    Ok(())
}
