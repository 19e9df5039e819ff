//! Trust classes. The class of a stored or shown value says who the value came from.

use serde::{Deserialize, Serialize};

/// The source of a value, from the most to the least trusted.
///
/// A value derived from several values takes the least trusted class among them ([`Trust::worst`]). A system
/// instruction may contain only values of the first two classes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Trust {
    /// The value was written by this crate: a fixed template, filled with words from fixed lists.
    Code,
    /// The value was typed or accepted by the person who runs the agent.
    User,
    /// The value was written by the model, which a page may have manipulated.
    Model,
    /// The value was read from a page. It is data, never an instruction.
    Page,
}

impl Trust {
    /// Returns the class of a value that is derived from two values with these classes: the less trusted class.
    #[must_use]
    pub fn worst(self, other: Self) -> Self {
        self.max(other)
    }
}
