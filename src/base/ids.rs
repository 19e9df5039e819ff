//! Run ids, session ids and nonces. Callers pass in the random bits, because this module has no clock and no
//! randomness.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{Error, ErrorKind, Result};

/// Maximum length of an id from outside. Unit: bytes. Source: chosen; a UUID with a prefix needs 40.
const MAX_ID_BYTES: usize = 64;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident, $operation:literal) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $name(String);

        impl $name {
            /// Parses an id: 1 to 64 ASCII letters, digits, `_` and `-`, not starting with `-`. An id is therefore
            /// always a safe file name.
            ///
            /// # Errors
            /// [`ErrorKind::InvalidInput`] if the text is not such an id.
            pub fn parse(text: impl Into<String>) -> Result<Self> {
                let text = text.into();
                let fine = (1..=MAX_ID_BYTES).contains(&text.len())
                    && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
                    && !text.starts_with('-');
                if fine {
                    Ok(Self(text))
                } else {
                    Err(Error::new(ErrorKind::InvalidInput, $operation)
                        .with("expected", "1 to 64 letters, digits, `_` or `-`, not starting with `-`"))
                }
            }

            /// Returns the id as text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl TryFrom<String> for $name {
            type Error = Error;

            fn try_from(text: String) -> Result<Self> {
                Self::parse(text)
            }
        }

        impl From<$name> for String {
            fn from(id: $name) -> Self {
                id.0
            }
        }
    };
}

id! {
    /// The id of a run. The loop makes an id from `run_` and a version 7 UUID, so that ids sort by the start times of
    /// the runs.
    RunId, "run_id.parse"
}
id! {
    /// The id of a group of runs, chosen by the program that uses this crate.
    SessionId, "session_id.parse"
}

impl RunId {
    /// Makes an id that consists of `run_` and the bits as 32 hexadecimal digits. Ids made from version 7 UUIDs sort
    /// by the times at which the UUIDs were made.
    pub fn from_bits(bits: u128) -> Self {
        Self(format!("run_{bits:032x}"))
    }
}

/// A random number that marks both ends of a fence: the part of a message to the model that holds text from outside,
/// such as text of a page. Nobody outside knows the number, so the text cannot end the fence.
///
/// The number has 64 bits and is printed in decimal, because three decimal digits take a model only one token. Source:
/// chosen; 64 bits are too many to guess. A message has two fences: the nonce of the first is the same in all messages
/// of a run, the nonce of the second is new in each message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Nonce(u64);

impl Nonce {
    /// Makes a nonce from 64 random bits.
    pub const fn new(bits: u64) -> Self {
        Self(bits)
    }
}

impl fmt::Display for Nonce {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_always_a_safe_file_name() {
        for bad in ["", "..", "a/b", "-x", "a b", "a\0", &"x".repeat(65)] {
            assert!(RunId::parse(bad).is_err(), "{bad:?}");
        }
        assert_eq!(RunId::parse("run_01-a").unwrap().as_str(), "run_01-a");
    }
}
