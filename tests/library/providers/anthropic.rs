//! Anthropic's Messages API.

use serde_json::{Value, json};
use webwise::{
    ErrorKind, LlmClient,
    base::TokenCount,
    chat::Usage,
    llm::{GenAi, Provider, Reasoning},
};

use crate::providers::support::*;

async fn peer(answers: impl IntoIterator<Item = Value>) -> Peer {
    Peer::new(
        Provider::Anthropic,
        "claude-sonnet-4-6",
        answers.into_iter().map(ok),
    )
    .await
}

fn reply(content: &Value, stop: &str) -> Value {
    json!({
        "id": "msg_01XFDUDYJgAACzvnptvVoYEL", "type": "message", "role": "assistant", "model": "claude-sonnet-4-6",
        "content": content, "stop_reason": stop, "stop_sequence": null,
        "usage": { "input_tokens": 210, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 1_800,
            "cache_creation": { "ephemeral_5m_input_tokens": 0, "ephemeral_1h_input_tokens": 0 },
            "output_tokens": 55, "service_tier": "standard" }
    })
}

fn call(target: &str) -> Value {
    json!({ "type": "tool_use", "id": "toolu_01A09q90qw90lq917835lq9", "name": "click", "input": { "target": target } })
}

#[tokio::test]
async fn a_tool_call_is_asked_for_and_read() {
    let content = json!([{ "type": "text", "text": "I will add the tea." }, call("e4")]);
    let peer = peer([reply(&content, "tool_use")]).await;
    let response = peer.complete(&request()).await;
    assert_eq!(lines(&response), [r#"click {"target":"e4"}"#]);
    assert_eq!(
        (response.text.as_str(), response.stop.as_deref()),
        ("I will add the tea.", Some("tool_use"))
    );
    let usage = Usage {
        input: TokenCount(2_010),
        output: TokenCount(55),
        cached: TokenCount(1_800),
    };
    assert_eq!(response.usage, Some(usage));

    let (path, mut body) = peer.sent().await;
    assert_eq!(path, "/v1/messages");
    assert_eq!(peer.header("x-api-key").await.as_deref(), Some(KEY));
    assert_eq!(
        peer.header("anthropic-version").await.as_deref(),
        Some("2023-06-01")
    );
    let tools = take_tools(&mut body);
    assert_eq!(
        (&tools[0]["name"], &tools[0]["input_schema"]),
        (&json!("click"), &click_schema())
    );
    assert_eq!(
        body,
        json!({
            "model": "claude-sonnet-4-6", "stream": false, "tool_choice": { "type": "any" }, "temperature": 0.2,
            "max_tokens": 2_048,
            "system": [{ "type": "text", "text": "You operate a browser.", "cache_control": { "type": "ephemeral" } }],
            "messages": [{ "role": "user", "content": "Goal: buy tea" }]
        })
    );
}

#[tokio::test]
async fn several_calls_keep_their_order() {
    let response = peer([reply(&json!([call("e1"), call("e2")]), "tool_use")])
        .await
        .complete(&request())
        .await;
    assert_eq!(
        lines(&response),
        [r#"click {"target":"e1"}"#, r#"click {"target":"e2"}"#]
    );
}

#[tokio::test]
async fn a_picture_goes_after_the_text() {
    let peer = peer([reply(&json!([call("e1")]), "tool_use")]).await;
    peer.complete(&seeing_request()).await;
    assert_eq!(
        peer.sent().await.1["messages"][0]["content"],
        json!([
            { "type": "text", "text": "Goal: buy tea" },
            { "type": "image", "source": { "type": "base64", "media_type": "image/png", "data": "UE5H" } }
        ])
    );
}

#[tokio::test]
async fn json_schema_mode_asks_for_a_format_and_sends_no_tools() {
    let content =
        json!([{ "type": "text", "text": r#"{"calls":[{"tool":"click","target":"e2"}]}"# }]);
    let peer = peer([reply(&content, "end_turn")]).await;
    assert!(peer.complete(&json_request()).await.text.contains("e2"));
    let (_, mut body) = peer.sent().await;
    assert_eq!(
        (take_tools(&mut body), &body["tool_choice"]),
        (unset(), &unset())
    );
    assert_eq!(
        body["output_config"]["format"],
        json!({ "type": "json_schema", "schema": reply_schema() })
    );
}

#[tokio::test]
async fn while_the_model_thinks_neither_a_call_nor_a_temperature_is_forced() {
    let thinking = json!([{ "type": "thinking", "thinking": "First the tea.", "signature": "EqQB" }, call("e1")]);
    let peer = peer([reply(&thinking, "tool_use")]).await;
    let mut options = peer.options();
    options.reasoning = Reasoning::Low;
    let response = GenAi::new(options)
        .unwrap()
        .complete(&request())
        .await
        .unwrap();
    assert_eq!(response.reasoning.as_deref(), Some("First the tea."));
    let (_, body) = peer.sent().await;
    assert_eq!(
        (&body["tool_choice"]["type"], &body["temperature"]),
        (&json!("auto"), &unset())
    );
    assert_eq!(body["thinking"]["type"], "adaptive");
}

#[tokio::test]
async fn a_model_that_thinks_by_itself_is_told_not_to() {
    let peer = Peer::new(
        Provider::Anthropic,
        "claude-sonnet-5",
        [ok(reply(&json!([call("e1")]), "tool_use"))],
    )
    .await;
    peer.complete(&request()).await;
    let (_, body) = peer.sent().await;
    assert_eq!(
        (&body["thinking"]["type"], &body["temperature"]),
        (&json!("disabled"), &unset())
    );
}

#[tokio::test]
async fn a_refusal_is_refused_and_a_cut_with_a_whole_call_is_not_an_error() {
    let peer = peer([
        reply(&json!([]), "refusal"),
        reply(&json!([call("e1")]), "max_tokens"),
    ])
    .await;
    assert_eq!(peer.fails(&request()).await.kind(), ErrorKind::Refused);
    assert_eq!(peer.complete(&request()).await.calls.len(), 1);
}

#[tokio::test]
async fn an_empty_turn_is_an_empty_response() {
    let response = peer([reply(&json!([]), "end_turn")])
        .await
        .complete(&request())
        .await;
    assert_eq!((response.text.as_str(), response.calls.len()), ("", 0));
}

#[tokio::test]
async fn overload_is_unavailable_and_keeps_its_wait() {
    let body = json!({ "type": "error", "error": { "type": "overloaded_error", "message": "Overloaded" } });
    let answer = status(529, body).insert_header("retry-after", "12");
    let peer = Peer::new(Provider::Anthropic, "claude-sonnet-4-6", [answer]).await;
    let error = peer.fails(&request()).await;
    assert_eq!(
        (error.kind(), error.retry_after().unwrap().as_secs()),
        (ErrorKind::Unavailable, 12)
    );
    assert!(error.to_string().contains("overloaded_error"), "{error}");
}

#[tokio::test]
async fn equal_requests_are_equal_bytes() {
    assert_deterministic(&peer([]).await).await;
}
