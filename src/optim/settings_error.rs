//! Settings that cannot be used, and what to do about them.

use super::{OptimizerKind, Variant};

/// A setting that cannot be used. `field` is a field of [`Settings`](super::Settings), or `mean` for the start.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SettingsError {
    /// The value is wrong.
    #[error("setting `{field}` is {value}\nhint: {remedy}")]
    Wrong { field: &'static str, value: String, remedy: &'static str },
    /// The optimizer does not use the setting. `used` are those that it uses.
    #[error("{optimizer} does not use the setting `{field}`\nhint: it uses {}", used.join(", "))]
    Unused { field: &'static str, optimizer: String, used: Vec<&'static str> },
}

impl SettingsError {
    /// A wrong value, and what to do about it.
    pub fn new(field: &'static str, value: impl ToString, remedy: &'static str) -> Self {
        Self::Wrong { field, value: value.to_string(), remedy }
    }

    /// The optimizer does not use this field. The error names those of the `known` fields that it does use.
    pub fn unused(kind: OptimizerKind, variant: Variant, field: &'static str, known: &[&'static str]) -> Self {
        let optimizer = match kind {
            OptimizerKind::SynCma => format!("{} (variant {})", kind.name(), variant.name()),
            other => other.name().to_string(),
        };
        let used = known.iter().copied().filter(|field| kind.fields(variant).contains(field)).collect();
        Self::Unused { field, optimizer, used }
    }

    /// The field that the error is about.
    pub fn field(&self) -> &'static str {
        match self {
            Self::Wrong { field, .. } | Self::Unused { field, .. } => field,
        }
    }
}

/// The fields are named in backticks, so that a user interface can substitute its own names.
impl From<SettingsError> for crate::Error {
    fn from(e: SettingsError) -> Self {
        let name = |field: &'static str| match field {
            "bounds" => "bound",
            field => field,
        };
        match e {
            SettingsError::Wrong { field: "mean", value, remedy } => {
                Self::usage(format!("the start cannot be {value}")).hint(remedy)
            }
            SettingsError::Wrong { field, value, remedy } => {
                let field = name(field);
                Self::usage(format!("`{field}` cannot be {value}")).hint(remedy).naming(&[field])
            }
            SettingsError::Unused { field, optimizer, used } => {
                let (field, used) = (name(field), used.into_iter().map(name).collect::<Vec<_>>());
                let list = used.iter().map(|field| format!("`{field}`")).collect::<Vec<_>>().join(", ");
                Self::usage(format!("{optimizer} does not use `{field}`"))
                    .hint(format!("of the optimizer settings it uses {list}"))
                    .naming(&[field])
                    .naming(&used)
            }
        }
    }
}
