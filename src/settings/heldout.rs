//! When the center of a search plays on held-out seeds, and how many episodes.
//!
//! Unless the settings say otherwise, that is at episode 0 and at [`POINTS`] more points of the budget, denser early, with
//! so few episodes each that the curve costs about a tenth of the training. Candidates for the best policy are confirmed
//! less often, on more episodes.

use super::PartialSettings;

/// The number of points of a learning curve. Those that fall into one generation are one.
const POINTS: u32 = 30;
/// The points lie at (k / [`POINTS`]) to this power of the budget.
const DENSER_EARLY: f64 = 1.5;
/// A point has one episode for this many of the budget, so that all [`POINTS`] together cost about a tenth of it.
const BUDGET_PER_EPISODE: u64 = 300;
/// The number of episodes on which a policy is confirmed.
const CONFIRMING: usize = 20;

/// What is due after a generation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Due {
    Nothing,
    /// A point of the learning curve.
    Point,
    /// A point, and a policy that would be the new best has to confirm itself.
    Confirmation,
}

/// The timetable of held-out evaluations.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HeldOut {
    /// The number of episodes of a point of the learning curve.
    pub episodes: usize,
    /// The number of episodes on which a policy is confirmed.
    pub confirming: usize,
    /// The generations between confirmations, if given.
    every: Option<u64>,
    /// Whether the settings leave the timetable to us, with points of a curve between the confirmations.
    automatic: bool,
    budget: Option<u64>,
}

impl HeldOut {
    pub fn new(settings: &PartialSettings) -> Self {
        let automatic = settings.heldout_episodes.is_none() && settings.heldout_every.is_none();
        let confirming = settings.heldout_episodes.unwrap_or(CONFIRMING);
        let few = settings
            .budget
            .map_or(CONFIRMING, |budget| budget.div_ceil(BUDGET_PER_EPISODE).clamp(2, CONFIRMING as u64) as usize);
        Self {
            episodes: if automatic { few } else { confirming },
            confirming,
            every: settings.heldout_every,
            automatic,
            budget: settings.budget,
        }
    }

    /// What is due after this generation, which cost `cost` training episodes, the last of `episodes` so far. `last` says
    /// that no other generation follows.
    pub fn due(&self, generation: u64, episodes: u64, cost: u64, last: bool) -> Due {
        if last || generation.is_multiple_of(self.generations_between(cost)) {
            return Due::Confirmation;
        }
        let before = self.points(episodes.saturating_sub(cost));
        if self.automatic && self.points(episodes) > before { Due::Point } else { Due::Nothing }
    }

    /// The number of generations from one confirmation to the next, so that it stays a small part of the work.
    pub fn generations_between(&self, cost: u64) -> u64 {
        self.every.unwrap_or((self.confirming as u64).saturating_mul(10).div_ceil(cost.max(1))).max(1)
    }

    /// The number of points of the curve up to this many episodes. While they lie closer together than generations, the
    /// caller sees one per generation.
    pub fn points(&self, episodes: u64) -> u64 {
        let Some(budget) = self.budget.filter(|budget| *budget > 0 && self.automatic) else { return 0 };
        let share = episodes as f64 / budget as f64;
        (f64::from(POINTS) * share.powf(1.0 / DENSER_EARLY)) as u64
    }

    /// Describes it: how often, and how many episodes.
    pub fn told(&self) -> (String, usize) {
        let when = match (self.automatic, self.every) {
            (true, _) => format!("{POINTS} times, more often early"),
            (false, Some(1)) => "after every generation".into(),
            (false, Some(n)) => format!("every {n} generations"),
            (false, None) => "every few generations".into(),
        };
        (when, self.episodes)
    }
}

#[cfg(test)]
mod tests {
    use super::{Due, HeldOut};
    use crate::settings::PartialSettings;

    /// The generations after which something is due.
    fn due(budget: u64, cost: u64) -> Vec<u64> {
        let heldout = HeldOut::new(&PartialSettings { budget: Some(budget), ..Default::default() });
        (1..=budget / cost).filter(|g| heldout.due(*g, g * cost, cost, *g == budget / cost) != Due::Nothing).collect()
    }

    #[test]
    fn a_budget_has_at_least_twenty_points_more_of_them_early() {
        for generations in 1..300 {
            for cost in [1, 2, 12, 100, 700] {
                let (budget, due) = (generations * cost, due(generations * cost, cost));
                assert!(due.len() as u64 >= generations.min(20), "{generations} × {cost}: {due:?}");
                assert_eq!(due.last(), Some(&generations), "the end is always seen");
                let early = due.iter().filter(|g| **g * 2 <= generations).count();
                assert!(
                    budget >= 200 * 30 || generations < 60 || 2 * early > due.len(),
                    "{generations} × {cost}: {due:?}"
                );
            }
        }
    }

    #[test]
    fn the_curve_costs_about_a_tenth_of_the_training() {
        for budget in [500_u64, 600, 2_000, 20_000, 1_000_000] {
            let heldout = HeldOut::new(&PartialSettings { budget: Some(budget), ..Default::default() });
            let episodes = due(budget, 10).len() * heldout.episodes;
            assert!(episodes as f64 <= 0.2 * budget as f64, "{budget}: {episodes}");
        }
    }

    #[test]
    fn settings_decide_if_there_are_any() {
        let settings = PartialSettings {
            budget: Some(600),
            heldout_episodes: Some(3),
            heldout_every: Some(2),
            ..Default::default()
        };
        let heldout = HeldOut::new(&settings);
        assert_eq!((heldout.episodes, heldout.confirming), (3, 3));
        let due: Vec<Due> = (1..=4).map(|g| heldout.due(g, g * 10, 10, false)).collect();
        assert_eq!(due, [Due::Nothing, Due::Confirmation, Due::Nothing, Due::Confirmation]);
    }
}
