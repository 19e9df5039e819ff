//! The value of a secret, which cannot be printed by accident, and the name of a secret, which may be printed.

use std::fmt;

use zeroize::Zeroizing;

use crate::base::name_type;

/// A secret value. It leaves the vault only to be typed into a page of one of the secret's origins (see
/// [`Vault::with`](super::Vault::with)).
///
/// The type implements neither `Display` nor `Serialize`, and its `Debug` output reveals nothing. Its memory is wiped
/// on drop.
///
/// ```
/// use webwise::secret::Secret;
///
/// assert_eq!(format!("{:?}", Secret::new("hunter2")), "[redacted]");
/// ```
#[derive(Clone)]
pub struct Secret(Zeroizing<String>);

impl Secret {
    /// Makes a secret from a value.
    pub fn new(value: impl Into<String>) -> Self {
        Self(Zeroizing::new(value.into()))
    }

    /// Returns the value. Call this only to type the value or to search a text for it.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[redacted]")
    }
}

name_type!(
    /// The name of a secret: 1 to 40 letters, digits or `_`. Models and logs see only the name.
    SecretName,
    "secret_name.parse"
);

impl SecretName {
    /// Returns the placeholder shown to models, logs and memory: `<secret:NAME>`.
    pub fn placeholder(&self) -> String {
        format!("<secret:{}>", self.0)
    }

    /// Returns the name in a text that is exactly one placeholder; `None` for any other text.
    pub fn from_placeholder(text: &str) -> Option<Self> {
        Self::parse(text.strip_prefix("<secret:")?.strip_suffix('>')?).ok()
    }
}
