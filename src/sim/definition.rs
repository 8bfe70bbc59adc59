//! A task as written in TOML: the model, the observations, the reward and the end of an episode.

use serde::{Deserialize, Serialize};

/// The content of one `envs/*.toml`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Definition {
    /// The task's id on the command line.
    pub name: String,
    /// A one-line description.
    pub about: String,
    /// The Gymnasium task with the same rules, if there is one.
    pub gymnasium: Option<String>,
    /// The MJCF file, next to this one.
    pub model: String,
    /// Physics steps per action.
    pub frame_skip: usize,
    /// The number of actions after which an episode is truncated.
    pub horizon: usize,
    /// The camera to render with.
    pub camera: Option<String>,
    pub reset: Reset,
    pub observation: Vec<ObservationPart>,
    pub reward: RewardRule,
    /// Which parts of the body are mirror images of each other. No episode depends on it.
    pub mirror: Option<MirrorRule>,
    /// The episode ends as soon as one of these does not hold. Without any, it never ends early.
    #[serde(default)]
    pub healthy: Vec<Condition>,
    /// Returns worth comparing with.
    #[serde(default, rename = "yardstick")]
    pub yardsticks: Vec<Yardstick>,
    /// The settings that a search on this task starts from.
    pub defaults: Option<toml::Table>,
}

impl Definition {
    /// Returns only what decides an episode, without descriptions of the task.
    pub(super) fn rules(&self) -> Self {
        Self {
            about: String::new(),
            gymnasium: None,
            camera: None,
            mirror: None,
            yardsticks: Vec::new(),
            defaults: None,
            // The model is identified by its content.
            model: String::new(),
            ..self.clone()
        }
    }
}

/// The noise added to every coordinate of the start state.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reset {
    pub qpos: Noise,
    pub qvel: Noise,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub enum Noise {
    /// Uniform in [−s, s).
    Uniform(f64),
    /// s times a standard normal.
    Normal(f64),
}

/// A part of the observation vector.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ObservationPart {
    pub of: Field,
    /// How many leading numbers of the field are skipped.
    #[serde(default)]
    pub skip: usize,
    /// Values are clipped to ± this.
    pub clip: Option<f64>,
}

/// Fields of MuJoCo's state that can be observed.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum Field {
    Qpos,
    Qvel,
    Cinert,
    Cvel,
    QfrcActuator,
    CfrcExt,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RewardRule {
    /// The x coordinate that measures the distance covered.
    pub position: Position,
    /// The weight of the velocity.
    pub forward: f64,
    /// The weight of the sum of squared actions, which is subtracted.
    pub control: f64,
    pub alive: Option<Alive>,
    pub contact: Option<Contact>,
}

#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Position {
    /// This entry of qpos.
    Qpos(usize),
    /// The origin of this body.
    Body(String),
    /// The whole model's center of mass.
    CenterOfMass,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Alive {
    pub bonus: f64,
    /// Whether the step that ends the episode is rewarded too.
    pub terminal: bool,
}

/// The body as seen in a mirror: y becomes −y, and limbs trade places.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MirrorRule {
    /// Pairs of bodies that trade places, with all that is attached to them. All others stay.
    pub swap: Vec<[String; 2]>,
}

/// The weight of the sum of squared contact forces, which is subtracted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Contact {
    pub weight: f64,
    /// Each force is first clipped to ± this.
    pub clip: Option<f64>,
    /// The upper limit of the cost.
    pub at_most: Option<f64>,
}

/// Every selected number must lie within the limits. A NaN never does.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Condition {
    pub of: Coordinates,
    /// A single entry. Excludes `from`.
    pub index: Option<usize>,
    /// All entries from this one on.
    pub from: Option<usize>,
    /// Strictly more than.
    pub above: Option<f64>,
    /// Strictly less than.
    pub below: Option<f64>,
    pub at_least: Option<f64>,
    pub at_most: Option<f64>,
    /// Neither NaN nor infinite.
    #[serde(default)]
    pub finite: bool,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum Coordinates {
    Qpos,
    Qvel,
    /// qpos, then qvel.
    State,
}

/// A return worth comparing with, and its source.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Yardstick {
    #[serde(rename = "return")]
    pub value: f64,
    pub what: String,
}
