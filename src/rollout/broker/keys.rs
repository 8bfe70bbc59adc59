//! The keys of a run on the broker. They begin with the run's id, so keys of different runs cannot collide.

/// The set of the ids of all runs that use workers.
pub const RUNS: &str = "locomotion:runs";
/// The consumer group of all workers.
pub const GROUP: &str = "workers";
/// The field of a stream entry that holds the message.
pub const FIELD: &str = "m";

/// A run's own keys.
#[derive(Clone, Debug)]
pub struct Keys {
    pub run: String,
    /// Describes the run. Expires soon after the coordinator has gone.
    pub card: String,
    /// The stream of assignments.
    pub tasks: String,
    pub reports: String,
    pub model: String,
}

impl Keys {
    pub fn of(run: &str, model: &str) -> Self {
        let key = |what: &str| format!("locomotion:{run}:{what}");
        Self {
            run: run.into(),
            card: Self::card(run),
            tasks: key("tasks"),
            reports: key("reports"),
            model: key(&format!("model:{model}")),
        }
    }

    pub fn card(run: &str) -> String {
        format!("locomotion:{run}:card")
    }
}

/// A new random id. A run that is resumed gets another one.
pub fn new_id() -> String {
    format!("{:032x}", rand::random::<u128>())
}

/// Whether the text has the form of a run's id.
pub fn is_id(text: &str) -> bool {
    text.len() == 32 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}
