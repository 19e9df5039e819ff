//! The request to a model: a system instruction that is the same in every step, one message, and tools.

use std::{fmt, sync::Arc};

use crate::{action::ToolSet, base::TokenCount};

/// The form in which the model is to write its calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum CallMode {
    /// The model uses the provider's own tool calls. It must make at least one, unless it is a reasoning model of
    /// Anthropic, of which a request may not demand this.
    #[default]
    Tools,
    /// The model writes a JSON text instead of tool calls, with the schema of [`ToolSet::reply_schema`]. Small local
    /// models do this more reliably.
    JsonSchema,
}

/// A picture of the page, for a model that understands pictures.
#[derive(Clone, PartialEq, Eq)]
pub struct Image {
    /// The bytes of a PNG file.
    pub png: Vec<u8>,
}

impl fmt::Debug for Image {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Image({} bytes)", self.png.len())
    }
}

/// A request to a model. A run makes a new request for each decision, without the pages of earlier requests.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ChatRequest {
    /// The system instruction. It has the same bytes in every request for a decision of a run, so that providers can
    /// cache it.
    pub system: String,
    /// The only message of the request, with the most stable parts first.
    pub message: String,
    /// The tools that the model may call, in a fixed order.
    pub tools: Arc<ToolSet>,
    /// Name of the model to ask, of the client's provider; `None` for the client's own. A client with one model ignores it.
    pub model: Option<String>,
    /// The form in which the model writes its calls.
    pub mode: CallMode,
    /// Maximum number of calls in one reply.
    pub max_calls: usize,
    /// Sampling temperature. Default: 0.2. Source: chosen.
    pub temperature: f64,
    /// Maximum number of tokens in the reply.
    pub max_output: TokenCount,
    /// Pictures of the page; may be empty.
    pub images: Vec<Image>,
}

impl ChatRequest {
    /// Makes a request with the default mode, at most 8 calls, temperature 0.2, at most 2,048 tokens in the reply, and
    /// no pictures.
    pub fn new(system: impl Into<String>, message: impl Into<String>, tools: Arc<ToolSet>) -> Self {
        Self {
            system: system.into(),
            message: message.into(),
            tools,
            model: None,
            mode: CallMode::default(),
            max_calls: 8,
            temperature: 0.2,
            max_output: TokenCount(2_048),
            images: Vec::new(),
        }
    }
}

/// The abilities of a model and its provider.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct LlmCapabilities {
    /// Name of the model, for logs and reports.
    pub model: String,
    /// Maximum number of tokens of a request and its reply together; `None` if unknown. The agent shortens its messages
    /// to fit. If the maximum is unknown, a request may have 64,000 tokens.
    pub context_window: Option<TokenCount>,
    /// True if the model understands pictures.
    pub images: bool,
    /// The call mode that works best with the model.
    pub mode: CallMode,
}

impl LlmCapabilities {
    /// Makes the capabilities of a model with this name, with an unknown context window, without pictures, and with
    /// [`CallMode::Tools`].
    pub fn new(model: impl Into<String>) -> Self {
        Self {
            model: model.into(),
            context_window: None,
            images: false,
            mode: CallMode::Tools,
        }
    }
}
