//! The port to a language model, [`LlmClient`], and its adapters.
//!
//! | adapter | feature | when to use it |
//! | --- | --- | --- |
//! | `GenAi` | `genai` | for a real model: Gemini, Anthropic, `OpenAI` and compatible servers, Ollama |
//! | [`Retrying`] | | around any other client: it repeats calls that failed for a transient reason, such as a rate limit |
//! | `stand_in::StandIn` | `stand-in` | for demos and tests without a key or a network: rules instead of a model |
//! | `testing::ScriptedModel` | `testing` | in unit tests: replies come from a list or a function |
//!
//! ```
//! use webwise::llm::{LlmClient, Retrying};
//!
//! /// Repeats a model's calls after transient failures. The seed determines the random part of the waits.
//! fn reliable(model: impl LlmClient) -> impl LlmClient {
//!     Retrying::new(model, 7)
//! }
//! ```
//!
//! A client translates one [`ChatRequest`](crate::chat::ChatRequest) into one request to a provider, and the provider's
//! reply into a [`ChatResponse`](crate::chat::ChatResponse). The decision loop does everything else: it writes the request,
//! reads the tool calls in the reply, counts tokens and cost, and sets the time limit.
//!
//! To write a client, implement [`LlmClient`]; the example in its documentation is a complete client.
//!
//! # Decisions
//!
//! - The `genai` crate writes and reads the wire formats of the providers, so they are maintained outside this crate.
//!   The exception is Chat Completions for OpenAI-compatible servers: this crate writes and reads it. The `genai` crate
//!   enables `serde_json/preserve_order`. With this feature, JSON keeps its keys in the order of insertion. So JSON whose
//!   bytes must be stable is passed through `base::sorted`.

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
