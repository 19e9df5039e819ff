//! The request to a model and the model's response, independent of any provider's format.
//!
//! These types are plain values. The module `prompt` builds requests, an adapter in `llm` sends them to a provider, and
//! `agent` reads the responses.

mod request;
mod response;

pub use request::{CallMode, ChatRequest, Image, LlmCapabilities};
pub use response::{ChatResponse, MAX_ARGUMENTS, MAX_CALLS, MAX_REPLY_TEXT, Usage};
