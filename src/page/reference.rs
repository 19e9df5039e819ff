//! References to elements. A driver gives each element of an observation a reference, which is a short name such as `e3`.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::base::{Error, ErrorKind, Result};

/// A driver's reference to an element, such as `e12`, or `f1e2` for an element inside a frame. It is valid for one page
/// load at most, and memory never stores it.
///
/// ```
/// use webwise::page::ElementRef;
///
/// assert_eq!(ElementRef::parse("f1e2")?.as_str(), "f1e2");
/// assert!(ElementRef::parse("e12; rm").is_err());
/// # Ok::<(), webwise::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ElementRef(Box<str>);

impl ElementRef {
    /// Parses a reference of the form `(f<digits>)?e<digits>`, at most 20 bytes.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidInput`] for anything else.
    pub fn parse(text: &str) -> Result<Self> {
        if Self::is_valid(text) {
            Ok(Self(text.into()))
        } else {
            Err(Error::new(ErrorKind::InvalidInput, "element_ref.parse")
                .with("expected", "e<number> or f<number>e<number>"))
        }
    }

    /// Returns true if the text has the form of a reference.
    pub fn is_valid(text: &str) -> bool {
        let digits = |t: &str| !t.is_empty() && t.bytes().all(|b| b.is_ascii_digit());
        let element = |t: &str| t.strip_prefix('e').is_some_and(digits);
        text.len() <= 20
            && (element(text)
                || text
                    .strip_prefix('f')
                    .and_then(|t| t.split_once('e'))
                    .is_some_and(|(f, e)| digits(f) && digits(e)))
    }

    /// Returns the reference as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ElementRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl TryFrom<String> for ElementRef {
    type Error = Error;

    fn try_from(text: String) -> Result<Self> {
        Self::parse(&text)
    }
}

impl From<ElementRef> for String {
    fn from(reference: ElementRef) -> Self {
        reference.0.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_two_forms_are_references() {
        for good in ["e1", "e99999", "f0e1", "f12e7"] {
            assert!(ElementRef::is_valid(good), "{good}");
        }
        for bad in [
            "",
            "e",
            "fe1",
            "f1",
            "f1e",
            "E1",
            "e1 ",
            "-e1",
            "e1e2",
            "f1f2e3",
            "e123456789012345678901",
            "e１",
        ] {
            assert!(!ElementRef::is_valid(bad), "{bad}");
        }
    }
}
