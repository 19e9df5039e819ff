//! The original entry of an imported lesson, kept so that it can be exported unchanged.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The values of an imported entry that the lesson's other fields do not keep in their original form.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Original {
    /// The original words, if the lesson stores other words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lesson: Option<String>,
    /// The command that fails. Stored only if the entry was imported as a seed, because the lesson then has the text of
    /// the seed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failed_command: Option<String>,
    /// The text that the error message must contain. Stored only if the entry was imported as a seed, because the
    /// lesson then has the text of the seed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error_pattern: Option<String>,
    /// The original source: `seed`, `learned` or `user`.
    pub source: String,
    /// The number of uses that the file states; if the lesson was imported from several files, the largest of these
    /// numbers. The lesson's own count includes these uses.
    pub use_count: u64,
    /// The domains where the lesson was useful, in the spelling and order of the file.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub triggered_domains: Vec<String>,
    /// Fields of the entry that version 1 of the file does not define.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub extra: Map<String, Value>,
}
