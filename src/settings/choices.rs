//! The values that settings can have, spelled the same on the command line and in files.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

/// Declares an enum whose values are written as words.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$what:meta])* $variant:ident = $word:literal),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
        pub enum $name { $($(#[$what])* #[serde(rename = $word)] $variant),* }

        impl $name {
            /// All values as words.
            pub const WORDS: &[&str] = &[$($word),*];
        }

        impl FromStr for $name {
            type Err = String;
            fn from_str(word: &str) -> Result<Self, String> {
                match word {
                    $($word => Ok(Self::$variant),)*
                    _ => Err(format!("use one of: {}", Self::WORDS.join(", "))),
                }
            }
        }
    };
}

words!(
    /// Whether training subtracts the survival bonus.
    SurvivalShift {
        /// It does, if the task pays one.
        #[default]
        Auto = "auto",
        Off = "off",
    }
);

words!(
    /// Which reset seeds the candidates of a generation are evaluated on.
    Resets {
        /// All candidates of a generation share the same seeds, which are drawn anew for every generation. Differences
        /// between their returns are then due to the candidates.
        #[default]
        Common = "common",
        /// The two candidates of a mirrored pair share their seeds, and every pair has its own. What a pair differs in is
        /// then due to its candidates, and a generation learns from as many starts as it has pairs.
        Pairs = "pairs",
        /// Every candidate has its own seeds.
        Own = "own",
    }
);

words!(
    /// Which policies the search may choose from.
    Symmetry {
        /// Every weight is free.
        #[default]
        None = "none",
        /// Only policies whose action in a mirrored state is the mirror image of their action in the state itself. This
        /// halves the search vector.
        Mirror = "mirror",
    }
);

words!(
    /// Which observations a policy may use.
    Inputs {
        /// All that the task has.
        #[default]
        All = "all",
        /// Positions and velocities, qpos and qvel. The weights of forces, inertias and other derived numbers stay 0.
        State = "state",
    }
);

words!(
    /// How candidates are evaluated.
    Protocol {
        /// Episodes on fresh seeds, each until its own end.
        #[default]
        Gymnasium = "gymnasium",
        /// Ten episodes on seeds 0 to 9 in lockstep, which all stop when the first one ends.
        Paper = "paper",
    }
);

/// Declares a setting that is written as a single string.
macro_rules! as_string {
    ($name:ident) => {
        impl From<$name> for String {
            fn from(value: $name) -> String {
                value.to_string()
            }
        }
        impl TryFrom<String> for $name {
            type Error = String;
            fn try_from(text: String) -> Result<Self, String> {
                text.parse()
            }
        }
    };
}

/// Declares an enum whose values are written as words, or as the name of a policy.
macro_rules! words_or_policy {
    ($(#[$doc:meta])* $name:ident { $($(#[$what:meta])* $variant:ident = $word:literal),* $(,)? } or $policy:literal) => {
        $(#[$doc])*
        #[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(into = "String", try_from = "String")]
        pub enum $name { $($(#[$what])* $variant,)* #[doc = $policy] Policy(String) }
        as_string!($name);

        impl $name {
            /// All values as words, besides policies.
            pub const WORDS: &[&str] = &[$($word),*];
        }

        impl FromStr for $name {
            type Err = String;
            fn from_str(text: &str) -> Result<Self, String> {
                match text {
                    $($word => Ok(Self::$variant),)*
                    "" => Err(format!("use {}, or a policy", Self::WORDS.join(", "))),
                    policy => Ok(Self::Policy(policy.into())),
                }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str(match self {
                    $(Self::$variant => $word,)*
                    Self::Policy(policy) => policy,
                })
            }
        }
    };
}

words_or_policy!(
    /// Where the search for W starts.
    Init {
        #[default]
        Zero = "zero",
        /// Uniform in the box, or in [−1, 1] if there is none.
        Uniform = "uniform",
    } or "The weights of a policy: its file, its run folder, or the name of one that ships with the program."
);

words_or_policy!(
    /// What happens to observations before the policy sees them.
    Normalize {
        None = "none",
        /// Subtract the mean and divide by the deviation of everything seen in training so far, frozen within a generation.
        #[default]
        Running = "running",
        /// The same, but limit every input to 4. This is for inputs that rarely change and then jump.
        Bounded = "bounded",
    } or "Use the normalizer of a policy, named as in [`Init::Policy`]."
);

impl Normalize {
    /// Whether training has to keep statistics of what it sees; if so, whether inputs are to be bounded by them.
    pub fn observed(&self) -> Option<bool> {
        matches!(self, Self::Running | Self::Bounded).then_some(*self == Self::Bounded)
    }
}

/// The range of evaluated weights: ± a number, or none. A file holds it as a string; a number is read too.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "NumberOrWord")]
pub struct Bound(pub Option<f64>);

impl From<Bound> for String {
    fn from(bound: Bound) -> String {
        bound.to_string()
    }
}

impl FromStr for Bound {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        match (text, text.parse::<f64>()) {
            ("none", _) => Ok(Self(None)),
            (_, Ok(limit)) if limit > 0.0 && limit <= 1e50 => Ok(Self(Some(limit))),
            _ => Err("use a number above 0 and up to 1e50, or none".into()),
        }
    }
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self.0 {
            Some(limit) => write!(f, "{limit}"),
            None => f.write_str("none"),
        }
    }
}

/// A return to stop at, or none. A file holds a number, or "none".
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(into = "NumberOrWord", try_from = "NumberOrWord")]
pub struct Target(pub Option<f64>);

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum NumberOrWord {
    Number(f64),
    Word(String),
}

impl From<Target> for NumberOrWord {
    fn from(target: Target) -> Self {
        target.0.map_or(Self::Word("none".into()), Self::Number)
    }
}

impl NumberOrWord {
    fn parse<T: FromStr<Err = String>>(self) -> Result<T, String> {
        match self {
            Self::Number(number) => number.to_string().parse(),
            Self::Word(word) => word.parse(),
        }
    }
}

impl TryFrom<NumberOrWord> for Target {
    type Error = String;
    fn try_from(written: NumberOrWord) -> Result<Self, String> {
        written.parse()
    }
}

impl TryFrom<NumberOrWord> for Bound {
    type Error = String;
    fn try_from(written: NumberOrWord) -> Result<Self, String> {
        written.parse()
    }
}

impl FromStr for Target {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        match (text, text.parse::<f64>()) {
            ("none", _) => Ok(Self(None)),
            (_, Ok(target)) if !target.is_nan() => Ok(Self(Some(target))),
            _ => Err("use a number, or none".into()),
        }
    }
}

/// A span of time such as 4h, 90s or 1h30m.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Time(pub Duration);
as_string!(Time);

impl FromStr for Time {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        humantime::parse_duration(text).map(Self).map_err(|e| format!("{e}; write 4h, 90s or 1h30m"))
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}", humantime::format_duration(self.0).to_string().replace(' ', ""))
    }
}
