//! The names that a run has on the broker. All of a run's begin with its id, so that two runs never meet.

/// The ids of the runs that want workers.
pub const RUNS: &str = "locomotion:runs";
/// The group that all workers read in.
pub const GROUP: &str = "workers";
/// The field of a stream's entry that holds the message.
pub const FIELD: &str = "m";

/// A run's own keys.
#[derive(Clone, Debug)]
pub struct Keys {
    pub run: String,
    /// Who the run is; expires soon after the coordinator has gone.
    pub card: String,
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

/// A new run's id: nobody else has it, not even the same run after it was killed.
pub fn new_id() -> String {
    format!("{:032x}", rand::random::<u128>())
}

/// Whether this can be the id of a run.
pub fn is_id(text: &str) -> bool {
    text.len() == 32 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}
