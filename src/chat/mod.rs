//! The request to a model and the model's response, independent of any provider's format.
//!
//! These types are plain values. The module `prompt` writes the texts of requests, `agent` builds the requests and
//! reads the responses, and an adapter in `llm` sends the requests to a provider.

mod request;
mod response;

pub use request::{CallMode, ChatRequest, Image, LlmCapabilities};
pub use response::{ChatResponse, MAX_ARGUMENTS, MAX_CALLS, MAX_REPLY_TEXT, Usage};
