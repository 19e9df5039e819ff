//! Why something could not be done, inside of this driver; at its border it becomes an outcome or an error.

use serde::{Deserialize, de::DeserializeOwned};

use super::wire::WireError;
use crate::{
    action::{ErrorClass, Failure, Outcome},
    base::{Error, ErrorKind, Result},
    browser::Execution,
    page::Dialog,
};

/// See the module.
#[derive(Debug)]
pub(super) enum Trouble {
    /// The browser, or its page, is gone.
    Lost(&'static str),
    /// The document that was asked is gone, or its frame.
    Moved,
    /// A dialog stands over the page.
    Dialog(Dialog),
    /// The page said no.
    Refused(Failure),
    /// It took too long.
    Late,
    /// The machinery broke.
    Broken(Error),
}

/// Why the page side cannot: the form of such an answer.
#[derive(Debug, Deserialize)]
struct Refusal {
    failed: ErrorClass,
    /// Page data.
    #[serde(default)]
    detail: String,
}

/// Reads an answer of the page side: what was asked for, or why not. A refusal begins with its class, so that a long answer
/// is read once.
pub(super) fn answer<T: DeserializeOwned>(json: &str) -> Result<T, Trouble> {
    if json.starts_with(r#"{"failed":"#)
        && let Ok(refusal) = serde_json::from_str::<Refusal>(json)
    {
        return Err(Trouble::Refused(Failure::new(
            refusal.failed,
            &refusal.detail,
        )));
    }
    serde_json::from_str(json)
        .map_err(|_| Trouble::malformed("an answer of the page side that is not understood"))
}

impl Trouble {
    /// A refusal of ours.
    pub(super) fn refused(class: ErrorClass, why: &str) -> Self {
        Self::Refused(Failure::new(class, why))
    }

    /// The browser answered what it never answers.
    pub(super) fn malformed(what: &'static str) -> Self {
        Self::Broken(Error::new(ErrorKind::MalformedReply, "browser.reply").with("found", what))
    }

    /// What an action that met it has come to.
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

    /// The error for what has no outcome.
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

/// The error of a browser that is gone.
pub(super) fn lost(operation: &'static str, why: &'static str) -> Error {
    Error::new(ErrorKind::BrowserLost, operation).with("why", why)
}

/// What the browser says of a document that is not there any more.
const MOVED: [&str; 7] = [
    "Cannot find context with specified id",
    "Execution context was destroyed",
    "Inspected target navigated or closed",
    "No frame for given id found",
    "Frame with the given id",
    "Could not find object with given id",
    "No node with given id found",
];

/// The code for a method that does not exist. Source: JSON-RPC 2.0. Ours exist: a tab that is just closing knows none any more.
const NO_METHOD: i64 = -32601;

impl From<WireError> for Trouble {
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
            // The browser's words are left out: they may quote the page, or what was typed.
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
            matches!(refused, Err(Trouble::Refused(f)) if f.class == ErrorClass::Intercepted && f.detail == "<div>")
        );
        // A class of its own invention is no class.
        assert!(matches!(
            answer::<u32>(r#"{"failed":"hacked"}"#),
            Err(Trouble::Broken(_))
        ));
    }

    #[test]
    fn the_browsers_words_are_in_no_error() {
        let error = WireError::Refused {
            method: "A.b",
            code: -32000,
            message: "hunter2".into(),
        };
        let error = Trouble::from(error).into_error("browser.execute");
        assert!(
            !format!("{error:?}").contains("hunter2") && error.kind() == ErrorKind::MalformedReply
        );
        let moved = WireError::Refused {
            method: "A.b",
            code: 1,
            message: "Cannot find context with specified id".into(),
        };
        assert!(matches!(Trouble::from(moved), Trouble::Moved));
        let closing = WireError::Refused {
            method: "A.b",
            code: NO_METHOD,
            message: "'A.b' wasn't found".into(),
        };
        assert!(matches!(Trouble::from(closing), Trouble::Moved));
    }
}
