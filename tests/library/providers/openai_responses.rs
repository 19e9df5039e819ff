//! The Responses API, which `OpenAI`'s newer models need for tools.

use serde_json::{Value, json};
use webwise::{ErrorKind, base::TokenCount, chat::Usage, llm::Provider};

use crate::providers::support::*;

async fn peer(answers: impl IntoIterator<Item = Value>) -> Peer {
    Peer::new(
        Provider::OpenAi,
        "gpt-5.4-mini",
        answers.into_iter().map(ok),
    )
    .await
}

fn reply(output: &Value, status: &str) -> Value {
    json!({
        "id": "resp_67ccd2bed1ec8190b14f964abc0542670bb6a6b452d3795b", "object": "response", "created_at": 1_741_476_542,
        "status": status, "error": null, "incomplete_details": null, "model": "gpt-5.4-mini-2026-03-17",
        "output": output, "store": false,
        "usage": { "input_tokens": 1_300, "input_tokens_details": { "cached_tokens": 1_152 },
            "output_tokens": 40, "output_tokens_details": { "reasoning_tokens": 12 }, "total_tokens": 1_340 }
    })
}

fn call(name: &str, arguments: &str) -> Value {
    json!({ "type": "function_call", "id": "fc_1", "call_id": "call_1", "name": name, "arguments": arguments,
        "status": "completed" })
}

#[tokio::test]
async fn a_tool_call_is_asked_for_and_read() {
    let peer = peer([reply(
        &json!([{ "type": "reasoning", "id": "rs_1", "summary": [] },
        call("click", r#"{"target":"e4"}"#)]),
        "completed",
    )])
    .await;
    let response = peer.complete(&seeing_request()).await;
    assert_eq!(lines(&response), [r#"click {"target":"e4"}"#]);
    let usage = Usage {
        input: TokenCount(1_300),
        output: TokenCount(40),
        cached: TokenCount(1_152),
    };
    assert_eq!(response.usage, Some(usage));
    let (path, mut body) = peer.sent().await;
    assert_eq!(path, "/v1/responses");
    assert_eq!(take_tools(&mut body)[0]["name"], "click");
    assert_eq!(
        body["prompt_cache_key"].take().as_str().map(str::len),
        Some(24)
    );
    assert_eq!(
        body,
        json!({
            "model": "gpt-5.4-mini", "stream": false, "store": false, "tool_choice": "required",
            "max_output_tokens": 2_048, "reasoning": { "effort": "low" }, "prompt_cache_key": null,
            "instructions": "You operate a browser.",
            "input": [{ "role": "user", "content": [
                { "type": "input_text", "text": "Goal: buy tea" },
                { "type": "input_image", "detail": "auto", "image_url": "data:image/png;base64,UE5H" }
            ] }]
        })
    );
}

#[tokio::test]
async fn json_schema_mode_sends_the_schema_as_it_is() {
    let text = json!([{ "type": "message", "role": "assistant", "content": [
        { "type": "output_text", "text": r#"{"calls":[{"tool":"click","target":"e2"}]}"#, "annotations": [] }] }]);
    let peer = peer([reply(&text, "completed")]).await;
    assert!(peer.complete(&json_request()).await.text.contains("e2"));
    let (_, body) = peer.sent().await;
    assert_eq!(
        body["text"]["format"],
        json!({ "type": "json_schema", "name": "calls", "schema": reply_schema() })
    );
}

#[tokio::test]
async fn a_call_that_was_cut_off_does_not_take_the_whole_ones_with_it() {
    let output = json!([
        call("click", r#"{"target":"e1"}"#),
        call("finish", r#"{"answ"#)
    ]);
    let response = peer([reply(&output, "incomplete")])
        .await
        .complete(&request())
        .await;
    assert_eq!(
        (response.calls.len(), response.stop.as_deref()),
        (2, Some("incomplete"))
    );
    assert_eq!(response.usage.unwrap().cached, TokenCount(1_152));
}

#[tokio::test]
async fn a_refusal_and_a_filter_are_refused() {
    let refusal = json!([{ "type": "message", "role": "assistant",
        "content": [{ "type": "refusal", "refusal": "I can't help with that." }] }]);
    let mut filtered = reply(&json!([]), "incomplete");
    filtered["incomplete_details"] = json!({ "reason": "content_filter" });
    let peer = peer([reply(&refusal, "completed"), filtered]).await;
    for _ in 0..2 {
        assert_eq!(peer.fails(&request()).await.kind(), ErrorKind::Refused);
    }
}

#[tokio::test]
async fn equal_requests_are_equal_bytes() {
    assert_deterministic(&peer([]).await).await;
}
