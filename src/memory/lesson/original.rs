//! What another program's file said of a lesson, kept so that it can be written back as it was.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// What a lesson was in the file it was imported from, as far as the lesson here says it otherwise.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Original {
    /// Its words, if the lesson here has others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lesson: Option<String>,
    /// The command that fails, for what became a template.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failed_command: Option<String>,
    /// Part of the error, for what became a template.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error_pattern: Option<String>,
    /// Where it came from: `seed`, `learned` or `user`.
    pub source: String,
    /// Its uses there, the most that any file said: they are part of the lesson's own count.
    pub use_count: u64,
    /// Where it was useful, in the words and the order of the file.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub triggered_domains: Vec<String>,
    /// Fields that version 1 does not have.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub extra: Map<String, Value>,
}
