//! A model for tests. A test defines its replies.

use std::{
    collections::VecDeque,
    fmt,
    sync::{Arc, Mutex, PoisonError},
};

use async_trait::async_trait;
use serde_json::Value;

use crate::{
    LlmClient,
    action::RawCall,
    base::{Error, ErrorKind, Result},
    chat::{ChatRequest, ChatResponse, LlmCapabilities},
};

/// Returns a reply that consists of one call to a tool.
pub fn call(tool: &str, arguments: Value) -> ChatResponse {
    ChatResponse::with_calls([RawCall::new(tool, arguments)])
}

type Decide = dyn FnMut(&ChatRequest) -> Result<ChatResponse> + Send;

struct State {
    decide: Box<Decide>,
    requests: Vec<ChatRequest>,
}

/// A model that takes its replies from a list or a function, and records its requests. Clones share the replies and the
/// requests.
#[derive(Clone)]
pub struct ScriptedModel {
    state: Arc<Mutex<State>>,
    capabilities: LlmCapabilities,
}

impl ScriptedModel {
    /// Creates a model that returns these replies, one for each request. After the last one, every request fails with
    /// [`ErrorKind::Unavailable`].
    pub fn new(responses: impl IntoIterator<Item = ChatResponse>) -> Self {
        Self::with_results(responses.into_iter().map(Ok))
    }

    /// Creates a model that returns these replies or errors, one for each request. After the last one, every request fails
    /// with [`ErrorKind::Unavailable`].
    pub fn with_results(results: impl IntoIterator<Item = Result<ChatResponse>>) -> Self {
        let mut waiting: VecDeque<_> = results.into_iter().collect();
        Self::deciding(move |_| {
            waiting.pop_front().unwrap_or_else(|| {
                Err(Error::new(
                    ErrorKind::Unavailable,
                    "scripted_model.out_of_replies",
                ))
            })
        })
    }

    /// Creates a model that passes each request to this function and returns the function's result.
    pub fn deciding(
        decide: impl FnMut(&ChatRequest) -> Result<ChatResponse> + Send + 'static,
    ) -> Self {
        let state = State {
            decide: Box::new(decide),
            requests: Vec::new(),
        };
        Self {
            state: Arc::new(Mutex::new(state)),
            capabilities: LlmCapabilities::new("scripted"),
        }
    }

    /// Sets the capabilities of the model.
    pub fn with_capabilities(self, capabilities: LlmCapabilities) -> Self {
        Self {
            capabilities,
            ..self
        }
    }

    /// Returns the requests that the model has received so far, in order.
    pub fn requests(&self) -> Vec<ChatRequest> {
        self.state
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .requests
            .clone()
    }
}

impl fmt::Debug for ScriptedModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ScriptedModel").finish_non_exhaustive()
    }
}

#[async_trait]
impl LlmClient for ScriptedModel {
    fn capabilities(&self) -> LlmCapabilities {
        self.capabilities.clone()
    }

    async fn complete(&self, request: &ChatRequest) -> Result<ChatResponse> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.requests.push(request.clone());
        (state.decide)(request)
    }
}
