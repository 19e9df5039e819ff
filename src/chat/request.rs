//! The request: a byte-stable system instruction, one message, tools.

use std::{fmt, sync::Arc};

use crate::{action::ToolSet, base::TokenCount};

/// How the model is asked to answer with calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum CallMode {
    /// The provider's tool calls, one required.
    #[default]
    Tools,
    /// Text that follows [`ToolSet::reply_schema`]: small local models keep to a schema better than to tool calls.
    JsonSchema,
}

/// A picture for a model that can see.
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

/// One model call. It is made anew for each step and carries no earlier page.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ChatRequest {
    /// The system instruction: the same bytes in every step of a run, so that providers cache it.
    pub system: String,
    /// The one message, from what changes least to what changes most.
    pub message: String,
    /// The tools, in a fixed order.
    pub tools: Arc<ToolSet>,
    /// How calls are to be given.
    pub mode: CallMode,
    /// Most calls wanted in one reply.
    pub max_calls: usize,
    /// Sampling temperature. Source of the default 0.2: the first requirements document.
    pub temperature: f64,
    /// Most tokens of the reply.
    pub max_output: TokenCount,
    /// Pictures, when asked for and the model can see.
    pub images: Vec<Image>,
}

impl ChatRequest {
    /// A request with the default mode, 5 calls, temperature 0.2, 2,048 tokens of output and no image.
    pub fn new(system: impl Into<String>, message: impl Into<String>, tools: Arc<ToolSet>) -> Self {
        Self {
            system: system.into(),
            message: message.into(),
            tools,
            mode: CallMode::default(),
            max_calls: 5,
            temperature: 0.2,
            max_output: TokenCount(2_048),
            images: Vec::new(),
        }
    }
}

/// What a model and its provider can do.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct LlmCapabilities {
    /// Name of the model, for logs and reports.
    pub model: String,
    /// Tokens that request and reply may take together, if known.
    pub context_window: Option<TokenCount>,
    /// Whether it understands pictures.
    pub images: bool,
    /// The mode that works best with it.
    pub mode: CallMode,
}

impl LlmCapabilities {
    /// A model of this name with an unknown window, no pictures, and tool calls.
    pub fn new(model: impl Into<String>) -> Self {
        Self {
            model: model.into(),
            context_window: None,
            images: false,
            mode: CallMode::Tools,
        }
    }
}
