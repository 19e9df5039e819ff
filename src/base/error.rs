//! The one error type of the crate: its kind, the operation that failed, and the cause.

use std::{error::Error as StdError, fmt, time::Duration};

use serde::{Deserialize, Serialize};

/// The result of every operation of this crate that can fail.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// The kind of an [`Error`]. It tells the caller how to react.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ErrorKind {
    /// An argument, option or file from the caller is wrong; [`Error::context`] or the error's source says which.
    InvalidInput,
    /// A required program, server or file is not there.
    Unavailable,
    /// The called program or server did not answer in time.
    Timeout,
    /// The called server asks the caller to wait. [`Error::retry_after`] says how long, if the server said so.
    RateLimited,
    /// Credentials are missing or were refused.
    Unauthorized,
    /// The called server understood the request but refused to answer it, for example because of a content filter.
    Refused,
    /// A reply of the called program or server could not be understood.
    MalformedReply,
    /// The browser, its page, or the background process that controls it is gone. Nothing more can be done with this
    /// browser.
    BrowserLost,
    /// Another process or run uses the browser, file or run. A later attempt can succeed.
    Busy,
    /// Stored data were found, but they are damaged or contradict each other.
    Corrupt,
    /// Something is larger than a limit allows; [`Error::context`] says what.
    TooLarge,
    /// The driver, the model client, the store, or this version of the crate cannot do what was asked.
    Unsupported,
    /// The operation was stopped because the caller asked for that.
    Cancelled,
    /// The operating system refused a file or process operation.
    Io,
}

impl ErrorKind {
    /// Returns the kind as a lower-case word with underscores, as events and logs print it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::InvalidInput => "invalid_input",
            Self::Unavailable => "unavailable",
            Self::Timeout => "timeout",
            Self::RateLimited => "rate_limited",
            Self::Unauthorized => "unauthorized",
            Self::Refused => "refused",
            Self::MalformedReply => "malformed_reply",
            Self::BrowserLost => "browser_lost",
            Self::Busy => "busy",
            Self::Corrupt => "corrupt",
            Self::TooLarge => "too_large",
            Self::Unsupported => "unsupported",
            Self::Cancelled => "cancelled",
            Self::Io => "io",
        }
    }
}

/// A failure of the browser, the model, the store, or another part that a run needs.
///
/// If the page refuses an action, the refusal is not an `Error` but an [`Outcome`](crate::action::Outcome), because
/// the model must read the refusal and memory must learn from it.
///
/// ```
/// use webwise::{Error, ErrorKind};
///
/// let error = Error::new(ErrorKind::Timeout, "browser.observe").with("waited_ms", 45_000);
/// assert!(error.is_retryable());
/// assert_eq!(error.to_string(), "browser.observe: timeout (waited_ms: 45000)");
/// ```
pub struct Error {
    kind: ErrorKind,
    operation: &'static str,
    context: Vec<(&'static str, String)>,
    retry_after: Option<Duration>,
    source: Option<Box<dyn StdError + Send + Sync>>,
}

impl Error {
    /// Makes an error of this kind. `operation` is the name of the operation that failed, in the form
    /// `browser.observe`.
    pub const fn new(kind: ErrorKind, operation: &'static str) -> Self {
        Self {
            kind,
            operation,
            context: Vec::new(),
            retry_after: None,
            source: None,
        }
    }

    /// Adds a detail for the reader of the error, such as a path, a limit or the name of an option. The detail must
    /// not contain a secret.
    #[must_use]
    pub fn with(mut self, key: &'static str, value: impl fmt::Display) -> Self {
        self.context.push((key, value.to_string()));
        self
    }

    /// Adds the error that caused this one.
    #[must_use]
    pub fn with_source(mut self, source: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        self.source = Some(source.into());
        self
    }

    /// Sets the time that the called server asked the caller to wait.
    #[must_use]
    pub const fn with_retry_after(mut self, wait: Duration) -> Self {
        self.retry_after = Some(wait);
        self
    }

