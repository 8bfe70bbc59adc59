//! Errors, sorted by who has to act. The kind determines the exit code.

use std::path::Path;

pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error for people: what is wrong, where, and what to do about it.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    pub kind: Kind,
    pub message: String,
    /// The remedy, if there is one.
    pub hint: Option<String>,
    /// The settings that the message and the hint name in backticks, as `name` or `name value`. A user interface may
    /// replace them with its own terms: the command line says `--name`.
    pub fields: Vec<&'static str>,
}

/// Who has to act.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The work itself failed.
    Failed = 1,
    /// The command line or a setting is wrong.
    Usage = 2,
    /// An input file is unreadable, corrupt or of another version.
    Input = 3,
    /// A result cannot be written.
    Output = 4,
}

impl Error {
    pub fn failed(message: impl Into<String>) -> Self {
        Self { kind: Kind::Failed, message: message.into(), hint: None, fields: Vec::new() }
    }

    pub fn usage(message: impl Into<String>) -> Self {
        Self { kind: Kind::Usage, message: message.into(), hint: None, fields: Vec::new() }
    }

    /// An input file is wrong. `what` names the field and says what would be right.
    pub fn input(file: impl AsRef<Path>, what: impl std::fmt::Display) -> Self {
        Self {
            kind: Kind::Input,
            message: format!("{what}\n  in {}", file.as_ref().display()),
            hint: None,
            fields: Vec::new(),
        }
    }

    pub fn output(file: impl AsRef<Path>, what: impl std::fmt::Display) -> Self {
        Self {
            kind: Kind::Output,
            message: format!("cannot write: {what}\n  to {}", file.as_ref().display()),
            hint: None,
            fields: Vec::new(),
        }
    }

    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Sets the settings that the message and the hint name.
    pub fn naming(mut self, fields: &[&'static str]) -> Self {
        self.fields.extend(fields);
        self
    }

    pub fn exit_code(&self) -> u8 {
        self.kind as u8
    }
}
