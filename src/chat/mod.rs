//! The request to a model and its response, independent of any provider's format.
//!
//! Pure values. `prompt` builds requests, an `llm` adapter carries them, `agent` reads the responses.

mod request;
mod response;

pub use request::{CallMode, ChatRequest, Image, LlmCapabilities};
pub use response::{ChatResponse, MAX_ARGUMENTS, MAX_CALLS, MAX_REPLY_TEXT, Usage};
