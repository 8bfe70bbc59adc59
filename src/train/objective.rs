//! Turns the episodes of candidates into the losses that an optimizer is told.

use super::normalizer::Observed;
use crate::policy::LinearPolicy;
use crate::random::{Purpose, stream};
use crate::rollout::Evaluator;
use crate::settings::{Normalize, PartialSettings, Protocol, Resets, SurvivalShift};
use crate::sim::{EpisodeOutcome, Simulator, Task, rollout_of};
use rand::Rng;
use std::sync::atomic::{AtomicBool, Ordering};

/// Seeds below this are reserved for evaluation. Training never draws them.
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
    common_resets: bool,
    lockstep: bool,
    /// Whether what the candidates see is recorded, and how.
    observe: Option<Normalize>,
}

/// The results of a batch, with candidates in index order.
pub struct Batch {
    /// −return as training sees it, or NaN if an episode diverged.
    pub losses: Vec<f64>,
    /// The mean return as the task pays it.
    pub returns: Vec<f64>,
    /// The return of one episode of the center.
    pub center_return: f64,
    pub steps: u64,
    pub diverged: u64,
    pub observed: Option<Observed>,
}

/// One episode, or one candidate's lockstep episodes together.
struct Part {
    outcome: EpisodeOutcome,
    steps: u64,
    observed: Option<Observed>,
}

impl Objective {
    pub fn new(settings: &PartialSettings, task: &Task) -> Self {
        let bonus = task.definition.reward.alive.as_ref().map_or(0.0, |alive| alive.bonus);
        Self {
            seed: settings.seed.unwrap_or(0),
            episodes: settings.episodes_per_candidate.unwrap_or(1),
            shift: if settings.survival_shift == Some(SurvivalShift::Auto) { bonus } else { 0.0 },
            paid_steps: settings.survival_steps.unwrap_or(0) as usize,
            steps: settings.training_steps.map_or(usize::MAX, |steps| steps as usize),
            common_resets: settings.resets == Some(Resets::Common),
            lockstep: settings.protocol == Some(Protocol::Paper),
            observe: settings.normalize.clone().filter(Normalize::observes),
        }
    }

    /// The number of episodes that a candidate costs.
    pub fn episodes(&self) -> usize {
        self.episodes
    }

    /// Evaluates a generation's candidates, and its center once for the log; `None` if told to leave before it was done.
    pub fn evaluate(
        &self,
        evaluator: &Evaluator,
        policies: &[LinearPolicy],
        center: &LinearPolicy,
        generation: u64,
        leave: &AtomicBool,
    ) -> Option<Batch> {
        let per_candidate = if self.lockstep { 1 } else { self.episodes };
        let mut jobs: Vec<(&LinearPolicy, usize, usize)> = Vec::new();
        for (candidate, policy) in policies.iter().enumerate() {
            jobs.extend((0..per_candidate).map(|episode| (policy, candidate, episode)));
        }
        jobs.push((center, policies.len(), 0));
        let parts = evaluator.map(&jobs, |simulator, &(policy, candidate, episode)| {
            if leave.load(Ordering::Relaxed) {
                return None;
            }
            if self.lockstep && candidate < policies.len() {
                return Some(self.lockstep(simulator, policy));
            }
            Some(self.episode(simulator, policy, self.training_seed(generation, candidate, episode)))
        });
        let mut parts = parts.into_iter().collect::<Option<Vec<Part>>>()?;
        let center = parts.pop()?;
        Some(Batch { center_return: center.outcome.value, ..self.collect(&parts, per_candidate) })
    }

    /// The reset seed of a training episode: a function of its place alone.
    fn training_seed(&self, generation: u64, candidate: usize, episode: usize) -> u64 {
        let candidate = if self.common_resets { 0 } else { candidate as u64 };
        let place = candidate << 32 | episode as u64;
        stream(self.seed, Purpose::Episodes, generation, place).next_u64() | FIRST_TRAINING_SEED
    }

