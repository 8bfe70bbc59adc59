//! Turns the episodes of candidates into the losses that an optimizer is told.

use crate::policy::Normalizer;
use crate::random::{Purpose, stream};
use crate::rollout::{Observed, Part, Start, Work};
use crate::settings::{Normalize, PartialSettings, Protocol, Resets, SurvivalShift};
use crate::sim::{EpisodeOutcome, Task, merit};
use rand::Rng;

/// Seeds below this are reserved for evaluation. Training never draws them, except that the paper's protocol trains on the
/// first few, as the paper did; scores use others.
pub const FIRST_TRAINING_SEED: u64 = 1 << 32;
/// The first seed of held-out evaluations. They use the same seeds every time, so that they can be compared.
pub const HELDOUT_SEED: u64 = 1_000_000;
/// The first seed on which a challenger must confirm itself before it counts as the best. Every confirmation uses new
/// seeds.
pub const CONFIRM_SEED: u64 = 2_000_000;
/// The first seed of the score that is written into a policy.
pub const SCORE_SEED: u64 = 1_500_000;
/// The number of episodes of that score.
pub const SCORE_EPISODES: usize = 100;

/// The rule that turns episodes into a loss.
pub struct Objective {
    seed: u64,
    episodes: usize,
    /// Subtracted from the reward of every step after the first `paid_steps`.
    shift: f64,
    paid_steps: usize,
    /// The number of steps after which a training episode is cut off.
    steps: usize,
    resets: Resets,
    lockstep: bool,
    /// Whether statistics of the observations are kept; if so, whether inputs are bounded by them.
    observe: Option<bool>,
}

/// The results of a batch, with candidates in index order.
pub struct Batch {
    /// −return as training sees it, or NaN if an episode diverged.
    pub losses: Vec<f64>,
    /// The mean return as the task pays it.
    pub returns: Vec<f64>,
    /// The return of one episode of the center, or −∞ if it diverged.
    pub center_return: f64,
    pub steps: u64,
    pub diverged: u64,
    pub observed: Option<Observed>,
}

impl Objective {
    pub fn new(settings: &PartialSettings, task: &Task) -> Self {
        let bonus = task.definition.reward.alive.as_ref().map_or(0.0, |alive| alive.bonus);
        let withheld = 1.0 - settings.survival_share.unwrap_or(0.0);
        Self {
            seed: settings.seed.unwrap_or(0),
            episodes: settings.episodes_per_candidate.unwrap_or(1),
            shift: if settings.survival_shift == Some(SurvivalShift::Auto) { withheld * bonus } else { 0.0 },
            paid_steps: settings.survival_steps.unwrap_or(0) as usize,
            steps: settings.training_steps.map_or(usize::MAX, |steps| steps as usize),
            resets: settings.resets.unwrap_or(Resets::Own),
            lockstep: settings.protocol == Some(Protocol::Paper),
            observe: settings.normalize.as_ref().and_then(Normalize::observed),
        }
    }

    /// The first and last reset seed of training, if it uses the same few all the time.
    pub fn fixed_seeds(&self) -> Option<(u64, u64)> {
        self.lockstep.then(|| (0, self.episodes as u64 - 1))
    }

    /// The number of episodes that a candidate costs.
    pub fn episodes(&self) -> usize {
        self.episodes
    }

    /// The episodes of a generation: those of its candidates, the weights of one policy each, and one of its center for the log.
    pub fn work(
        &self,
        candidates: &[Vec<f64>],
        center: &[f64],
        normalizer: Option<&Normalizer>,
        generation: u64,
    ) -> Work {
        let mut work = Work::new(self.steps, self.observe);
        for (candidate, weights) in candidates.iter().enumerate() {
            let policy = work.policy(weights, normalizer);
            match self.lockstep {
                true => work.job(policy, Start::Lockstep(self.episodes as u32)),
                false => {
                    (0..self.episodes).for_each(|episode| work.job(policy, self.start(generation, candidate, episode)))
                }
            }
        }
        let policy = work.policy(center, normalizer);
        work.job(policy, self.start(generation, candidates.len(), 0));
        work
    }

    /// Turns the results of that work into losses. `None` if there are no results.
    pub fn judge(&self, mut parts: Vec<Part>) -> Option<Batch> {
        let center = parts.pop()?;
        let per_candidate = if self.lockstep { 1 } else { self.episodes };
        let center_return = merit(&[center.outcome]);
        Some(Batch { center_return, ..self.collect(&parts, per_candidate) })
    }

    fn start(&self, generation: u64, candidate: usize, episode: usize) -> Start {
        Start::Seed(self.training_seed(generation, candidate, episode))
    }

    /// The reset seed of a training episode: a function of its place alone.
    fn training_seed(&self, generation: u64, candidate: usize, episode: usize) -> u64 {
        let candidate = match self.resets {
            Resets::Common => 0,
            Resets::Pairs => candidate as u64 / 2,
            Resets::Own => candidate as u64,
        };
        let place = candidate << 32 | episode as u64;
        stream(self.seed, Purpose::Episodes, generation, place).next_u64() | FIRST_TRAINING_SEED
    }

    /// Returns the loss that training sees: minus the return, with part or none of the survival bonus after the first few
    /// steps.
    fn loss(&self, outcome: &EpisodeOutcome) -> f64 {
        outcome.loss() + self.shift * outcome.length.saturating_sub(self.paid_steps) as f64
    }

