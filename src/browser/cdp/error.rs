//! Failures inside this driver.

use serde::{Deserialize, de::DeserializeOwned};

use super::wire::WireError;
use crate::{
    action::{ErrorClass, Failure, Outcome},
    base::{Error, ErrorKind, Result},
    browser::Execution,
    page::Dialog,
};

#[derive(Debug)]
pub(super) enum CdpError {
    /// The browser, the process of the current page, or the last tab is gone. The text is the reason.
    Lost(&'static str),
    /// The document or frame that a call went to is gone.
    Moved,
    Dialog(Dialog),
    /// The page or this driver refused the action.
    Refused(Failure),
    Late,
    /// The browser reported an unexpected error, or sent a reply that this driver did not understand.
    Broken(Error),
}

#[derive(Debug, Deserialize)]
struct Refusal {
    failed: ErrorClass,
    /// A description of the failure. It may contain text of the page.
    #[serde(default)]
    detail: String,
}

/// Parses an answer of our script in the page. Returns the result, or the script's refusal as an error. An answer that
/// begins with `{"failed":` is a refusal.
pub(super) fn answer<T: DeserializeOwned>(json: &str) -> Result<T, CdpError> {
    if json.starts_with(r#"{"failed":"#)
        && let Ok(refusal) = serde_json::from_str::<Refusal>(json)
    {
        return Err(CdpError::Refused(Failure::new(
            refusal.failed,
            &refusal.detail,
        )));
    }
    serde_json::from_str(json)
        .map_err(|_| CdpError::malformed("an answer of the page side that is not understood"))
}

impl CdpError {
    pub(super) fn refused(class: ErrorClass, why: &str) -> Self {
        Self::Refused(Failure::new(class, why))
    }

    pub(super) fn malformed(what: &'static str) -> Self {
        Self::Broken(Error::new(ErrorKind::MalformedReply, "browser.reply").with("found", what))
    }

    /// Returns the [`Execution`] of an action that ended with this failure. [`Lost`](Self::Lost) and
    /// [`Broken`](Self::Broken) are returned as errors instead.
    pub(super) fn into_execution(self) -> Result<Execution> {
        Ok(match self {
            Self::Refused(failure) => Outcome::Failed(failure).into(),
            Self::Moved => Outcome::failed(
                ErrorClass::Detached,
                "the document was replaced while the action was tried",
            )
            .into(),
            Self::Late => {
                Outcome::failed(ErrorClass::Timeout, "the browser gave no answer in time").into()
            }
            Self::Dialog(dialog) => {
                let outcome = Outcome::failed(ErrorClass::DialogOpen, &dialog.message);
                Execution {
                    dialog: Some(dialog),
                    ..outcome.into()
                }
            }
            Self::Lost(why) => return Err(lost("browser.execute", why)),
            Self::Broken(error) => return Err(error),
        })
    }

    /// Returns this failure as the error of a call, such as an observation, that has no [`Outcome`].
    pub(super) fn into_error(self, operation: &'static str) -> Error {
        use ErrorClass as C;
        let (kind, class) = match self {
            Self::Lost(why) => return lost(operation, why),
            Self::Broken(error) => return error,
            Self::Late => (ErrorKind::Timeout, C::Timeout),
            Self::Moved => (ErrorKind::InvalidInput, C::Detached),
            Self::Dialog(_) => (ErrorKind::Unavailable, C::DialogOpen),
            Self::Refused(failure) => {
                let kind = match failure.class {
                    C::RefNotFound
                    | C::NotFound
                    | C::NotUnique
                    | C::BadArguments
                    | C::NotVisible
                    | C::Detached => ErrorKind::InvalidInput,
                    C::Timeout => ErrorKind::Timeout,
                    _ => ErrorKind::MalformedReply,
                };
                (kind, failure.class)
            }
        };
        Error::new(kind, operation).with("class", class)
    }
}

pub(super) fn lost(operation: &'static str, why: &'static str) -> Error {
    Error::new(ErrorKind::BrowserLost, operation).with("why", why)
}

/// Beginnings of the browser's error messages which say that a document, a frame, or an object in a document is gone.
const MOVED: [&str; 7] = [
    "Cannot find context with specified id",
    "Execution context was destroyed",
    "Inspected target navigated or closed",
    "No frame for given id found",
    "Frame with the given id",
    "Could not find object with given id",
    "No node with given id found",
];

/// The error code for an unknown method. A tab that is closing reports each method as unknown, so this code means that
/// the tab is gone. Source: JSON-RPC 2.0.
const NO_METHOD: i64 = -32601;

impl From<WireError> for CdpError {
    fn from(error: WireError) -> Self {
        match &error {
            WireError::Closed => Self::Lost("the connection to the browser is closed"),
            WireError::Gone
            | WireError::Refused {
                code: NO_METHOD, ..
            } => Self::Moved,
            WireError::Refused { message, .. }
                if MOVED.iter().any(|text| message.starts_with(text)) =>
            {
                Self::Moved
            }
            // The browser's message is left out, because it may quote the page or typed text.
            WireError::Refused { method, code, .. } => Self::Broken(
                Error::new(ErrorKind::MalformedReply, "browser.call")
                    .with("method", method)
                    .with("code", code),
            ),
            WireError::Malformed { method, .. } => Self::Broken(
                Error::new(ErrorKind::MalformedReply, "browser.call").with("method", method),
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_side_gives_what_was_asked_or_a_class() {
        assert_eq!(answer::<u32>("7").unwrap(), 7);
        let refused = answer::<u32>(r#"{"failed":"intercepted","detail":"<div> \u0007"}"#);
        assert!(
            matches!(refused, Err(CdpError::Refused(f)) if f.class == ErrorClass::Intercepted && f.detail == "<div>")
        );
        // An answer with an error class that does not exist is no refusal.
        assert!(matches!(
            answer::<u32>(r#"{"failed":"hacked"}"#),
            Err(CdpError::Broken(_))
        ));
    }

    #[test]
    fn the_browsers_words_are_in_no_error() {
        let error = WireError::Refused {
            method: "A.b",
            code: -32000,
            message: "hunter2".into(),
        };
        let error = CdpError::from(error).into_error("browser.execute");
        assert!(
            !format!("{error:?}").contains("hunter2") && error.kind() == ErrorKind::MalformedReply
        );
        let moved = WireError::Refused {
            method: "A.b",
            code: 1,
            message: "Cannot find context with specified id".into(),
        };
        assert!(matches!(CdpError::from(moved), CdpError::Moved));
        let closing = WireError::Refused {
            method: "A.b",
            code: NO_METHOD,
            message: "'A.b' wasn't found".into(),
        };
        assert!(matches!(CdpError::from(closing), CdpError::Moved));
    }
}
