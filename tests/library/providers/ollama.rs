//! Ollama's own API, and its OpenAI-compatible side for schemas.

use serde_json::{Value, json};
use webwise::{
    ErrorKind, LlmClient,
    base::TokenCount,
    chat::Usage,
    llm::{GenAi, Provider},
};

use crate::providers::support::*;

async fn peer(answers: impl IntoIterator<Item = Value>) -> Peer {
    Peer::new(Provider::Ollama, "qwen3:4b", answers.into_iter().map(ok)).await
}

fn reply(message: &Value) -> Value {
    json!({
        "model": "qwen3:4b", "created_at": "2026-01-15T10:00:00.0Z", "message": message, "done": true,
        "done_reason": "stop", "total_duration": 883_583_458, "load_duration": 1_334_875,
        "prompt_eval_count": 1_120, "prompt_eval_duration": 342_546_000, "eval_count": 28, "eval_duration": 535_599_000
    })
}

#[tokio::test]
async fn a_tool_call_is_asked_for_and_read_with_its_usage() {
    let calls = json!([{ "function": { "name": "click", "arguments": { "target": "e4" } } }]);
    let peer = peer([reply(
        &json!({ "role": "assistant", "content": "", "tool_calls": calls }),
    )])
    .await;
    let response = peer.complete(&request()).await;
    assert_eq!(lines(&response), [r#"click {"target":"e4"}"#]);
    let usage = Usage {
        input: TokenCount(1_120),
        output: TokenCount(28),
        cached: TokenCount(0),
    };
    assert_eq!((response.usage, response.text.as_str()), (Some(usage), ""));
    let (path, mut body) = peer.sent().await;
    assert_eq!(path, "/api/chat");
    assert_eq!(
        peer.header("authorization").await,
        Some(format!("Bearer {KEY}"))
    );
    assert_eq!(
        take_tools(&mut body)[0]["function"]["parameters"],
        click_schema()
    );
    assert_eq!(
        body,
        json!({
            "model": "qwen3:4b", "stream": false, "options": { "temperature": 0.2, "num_predict": 2_048 },
            "messages": [
                { "role": "system", "content": "You operate a browser." },
                { "role": "user", "content": "Goal: buy tea" }
            ]
        })
    );
}

#[tokio::test]
async fn without_a_key_no_authorization_is_sent_and_pictures_are() {
    let peer = peer([reply(&json!({ "role": "assistant", "content": "a cup" }))]).await;
    let mut options = peer.options();
    options.api_key = None;
    let response = GenAi::new(options)
        .unwrap()
        .complete(&seeing_request())
        .await
        .unwrap();
    assert_eq!(
        (response.text.as_str(), peer.header("authorization").await),
        ("a cup", None)
    );
    assert_eq!(
        peer.sent().await.1["messages"][1]["images"],
        json!(["UE5H"])
    );
}

#[tokio::test]
async fn json_schema_mode_uses_the_compatible_side() {
    let body = json!({ "model": "qwen3:4b", "choices": [{ "index": 0, "finish_reason": "stop",
        "message": { "role": "assistant", "content": r#"{"calls":[{"tool":"click","target":"e2"}]}"# } }] });
    let peer = peer([body]).await;
    assert!(peer.complete(&json_request()).await.text.contains("e2"));
    let (path, body) = peer.sent().await;
    assert_eq!(path, "/v1/chat/completions");
    assert_eq!(
        body["response_format"]["json_schema"]["schema"],
        reply_schema()
    );
}

#[tokio::test]
async fn a_model_that_is_not_there_is_the_callers_error_in_ollamas_words() {
    let answer = status(404, json!({ "error": "model 'qwen3:4b' not found" }));
    let peer = Peer::new(Provider::Ollama, "qwen3:4b", [answer]).await;
    let error = peer.fails(&request()).await;
    assert!(
        error.kind() == ErrorKind::InvalidInput && error.to_string().contains("not found"),
        "{error}"
    );
}