    /// Merges in index order, so that the threads do not affect the sums.
    fn collect(&self, parts: &[Part], per_candidate: usize) -> Batch {
        let mut observed: Option<Observed> = None;
        for part in parts.iter().filter_map(|part| part.observed.as_ref()) {
            match &mut observed {
                Some(all) => all.merge(part),
                None => observed = Some(part.clone()),
            }
        }
        let mean = |of: &dyn Fn(&EpisodeOutcome) -> f64, parts: &[Part]| {
            parts.iter().map(|part| of(&part.outcome)).sum::<f64>() / parts.len() as f64
        };
        Batch {
            losses: parts.chunks(per_candidate).map(|parts| mean(&|outcome| self.loss(outcome), parts)).collect(),
            returns: parts.chunks(per_candidate).map(|parts| mean(&|outcome| outcome.value, parts)).collect(),
            center_return: f64::NAN,
            steps: parts.iter().map(|part| part.steps).sum(),
            diverged: parts.iter().filter(|part| part.outcome.diverged).count() as u64,
            observed,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{EpisodeOutcome, Objective, PartialSettings, Resets, SurvivalShift};
    use crate::policy::LinearPolicy;
    use crate::rollout::Evaluator;
    use crate::sim::{self, Simulator, rollout};
    use std::sync::atomic::AtomicBool;

    fn objective(settings: PartialSettings) -> Objective {
        Objective::new(&settings, &sim::find("walker").unwrap())
    }

    #[test]
    fn resets_are_one_draw_per_generation_per_pair_or_per_candidate() {
        let common = objective(PartialSettings { resets: Some(Resets::Common), ..PartialSettings::default() });
        let own = objective(PartialSettings { resets: Some(Resets::Own), ..PartialSettings::default() });
        assert_eq!(common.training_seed(3, 0, 0), common.training_seed(3, 7, 0));
        assert_ne!(common.training_seed(3, 0, 0), common.training_seed(4, 0, 0), "new ones in every generation");
        assert_ne!(common.training_seed(3, 0, 0), common.training_seed(3, 0, 1), "each episode has its own");
        assert_ne!(own.training_seed(3, 0, 0), own.training_seed(3, 7, 0));
        let pairs = objective(PartialSettings { resets: Some(Resets::Pairs), ..PartialSettings::default() });
        assert_eq!(pairs.training_seed(3, 6, 0), pairs.training_seed(3, 7, 0), "two ends of a pair");
        assert_ne!(pairs.training_seed(3, 7, 0), pairs.training_seed(3, 8, 0), "different pairs");
        assert_ne!(pairs.training_seed(3, 6, 0), pairs.training_seed(4, 6, 0));
        let old = objective(PartialSettings::default());
        assert_eq!(
            old.training_seed(3, 7, 0),
            own.training_seed(3, 7, 0),
            "runs from before the setting had their own"
        );
    }

    /// What training sees of a cut episode is the beginning of the whole one.
    #[test]
    fn training_steps_cut_episodes_off() {
        let task = sim::find("swimmer").unwrap();
        let weights = [0.3; 16];
        let evaluator = Evaluator::new(&task, 1).unwrap();
        let train = |training_steps| {
            let settings = PartialSettings { training_steps, ..PartialSettings::default() };
            let objective = Objective::new(&settings, &task);
            let work = objective.work(&[weights.to_vec()], &weights, None, 5);
            let parts = evaluator.compute(&work, &AtomicBool::new(false)).unwrap();
            assert_eq!(parts.len(), 2, "the candidate and the center");
            parts[0].outcome
        };
        let (cut, whole) = (train(Some(7)), train(None));
        let mut rewards = Vec::new();
        let policy = LinearPolicy::from_rows(&weights, 8, None);
        rollout(&mut Simulator::new(task.clone()), &policy, cut.seed, |_, _, step| rewards.push(step.reward.total()));
        assert_eq!((cut.length, cut.terminated), (7, false));
        assert_eq!(cut.value, rewards[..7].iter().sum::<f64>());
        assert_eq!(whole.length, task.definition.horizon);
    }

    /// Walker pays 1 for every step it survives.
    #[test]
    fn survival_is_paid_for_the_first_steps_only() {
        let episode = |length, value| EpisodeOutcome { seed: 0, value, length, terminated: true, diverged: false };
        let shifted = PartialSettings { survival_shift: Some(SurvivalShift::Auto), ..PartialSettings::default() };
        let all_off = objective(shifted.clone());
        let first_paid = objective(PartialSettings { survival_steps: Some(200), ..shifted.clone() });
        let shared = objective(PartialSettings { survival_share: Some(0.25), ..shifted });
        let kept = objective(PartialSettings {
            survival_shift: Some(SurvivalShift::Off),
            survival_steps: Some(200),
            ..PartialSettings::default()
        });
        // Falling at once against stumbling backward for a while: only without any bonus does the first one win.
        let (at_once, stumbling) = (episode(10, 9.0), episode(120, 110.0));
        assert!(all_off.loss(&at_once) < all_off.loss(&stumbling));
        assert!(first_paid.loss(&at_once) > first_paid.loss(&stumbling));
        // Standing for 1,000 steps against a walk that falls after 400.
        let (standing, walking) = (episode(1000, 1010.0), episode(400, 800.0));
        assert!(first_paid.loss(&standing) > first_paid.loss(&walking));
        assert!(kept.loss(&standing) < kept.loss(&walking));
        // With a quarter of the bonus both hold: falling at once loses to stumbling, and standing loses to walking.
        assert!(shared.loss(&at_once) > shared.loss(&stumbling));
        assert!(shared.loss(&standing) > shared.loss(&walking));
    }
}
