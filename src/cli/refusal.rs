//! Why a command ended without success: one sentence for the person, and the exit code.

use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue, ErrorKind};

use super::tell;
use crate::base::text;

/// One clear sentence that says what to do, with the exit code that tells a script the same.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Refusal {
    sentence: String,
    code: u8,
    details: Vec<String>,
}

impl Refusal {
    /// It was not tried: what was asked for is wrong or not possible here.
    pub(crate) fn usage(sentence: impl Into<String>) -> Self {
        Self {
            sentence: sentence.into(),
            code: 2,
            details: Vec::new(),
        }
    }

    /// It was tried and did not come out well.
    pub(crate) fn failure(sentence: impl Into<String>) -> Self {
        Self {
            code: 1,
            ..Self::usage(sentence)
        }
    }

    /// It was stopped because nobody reads the output any more. The code is 128 and the number of SIGPIPE, as shells have it.
    pub(crate) fn unread() -> Self {
        Self {
            code: 141,
            ..Self::silent()
        }
    }

    /// It did not come out well, and what was printed says so already.
    pub(crate) fn silent() -> Self {
        Self::failure(String::new())
    }

    /// Lines shown below the sentence, such as the end of what a program said.
    #[must_use]
    pub(crate) fn with_details(mut self, details: Vec<String>) -> Self {
        self.details = details;
        self
    }

    /// What is wrong with the arguments of this command, in one sentence; `None` if help or the version was asked for.
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
        // The usage and the pointer to the help are paragraphs of their own; what is left says what is wrong.
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

    /// Prints the sentence to stderr and gives the exit code.
    pub(crate) fn report(&self) -> ExitCode {
        if !self.sentence.is_empty() {
            tell(format_args!("webwise: {}", text::clean(&self.sentence)));
        }
        for line in &self.details {
            tell(format_args!("  {line}"));
        }
        ExitCode::from(self.code)
    }

    /// What the person is told.
    pub(crate) fn sentence(&self) -> &str {
        &self.sentence
    }

    /// The parser's words without a value that was meant to stay secret: one given to `--secret` in the place of a variable's
    /// name, or an address with a password in it.
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
            text.replace(value, "…")
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
