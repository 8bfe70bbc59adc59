//! An episode that tries a pair of policies in each of its segments.

use crate::policy::LinearPolicy;
use crate::sim::{EpisodeOutcome, Simulator, Step, segment_unless};
use std::sync::atomic::AtomicBool;

/// Lets the two policies of each pair act for `steps` from the same moment. The episode goes on from where the better one has
/// come, or from the other one if it fell. If both have fallen, the next pair begins with the next reset seed. Outcome i
/// belongs to policy i.
///
/// Everything is meaningless once `leave` is set.
pub(super) fn relay(
    leave: &AtomicBool,
    steps: usize,
    simulator: &mut Simulator,
    policies: &[LinearPolicy],
    mut seed: u64,
    mut watch: impl FnMut(&Simulator, &Step),
) -> Vec<EpisodeOutcome> {
    let mut outcomes: Vec<EpisodeOutcome> = Vec::with_capacity(policies.len());
    simulator.reset(seed);
    for pair in policies.chunks_exact(2) {
        let began = simulator.snapshot();
        let mut act = |simulator: &mut Simulator, policy: &LinearPolicy| {
            segment_unless(leave, steps, simulator, policy, seed, |simulator, _, step| watch(simulator, step))
        };
        let first = act(simulator, &pair[0]);
        let first_ended = simulator.snapshot();
        simulator.restore(&began);
        let second = act(simulator, &pair[1]);
        outcomes.extend([first, second]);
        match (first.fell(), second.fell()) {
            (true, true) => {
                seed = seed.wrapping_add(1);
                simulator.reset(seed);
            }
            (false, second_fell) if second_fell || first.value >= second.value => simulator.restore(&first_ended),
            _ => {}
        }
    }
    outcomes
}

#[cfg(test)]
mod tests {
    use super::relay;
    use crate::policy::LinearPolicy;
    use crate::sim::{self, EpisodeOutcome, NEVER, Simulator, rollout_of};

    /// Walker falls at once with the first of these, and after 100 steps with the second one, which does nothing.
    fn policies() -> (LinearPolicy, LinearPolicy) {
        let push = |weight: f64| {
            let weights: Vec<f64> = (0..6 * 17).map(|i| if i % 17 == 0 { weight } else { 0.0 }).collect();
            LinearPolicy::from_rows(&weights, 17, None)
        };
        (push(-1.0), push(0.0))
    }

    fn simulator() -> Simulator {
        Simulator::new(sim::find("walker").unwrap())
    }

    fn play(pairs: &[[&LinearPolicy; 2]], steps: usize) -> (Vec<EpisodeOutcome>, Simulator) {
        let mut simulator = simulator();
        let policies: Vec<LinearPolicy> = pairs.iter().flatten().map(|policy| (*policy).clone()).collect();
        let outcomes = relay(&NEVER, steps, &mut simulator, &policies, 7, |_, _| ());
        (outcomes, simulator)
    }

    #[test]
    fn equal_policies_play_one_episode_in_pieces() {
        let (_, stands) = policies();
        let (outcomes, after) = play(&[[&stands; 2]; 4], 10);
        let mut simulator = simulator();
        let whole = rollout_of(40, &mut simulator, &stands, 7, |_, _, _| ());
        assert_eq!(whole.length, 40, "it does not fall before");
        assert!(outcomes.chunks(2).all(|pair| pair[0] == pair[1] && pair[0].length == 10));
        let sum: f64 = outcomes.iter().step_by(2).map(|outcome| outcome.value).sum();
        assert!((sum - whole.value).abs() < 1e-9);
        assert_eq!((after.qpos(), after.qvel()), (simulator.qpos(), simulator.qvel()));
    }

    #[test]
    fn the_better_one_hands_over() {
        let (_, stands) = policies();
        let leans = LinearPolicy::from_rows(&[0.01; 6 * 17], 17, None);
        for pair in [[&stands, &leans], [&leans, &stands]] {
            let (outcomes, _) = play(&[pair, [&stands; 2]], 10);
            let (first, second) = (outcomes[0], outcomes[1]);
            assert!(first.value != second.value && !first.fell() && !second.fell());
            let better = if first.value > second.value { pair[0] } else { pair[1] };
            let (alone, _) = play(&[[better; 2], [&stands; 2]], 10);
            assert_eq!(outcomes[2..], alone[2..]);
        }
    }

    #[test]
    fn the_one_that_stands_hands_over_and_after_two_falls_the_next_reset_does() {
        let (falls, stands) = policies();
        let steps = 10;
        // Whatever the order of a pair, the next one begins where the standing policy is.
        let (outcomes, _) = play(&[[&falls, &stands], [&stands, &falls], [&stands; 2]], steps);
        let (undisturbed, _) = play(&[[&stands; 2]; 3], steps);
        assert!(outcomes[0].fell() && outcomes[3].fell());
        for (place, same) in [(1, 1), (2, 2), (4, 4)] {
            assert_eq!(outcomes[place], undisturbed[same], "outcome {place}");
        }
        let (outcomes, _) = play(&[[&falls; 2], [&stands; 2]], steps);
        let next = rollout_of(steps, &mut simulator(), &stands, 8, |_, _, _| ());
        assert!(outcomes[0].fell() && outcomes[1].fell());
        assert_eq!(outcomes[2], next, "an episode from the next seed");
    }
}
