//! Checks that a client of a model keeps the contract of [`LlmClient`].

use std::{sync::Arc, time::Duration};

use serde_json::json;
use tokio::time::{sleep, timeout};

use crate::{
    LlmClient,
    action::{BrowserTool, RawCall, ToolSet},
    base::{ErrorKind, TokenCount},
    chat::{ChatRequest, ChatResponse, Usage},
};

/// Time that a call to a silent provider is given before it is dropped, and then to go on in the background against the
/// contract.
const PATIENCE: Duration = Duration::from_millis(50);

/// What a provider does with every request.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Staged {
    /// It answers with this reply: its text, its calls and its usage.
    Reply(ChatResponse),
    /// It fails in a way that the client reports as an error of this kind, and with this wait if the provider asks for one.
    Failure(ErrorKind, Option<Duration>),
    /// It never answers.
    Silence,
}

/// Runs all checks on a client. `connect` must return a client of a provider that does what it is told, and a function
/// that returns the number of requests that this provider has received. The provider is usually a server on loopback.
///
/// # Panics
/// If the client breaks the contract.
pub async fn check<L: LlmClient, N: Fn() -> usize>(connect: impl AsyncFn(Staged) -> (L, N)) {
    replies_arrive_unchanged(&connect).await;
    failures_have_their_kind(&connect).await;
    calls_at_the_same_time_are_answered(&connect).await;
    a_call_that_is_dropped_is_over(&connect).await;
}

fn request() -> ChatRequest {
    let tools = ToolSet::new(&BrowserTool::ALL.iter().copied().collect(), false, []);
    ChatRequest::new("You drive a browser.", "## Page\n\"Shop\"", Arc::new(tools))
}

fn replies() -> [ChatResponse; 3] {
    let click = |target| RawCall::new("click", json!({ "target": target }));
    let with_calls = ChatResponse::with_calls([
        click("e2"),
        click("e1"),
        // Whether a call makes sense is decided by the loop, so no client repairs or drops one.
        RawCall::new(
            "no_such_tool",
            json!({ "x": [1, null, "\u{1f6b2} \"quoted\"\n"] }),
        ),
        click("e2"),
    ]);
    let mut counted = with_calls.clone();
    counted.usage = Some(Usage {
        input: TokenCount(1_200),
        output: TokenCount(30),
        cached: TokenCount(0),
    });
    [
        with_calls,
        counted,
        ChatResponse::with_text("I would click."),
    ]
}

async fn replies_arrive_unchanged<L: LlmClient, N: Fn() -> usize>(
    connect: &impl AsyncFn(Staged) -> (L, N),
) {
    for reply in replies() {
        let (client, requests) = connect(Staged::Reply(reply.clone())).await;
        let before = client.capabilities();
        for n in 1..=2 {
            let got = client.complete(&request()).await;
            let got =
                got.unwrap_or_else(|error| panic!("complete: a reply is no error: {error:?}"));
            assert_eq!(
                got.calls, reply.calls,
                "complete: calls arrive as they are, in order"
            );
            assert_eq!(got.text, reply.text, "complete: the text arrives as it is");
            assert_eq!(
                got.usage, reply.usage,
                "complete: usage is what the provider reported"
            );
            assert_eq!(requests(), n, "complete: one call is one request");
        }
        let after = client.capabilities();
        assert_eq!(
            after, before,
            "capabilities: they do not change during a run"
        );
    }
}

async fn failures_have_their_kind<L: LlmClient, N: Fn() -> usize>(
    connect: &impl AsyncFn(Staged) -> (L, N),
) {
    let wait = Some(Duration::from_secs(7));
    for (kind, wait) in [
        (ErrorKind::RateLimited, None),
        (ErrorKind::RateLimited, wait),
        (ErrorKind::Timeout, None),
        (ErrorKind::Unavailable, None),
        (ErrorKind::Unauthorized, None),
        (ErrorKind::InvalidInput, None),
        (ErrorKind::Refused, None),
        (ErrorKind::MalformedReply, None),
    ] {
        let (client, requests) = connect(Staged::Failure(kind, wait)).await;
        let Err(error) = client.complete(&request()).await else {
            panic!("complete: a failure of kind {kind:?} is an error");
        };
        assert_eq!(
            error.kind(),
            kind,
            "complete: the error has its kind: {error:?}"
        );
        assert_eq!(
            error.retry_after(),
            wait,
            "complete: the provider's wait is passed on"
        );
        assert!(
            requests() <= 1,
            "complete: a client does not retry ({kind:?})"
        );
    }
}

