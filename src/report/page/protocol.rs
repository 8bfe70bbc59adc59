//! How it was done, in words made from the settings.

use super::markup::{element, escape, list};
use crate::plot::numbers::thousands;
use crate::report::repetitions::{Group, short};
use crate::sim::Task;
use toml::{Table, Value};

/// What only one kind of search or another looks at, in the order it is told.
const OF_THE_SEARCH: &[&str] =
    &["lambda0", "eta_m", "eta_c", "kappa", "batch", "sigma", "step_size", "noise", "top_directions"];

/// The settings of one group, and the task if it could be found.
struct Asked<'a> {
    settings: &'a Table,
    task: Option<&'a Task>,
}

impl Asked<'_> {
    fn word(&self, key: &str) -> Option<String> {
        self.settings.get(key).map(short)
    }

    fn number(&self, key: &str) -> Option<f64> {
        let value = self.settings.get(key)?;
        value.as_float().or_else(|| value.as_integer().map(|whole| whole as f64))
    }

    fn is(&self, key: &str, word: &str) -> bool {
        self.settings.get(key).and_then(Value::as_str) == Some(word)
    }
}

/// A topic of the protocol: its name, and what one group's settings say about it.
type Topic = (&'static str, fn(&Asked) -> String);

const TOPICS: &[Topic] = &[
    ("Task", task),
    ("Policy", policy),
    ("Observations", observations),
    ("Search", search),
    ("Objective", objective),
    ("Budget", budget),
    ("Held-out evaluation", heldout),
];

/// A list of topics. Where groups differ, each says its own.
pub fn protocol(groups: &[Group], task: Option<&Task>) -> String {
    let mut html = "<dl class=\"protocol\">\n".to_string();
    for (name, tell) in TOPICS {
        let mut told: Vec<(String, Vec<&str>)> = Vec::new();
        for group in groups {
            let Some(run) = group.runs.first() else { continue };
            let text = tell(&Asked { settings: &run.settings, task });
            match told.iter_mut().find(|(known, _)| *known == text) {
                Some((_, labels)) => labels.push(&group.label),
                None => told.push((text, vec![&group.label])),
            }
        }
        html += &element("dt", name);
        let several = told.len() > 1;
        for (text, labels) in &told {
            let who = if several { element("b", &list(labels, "and")) + ": " } else { String::new() };
            html += &format!("<dd>{who}{}</dd>\n", escape(text));
        }
    }
    html += &format!("<dt>Seeds</dt><dd>{}</dd>\n</dl>\n", escape(&seeds(groups)));
    html
}

fn task(asked: &Asked) -> String {
    let Some(task) = asked.task else {
        return "Its definition is not where it was when the runs were made; only its name is known here.".into();
    };
    let definition = &task.definition;
    let rules = match &definition.gymnasium {
        Some(name) => format!(" Reset, observation, reward and end are those of Gymnasium's {name}."),
        None => String::new(),
    };
    let (seen, done, most) = (task.observations, task.actions, thousands(definition.horizon as f64, 0));
    let about = sentence(&definition.about);
    format!("{about}. {seen} observations, {done} actions, at most {most} steps in an episode.{rules}")
}

/// With a capital at its start.
fn sentence(text: &str) -> String {
    let mut rest = text.chars();
    rest.next().map_or(String::new(), |first| first.to_uppercase().chain(rest).collect())
}

fn policy(asked: &Asked) -> String {
    let size = asked.task.map_or(String::new(), |task| format!(", {} numbers", task.observations * task.actions));
    let start = match asked.word("init").as_deref() {
        Some("zero") => " W starts at zero.",
        Some("uniform") => " W starts uniformly at random.",
        _ => "",
    };
    let bound = match asked.word("bound").as_deref() {
        None | Some("none") => String::new(),
        Some(limit) => format!(" Weights are clipped to ±{limit} before they are evaluated."),
    };
    format!("Linear: a = clamp(W·z, −1, 1). W{size}, is all that is searched for.{start}{bound}")
}

fn observations(asked: &Asked) -> String {
    match asked.word("normalize").as_deref() {
        Some("none") => "Not normalised: z is what the task shows.".into(),
        Some("running") => "Normalised by the mean and deviation of everything seen in training so far, frozen inside \
                            a generation and kept with the policy."
            .into(),
        Some("bounded") => "Normalized by the mean and deviation of everything seen in training so far, with a larger \
                            unit where an input would otherwise exceed 4; frozen inside a generation and kept with the \
                            policy."
            .into(),
        Some(file) => format!("Normalised by the fixed mean and deviation of {file}."),
        None => "The runs do not say whether observations are normalised.".into(),
    }
}

fn search(asked: &Asked) -> String {
    let optimizer = asked.word("optimizer").unwrap_or_default();
    let variant = asked.word("variant").filter(|_| optimizer == "syncma").map(|variant| format!("variant {variant}"));
    let named = OF_THE_SEARCH.iter().filter_map(|key| Some(format!("{} {}", key.replace('_', " "), asked.word(key)?)));
    let named: Vec<String> = variant.into_iter().chain(named).collect();
    let named: Vec<&str> = named.iter().map(String::as_str).collect();
    match named[..] {
        [] => format!("{optimizer} with its own defaults."),
        _ => format!("{optimizer} with {}; the rest are its own defaults.", list(&named, "and")),
    }
}

fn objective(asked: &Asked) -> String {
    let episodes = asked.number("episodes_per_candidate").unwrap_or(1.0);
    let bonus = asked.task.and_then(|task| task.definition.reward.alive.as_ref()).map_or(0.0, |alive| alive.bonus);
    let rule = match (asked.is("protocol", "paper"), episodes) {
        (true, n) => format!(
            "A candidate is worth its mean return over {n} episodes on reset seeds 0 to {}, run in lockstep: all stop \
             when the first one ends.",
            n - 1.0
        ),
        (false, 1.0) => "A candidate is worth its return in one episode from a fresh reset seed.".into(),
        (false, n) => format!("A candidate is worth its mean return over {n} episodes from fresh reset seeds."),
    };
    let shift = if asked.is("survival_shift", "auto") && bonus != 0.0 {
        format!(
            " In training the survival bonus of {bonus} a step is taken off{}, so that merely standing earns nothing; \
             every return on this page includes it.",
            match asked.number("survival_steps") {
                None | Some(0.0) => String::new(),
                Some(steps) => format!(" after {steps} steps"),
            }
        )
    } else {
        String::new()
    };
    let resets =
        if asked.is("resets", "common") { " All candidates of a generation start from the same one." } else { "" };
    let cut = asked.number("training_steps").map_or(String::new(), |steps| {
        format!(" Training episodes are cut off after {steps} steps; the returns on this page are of whole ones.")
    });
    rule + resets + &cut + &shift + " An episode whose physics break down ranks last."
}

fn budget(asked: &Asked) -> String {
    let episodes = asked.number("budget").map_or("no limit of".to_string(), |budget| thousands(budget, 0));
    let target = asked.number("target").map(|target| format!(", or until the held-out return reaches {target}"));
    let time = asked.word("time").map(|time| format!(", or until {time} are over"));
    format!(
        "{episodes} training episodes a run{}{}. Held-out episodes are not counted.",
        target.unwrap_or_default(),
        time.unwrap_or_default()
    )
}

fn heldout(asked: &Asked) -> String {
    let episodes = asked.number("heldout_episodes").map_or("some".to_string(), |n| thousands(n, 0));
    let every = match asked.number("heldout_every") {
        Some(1.0) => "After every generation".to_string(),
        Some(n) => format!("Every {n} generations"),
        None => "Every few generations".to_string(),
    };
    format!(
        "{every} the center of the search, the policy one would deploy, plays {episodes} episodes on reset seeds that \
         training never draws, the same every time. The final policy is scored on further fresh seeds."
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
