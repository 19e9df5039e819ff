//! The port to a language model.

use std::{fmt::Debug, sync::Arc};

use async_trait::async_trait;

use crate::{
    base::Result,
    chat::{ChatRequest, ChatResponse, LlmCapabilities},
};

/// A language model.
///
/// # Contract
/// - One call of `complete` is one request to the provider. The client does not retry; the wrapper
///   [`Retrying`](crate::llm::Retrying) does.
/// - The reply is returned unchanged. Nothing in it is repaired, and its calls keep their order. The reply's token usage
///   is the usage that the provider reported; without a report, it is `None`.
/// - Dropping the future cancels the call. Nothing continues in the background.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// use std::sync::Arc;
/// use async_trait::async_trait;
/// use webwise::action::{RawCall, ToolSet};
/// use webwise::chat::{ChatRequest, ChatResponse, LlmCapabilities};
/// use webwise::{LlmClient, Result};
///
/// /// A model that always waits.
/// #[derive(Debug)]
/// struct Patient;
///
/// #[async_trait]
/// impl LlmClient for Patient {
///     fn capabilities(&self) -> LlmCapabilities {
///         LlmCapabilities::new("patient")
///     }
///
///     async fn complete(&self, _: &ChatRequest) -> Result<ChatResponse> {
///         Ok(ChatResponse::with_calls([RawCall::new("wait", serde_json::json!({ "seconds": 1 }))]))
///     }
/// }
///
/// let tools = Arc::new(ToolSet::new(&Default::default(), false, []));
/// let reply = Patient.complete(&ChatRequest::new("system", "message", tools)).await?;
/// assert_eq!(reply.calls[0].name, "wait");
/// # Ok::<(), webwise::Error>(())
/// # }).unwrap();
/// ```
#[cfg_attr(feature = "testing", mockall::automock)]
#[async_trait]
pub trait LlmClient: Debug + Send + Sync + 'static {
    /// Returns the model's capabilities. They do not change during a run.
    fn capabilities(&self) -> LlmCapabilities;

    /// Sends one request and returns the reply.
    ///
    /// # Errors
    /// [`ErrorKind`](crate::ErrorKind):
    /// - `RateLimited`, with the wait that the provider asked for, if any;
    /// - `Timeout`;
    /// - `Unavailable` for failures of the network or the server;
    /// - `Unauthorized`;
    /// - `InvalidInput` if the provider rejects the request;
    /// - `Refused` if a content filter or the model itself declines the request;
    /// - `MalformedReply` for a reply that cannot be understood.
    async fn complete(&self, request: &ChatRequest) -> Result<ChatResponse>;
}

macro_rules! forward {
    ($($pointer:ty),*) => {$(
        #[async_trait]
        impl<T: LlmClient + ?Sized> LlmClient for $pointer {
            fn capabilities(&self) -> LlmCapabilities {
                (**self).capabilities()
            }

            async fn complete(&self, request: &ChatRequest) -> Result<ChatResponse> {
                (**self).complete(request).await
            }
        }
    )*};
}

forward!(Box<T>, Arc<T>);
