//! A provider that answers from a list, and the request that all tests send.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex},
    time::Duration,
};

use serde_json::{Value, json};
use webwise::{
    Error, LlmClient,
    action::{BrowserTool, ToolSet},
    chat::{CallMode, ChatRequest, ChatResponse, Image},
    llm::{GenAi, GenAiOptions, Provider, RetryPolicy, Retrying},
    secret::Secret,
};
use wiremock::{Mock, MockServer, Request, Respond, ResponseTemplate, matchers::any};

/// The key of every test; no text of ours may hold it.
pub(crate) const KEY: &str = "sk-test-4f9a1c77e2";

/// A server that gives its answers in order, and 500 when it has none left.
pub(crate) struct Peer {
    server: MockServer,
    provider: Provider,
    model: &'static str,
}

struct Answers(Mutex<VecDeque<ResponseTemplate>>);

impl Respond for Answers {
    fn respond(&self, _request: &Request) -> ResponseTemplate {
        self.0
            .lock()
            .unwrap()
            .pop_front()
            .unwrap_or_else(|| ResponseTemplate::new(500))
    }
}

impl Peer {
    pub(crate) async fn new(
        provider: Provider,
        model: &'static str,
        answers: impl IntoIterator<Item = ResponseTemplate>,
    ) -> Self {
        let server = MockServer::start().await;
        let answers = Answers(Mutex::new(answers.into_iter().collect()));
        Mock::given(any())
            .respond_with(answers)
            .mount(&server)
            .await;
        Self {
            server,
            provider,
            model,
        }
    }

    /// Options for this peer, as an embedder would write them.
    pub(crate) fn options(&self) -> GenAiOptions {
        let path = match self.provider {
            Provider::Gemini => "/v1beta",
            Provider::Ollama => "",
            _ => "/v1",
        };
        let mut options = GenAiOptions::new(self.provider, self.model);
        options.base_url = Some(format!("{}{path}", self.server.uri()).parse().unwrap());
        options.api_key = Some(Secret::new(KEY));
        options
    }

    pub(crate) fn client(&self) -> GenAi {
        GenAi::new(self.options()).unwrap()
    }

    /// A client that retries without waiting, unless the provider says how long.
    pub(crate) fn patient(&self) -> Retrying<GenAi> {
        let mut policy = RetryPolicy::default();
        policy.base = Duration::ZERO;
        Retrying::new(self.client(), 1).with_policy(policy)
    }

    pub(crate) async fn complete(&self, request: &ChatRequest) -> ChatResponse {
        self.client()
            .complete(request)
            .await
            .unwrap_or_else(|error| panic!("{error:?}"))
    }

    pub(crate) async fn fails(&self, request: &ChatRequest) -> Error {
        checked(
            self.client()
                .complete(request)
                .await
                .expect_err("the call succeeded"),
        )
    }

    pub(crate) async fn requests(&self) -> Vec<Request> {
        self.server.received_requests().await.unwrap()
    }

    /// The only request so far: its path and its body.
    pub(crate) async fn sent(&self) -> (String, Value) {
        let requests = self.requests().await;
        let [request] = requests.as_slice() else {
            panic!("{} requests", requests.len())
        };
        (
            request.url.path().to_owned(),
            serde_json::from_slice(&request.body).unwrap(),
        )
    }

    pub(crate) async fn header(&self, name: &str) -> Option<String> {
        let requests = self.requests().await;
        Some(requests[0].headers.get(name)?.to_str().unwrap().to_owned())
    }
}

/// The error, after making sure that it does not hold the key.
pub(crate) fn checked(error: Error) -> Error {
    assert!(!format!("{error} {error:?}").contains(KEY), "{error:?}");
    error
}

/// A reply of status 200.
pub(crate) fn ok(body: Value) -> ResponseTemplate {
    status(200, body)
}

pub(crate) fn status(code: u16, body: Value) -> ResponseTemplate {
    ResponseTemplate::new(code).set_body_json(body)
}

/// One browser tool beside the loop's own.
pub(crate) fn tools() -> Arc<ToolSet> {
    ToolSet::new(&[BrowserTool::Click].into(), false, []).into()
}

pub(crate) fn request() -> ChatRequest {
    ChatRequest::new("You operate a browser.", "Goal: buy tea", tools())
}

pub(crate) fn json_request() -> ChatRequest {
    let mut request = request();
    request.mode = CallMode::JsonSchema;
    request
}

/// A request with a picture whose base64 form is `UE5H`.
pub(crate) fn seeing_request() -> ChatRequest {
    let mut request = request();
    request.images = vec![Image {
        png: b"PNG".to_vec(),
    }];
    request
}

/// The tools of a request's body, taken out of it so that the rest can be compared as a whole.
pub(crate) fn take_tools(body: &mut Value) -> Value {
    body.as_object_mut()
        .unwrap()
        .remove("tools")
        .unwrap_or_default()
}

/// The arguments' schema of the first tool, as it must reach every provider.
pub(crate) fn click_schema() -> Value {
    tools().declared()[0].parameters.clone()
}

/// Calls as `name arguments` lines.
pub(crate) fn lines(response: &ChatResponse) -> Vec<String> {
    response
        .calls
        .iter()
        .map(|call| format!("{} {}", call.name, call.arguments))
        .collect()
}

/// Two equal requests give equal bytes, header values included.
pub(crate) async fn assert_deterministic(peer: &Peer) {
    for _ in 0..2 {
        let _ = peer.client().complete(&seeing_request()).await;
        let _ = peer.client().complete(&json_request()).await;
    }
    let sent = peer.requests().await;
    for (first, second) in [(0, 2), (1, 3)] {
        assert_eq!(
            String::from_utf8_lossy(&sent[first].body),
            String::from_utf8_lossy(&sent[second].body)
        );
        assert_eq!(sent[first].headers, sent[second].headers);
    }
    assert_ne!(sent[0].body, sent[1].body);
}

/// The schema of a whole reply.
pub(crate) fn reply_schema() -> Value {
    tools().reply_schema(8)
}

pub(crate) fn unset() -> Value {
    json!(null)
}
