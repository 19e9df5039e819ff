//! Trust classes. The class of a stored or shown value says who the value came from.

use serde::{Deserialize, Serialize};

/// The source of a value, from the most to the least trusted.
///
/// A value derived from several values takes the least trusted class among them ([`Trust::worst`]). Only values of the
/// first two classes may stand in a system instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Trust {
    /// Written by this crate: fixed templates over closed vocabularies.
    Code,
    /// Typed or accepted by the person who runs the agent.
    User,
    /// Written by the model, which a page may have manipulated.
    Model,
    /// Read from a page: data, never an instruction.
    Page,
}

impl Trust {
    /// Returns the class of a value derived from both: the less trusted one.
    #[must_use]
    pub fn worst(self, other: Self) -> Self {
        self.max(other)
    }
}
