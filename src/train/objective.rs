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

/// The share of an episode that the center must have lasted lately before candidates share episodes.
const LASTING: f64 = 0.7;

/// The most steps of a training episode.
pub fn most_steps(settings: &PartialSettings, horizon: usize) -> usize {
    settings.training_steps.map_or(horizon, |steps| horizon.min(steps as usize))
}

/// The rule that turns episodes into a loss.
pub struct Objective {
    seed: u64,
    episodes: usize,
    /// Subtracted from the reward of every step after the first `paid_steps`.
    shift: f64,
    paid_steps: usize,
    /// The most steps of a training episode: the task's horizon, or where it is cut off before that.
    steps: usize,
    resets: Resets,
    lockstep: bool,
    /// The number of segments of an episode, each of which tries a pair of candidates. With 1, every candidate has episodes
    /// of its own.
    segments: usize,
    /// Whether statistics of the observations are kept; if so, whether inputs are bounded by them.
    observe: Option<bool>,
}

/// The results of a batch, with candidates in index order.
#[derive(Default)]
pub struct Batch {
    /// −return as training sees it, or NaN if an episode diverged.
    pub losses: Vec<f64>,
    /// The mean return as the task pays it. That of a segment is multiplied by their number.
    pub returns: Vec<f64>,
    /// The return of one episode of the center, or −∞ if it diverged.
    pub center_return: f64,
    /// The share of its steps that this episode lasted.
    pub center_lasted: f64,
    /// The training episodes: those of the candidates, without the center's.
    pub episodes: u64,
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
            steps: most_steps(settings, task.definition.horizon),
            resets: settings.resets.unwrap_or(Resets::Own),
            lockstep: settings.protocol == Some(Protocol::Paper),
            segments: settings.segments.unwrap_or(1),
            observe: settings.normalize.as_ref().and_then(Normalize::observed),
        }
    }

    /// The first and last reset seed of training, if it uses the same few all the time.
    pub fn fixed_seeds(&self) -> Option<(u64, u64)> {
        self.lockstep.then(|| (0, self.episodes as u64 - 1))
    }

    /// The training episodes of a generation with this many candidates; at least that many if candidates share episodes,
    /// where a fall costs one more.
    pub fn cost(&self, candidates: usize, shared: bool) -> u64 {
        match shared {
            true => 2 * (candidates / 2).div_ceil(self.segments) as u64,
            false => (candidates * self.episodes) as u64,
        }
    }

    /// Whether candidates share episodes, of which the center has lately lasted this share. As long as it
    /// falls early, so do most candidates, and what follows a segment is not worth trying others on.
    pub fn shares(&self, lasted: f64) -> bool {
        self.segments > 1 && lasted >= LASTING
    }

    /// The episodes of a generation: those of its candidates, the weights of one policy each, and one of its center for the log.
    pub fn work(
        &self,
        candidates: &[Vec<f64>],
        center: &[f64],
        normalizer: Option<&Normalizer>,
        generation: u64,
        shared: bool,
    ) -> Work {
        let mut work = Work::new(self.steps, self.observe);
        let policies: Vec<usize> = candidates.iter().map(|weights| work.policy(weights, normalizer)).collect();
        if shared {
            let steps = (self.steps / self.segments).max(1) as u32;
            for (relay, policies) in policies.chunks(2 * self.segments).enumerate() {
                let seed = self.training_seed(generation, relay * 2 * self.segments, 0);
                work.job(policies[0], Start::Relay { seed, pairs: policies.len() as u32 / 2, steps });
            }
        } else if self.lockstep {
            policies.iter().for_each(|policy| work.job(*policy, Start::Lockstep(self.episodes as u32)));
        } else {
            for (candidate, policy) in policies.iter().enumerate() {
                (0..self.episodes).for_each(|episode| work.job(*policy, self.start(generation, candidate, episode)));
            }
        }
        let policy = work.policy(center, normalizer);
        work.job(policy, self.start(generation, candidates.len(), 0));
        work
    }

    /// Turns the results of that work into losses. `None` if there are no results.
    pub fn judge(&self, mut parts: Vec<Part>, shared: bool) -> Option<Batch> {
        let center = parts.pop()?.outcomes.pop()?;
        let judged = if shared { self.segments(&parts) } else { self.candidates(&parts) };
        let outcomes = || parts.iter().flat_map(|part| &part.outcomes);
        Some(Batch {
            center_return: merit(&[center]),
            center_lasted: center.length as f64 / self.steps as f64,
            steps: parts.iter().map(|part| part.steps).sum(),
            diverged: outcomes().filter(|outcome| outcome.diverged).count() as u64,
            observed: merged(&parts),
            ..judged
        })
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
    /// steps of the episode, which was `age` steps old when this part of it began.
    fn loss(&self, outcome: &EpisodeOutcome, age: usize) -> f64 {
        let paid = self.paid_steps.saturating_sub(age);
        outcome.loss() + self.shift * outcome.length.saturating_sub(paid) as f64
    }

    /// The losses of candidates that have episodes of their own.
    fn candidates(&self, parts: &[Part]) -> Batch {
        let outcomes: Vec<EpisodeOutcome> = parts.iter().flat_map(|part| part.outcomes.iter().copied()).collect();
        let per_candidate = if self.lockstep { 1 } else { self.episodes };
        let mean = |of: &dyn Fn(&EpisodeOutcome) -> f64| -> Vec<f64> {
            let of_candidate =
                |episodes: &[EpisodeOutcome]| episodes.iter().map(of).sum::<f64>() / episodes.len() as f64;
            outcomes.chunks(per_candidate).map(of_candidate).collect()
        };
        let (losses, returns) = (mean(&|outcome| self.loss(outcome, 0)), mean(&|outcome| outcome.value));
        let episodes = self.cost(losses.len(), false);
        Batch { losses, returns, episodes, ..Batch::default() }
    }

    /// The losses of candidates that share episodes, segment by segment. A fall costs what a whole episode of the others pays,
    /// or nothing if they pay nothing, and it counts as an episode.
    fn segments(&self, parts: &[Part]) -> Batch {
        let (mut losses, mut returns, mut episodes) = (Vec::new(), Vec::new(), 0);
        let (mut paid, mut steps, mut fallen) = (0.0, 0, Vec::new());
        for part in parts {
            let (mut age, pairs) = (0, part.outcomes.chunks_exact(2));
            let last = pairs.len().saturating_sub(1);
            episodes += 2;
            for (segment, pair) in pairs.enumerate() {
                for outcome in pair {
                    let loss = self.loss(outcome, age);
                    if outcome.fell() {
                        fallen.push(losses.len());
                        episodes += u64::from(segment < last);
                    } else {
                        paid -= loss;
                        steps += outcome.length;
                    }
                    losses.push(loss);
                    returns.push(outcome.value * self.segments as f64);
                }
                let longest = pair.iter().map(|outcome| outcome.length).max().unwrap_or(0);
                age = if pair.iter().all(EpisodeOutcome::fell) { 0 } else { age + longest };
            }
        }
        let rate = if steps > 0 { (paid / steps as f64).max(0.0) } else { 0.0 };
        fallen.into_iter().for_each(|i| losses[i] += rate * self.steps as f64);
        Batch { losses, returns, episodes, ..Batch::default() }
    }
}

