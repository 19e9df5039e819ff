//! The port to a language model, and its adapters.

pub(crate) mod port;
mod retry_policy;
mod retrying;

pub use port::LlmClient;
pub use retry_policy::RetryPolicy;
pub use retrying::Retrying;