async fn calls_at_the_same_time_are_answered<L: LlmClient, N: Fn() -> usize>(
    connect: &impl AsyncFn(Staged) -> (L, N),
) {
    let [reply, ..] = replies();
    let (client, requests) = connect(Staged::Reply(reply.clone())).await;
    let request = request();
    let (one, two) = tokio::join!(client.complete(&request), client.complete(&request));
    for got in [one, two] {
        let calls = got.map(|got| got.calls);
        assert_eq!(
            calls.ok().as_ref(),
            Some(&reply.calls),
            "complete: calls do not disturb each other"
        );
    }
    assert_eq!(requests(), 2, "complete: one call is one request");
}

async fn a_call_that_is_dropped_is_over<L: LlmClient, N: Fn() -> usize>(
    connect: &impl AsyncFn(Staged) -> (L, N),
) {
    let (client, requests) = connect(Staged::Silence).await;
    let answered = timeout(PATIENCE, client.complete(&request())).await;
    assert!(
        answered.is_err(),
        "complete: without a reply there is none: {answered:?}"
    );
    sleep(PATIENCE).await;
    assert!(
        requests() <= 1,
        "complete: a call that was dropped asks no more"
    );
}

#[cfg(test)]
mod tests {
    use async_trait::async_trait;

    use super::*;
    use crate::{
        base::{Error, Result},
        chat::LlmCapabilities,
        llm::{RetryPolicy, Retrying},
        testing::{
            ScriptedModel,
            faults::{FaultyModel, ModelFault, When},
        },
    };

    type Scripted = FaultyModel<ScriptedModel>;

    fn scripted(staged: Staged) -> Scripted {
        let is_silent = staged == Staged::Silence;
        let model = FaultyModel::new(ScriptedModel::deciding(move |_| match &staged {
            Staged::Failure(kind, wait) => {
                let error = Error::new(*kind, "scripted");
                Err(match wait {
                    Some(wait) => error.with_retry_after(*wait),
                    None => error,
                })
            }
            Staged::Reply(reply) => Ok(reply.clone()),
            Staged::Silence => Ok(ChatResponse::default()),
        }));
        if is_silent {
            model.with(When::from(1), ModelFault::Silent)
        } else {
            model
        }
    }

    fn asked(model: &Scripted) -> impl Fn() -> usize + use<> {
        let model = model.clone();
        move || model.calls() as usize
    }

    #[tokio::test(start_paused = true)]
    async fn a_scripted_model_keeps_the_contract() {
        check(async |staged| {
            let model = scripted(staged);
            let requests = asked(&model);
            (model, requests)
        })
        .await;
    }

    fn retrying(staged: Staged, retries: u32) -> (Retrying<Scripted>, impl Fn() -> usize) {
        let model = scripted(staged);
        let requests = asked(&model);
        let policy = RetryPolicy {
            retries,
            ..RetryPolicy::default()
        };
        (Retrying::new(model, 1).with_policy(policy), requests)
    }

    #[tokio::test(start_paused = true)]
    async fn retrying_without_retries_keeps_the_contract() {
        check(async |staged| retrying(staged, 0)).await;
    }

    #[tokio::test(start_paused = true)]
    #[should_panic(expected = "complete: a client does not retry (RateLimited)")]
    async fn a_client_that_retries_does_not_pass() {
        check(async |staged| retrying(staged, 2)).await;
    }

    /// A client that drops calls of unknown tools.
    #[derive(Debug)]
    struct Tidy(Scripted);

    #[async_trait]
    impl LlmClient for Tidy {
        fn capabilities(&self) -> LlmCapabilities {
            self.0.capabilities()
        }

        async fn complete(&self, request: &ChatRequest) -> Result<ChatResponse> {
            let mut reply = self.0.complete(request).await?;
            reply
                .calls
                .retain(|call| request.tools.contains(&call.name));
            Ok(reply)
        }
    }

    #[tokio::test(start_paused = true)]
    #[should_panic(expected = "complete: calls arrive as they are, in order")]
    async fn a_client_that_repairs_replies_does_not_pass() {
        check(async |staged| {
            let model = scripted(staged);
            let requests = asked(&model);
            (Tidy(model), requests)
        })
        .await;
    }
}
