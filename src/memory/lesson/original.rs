//! The original entry of an imported lesson, kept so that it can be exported unchanged.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The values of an imported entry that the lesson's other fields do not keep in their original form.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Original {
    /// The text of the imported entry, if it differs from the text of this lesson.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lesson: Option<String>,
    /// The command that fails, as the entry names it. Stored only for a seed (a lesson that ships with this crate).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failed_command: Option<String>,
    /// The text that the error message must contain, as the entry states it. Stored only for a seed (a lesson that
    /// ships with this crate).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error_pattern: Option<String>,
    /// The source that the entry states: `seed`, `learned` or `user`.
    pub source: String,
    /// The number of uses that the file states; for several files, the largest. The lesson's own count includes these
    /// uses.
    pub use_count: u64,
    /// The domains where the lesson was useful, in the spelling and order of the file.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub triggered_domains: Vec<String>,
    /// Fields of the entry that version 1 of the file does not define.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub extra: Map<String, Value>,
}
