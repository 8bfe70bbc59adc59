//! The evaluation clips to the bounds. `ask` gives candidates as they were drawn, and `tell` learns from those.

use crate::common::{every_optimizer, losses};
use locomotion::optim::{Bounds, Optimizer, OptimizerKind, Settings};
use nalgebra::DVector;

const N: usize = 6;

#[test]
fn only_searches_of_a_box_stay_inside() {
    let bounds = Bounds::Clip { low: -0.5, high: 0.5 };
    for (name, settings) in every_optimizer(N) {
        let stays = [OptimizerKind::RandomSearch, OptimizerKind::Turbo].contains(&settings.optimizer);
        let mut search = Settings { bounds, ..settings }.build(DVector::from_element(N, 0.49)).unwrap();
        let mut left = false;
        for _ in 0..20 {
            let candidates = search.ask();
            left |= bounds.apply(candidates.clone()) != candidates;
            // The best points are outside.
            search.tell(&losses(&candidates, |x| x.iter().map(|v| (v - 3.0).powi(2)).sum()));
        }
        assert_eq!(left, !stays, "{name}");
    }
}

/// With the same losses a search takes the same path, whether or not its candidates were clipped for the evaluation.
#[test]
fn bounds_change_nothing_but_a_default_width() {
    for (name, settings) in every_optimizer(N).into_iter().filter(|(_, settings)| !settings.optimizer.needs_box()) {
        let search = |bounds| {
            let settings = Settings { bounds, sigma: Some(0.3), ..settings.clone() }.only_used();
            let mut search = settings.build(DVector::from_element(N, 0.49)).unwrap();
            for _ in 0..20 {
                let evaluated = Bounds::Clip { low: -0.5, high: 0.5 }.apply(search.ask());
                search.tell(&losses(&evaluated, |x| x.iter().map(|v| v * v).sum()));
            }
            search.center()
        };
        assert_eq!(search(Bounds::Clip { low: -0.5, high: 0.5 }), search(Bounds::None), "{name}");
    }
}