    /// Returns the kind of the error.
    pub const fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Returns the operation that failed, such as `browser.observe`.
    pub const fn operation(&self) -> &'static str {
        self.operation
    }

    /// Returns the details of the error as pairs of a key and a value, in the order in which they were added.
    pub fn context(&self) -> &[(&'static str, String)] {
        &self.context
    }

    /// Returns the value of the detail with this key; `None` if the error has no such detail.
    pub fn said(&self, key: &str) -> Option<&str> {
        let mut context = self.context.iter();
        context
            .find(|(known, _)| *known == key)
            .map(|(_, text)| &**text)
    }

    /// Returns the time that the called server asked the caller to wait; `None` if it named none.
    pub const fn retry_after(&self) -> Option<Duration> {
        self.retry_after
    }

    /// Returns true if the call that failed may succeed when it is repeated later.
    pub const fn is_retryable(&self) -> bool {
        matches!(
            self.kind,
            ErrorKind::Timeout | ErrorKind::RateLimited | ErrorKind::Unavailable | ErrorKind::Busy
        )
    }

    /// Returns this error with `f` applied to the value of every detail and to the text of the source. A run uses this
    /// method to replace secrets in errors. The source itself is replaced by its text.
    #[must_use]
    pub fn map_text(self, mut f: impl FnMut(&str) -> String) -> Self {
        let source = self.source.map(|s| f(&chain(&*s)).into());
        let context = self.context.into_iter().map(|(k, v)| (k, f(&v))).collect();
        Self {
            context,
            source,
            ..self
        }
    }
}

/// Returns the text of an error and of all its causes, outermost first.
fn chain(error: &(dyn StdError + 'static)) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(cause) = next {
        text.push_str(": ");
        text.push_str(&cause.to_string());
        next = cause.source();
    }
    text
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}: {}",
            self.operation,
            self.kind.as_str().replace('_', " ")
        )?;
        let mut separator = " (";
        for (key, value) in &self.context {
            write!(f, "{separator}{key}: {value}")?;
            separator = ", ";
        }
        if !self.context.is_empty() {
            f.write_str(")")?;
        }
        Ok(())
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")?;
        let mut next = self.source();
        while let Some(cause) = next {
            write!(f, "\n  caused by: {cause}")?;
            next = cause.source();
        }
        Ok(())
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.source
            .as_deref()
            .map(|s| s as &(dyn StdError + 'static))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_written_form_of_a_kind_is_the_one_that_serde_uses() {
        use ErrorKind as K;
        for kind in [
            K::InvalidInput,
            K::Unavailable,
            K::Timeout,
            K::RateLimited,
            K::Unauthorized,
            K::Refused,
            K::MalformedReply,
            K::BrowserLost,
            K::Busy,
            K::Corrupt,
            K::TooLarge,
            K::Unsupported,
            K::Cancelled,
            K::Io,
        ] {
            assert_eq!(serde_json::to_value(kind).unwrap(), kind.as_str());
        }
    }

    #[test]
    fn debug_shows_the_whole_chain_once() {
        let inner = Error::new(ErrorKind::Io, "fs.write").with("path", "a.json");
        let outer = Error::new(ErrorKind::Busy, "store.update").with_source(inner);
        assert_eq!(
            format!("{outer:?}"),
            "store.update: busy\n  caused by: fs.write: io (path: a.json)"
        );
    }

    #[test]
    fn every_text_of_an_error_can_be_redacted() {
        let inner = Error::new(ErrorKind::Io, "fs.write").with("path", "hunter2");
        let outer = Error::new(ErrorKind::Busy, "store.update")
            .with("at", "hunter2")
            .with_source(inner);
        let clean = outer.map_text(|t| t.replace("hunter2", "[redacted]"));
        assert!(!format!("{clean:?}").contains("hunter2"));
        assert!(format!("{clean:?}").contains("caused by: fs.write"));
    }
}
