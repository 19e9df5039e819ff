//! The response of a model. Its calls, not its stop reason, decide what happens next.

use serde::{Deserialize, Serialize};

use serde_json::Value;

use crate::{
    action::RawCall,
    base::{TokenCount, text::cut},
    secret::Redactor,
};

/// Maximum length of a reply's text, and of its reasoning. Longer ones are cut. Unit: characters. Source: chosen; a
/// reply of 2,048 tokens, the default maximum, has about 8,000 characters.
pub const MAX_REPLY_TEXT: usize = 256 * 1_024;
/// Maximum size of the arguments of one call, as compact JSON. Unit: bytes. Source: chosen; a reply of 2,048 tokens,
/// the default maximum, has about 8,000 bytes.
pub const MAX_ARGUMENTS: usize = 64 * 1_024;
/// Maximum number of calls that a run reads from one reply. Source: chosen; by default a run executes at most eight of
/// them.
pub const MAX_CALLS: usize = 100;
/// Maximum length of a tool's name. Unit: characters. Source: chosen; providers allow 64.
const MAX_NAME: usize = 200;

/// Token counts as the provider reported them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Tokens of the request, including those read from a cache.
    pub input: TokenCount,
    /// Tokens of the reply, including reasoning.
    pub output: TokenCount,
    /// Number of tokens that the provider read from its cache. They are also counted in `input`.
    #[serde(default)]
    pub cached: TokenCount,
}

/// The reply of a model.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ChatResponse {
    /// Text that the model wrote besides or instead of its calls.
    #[serde(default)]
    pub text: String,
    /// The reasoning of the model; `None` if the provider does not show it. A run keeps the beginning of it in the
    /// step, and shows it to the model again in the next steps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<String>,
    /// Tool calls of the model, in order.
    #[serde(default)]
    pub calls: Vec<RawCall>,
    /// Token counts from the provider; `None` if it reported none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// The reason for the end of the reply, for logs; `None` if the provider gave none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop: Option<String>,
    /// The name of the model that answered; `None` if the provider gave none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Number of failed requests before this response. [`Retrying`](crate::llm::Retrying) sets it.
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
    /// Makes a response with these calls.
    pub fn with_calls(calls: impl IntoIterator<Item = RawCall>) -> Self {
        Self {
            calls: calls.into_iter().collect(),
            ..Self::default()
        }
    }

    /// Returns this response with secrets replaced. A provider may return a secret that was never sent to it.
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

    /// Returns this response, cut to [`MAX_REPLY_TEXT`], [`MAX_ARGUMENTS`] and [`MAX_CALLS`]. A cut text ends with a
    /// note. Arguments that are too large are replaced as a whole by a note, because a part of a text must not be
    /// typed.
    #[must_use]
    pub fn capped(mut self) -> Self {
        let optional = [&mut self.reasoning, &mut self.stop, &mut self.model]
            .into_iter()
            .flatten();
        for text in [&mut self.text].into_iter().chain(optional) {
            // Bytes first: a text has at least as many bytes as characters, and its length in bytes is known without
            // counting.
            if text.len() > MAX_REPLY_TEXT {
                *text = cut(text, MAX_REPLY_TEXT);
            }
        }
        self.calls.truncate(MAX_CALLS);
        for call in &mut self.calls {
            if call.name.len() > MAX_NAME {
                call.name = cut(&call.name, MAX_NAME);
            }
            let size = call.arguments.to_string().len();
            if size > MAX_ARGUMENTS {
                call.arguments = Value::String(format!(
                    "(left out: arguments of {size} bytes, of which at most {MAX_ARGUMENTS} are read)"
                ));
            }
        }
        self
    }

    /// Makes a response with this text and no calls.
    pub fn with_text(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            ..Self::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_reply_within_its_caps_stays_as_it_is() {
        let mut reply = ChatResponse::with_calls([RawCall::new(
            "type",
            json!({ "text": "x".repeat(MAX_ARGUMENTS - 11) }),
        )]);
        reply.text = "ü".repeat(MAX_REPLY_TEXT);
        reply.reasoning = Some("why".to_owned());
        assert_eq!(reply.clone().capped(), reply);
    }

    #[test]
    fn what_is_beyond_the_caps_is_cut_and_says_so() {
        let call = RawCall::new(
            "n".repeat(1_000),
            json!({ "text": "x".repeat(MAX_ARGUMENTS) }),
        );
        let mut reply = ChatResponse::with_calls(vec![call; 1_000]);
        reply.text = "ü".repeat(1_000_000);
        reply.reasoning = Some("r".repeat(1_000_000));
        let capped = reply.capped();
        assert!(
            capped
                .text
                .ends_with("… (cut here: 262144 of 1000000 characters are kept)")
        );
        assert!(capped.reasoning.unwrap().contains("262144 of 1000000"));
        assert_eq!(capped.calls.len(), MAX_CALLS);
        let size = serde_json::to_string(&capped.calls).unwrap().len();
        assert!(size < MAX_CALLS * 500, "{size}");
        assert!(
            capped.calls[0]
                .arguments
                .as_str()
                .unwrap()
                .contains("65547 bytes")
        );
    }
}
