//! Errors, sorted by who has to act. The kind determines the exit code.

use std::path::Path;

/// A result whose error is [`Error`] unless another type is given.
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

/// Makes text that may come from a file safe for a terminal: control characters except tabs and line ends are escaped.
pub fn visible(text: &str) -> String {
    // Characters that change the direction of writing can make a text look like another one.
    let turns = |c: char| matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let shown = |c: char| match c {
        '\n' | '\t' => c.to_string(),
        c if c.is_control() || turns(c) => c.escape_default().to_string(),
        c => c.to_string(),
    };
    text.chars().map(shown).collect()
}

impl Error {
    fn new(kind: Kind, message: &str) -> Self {
        Self { kind, message: visible(message), hint: None, fields: Vec::new() }
    }

    pub fn failed(message: impl Into<String>) -> Self {
        Self::new(Kind::Failed, &message.into())
    }

    pub fn usage(message: impl Into<String>) -> Self {
        Self::new(Kind::Usage, &message.into())
    }

    /// An input file is wrong. `what` names the field and says what would be right.
    pub fn input(file: impl AsRef<Path>, what: impl std::fmt::Display) -> Self {
        Self::new(Kind::Input, &format!("{what}\n  in {}", file.as_ref().display()))
    }

    pub fn output(file: impl AsRef<Path>, what: impl std::fmt::Display) -> Self {
        Self::new(Kind::Output, &format!("cannot write: {what}\n  to {}", file.as_ref().display()))
    }

    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(visible(&hint.into()));
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

#[cfg(test)]
mod tests {
    use super::{Error, visible};

    #[test]
    fn what_a_file_says_cannot_command_a_terminal() {
        assert_eq!(visible("ant\u{1b}[31m\r\u{202e}x\n  ü"), "ant\\u{1b}[31m\\r\\u{202e}x\n  ü");
        let error = Error::input("a\u{7}.toml", "\u{1b}]0;x").hint("\u{8}");
        assert!(!format!("{error}{:?}", error.hint).contains(['\u{1b}', '\u{7}', '\u{8}']));
    }
}
