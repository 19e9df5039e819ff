//! A model that needs no key and no network: a set of rules instead of a language model.
//!
//! It decides from the request alone (the text of the prompt and the names of the tools) and stores nothing between
//! calls. It has no knowledge of any site. Without advice from memory, it makes the mistakes that anyone makes on an
//! unknown page.
//!
//! It understands goals in simple English: a sequence of instructions, with values in quotes or as placeholders:
//!
//! ```text
//! log in as "USER" with the password <secret:NAME>     search for "WORDS"         open "NAME", go to the NAME
//! choose NAME "VALUE", choose "VALUE" as NAME          set the NAME to "VALUE"    fill in NAME "VALUE" and NAME "VALUE"
//! accept the NAME, tick NAME, untick NAME              press KEY, press NAME      add it to the NAME, place the NAME
//! report the NAME and the NAME                         enter an item that starts with "TEXT" and ends with "TEXT"
//! ```
//!
//! These are the instructions of the demo and of the sites that `examples/eval_sites` measures. Other words need a
//! language model.
//!
//! Its private modules divide the work. `seen` and `lines` parse the prompt; `tokens` and `goal` parse the goal; `tips`
//! parses advice, and `advice` applies it; `recipes` follows what earlier runs did. `progress` finds out which steps are done, `finding` finds elements, and
//! `forms` converts values. `policy` decides what to do next. It asks `seek` what to do if an element is missing, and
//! `recover` if an action has failed.
//!
//! # Decisions
//!
//! - The stand-in stores nothing. So if a second run goes better, the reason can only be advice that memory put into the
//!   prompt, and tests may use the stand-in to measure memory.

mod advice;
mod answer;
mod finding;
mod forms;
mod goal;
mod lines;
mod policy;
mod progress;
mod recipes;
mod recover;
mod seek;
mod seen;
mod tips;
mod tokens;
mod words;

use async_trait::async_trait;
use serde_json::{Value, json};

use self::seen::Seen;
use crate::{
    action::RawCall,
    base::Result,
    chat::{CallMode, ChatRequest, ChatResponse, LlmCapabilities},
    llm::LlmClient,
};

/// The stand-in model: rules instead of a language model, for first steps without a key, for examples and for tests.
///
/// ```
/// use std::sync::Arc;
/// use webwise::{action::ToolSet, chat::ChatRequest, stand_in::StandIn};
///
/// let tools = Arc::new(ToolSet::new(&[].into(), false, []));
/// let system = "You operate a browser.\n\n## Goal\nReport the order number.\n";
/// let page = "## Page\n<<<1\nurl \"https://shop.example/\"\n\"Thank you. Order number: 4711.\"\n1>>>\n";
/// let reply = StandIn::new().decide(&ChatRequest::new(system, page, tools));
/// assert_eq!(reply.calls[0].arguments["answer"], "order number: 4711");
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct StandIn {
    mode: CallMode,
}

impl StandIn {
    /// Creates a stand-in whose preferred call mode is tool calls.
    pub const fn new() -> Self {
        Self {
            mode: CallMode::Tools,
        }
    }

    /// Sets the call mode that the stand-in prefers. Its capabilities report this mode.
    #[must_use]
    pub const fn with_mode(self, mode: CallMode) -> Self {
        Self { mode }
    }

    /// Returns the reply to a request. Equal requests get equal replies.
    pub fn decide(&self, request: &ChatRequest) -> ChatResponse {
        let tools = request
            .tools
            .specs()
            .iter()
            .map(|spec| spec.name.clone())
            .collect();
        let calls = policy::decide(&Seen::read(&request.system, &request.message, tools));
        match request.mode {
            CallMode::Tools => ChatResponse::with_calls(calls),
            CallMode::JsonSchema => ChatResponse::with_text(written(calls)),
        }
    }
}

/// Writes the calls as text, for requests that do not ask for tool calls.
fn written(calls: Vec<RawCall>) -> String {
    let call = |call: RawCall| {
        let mut fields = call.arguments.as_object().cloned().unwrap_or_default();
        fields.insert("action".to_owned(), Value::String(call.name));
        Value::Object(fields)
    };
    let calls: Vec<Value> = calls.into_iter().map(call).collect();
    crate::base::canonical(&json!({ "calls": calls }))
}

#[async_trait]
impl LlmClient for StandIn {
    fn capabilities(&self) -> LlmCapabilities {
        let mut capabilities = LlmCapabilities::new("stand-in");
        capabilities.mode = self.mode;
        capabilities
    }

    async fn complete(&self, request: &ChatRequest) -> Result<ChatResponse> {
        Ok(self.decide(request))
    }
}

#[cfg(test)]
mod tests;
