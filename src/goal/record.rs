//! The input of the module `goal`: a recorded run as plain values.
//!
//! A caller turns its own steps into [`Literals`], with the texts as they were given to the driver. The texts must not
//! contain secrets.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// A run that succeeded: its goal, and the texts of its steps.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Recorded {
    /// The goal, in the user's words.
    pub goal: String,
    /// The steps, in order.
    pub steps: Vec<Literals>,
    /// True if the run has a step that cannot be undone.
    pub irreversible: bool,
    /// The parameters that the user declared, as values by name. The goal may contain `{name}` in place of a value.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub params: BTreeMap<String, String>,
}

impl Recorded {
    /// Creates a run that has no parameters, and whose steps can all be undone.
    pub fn new(goal: impl Into<String>, steps: Vec<Literals>) -> Self {
        Self {
            goal: goal.into(),
            steps,
            ..Self::default()
        }
    }
}

/// The texts of one step: the typed text, the chosen option, the name of the target, or the opened address.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Literals {
    /// The name of the action, such as `fill` or `click`.
    pub action: String,
    /// The role of the target element, such as `button`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// The accessible name of the target.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The landmark around the target, such as `main` or `navigation`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub landmark: Option<String>,
    /// The label of the form field, if the label differs from `name`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// True if the target is one of several elements of the same kind, such as the third of 24 products.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_picked: bool,
    /// The text that the step types.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The option that the step chooses.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub option: Option<String>,
    /// The address that the step opens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// The key that the step presses. A new goal never changes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
}

/// The part of a step that a text belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Field {
    /// The typed text.
    Text,
    /// The chosen option.
    Option,
    /// The accessible name of the target.
    Name,
    /// A segment of the address's path, by its index. Index 0 is the empty text before the first `/`.
    Path(usize),
    /// The value of a pair in the address's query, by the pair's index from 0.
    Query(usize),
}
