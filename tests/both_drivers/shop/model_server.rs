//! An OpenAI-compatible server: one behind which the stand-in decides, from the prompt alone, and one that never answers.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex},
    time::Duration,
};

use serde_json::{Value, json};
use webwise::{
    action::{BrowserTool, ToolSet},
    chat::{CallMode, ChatRequest},
    stand_in::StandIn,
};
use wiremock::{Mock, MockServer, Request, Respond, ResponseTemplate, matchers::path};

/// Longer than any test.
const NEVER: Duration = Duration::from_mins(5);

pub(crate) struct ModelServer(MockServer);

impl ModelServer {
    pub(crate) async fn stand_in() -> Self {
        Self::with(Deciding).await
    }

    /// It gives these calls, one for each question.
    pub(crate) async fn calling(calls: impl IntoIterator<Item = Value>) -> Self {
        Self::with(Scripted(Mutex::new(calls.into_iter().collect()))).await
    }

    pub(crate) async fn silent() -> Self {
        Self::with(ResponseTemplate::new(200).set_delay(NEVER)).await
    }

    async fn with(answer: impl Respond + 'static) -> Self {
        let server = MockServer::start().await;
        Mock::given(path("/v1/chat/completions"))
            .respond_with(answer)
            .mount(&server)
            .await;
        Self(server)
    }

    pub(crate) fn url(&self) -> String {
        format!("{}/v1", self.0.uri())
    }

    /// How often it was asked.
    pub(crate) async fn calls(&self) -> u64 {
        let requests = self.0.received_requests().await.unwrap();
        let questions = requests.iter().filter(|request| request.method == "POST");
        questions.count().try_into().unwrap()
    }

    /// Waits for the first question.
    pub(crate) async fn was_asked(&self) {
        while self.calls().await == 0 {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
}

struct Deciding;

impl Respond for Deciding {
    fn respond(&self, request: &Request) -> ResponseTemplate {
        let body: Value = serde_json::from_slice(&request.body).unwrap();
        let said = |role: &str| {
            let messages = body["messages"].as_array().unwrap();
            let message = messages
                .iter()
                .find(|message| message["role"] == role)
                .unwrap();
            message["content"].as_str().unwrap().to_owned()
        };
        let tools = ToolSet::new(&BrowserTool::ALL.iter().copied().collect(), false, []);
        let mut request = ChatRequest::new(said("system"), said("user"), Arc::new(tools));
        request.mode = CallMode::JsonSchema;
        let reply = StandIn::new().decide(&request);
        answer(&reply.text)
    }
}

/// Gives replies from a list, one for each question.
struct Scripted(Mutex<VecDeque<Value>>);

impl Respond for Scripted {
    fn respond(&self, _: &Request) -> ResponseTemplate {
        let call = self.0.lock().unwrap().pop_front();
        let call = call.expect("it is asked no more often");
        answer(&json!({ "calls": [call] }).to_string())
    }
}

fn answer(text: &str) -> ResponseTemplate {
    ResponseTemplate::new(200).set_body_json(json!({
        "id": "1", "object": "chat.completion", "created": 1, "model": "default",
        "choices": [{
            "index": 0, "finish_reason": "stop", "message": { "role": "assistant", "content": text }
        }],
        "usage": { "prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110 }
    }))
}
