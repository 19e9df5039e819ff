//! A secret value that cannot be printed by accident, and its name, which can.

use std::fmt;

use zeroize::Zeroizing;

use crate::base::name_type;

/// A value that must not leave the vault except into the page it is bound to.
///
/// No `Display`, no `Serialize`; `Debug` says nothing; the memory is wiped on drop.
///
/// ```
/// use webwise::secret::Secret;
///
/// assert_eq!(format!("{:?}", Secret::new("hunter2")), "[redacted]");
/// ```
#[derive(Clone)]
pub struct Secret(Zeroizing<String>);

impl Secret {
    /// Takes the value over.
    pub fn new(value: impl Into<String>) -> Self {
        Self(Zeroizing::new(value.into()))
    }

    /// The value. Call it only at the last step before it is typed, or to look for it.
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
    /// The name of a secret: letters, digits and `_`, at most 40 of them; models and logs see only this.
    SecretName,
    "secret_name.parse"
);

impl SecretName {
    /// What stands in its place wherever a model, a log or memory looks: `<secret:NAME>`.
    pub fn placeholder(&self) -> String {
        format!("<secret:{}>", self.0)
    }

    /// The name in a text that is a placeholder and nothing else.
    pub fn from_placeholder(text: &str) -> Option<Self> {
        Self::parse(text.strip_prefix("<secret:")?.strip_suffix('>')?).ok()
    }
}
