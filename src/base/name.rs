//! Names of secrets and of parameters: allowed characters, length, parsing and display.

/// Maximum length of a name. Unit: bytes. Source: chosen; prompts contain the names. The name of a secret stands in
/// place of its value, the name of a parameter stands beside it.
const MAX_NAME: usize = 40;

/// Returns true if the text is a valid name: 1 to 40 ASCII letters, digits or `_`.
pub(crate) fn is_name(text: &str) -> bool {
    (1..=MAX_NAME).contains(&text.len())
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

/// Defines a type for names, which wraps a `String`. The second argument names the operation in the errors of `parse`.
macro_rules! name_type {
    ($(#[$doc:meta])* $name:ident, $operation:literal) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $name(String);

        impl $name {
            /// Parses a name: 1 to 40 ASCII letters, digits or `_`.
            ///
            /// # Errors
            /// [`ErrorKind::InvalidInput`](crate::ErrorKind::InvalidInput) if the text is not such a name.
            pub fn parse(text: impl Into<String>) -> $crate::base::Result<Self> {
                let text = text.into();
                if $crate::base::is_name(&text) {
                    Ok(Self(text))
                } else {
                    Err($crate::base::Error::new($crate::base::ErrorKind::InvalidInput, $operation)
                        .with("expected", "1 to 40 ASCII letters, digits or `_`"))
                }
            }

            /// Returns the name as text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl TryFrom<String> for $name {
            type Error = $crate::base::Error;

            fn try_from(text: String) -> $crate::base::Result<Self> {
                Self::parse(text)
            }
        }

        impl From<$name> for String {
            fn from(name: $name) -> Self {
                name.0
            }
        }
    };
}

pub(crate) use name_type;

#[cfg(test)]
mod tests {
    name_type!(
        /// A name type for this test.
        Tried,
        "tried.parse"
    );

    #[test]
    fn a_name_is_short_and_plain() {
        for fine in ["a", "A_9", &"x".repeat(40)] {
            assert_eq!(Tried::parse(fine).unwrap().as_str(), fine);
        }
        for bad in ["", "a b", "a-b", "é", "a\n", &"x".repeat(41)] {
            assert_eq!(
                Tried::parse(bad).unwrap_err().operation(),
                "tried.parse",
                "{bad:?}"
            );
        }
    }

    #[test]
    fn a_stored_name_is_checked_when_it_is_read() {
        assert_eq!(
            serde_json::to_string(&Tried::parse("a").unwrap()).unwrap(),
            "\"a\""
        );
        assert!(serde_json::from_str::<Tried>("\"a b\"").is_err());
    }
}