/// All that was observed, merged in index order, so that the threads do not affect the sums.
fn merged(parts: &[Part]) -> Option<Observed> {
    let mut observed = parts.iter().filter_map(|part| part.observed.as_ref());
    let mut all = observed.next()?.clone();
    observed.for_each(|part| all.merge(part));
    Some(all)
}

#[cfg(test)]
mod tests {
    use super::{EpisodeOutcome, Objective, PartialSettings, Resets, SurvivalShift};
    use crate::policy::LinearPolicy;
    use crate::rollout::{Evaluator, Part};
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
            let work = objective.work(&[weights.to_vec()], &weights, None, 5, false);
            let parts = evaluator.compute(&work, &AtomicBool::new(false)).unwrap();
            assert_eq!(parts.len(), 2, "the candidate and the center");
            parts[0].outcomes[0]
        };
        let (cut, whole) = (train(Some(7)), train(None));
        let mut rewards = Vec::new();
        let policy = LinearPolicy::from_rows(&weights, 8, None);
        rollout(&mut Simulator::new(task.clone()), &policy, cut.seed, |_, _, step| rewards.push(step.reward.total()));
        assert_eq!((cut.length, cut.terminated), (7, false));
        assert_eq!(cut.value, rewards[..7].iter().sum::<f64>());
        assert_eq!(whole.length, task.definition.horizon);
    }

    /// A segment that ends in a fall loses what a whole episode pays the others, and only that.
    #[test]
    fn a_fall_in_a_segment_costs_an_episode() {
        let task = sim::find("walker").unwrap();
        let settings = PartialSettings {
            segments: Some(5),
            survival_shift: Some(SurvivalShift::Off),
            ..PartialSettings::default()
        };
        let objective = Objective::new(&settings, &task);
        let segment =
            |length, value, terminated| EpisodeOutcome { seed: 0, value, length, terminated, diverged: false };
        let judge = |fall: f64| {
            let (walks, falls) = (segment(200, 400.0, false), segment(100, fall, true));
            let center = Part { outcomes: vec![segment(1000, 2000.0, false)], steps: 1000, observed: None };
            let relays = [vec![walks, falls, walks, walks], vec![falls, falls, walks, falls]];
            let relays = relays.map(|outcomes| Part { outcomes, steps: 700, observed: None });
            objective.judge(relays.into_iter().chain([center]).collect(), true).unwrap()
        };
        let batch = judge(150.0);
        assert_eq!(batch.losses, [-400.0, 1850.0, -400.0, -400.0, 1850.0, 1850.0, -400.0, 1850.0]);
        assert_eq!(batch.returns[..2], [2000.0, 750.0], "a segment is shown as if all were like it");
        assert_eq!(batch.episodes, 2 * 2 + 3, "each fall before the last segment ends an episode");
        assert_eq!((batch.center_return, batch.center_lasted, batch.steps), (2000.0, 1.0, 1400));
        assert!(judge(160.0).losses[1] < batch.losses[1], "of two falls the better one ranks higher");
    }

    /// A center that lasts until its episode is cut off has lasted for all of it.
    #[test]
    fn an_episode_that_is_cut_off_is_shared_too() {
        let cut = PartialSettings { segments: Some(2), training_steps: Some(400), ..PartialSettings::default() };
        let outcome = EpisodeOutcome { seed: 0, value: 400.0, length: 400, terminated: false, diverged: false };
        let center = Part { outcomes: vec![outcome], steps: 400, observed: None };
        let batch = objective(cut.clone()).judge(vec![center], false).unwrap();
        assert_eq!(batch.center_lasted, 1.0);
        assert!(objective(cut).shares(batch.center_lasted));
    }

    #[test]
    fn candidates_share_episodes_once_the_center_lasts() {
        let shared = objective(PartialSettings { segments: Some(5), ..PartialSettings::default() });
        assert_eq!((shared.shares(0.5), shared.shares(0.9)), (false, true));
        assert_eq!((shared.cost(40, false), shared.cost(40, true), shared.cost(44, true)), (40, 8, 10));
        assert!(!objective(PartialSettings::default()).shares(1.0));
        let weights = vec![0.0; 6 * 17];
        let work = |shares| shared.work(&vec![weights.clone(); 44], &weights, None, 3, shares);
        assert_eq!((work(true).len(), work(false).len()), (5 + 1, 44 + 1), "and one of the center");
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
        assert!(all_off.loss(&at_once, 0) < all_off.loss(&stumbling, 0));
        assert!(first_paid.loss(&at_once, 0) > first_paid.loss(&stumbling, 0));
        // Standing for 1,000 steps against a walk that falls after 400.
        let (standing, walking) = (episode(1000, 1010.0), episode(400, 800.0));
        assert!(first_paid.loss(&standing, 0) > first_paid.loss(&walking, 0));
        assert!(kept.loss(&standing, 0) < kept.loss(&walking, 0));
        // With a quarter of the bonus both hold: falling at once loses to stumbling, and standing loses to walking.
        assert!(shared.loss(&at_once, 0) > shared.loss(&stumbling, 0));
        assert!(shared.loss(&standing, 0) > shared.loss(&walking, 0));
    }
}