    fn episode(&self, simulator: &mut Simulator, policy: &LinearPolicy, seed: u64) -> Part {
        let mut observed = self.observe.as_ref().map(|how| Observed::of(how, simulator.task().observations));
        let outcome = rollout_of(self.steps, simulator, policy, seed, |simulator, _, step| {
            if let Some(observed) = &mut observed
                && !step.diverged
            {
                observed.push(simulator.observation());
            }
        });
        Part { outcome, steps: outcome.length as u64, observed }
    }

    /// The paper's evaluation: episodes on seeds 0, 1, … that all stop when the first one ends; their mean counts.
    fn lockstep(&self, simulator: &mut Simulator, policy: &LinearPolicy) -> Part {
        let mut tapes: Vec<Vec<f64>> = Vec::new();
        let (mut steps, mut terminated, mut diverged) = (0, false, false);
        for seed in 0..self.episodes as u64 {
            let mut tape = Vec::new();
            let outcome = rollout_of(self.steps, simulator, policy, seed, |_, _, step| tape.push(step.reward.total()));
            steps += outcome.length as u64;
            terminated |= outcome.terminated;
            diverged |= outcome.diverged;
            tapes.push(tape);
        }
        let length = tapes.iter().map(Vec::len).min().unwrap_or(0);
        let sums = tapes.iter().map(|tape| tape[..length].iter().sum::<f64>());
        let value = sums.sum::<f64>() / self.episodes as f64;
        Part { outcome: EpisodeOutcome { seed: 0, value, length, terminated, diverged }, steps, observed: None }
    }

    /// Returns the loss that training sees: minus the return without the survival bonus after the first few steps.
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
    use super::{EpisodeOutcome, LinearPolicy, Objective, PartialSettings, Resets, Simulator, SurvivalShift};
    use crate::sim::{self, rollout};

    fn objective(settings: PartialSettings) -> Objective {
        Objective::new(&settings, &sim::find("walker").unwrap())
    }

    #[test]
    fn common_resets_are_one_draw_per_generation_and_own_resets_one_per_candidate() {
        let common = objective(PartialSettings { resets: Some(Resets::Common), ..PartialSettings::default() });
        let own = objective(PartialSettings { resets: Some(Resets::Own), ..PartialSettings::default() });
        assert_eq!(common.training_seed(3, 0, 0), common.training_seed(3, 7, 0));
        assert_ne!(common.training_seed(3, 0, 0), common.training_seed(4, 0, 0), "new ones in every generation");
        assert_ne!(common.training_seed(3, 0, 0), common.training_seed(3, 0, 1), "each episode has its own");
        assert_ne!(own.training_seed(3, 0, 0), own.training_seed(3, 7, 0));
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
        let policy = LinearPolicy::from_rows(&[0.3; 16], 8, None);
        let settings = PartialSettings { training_steps: Some(7), ..PartialSettings::default() };
        let mut simulator = Simulator::new(task.clone());
        let mut rewards = Vec::new();
        rollout(&mut simulator, &policy, 5, |_, _, step| rewards.push(step.reward.total()));
        let cut = Objective::new(&settings, &task).episode(&mut simulator, &policy, 5).outcome;
        assert_eq!((cut.length, cut.terminated), (7, false));
        assert_eq!(cut.value, rewards[..7].iter().sum::<f64>());
        let whole = Objective::new(&PartialSettings::default(), &task).episode(&mut simulator, &policy, 5).outcome;
        assert_eq!(whole.length, task.definition.horizon);
    }

    /// Walker pays 1 for every step it survives.
    #[test]
    fn survival_is_paid_for_the_first_steps_only() {
        let episode = |length, value| EpisodeOutcome { seed: 0, value, length, terminated: true, diverged: false };
        let shifted = PartialSettings { survival_shift: Some(SurvivalShift::Auto), ..PartialSettings::default() };
        let all_off = objective(shifted.clone());
        let first_paid = objective(PartialSettings { survival_steps: Some(200), ..shifted });
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
    }
}
