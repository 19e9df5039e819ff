//! A language model of your own: a client of a provider that speaks JSON over any transport, and how its errors are mapped.
//! The transport is a fake one, so that it needs neither a network nor a key.
//!
//! `cargo run --features testing --example own_model`

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex},
    time::Duration,
};

use serde_json::{Value, json};
use webwise::{
    DecisionLoop, Error, ErrorKind, LlmClient, Result, RunReport, Task,
    action::RawCall,
    async_trait::async_trait,
    base::TokenCount,
    chat::{ChatRequest, ChatResponse, LlmCapabilities, Usage},
    llm::Retrying,
    store::InMemory,
    testing::ScriptedBrowser,
};

/// A reply of the provider: its HTTP status, the header `retry-after` in seconds, and the body.
#[derive(Debug, Clone)]
struct Reply(u16, Option<u64>, String);

/// The provider; a program of yours sends the body with its HTTP client here. If the future is dropped, the request must end.
#[derive(Debug, Clone)]
struct Provider(Arc<Mutex<VecDeque<Reply>>>);

impl Provider {
    fn answering(replies: impl IntoIterator<Item = Reply>) -> Self {
        Self(Arc::new(Mutex::new(replies.into_iter().collect())))
    }

    async fn post(&self, _: &Value) -> Result<Reply, std::io::Error> {
        let next = self.0.lock().ok().and_then(|mut all| all.pop_front());
        match next {
            Some(reply) => Ok(reply),
            None => std::future::pending().await,
        }
    }
}

#[derive(Debug)]
struct OwnModel(Provider);

#[async_trait]
impl LlmClient for OwnModel {
    fn capabilities(&self) -> LlmCapabilities {
        let mut capabilities = LlmCapabilities::new("own-1");
        capabilities.context_window = Some(TokenCount(32_000));
        capabilities
    }

    async fn complete(&self, request: &ChatRequest) -> Result<ChatResponse> {
        let tools = request.tools.declared().iter().map(|tool| {
            json!({ "name": tool.name, "description": tool.description, "schema": tool.parameters })
        });
        let body = json!({
            "system": request.system,
            "message": request.message,
            "tools": tools.collect::<Vec<_>>(),
            "temperature": request.temperature,
            "max_tokens": request.max_output.0,
        });
        // One call is one request: `Retrying` repeats it if the kind of the error says that this may help.
        let unreachable = |error| Error::new(ErrorKind::Unavailable, OPERATION).with_source(error);
        read(self.0.post(&body).await.map_err(unreachable)?)
    }
}

const OPERATION: &str = "own_model.complete";

/// Reads a reply. The text of an error may name the key, so the error has the status alone.
fn read(Reply(status, wait, body): Reply) -> Result<ChatResponse> {
    let kind = match status {
        200 => return understand(&body).ok_or(Error::new(ErrorKind::MalformedReply, OPERATION)),
        401 | 403 => ErrorKind::Unauthorized,
        408 | 504 => ErrorKind::Timeout,
        429 => ErrorKind::RateLimited,
        451 => ErrorKind::Refused,
        500.. => ErrorKind::Unavailable,
        _ => ErrorKind::InvalidInput,
    };
    let error = Error::new(kind, OPERATION).with("status", status);
    Err(match wait {
        Some(seconds) => error.with_retry_after(Duration::from_secs(seconds)),
        None => error,
    })
}

/// Returns the reply as it is: nothing is repaired, and the calls keep their order.
fn understand(body: &str) -> Option<ChatResponse> {
    let body: Value = serde_json::from_str(body).ok()?;
    let calls = body["calls"].as_array()?.iter().map(|call| {
        let name = call["name"].as_str()?;
        Some(RawCall::new(name, call["arguments"].clone()))
    });
    let mut response = ChatResponse::with_calls(calls.collect::<Option<Vec<_>>>()?);
    response.text = body["text"].as_str().unwrap_or_default().into();
    let tokens = |key: &str| body["usage"][key].as_u64().map(TokenCount);
    response.usage = tokens("input")
        .zip(tokens("output"))
        .map(|(input, output)| Usage {
            input,
            output,
            ..Usage::default()
        });
    Some(response)
}

/// A provider that is busy once and then answers.
fn provider() -> Provider {
    let answer = json!({ "answer": "9 to 17", "evidence": "Open from 9 to 17" });
    let body = json!({
        "calls": [{ "name": "finish", "arguments": answer }],
        "usage": { "input": 1_200, "output": 30 },
    });
    let busy = Reply(429, Some(2), String::new());
    Provider::answering([busy, Reply(200, None, body.to_string())])
}

async fn opening_hours() -> Result<RunReport> {
    const SHOP: &str = "https://shop.example/";
    let page = "paragraph = Open from 9 to 17";
    let browser = ScriptedBrowser::new().with_page(SHOP, "Shop", page);
    let model = Retrying::new(OwnModel(provider()), 1);
    let agent = DecisionLoop::builder(browser, model, InMemory::new()).build()?;
    let task = Task::new("When does the shop open?")?.with_start_url(SHOP)?;
    Ok(agent.run(task).await)
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    let report = opening_hours().await?;
    println!("{:?}, {:?}", report.answer, report.summary.usage);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use webwise::testing::conformance::{self, model::Staged};

    #[tokio::test(start_paused = true)]
    async fn a_busy_provider_is_asked_again() {
        let report = opening_hours().await.unwrap();
        assert_eq!(report.answer.as_deref(), Some("9 to 17"));
        assert_eq!(report.summary.usage.input, TokenCount(1_200));
    }

    /// Returns the replies with which the provider does what the suite tells it.
    fn staged(staged: Staged) -> Vec<Reply> {
        let reply = match staged {
            Staged::Reply(reply) => Reply(200, None, json!(reply).to_string()),
            Staged::Failure(kind, wait) => {
                let status = match kind {
                    ErrorKind::InvalidInput => 400,
                    ErrorKind::Unauthorized => 401,
                    ErrorKind::Timeout => 408,
                    ErrorKind::RateLimited => 429,
                    ErrorKind::Refused => 451,
                    ErrorKind::MalformedReply => 200,
                    _ => 503,
                };
                let wait = wait.map(|wait| wait.as_secs());
                Reply(status, wait, "the key 1234".to_owned())
            }
            _ => return Vec::new(),
        };
        vec![reply; 9]
    }

    #[tokio::test(start_paused = true)]
    async fn it_keeps_the_contract_of_a_client() {
        conformance::model::check(async |what| {
            let provider = Provider::answering(staged(what));
            let left = Arc::clone(&provider.0);
            let before = left.lock().unwrap().len();
            let requests = move || before - left.lock().unwrap().len();
            (OwnModel(provider), requests)
        })
        .await;
    }

    #[test]
    fn an_error_does_not_repeat_the_words_of_the_provider() {
        for reply in staged(Staged::Failure(ErrorKind::Unauthorized, None)) {
            assert!(!format!("{:?}", read(reply).unwrap_err()).contains("1234"));
        }
    }
}
