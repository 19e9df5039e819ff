//! The port to a language model, and its adapters.

#[cfg(feature = "genai")]
mod genai;
pub(crate) mod port;
mod retry_policy;
mod retrying;

#[cfg(feature = "genai")]
pub use genai::{GenAi, GenAiOptions, Provider, Reasoning};
pub use port::LlmClient;
pub use retry_policy::RetryPolicy;
pub use retrying::Retrying;
