//! The response: calls decide, never the stop reason.

use serde::{Deserialize, Serialize};

use crate::{action::RawCall, base::TokenCount, secret::Redactor};

/// Tokens as the provider reported them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Tokens of the request, those read from a cache included.
    pub input: TokenCount,
    /// Tokens of the reply, reasoning included.
    pub output: TokenCount,
    /// Part of `input` that the provider read from its cache.
    #[serde(default)]
    pub cached: TokenCount,
}

/// What a model answered.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ChatResponse {
    /// Text beside or instead of calls.
    #[serde(default)]
    pub text: String,
    /// Reasoning that the provider shows, for the log only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<String>,
    /// Tool calls in order.
    #[serde(default)]
    pub calls: Vec<RawCall>,
    /// Usage as reported; `None` when the provider said nothing, never a guess.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// Why the provider says it stopped, for the log only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop: Option<String>,
    /// The model that answered, as the provider names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Requests that failed before this answer came; 0 when the first one succeeded. A wrapper that retries counts here.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub retries: u32,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde calls it with a reference"
)]
const fn is_zero(count: &u32) -> bool {
    *count == 0
}

impl ChatResponse {
    /// A response with these calls.
    pub fn with_calls(calls: impl IntoIterator<Item = RawCall>) -> Self {
        Self {
            calls: calls.into_iter().collect(),
            ..Self::default()
        }
    }

    /// The same response without a secret: a provider may send back what it was never sent.
    #[must_use]
    pub fn redacted(mut self, redactor: &Redactor) -> Self {
        if redactor.is_empty() {
            return self;
        }
        let optional = [&mut self.reasoning, &mut self.stop, &mut self.model]
            .into_iter()
            .flatten();
        let names = self.calls.iter_mut().map(|call| &mut call.name);
        for text in [&mut self.text].into_iter().chain(optional).chain(names) {
            *text = redactor.text(text);
        }
        self.calls
            .iter_mut()
            .for_each(|call| redactor.json(&mut call.arguments));
        self
    }

    /// A response with this text and no call.
    pub fn with_text(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            ..Self::default()
        }
    }
}
