//! Trust classes, which say who wrote a value.

use serde::{Deserialize, Serialize};

/// The trust class of a value, which says who wrote the value. The classes are ordered from the most to the least
/// trusted.
///
/// A value that is derived from several values gets the least trusted of their classes ([`Trust::worst`]). A system
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
    /// Returns the less trusted of two classes.
    #[must_use]
    pub fn worst(self, other: Self) -> Self {
        self.max(other)
    }
}
