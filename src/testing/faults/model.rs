//! A model for tests that fails on demand.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use async_trait::async_trait;
use serde_json::{Value, json};
use tokio::time::sleep;

use super::When;
use crate::{
    LlmClient,
    action::RawCall,
    base::{Error, ErrorKind, Result},
    chat::{ChatRequest, ChatResponse, LlmCapabilities},
};

const OPERATION: &str = "faulty_model.complete";

/// A failure of a model. A fault that has several forms, such as [`MalformedJson`](Self::MalformedJson), uses them in
/// turn as long as no other fault happens in between. The form depends on the number of faults so far, of all kinds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ModelFault {
    /// A reply without text and without calls.
    Empty,
    /// A reply with invalid JSON, either as the text of a whole call or as the arguments of a call.
    MalformedJson,
    /// The wrapped model's reply, but with a single click in place of the calls. The click's target is an invented
    /// reference, which no page has.
    InventedRef,
    /// A reply without a call, in which the model refuses to help.
    Refusal,
    /// A reply that breaks off, as if it had reached the limit of tokens. Its text is the first half of the first tool
    /// call in the wrapped model's reply.
    CutOff,
    /// The error [`ErrorKind::Refused`], as if the provider's content filter had rejected the request.
    ContentFilter,
    /// The error [`ErrorKind::RateLimited`]. The value is the time that the provider asks the caller to wait; `None` if
    /// it names no time.
    RateLimited(Option<Duration>),
    /// The call never returns.
    Silent,
    /// The wrapped model is asked after this delay.
    Slow(Duration),
    /// The error [`ErrorKind::Unavailable`], as if the provider's server had failed with status 500.
    ServerError,
    /// The error [`ErrorKind::MalformedReply`], as if the reply could not be read.
    Garbled,
    /// The wrapped model's reply, with a copy of its first call added at the end.
    TwoCalls,
    /// A call to a tool that does not exist, or a call without required arguments.
    WrongTool,
    /// A valid call that makes no sense on most pages: an answer to a dialog.
    Misplaced,
    /// A reply in prose, without a call.
    TextOnly,
}

/// A model that fails on demand. It wraps another model. Clones share the count of calls and the list of faults that
/// happened.
#[derive(Debug, Clone)]
pub struct FaultyModel<L> {
    inner: L,
    faults: Vec<(When, ModelFault)>,
    counts: Arc<Mutex<Counts>>,
}

#[derive(Debug, Default)]
struct Counts {
    calls: u32,
    struck: Vec<(u32, ModelFault)>,
}

impl<L> FaultyModel<L> {
    /// Wraps a model, without any faults yet.
    pub fn new(inner: L) -> Self {
        Self {
            inner,
            faults: Vec::new(),
            counts: Arc::default(),
        }
    }

    /// Adds a fault to the calls that `when` selects. If several faults apply to one call, the one that was added first is
    /// used.
    #[must_use]
    pub fn with(mut self, when: When, fault: ModelFault) -> Self {
        self.faults.push((when, fault));
        self
    }

    /// Returns the wrapped model.
    pub const fn get_ref(&self) -> &L {
        &self.inner
    }

    /// Returns the number of calls of `complete` so far.
    pub fn calls(&self) -> u32 {
        self.counts().calls
    }

    /// Returns the faults that happened so far, each with the number of the call, counted from 1.
    pub fn struck(&self) -> Vec<(u32, ModelFault)> {
        self.counts().struck.clone()
    }

    fn counts(&self) -> MutexGuard<'_, Counts> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts a call of the model. If a fault applies to the call, returns the fault and the number of faults so far,
    /// including this one.
    fn next(&self) -> Option<(ModelFault, usize)> {
        let mut counts = self.counts();
        counts.calls += 1;
        let call = counts.calls;
        let fault = self
            .faults
            .iter()
            .find(|(when, _)| when.strikes(call))
            .map(|(_, fault)| *fault)?;
        counts.struck.push((call, fault));
        Some((fault, counts.struck.len()))
    }
}

#[async_trait]
impl<L: LlmClient> LlmClient for FaultyModel<L> {
    fn capabilities(&self) -> LlmCapabilities {
        self.inner.capabilities()
    }

    async fn complete(&self, request: &ChatRequest) -> Result<ChatResponse> {
        let Some((fault, nth)) = self.next() else {
            return self.inner.complete(request).await;
        };
        let failed = |kind: ErrorKind| Err(Error::new(kind, OPERATION).with("fault", "on purpose"));
        match fault {
            ModelFault::Empty => Ok(ChatResponse::default()),
            ModelFault::MalformedJson => Ok(malformed(nth)),
            ModelFault::InventedRef => {
                let mut response = self.inner.complete(request).await?;
                response.calls = vec![RawCall::new(
                    "click",
                    json!({ "target": format!("e{}", 9_000 + nth) }),
                )];
                Ok(response)
            }
            ModelFault::Refusal => Ok(stopped(
                "I am sorry, but I cannot help with that.",
                "refusal",
            )),
            ModelFault::CutOff => Ok(cut_off(&self.inner.complete(request).await?)),
            ModelFault::ContentFilter => failed(ErrorKind::Refused),
            ModelFault::RateLimited(None) => failed(ErrorKind::RateLimited),
            ModelFault::RateLimited(Some(wait)) => {
                Err(Error::new(ErrorKind::RateLimited, OPERATION).with_retry_after(wait))
            }
            ModelFault::Silent => std::future::pending().await,
            ModelFault::Slow(time) => {
                sleep(time).await;
                self.inner.complete(request).await
            }
            ModelFault::ServerError => failed(ErrorKind::Unavailable),
            ModelFault::Garbled => failed(ErrorKind::MalformedReply),
            ModelFault::TwoCalls => {
                let mut response = self.inner.complete(request).await?;
                let twice = response.calls.first().cloned();
                response.calls.extend(twice);
                Ok(response)
            }
            ModelFault::WrongTool if nth % 2 == 1 => {
                Ok(called("navigate_to_page", json!({ "page": "home" })))
            }
            ModelFault::WrongTool => Ok(called("press", json!({ "target": "e1" }))),
            ModelFault::Misplaced => Ok(called("dialog_accept", json!({}))),
            ModelFault::TextOnly => Ok(stopped(
                "I would now click on the button and see what happens.",
                "stop",
            )),
        }
    }
}

fn called(tool: &str, arguments: Value) -> ChatResponse {
    ChatResponse::with_calls([RawCall::new(tool, arguments)])
}

fn stopped(text: &str, why: &str) -> ChatResponse {
    let mut response = ChatResponse::with_text(text);
    response.stop = Some(why.to_owned());
    response
}

fn malformed(nth: usize) -> ChatResponse {
    match nth % 3 {
        0 => ChatResponse::with_text("{\"tool\": \"click\", \"arguments\": {\"target\": e1}}"),
        1 => ChatResponse::with_text("```json\n[{\"tool\": \"click\" \"target\" \"e1\"}]\n```"),
        _ => called("click", Value::from("{\"target\": \"e1")),
    }
}

/// Returns a reply that is cut off. Its text is the first half of the text of the first call in `response`.
fn cut_off(response: &ChatResponse) -> ChatResponse {
    let Some(call) = response.calls.first() else {
        return stopped("", "length");
    };
    let whole = json!({ "tool": call.name, "arguments": call.arguments }).to_string();
    let half: String = whole.chars().take(whole.chars().count() / 2).collect();
    stopped(&half, "length")
}
