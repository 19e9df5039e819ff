//! What the loop asks of a model.

use std::{fmt::Debug, sync::Arc};

use async_trait::async_trait;

use crate::{
    base::Result,
    chat::{ChatRequest, ChatResponse, LlmCapabilities},
};

/// A language model.
///
/// # Contract
/// - One call of `complete` is one request to the provider; it never retries.
/// - The reply is given as it came: nothing is repaired, calls keep their order, usage is reported or absent.
/// - Dropping the future gives the call up; nothing goes on in the background.
#[cfg_attr(feature = "testing", mockall::automock)]
#[async_trait]
pub trait LlmClient: Debug + Send + Sync {
    /// What the model can do; does not change during a run.
    fn capabilities(&self) -> LlmCapabilities;

    /// Asks once.
    ///
    /// # Errors
    /// [`ErrorKind`](crate::ErrorKind): `RateLimited` (with the provider's wait, if it named one), `Timeout`,
    /// `Unavailable` for failures of the network or the server, `Unauthorized`, `InvalidInput` when the provider rejects
    /// the request, `Refused` for a content filter, `MalformedReply`.
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
