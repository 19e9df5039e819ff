//! Transports for commands to the tool: one process for each command, or the socket of the tool's daemon.
//!
//! The socket is about twenty times faster, but speaks the tool's private protocol. So it is used only if this version
//! of the protocol was tested and the socket answers a harmless first command. After anything unusual, the module
//! `link` changes to processes for good. A command that may already have had an effect is never sent a second time.

// The socket exists only on Unix, so its errors are unused on other systems.
#![cfg_attr(not(unix), allow(dead_code))]

mod link;
mod process;
#[cfg(unix)]
mod socket;

use std::{fmt, io, time::Duration};

use async_trait::async_trait;

pub(super) use link::Link;
pub(super) use process::{MAX_ARGUMENT, Process};
#[cfg(unix)]
pub(super) use socket::Socket;

use crate::{
    base::{Error, ErrorKind},
    secret::Secret,
};

/// Maximum length of a reply. Unit: bytes. Source: the snapshot of a page with 20,000 buttons has 678 kB; this limit is
/// fifty times as large.
const MAX_REPLY: usize = 32 << 20;

/// A command of the tool, split into its parts, so that no text in it can be taken for an option or for shell syntax.
#[derive(Clone)]
pub(super) struct Command {
    name: &'static str,
    positionals: Vec<String>,
    flags: Vec<(&'static str, Option<String>)>,
    code: Option<Secret>,
    repeatable: bool,
}

impl Command {
    pub(super) fn new(name: &'static str) -> Self {
        Self {
            name,
            positionals: Vec::new(),
            flags: Vec::new(),
            code: None,
            repeatable: false,
        }
    }

    /// Creates a command that only reads. It may be sent again if its answer is lost.
    pub(super) fn read(name: &'static str) -> Self {
        Self {
            repeatable: true,
            ..Self::new(name)
        }
    }

    /// Creates a command that runs a script. The script is never an argument of a process, because it may contain a
    /// secret.
    pub(super) fn script(code: impl Into<String>) -> Self {
        Self {
            code: Some(Secret::new(code)),
            ..Self::new("run-code")
        }
    }

    pub(super) fn arg(mut self, value: impl Into<String>) -> Self {
        self.positionals.push(value.into());
        self
    }

    pub(super) fn args<T: Into<String>>(mut self, values: impl IntoIterator<Item = T>) -> Self {
        self.positionals.extend(values.into_iter().map(Into::into));
        self
    }

    pub(super) fn flag(mut self, name: &'static str) -> Self {
        self.flags.push((name, None));
        self
    }

    pub(super) fn option(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.flags.push((name, Some(value.into())));
        self
    }

    pub(super) fn repeatable(self) -> Self {
        Self {
            repeatable: true,
            ..self
        }
    }
}

impl fmt::Debug for Command {
    /// Shows only the command's name, because the arguments may contain texts of the task.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Command")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

/// An unparsed reply of the tool. It is wiped on drop, because it may contain typed text.
#[derive(Debug)]
pub(super) struct RawReply {
    pub(super) text: Secret,
    pub(super) is_error: bool,
}

impl RawReply {
    /// Returns an error reply with this text.
    fn refusal(error: &str) -> Self {
        Self {
            text: Secret::new(format!("### Error\n{error}")),
            is_error: true,
        }
    }
}

/// The reason why a command got no usable reply.
#[derive(Debug, thiserror::Error)]
pub(super) enum TransportError {
    /// The daemon's socket cannot be reached. The command was not sent.
    #[error("the daemon's socket cannot be reached")]
    Unreachable(#[source] io::Error),
    /// This version of the daemon's protocol was not tested. The command was not sent.
    #[error("the daemon speaks version {0}, which was not tested")]
    WrongVersion(String),
    /// The daemon's session file is missing or broken. The command was not sent.
    #[error("the daemon's session file is missing or broken")]
    NoSession,
    /// The process cannot be started, or the script's file cannot be written. The command was not sent.
    #[error("the program cannot be started")]
    Spawn(#[source] io::Error),
    /// A text of the command contains a NUL character. The command was not sent.
    #[error("a value holds a NUL character")]
    Nul,
    /// The connection ended without an answer. The command may have been sent and carried out.
    #[error("the connection ended without an answer")]
    Closed,
    /// The answer does not follow the daemon's protocol. The command was sent, and perhaps carried out.
    #[error("the answer is not one of the protocol")]
    Garbage,
    /// No answer came within this time limit. The command may have been sent and carried out.
    #[error("no answer within {0:?}")]
    Timeout(Duration),
    /// The answer is too long. The command was sent and carried out.
    #[error("the answer is longer than {MAX_REPLY} bytes")]
    TooLarge,
    /// Reading the answer failed. The command was sent, and perhaps carried out.
    #[error("reading the answer failed")]
    Io(#[source] io::Error),
}

impl TransportError {
    /// Returns true if the command was certainly not sent.
    const fn nothing_was_sent(&self) -> bool {
        matches!(
            self,
            Self::Unreachable(_)
                | Self::WrongVersion(_)
                | Self::NoSession
                | Self::Spawn(_)
                | Self::Nul
        )
    }
}

impl From<TransportError> for Error {
    fn from(error: TransportError) -> Self {
        let kind = match error {
            TransportError::Unreachable(_)
            | TransportError::WrongVersion(_)
            | TransportError::NoSession
            | TransportError::Spawn(_) => ErrorKind::Unavailable,
            TransportError::Nul => ErrorKind::InvalidInput,
            TransportError::Closed | TransportError::Garbage => ErrorKind::MalformedReply,
            TransportError::Timeout(_) => ErrorKind::Timeout,
            TransportError::TooLarge => ErrorKind::TooLarge,
            TransportError::Io(_) => ErrorKind::Io,
        };
        Self::new(kind, "browser.command").with_source(error)
    }
}

#[async_trait]
pub(super) trait Transport: fmt::Debug + Send + Sync {
    /// Returns `socket` or `process`.
    fn name(&self) -> &'static str;

    /// Runs a command and returns its reply. Dropping the future kills a process that was started for the command.
    async fn run(&self, command: &Command, timeout: Duration) -> Result<RawReply, TransportError>;

    async fn stop(&self, timeout: Duration) -> Result<(), TransportError>;
}
