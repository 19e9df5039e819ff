//! A provider that follows a script, on the wire; and a tap between the loop and it.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicUsize, Ordering},
};

use async_trait::async_trait;
use serde_json::{Value, json};
use webwise::{
    Error, LlmClient,
    chat::{ChatRequest, ChatResponse, LlmCapabilities},
    llm::{GenAi, GenAiOptions, Provider},
};
use wiremock::{Mock, MockServer, Request, Respond, ResponseTemplate, matchers::method};

/// What the model answers, one a call: a text beside the calls, and the calls.
pub(crate) type Script = Vec<(String, Vec<(&'static str, Value)>)>;

/// A model that says what the script says, then refuses in the provider's words.
#[derive(Debug, Clone)]
pub(crate) struct Model {
    inner: Arc<GenAi>,
    server: Arc<MockServer>,
    seen: Arc<Mutex<Vec<ChatRequest>>>,
}

struct Answers {
    script: Script,
    next: AtomicUsize,
    /// What the provider says when the script is over.
    refusal: String,
}

impl Respond for Answers {
    fn respond(&self, _: &Request) -> ResponseTemplate {
        let turn = self.next.fetch_add(1, Ordering::Relaxed);
        let Some((text, calls)) = self.script.get(turn) else {
            let error =
                json!({ "error": { "message": self.refusal, "type": "invalid_request_error" } });
            return ResponseTemplate::new(400).set_body_json(error);
        };
        let call = |(n, (name, arguments)): (usize, &(&str, Value))| {
            let function = json!({ "name": name, "arguments": arguments.to_string() });
            json!({ "id": format!("call_{turn}_{n}"), "type": "function", "function": function })
        };
        let calls: Vec<Value> = calls.iter().enumerate().map(call).collect();
        let message = json!({ "role": "assistant", "content": text, "reasoning_content": text, "tool_calls": calls });
        ResponseTemplate::new(200).set_body_json(json!({
            "id": "1", "object": "chat.completion", "created": 1, "model": "scripted",
            "choices": [{ "index": 0, "finish_reason": "tool_calls", "message": message }],
            "usage": { "prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110 }
        }))
    }
}

impl Model {
    pub(crate) async fn following(script: Script, refusal: String) -> Self {
        let server = MockServer::start().await;
        Mock::given(method("POST"))
            .respond_with(Answers {
                script,
                next: AtomicUsize::new(0),
                refusal,
            })
            .mount(&server)
            .await;
        let mut options = GenAiOptions::new(Provider::OpenAiCompatible, "scripted");
        options.base_url = Some(format!("{}/v1", server.uri()).parse().unwrap());
        let inner = Arc::new(GenAi::new(options).unwrap());
        Self {
            inner,
            server: Arc::new(server),
            seen: Arc::default(),
        }
    }

    /// Where it is asked.
    pub(crate) fn url(&self) -> String {
        format!("{}/v1", self.server.uri())
    }

    /// The requests as the loop made them.
    pub(crate) fn prompts(&self) -> Vec<u8> {
        let seen = self.seen.lock().unwrap();
        seen.iter()
            .flat_map(|asked| [asked.system.as_str(), "\n", &asked.message, "\n"])
            .collect::<String>()
            .into_bytes()
    }

    /// The bodies and addresses as they went over the wire.
    pub(crate) async fn wire(&self) -> Vec<u8> {
        let sent = self.server.received_requests().await.unwrap();
        sent.iter()
            .flat_map(|r| [r.url.as_str().as_bytes(), b"\n", &r.body, b"\n"].concat())
            .collect()
    }
}

#[async_trait]
impl LlmClient for Model {
    fn capabilities(&self) -> LlmCapabilities {
        self.inner.capabilities()
    }

    async fn complete(&self, request: &ChatRequest) -> Result<ChatResponse, Error> {
        self.seen.lock().unwrap().push(request.clone());
        self.inner.complete(request).await
    }
}
