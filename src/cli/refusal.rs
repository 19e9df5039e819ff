//! The error of a command: one sentence for the person, and an exit code.

use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use serde_json::json;

use super::{say, tell};
use crate::base::text;

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Refusal {
    sentence: String,
    code: u8,
    /// The kind of the error, as one word for a program.
    kind: &'static str,
    /// True if the output has told a program already.
    is_told: bool,
    details: Vec<String>,
}

impl Refusal {
    /// Creates the error of a command that was not tried: the arguments are wrong, or the command is not possible here.
    pub(crate) fn usage(sentence: impl Into<String>) -> Self {
        Self {
            sentence: sentence.into(),
            code: 2,
            kind: "usage",
            is_told: false,
            details: Vec::new(),
        }
    }

    /// Creates the error of a command that was tried and failed.
    pub(crate) fn failure(sentence: impl Into<String>) -> Self {
        Self {
            code: 1,
            kind: "failed",
            ..Self::usage(sentence)
        }
    }

    /// Creates the error of a run that was stopped because nobody reads its output any more. The error has no sentence. Its
    /// exit code is 128 plus the number of the signal SIGPIPE, as in shells.
    pub(crate) fn unread() -> Self {
        Self {
            code: 141,
            ..Self::silent()
        }
    }

    /// Creates an error without a sentence, for a failure that the output already describes.
    pub(crate) fn silent() -> Self {
        Self {
            is_told: true,
            ..Self::failure(String::new())
        }
    }

    /// Sets the kind of the error and its exit code.
    #[must_use]
    pub(crate) const fn of_kind(mut self, kind: &'static str, code: u8) -> Self {
        (self.kind, self.code) = (kind, code);
        self
    }

    /// Marks the error as one that the output has told a program already.
    #[must_use]
    pub(crate) const fn told(mut self) -> Self {
        self.is_told = true;
        self
    }

    /// Adds the likely reason to the sentence.
    #[must_use]
    pub(crate) fn because(mut self, reason: &str) -> Self {
        self.sentence = format!("{}; {reason}", self.sentence);
        self
    }

    /// Adds lines that are printed below the sentence, such as the last output of a program.
    #[must_use]
    pub(crate) fn with_details(mut self, details: Vec<String>) -> Self {
        self.details = details;
        self
    }

    /// Returns the error for arguments that the parser refused; `None` if they asked for the help or the version. The error
    /// refers to the help of `command`.
    pub(crate) fn of_arguments(error: &clap::Error, command: &str) -> Option<Self> {
        if matches!(
            error.kind(),
            ErrorKind::DisplayHelp | ErrorKind::DisplayVersion
        ) {
            return None;
        }
        if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
            return Some(Self::usage(format!(
                "say what to do: `{command} --help` lists the commands"
            )));
        }
        // The usage and the reference to the help are paragraphs of their own. The rest describes the problem.
        let text = Self::without_secrets(error);
        let kept = text
            .split("\n\n")
            .filter(|part| !part.starts_with("Usage:") && !part.starts_with("For more"));
        let said: Vec<_> = kept
            .map(text::squeeze)
            .filter(|part| !part.is_empty())
            .collect();
        let said = said.join("; ");
        Some(Self::usage(format!(
            "{}; see `{command} --help`",
            said.strip_prefix("error: ").unwrap_or(&said)
        )))
    }

    /// Tells the person the error and, if `json` is true, a program, unless the output has told it already.
    pub(crate) fn report(&self, json: bool) -> ExitCode {
        if json && !self.is_told {
            say(json!({ "ok": false, "problem": self.sentence, "error_kind": self.kind }));
        }
        if !self.sentence.is_empty() {
            tell(format_args!("webwise: {}", text::clean(&self.sentence)));
        }
        for line in &self.details {
            tell(format_args!("  {line}"));
        }
        ExitCode::from(self.code)
    }

    pub(crate) fn sentence(&self) -> &str {
        &self.sentence
    }

    /// Returns the message of the argument parser, without values that may be secret: a value that was given to `--secret`
    /// in place of a variable's name, or an address with a password.
    fn without_secrets(error: &clap::Error) -> String {
        let said = |kind| match error.get(kind) {
            Some(ContextValue::String(text)) => text.as_str(),
            _ => "",
        };
        let (argument, value) = (
            said(ContextKind::InvalidArg),
            said(ContextKind::InvalidValue),
        );
        let text = error.to_string();
        if !value.is_empty() && (argument.starts_with("--secret") || value.contains('@')) {
            // Replaces only the quoted value. Its bare letters may also occur in the example of the right form.
            text.replace(&format!("'{value}'"), "'…'")
        } else {
            text
        }
    }

    #[cfg(test)]
    pub(crate) const fn code(&self) -> u8 {
        self.code
    }

    #[cfg(test)]
    pub(crate) fn details(&self) -> &[String] {
        &self.details
    }
}
