//! Describes how the runs were made, in sentences built from the settings.

use super::words::{count, list};
use crate::optim::OptimizerKind;
use crate::plot::numbers::thousands;
use crate::report::repetitions::Group;
use crate::settings::{
    Bound, HeldOut, Init, Inputs, Normalize, PartialSettings, Protocol, Resets, SurvivalShift, Symmetry,
};
use crate::sim::Task;

/// The settings of one group, and the task if it was found.
struct Asked<'a> {
    settings: PartialSettings,
    task: Option<&'a Task>,
}

/// A topic and the statements about it, each with the groups it applies to. Groups that would say the same share one
/// statement.
pub struct Topic {
    pub name: &'static str,
    pub told: Vec<(String, String)>,
}

/// The name of a topic, and a function that describes it from one group's settings.
type Teller = (&'static str, fn(&Asked) -> String);

const TOPICS: &[Teller] = &[
    ("Task", task),
    ("Policy", policy),
    ("Observations", observations),
    ("Search", search),
    ("Objective", objective),
    ("Budget", budget),
    ("Held-out evaluation", heldout),
];

pub fn protocol(groups: &[Group], task: Option<&Task>) -> Vec<Topic> {
    let topic = |(name, tell): &Teller| {
        let mut told: Vec<(Vec<&str>, String)> = Vec::new();
        for group in groups {
            let text = tell(&Asked { settings: group.settings(), task });
            match told.iter_mut().find(|(_, known)| *known == text) {
                Some((labels, _)) => labels.push(&group.label),
                None => told.push((vec![&group.label], text)),
            }
        }
        Topic { name, told: told.into_iter().map(|(labels, text)| (list(&labels, "and"), text)).collect() }
    };
    let seeds = Topic { name: "Seeds", told: vec![(String::new(), seeds(groups))] };
    TOPICS.iter().map(topic).chain([seeds]).collect()
}

fn task(asked: &Asked) -> String {
    let Some(task) = asked.task else {
        return "Its definition has moved since the runs were made, so only its name is known here.".into();
    };
    let definition = &task.definition;
    let rules = match &definition.gymnasium {
        Some(name) => format!(" Reset, observation, reward and termination are those of Gymnasium's {name}."),
        None => String::new(),
    };
    let (seen, done, most) = (task.observations, task.actions, thousands(definition.horizon as f64, 0));
    let about = sentence(&definition.about);
    format!("{about}. {seen} observations, {done} actions, at most {most} steps in an episode.{rules}")
}

/// Capitalizes the first letter.
fn sentence(text: &str) -> String {
    let mut rest = text.chars();
    rest.next().map_or(String::new(), |first| first.to_uppercase().chain(rest).collect())
}

fn policy(asked: &Asked) -> String {
    let size =
        asked.task.map_or(String::new(), |task| format!(", which has {} numbers", task.observations * task.actions));
    let start = match &asked.settings.init {
        Some(Init::Zero) => " W starts at zero.".into(),
        Some(Init::Uniform) => " W starts uniformly at random.".into(),
        Some(Init::Policy(policy)) => format!(" W starts at the policy {policy}."),
        None => String::new(),
    };
    let bound = match asked.settings.bound {
        None | Some(Bound(None)) => String::new(),
        Some(Bound(Some(limit))) => format!(" Weights are clipped to ±{limit} before they are evaluated."),
    };
    let symmetry = match asked.settings.symmetry {
        Some(Symmetry::Mirror) => " Left and right are treated alike, so half of the weights follow from the others.",
        Some(Symmetry::None) | None => "",
    };
    let inputs = match asked.settings.inputs {
        Some(Inputs::State) => " Only positions and velocities count; the weights of other inputs stay 0.",
        Some(Inputs::All) | None => "",
    };
    format!("Linear: a = clamp(W·z, −1, 1). The search changes only W{size}.{symmetry}{inputs}{start}{bound}")
}

fn observations(asked: &Asked) -> String {
    match &asked.settings.normalize {
        Some(Normalize::None) => "Not normalized: z is the task's observation.".into(),
        Some(Normalize::Running) => {
            "Normalized by the mean and deviation of everything seen in training so far, frozen inside \
                            a generation and kept with the policy."
                .into()
        }
        Some(Normalize::Bounded) => {
            "Normalized by the mean and deviation of everything seen in training so far, with a larger \
                            unit where an input would otherwise exceed 4; frozen inside a generation and kept with the \
                            policy."
                .into()
        }
        Some(Normalize::Policy(policy)) => format!("Normalized by the fixed mean and deviation of {policy}."),
        None => "The runs do not say whether observations are normalized.".into(),
    }
}

fn search(asked: &Asked) -> String {
    let settings = &asked.settings;
    let kind = settings.optimizer.unwrap_or_default();
    let optimizer = kind.name();
    let variant = settings.variant.filter(|_| kind == OptimizerKind::SynCma);
    let variant = variant.map(|variant| format!("variant {}", variant.name()));
    // Settings that only some of the optimizers use.
    let own = [
        ("lambda0", settings.lambda0),
        ("eta m", settings.eta_m),
        ("eta c", settings.eta_c),
        ("kappa", settings.kappa),
        ("patience", settings.patience),
        ("starts", settings.starts.map(|starts| starts as f64)),
        ("batch", settings.batch.map(|batch| batch as f64)),
        ("sigma", settings.sigma),
        ("step size", settings.step_size),
        ("noise", settings.noise),
        ("top directions", settings.top_directions.map(|directions| directions as f64)),
    ];
    let own = own.into_iter().filter_map(|(name, value)| Some(format!("{name} {}", value?)));
    let named: Vec<String> = variant.into_iter().chain(own).collect();
    let named: Vec<&str> = named.iter().map(String::as_str).collect();
    match named[..] {
        [] => format!("{optimizer} with its default settings."),
        _ => format!("{optimizer} with {}, and its defaults for the rest.", list(&named, "and")),
    }
}

fn objective(asked: &Asked) -> String {
    let settings = &asked.settings;
    let episodes = settings.episodes_per_candidate.unwrap_or(1);
    let bonus = asked.task.and_then(|task| task.definition.reward.alive.as_ref()).map_or(0.0, |alive| alive.bonus);
    let rule = match (settings.protocol == Some(Protocol::Paper), episodes) {
        (true, n) => format!(
            "A candidate's score is its mean return over {n} episodes on reset seeds 0 to {}, run in lockstep: all \
             stop when the first one ends. The returns on this page are from other seeds.",
            n.saturating_sub(1)
        ),
        (false, 1) => "A candidate's score is its return in one episode from a fresh reset seed.".into(),
        (false, n) => format!("A candidate's score is its mean return over {n} episodes from fresh reset seeds."),
    };
    let shift = if settings.survival_shift == Some(SurvivalShift::Auto) && bonus != 0.0 {
        let what = match settings.survival_share {
            None | Some(0.0) => format!("the survival bonus of {bonus} per step"),
            Some(share) => format!("{}% of the survival bonus of {bonus} per step", 100.0 * (1.0 - share)),
        };
        format!(
            " Training subtracts {what}{}, so that merely standing earns little; \
             every return on this page includes it.",
            match settings.survival_steps {
                None | Some(0) => String::new(),
                Some(steps) => format!(" after {steps} steps"),
            }
        )
    } else {
        String::new()
    };
    let segments = settings.segments.filter(|segments| *segments > 1).map_or(String::new(), |segments| {
        format!(
            " Once the center lasts, candidates share episodes: two are tried in each of {segments} segments, from the same \
             moment, and a fall there costs as much as an episode pays."
        )
    });
    let resets = match settings.resets {
        Some(Resets::Common) => " All candidates of a generation start from the same seed.",
        Some(Resets::Pairs) => " The two candidates of a mirrored pair start from the same seed.",
        Some(Resets::Own) | None => "",
    };
    let cut = settings.training_steps.map_or(String::new(), |steps| {
        format!(" Training episodes are cut off after {steps} steps; the returns on this page are from full ones.")
    });
    rule + &segments + resets + &cut + &shift + " An episode in which the physics breaks down ranks last."
}

fn budget(asked: &Asked) -> String {
    let episodes = asked.settings.budget.map_or("Any number of".to_string(), |budget| thousands(budget as f64, 0));
    let target = asked
        .settings
        .target
        .and_then(|target| target.0)
        .map(|target| format!(", or until the held-out return reaches {target}"));
    let time = asked.settings.time.map(|time| format!(", or until {time} have passed"));
    format!(
        "{episodes} training episodes per run{}{}. Held-out episodes are not counted.",
        target.unwrap_or_default(),
        time.unwrap_or_default()
    )
}

fn heldout(asked: &Asked) -> String {
    let (when, episodes) = HeldOut::new(&asked.settings).told();
    let episodes = count(episodes, "episode");
    format!(
        "At the start and {when}, the center of the search plays {episodes}. It is the policy one would deploy. The reset \
         seeds are the same every time, and training never draws them. The final policy is scored on other fresh seeds."
    )
}

fn seeds(groups: &[Group]) -> String {
    let of = |group: &Group| -> String {
        let seeds: Vec<String> = group.runs.iter().map(|run| run.seed.to_string()).collect();
        list(&seeds.iter().map(String::as_str).collect::<Vec<_>>(), "and")
    };
    let all: Vec<String> = groups.iter().map(of).collect();
    let said = match all.windows(2).all(|pair| pair[0] == pair[1]) {
        true => all.into_iter().next().unwrap_or_default(),
        false => groups.iter().zip(&all).map(|(g, s)| format!("{}: {s}", g.label)).collect::<Vec<_>>().join("; "),
    };
    format!("{said}. A seed decides everything random in a run; the same seed gives the same bytes.")
}
