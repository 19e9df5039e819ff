//! Chat Completions: `OpenAI` itself and compatible servers.

use serde_json::{Value, json};
use webwise::{
    ErrorKind, LlmClient,
    base::TokenCount,
    chat::Usage,
    llm::{GenAi, Provider, Reasoning},
};

use crate::providers::support::*;

async fn compatible(answers: impl IntoIterator<Item = Value>) -> Peer {
    Peer::new(
        Provider::OpenAiCompatible,
        "qwen3-max",
        answers.into_iter().map(ok),
    )
    .await
}

fn reply(message: &Value, finish: &str) -> Value {
    json!({
        "id": "chatcmpl-B9MBs8CjcvOU2jLn4n570S5qMJKcT", "object": "chat.completion", "created": 1_741_569_952,
        "model": "qwen3-max-2026-01-15", "system_fingerprint": "fp_1",
        "choices": [{ "index": 0, "message": message, "logprobs": null, "finish_reason": finish }],
        "usage": { "prompt_tokens": 1_240, "completion_tokens": 31, "total_tokens": 1_271,
            "prompt_tokens_details": { "cached_tokens": 1_024, "audio_tokens": 0 },
            "completion_tokens_details": { "reasoning_tokens": 0 } }
    })
}

fn call(id: &str, name: &str, arguments: &str) -> Value {
    json!({ "id": id, "type": "function", "function": { "name": name, "arguments": arguments } })
}

fn calling(calls: &[Value]) -> Value {
    reply(
        &json!({ "role": "assistant", "content": null, "refusal": null, "tool_calls": calls }),
        "tool_calls",
    )
}

#[tokio::test]
async fn a_tool_call_is_asked_for_and_read() {
    let peer = compatible([calling(&[call("call_1", "click", r#"{"target":"e4"}"#)])]).await;
    let response = peer.complete(&request()).await;
    assert_eq!(lines(&response), [r#"click {"target":"e4"}"#]);
    let usage = Usage {
        input: TokenCount(1_240),
        output: TokenCount(31),
        cached: TokenCount(1_024),
    };
    assert_eq!(
        (response.usage, response.stop.as_deref()),
        (Some(usage), Some("tool_calls"))
    );
    assert_eq!(
        (response.model.as_deref(), response.text.as_str()),
        (Some("qwen3-max-2026-01-15"), "")
    );

    let (path, mut body) = peer.sent().await;
    assert_eq!(path, "/v1/chat/completions");
    assert_eq!(
        peer.header("authorization").await,
        Some(format!("Bearer {KEY}"))
    );
    let tools = take_tools(&mut body);
    assert_eq!(tools[0]["type"], "function");
    assert_eq!(tools[0]["function"]["name"], "click");
    assert_eq!(tools[0]["function"]["parameters"], click_schema());
    assert_eq!(
        body,
        json!({
            "model": "qwen3-max", "stream": false, "tool_choice": "required", "temperature": 0.2, "max_tokens": 2_048,
            "messages": [
                { "role": "system", "content": "You operate a browser." },
                { "role": "user", "content": "Goal: buy tea" }
            ]
        })
    );
}

#[tokio::test]
async fn several_calls_keep_their_order_also_with_equal_ids() {
    let calls = [
        call("x", "click", r#"{"target":"e1"}"#),
        call("x", "click", r#"{"target":"e2"}"#),
    ];
    let response = compatible([calling(&calls)])
        .await
        .complete(&request())
        .await;
    assert_eq!(
        lines(&response),
        [r#"click {"target":"e1"}"#, r#"click {"target":"e2"}"#]
    );
}

#[tokio::test]
async fn a_call_that_was_cut_off_does_not_take_the_whole_ones_with_it() {
    let calls = [
        call("1", "click", r#"{"target":"e1"}"#),
        call("2", "finish", r#"{"answer":"The or"#),
    ];
    let message = json!({ "role": "assistant", "content": "Two steps.", "tool_calls": calls });
    let response = compatible([reply(&message, "length")])
        .await
        .complete(&request())
        .await;
    assert_eq!(
        lines(&response),
        [
            r#"click {"target":"e1"}"#,
            r#"finish "{\"answer\":\"The or""#
        ]
    );
    assert_eq!(
        (response.stop.as_deref(), response.usage.unwrap().cached),
        (Some("length"), TokenCount(1_024))
    );
    let read = webwise::action::parse_calls(&response.calls, &response.text, &tools()).unwrap();
    assert_eq!(read[0].as_ref().unwrap().line(), r#"click {"target":"e1"}"#);
    assert!(
        read[1]
            .as_ref()
            .unwrap_err()
            .failure
            .detail
            .contains("not JSON")
    );
}

#[tokio::test]
async fn a_reply_cut_off_by_length_with_a_whole_call_is_a_success() {
    let message =
        json!({ "role": "assistant", "tool_calls": [call("1", "click", r#"{"target":"e1"}"#)] });
    let response = compatible([reply(&message, "length")])
        .await
        .complete(&request())
        .await;
    assert_eq!(
        (response.calls.len(), response.stop.as_deref()),
        (1, Some("length"))
    );
}

#[tokio::test]
async fn text_only_is_given_as_text() {
    let message = json!({ "role": "assistant", "content": "I would click the button." });
    let response = compatible([reply(&message, "stop")])
        .await
        .complete(&request())
        .await;
    assert_eq!(
        (response.text.as_str(), response.calls.len()),
        ("I would click the button.", 0)
    );
}

#[tokio::test]
async fn a_call_written_as_json_text_stays_text_for_the_parser() {
    let text = "```json\n{\"name\": \"click\", \"arguments\": {\"target\": \"e7\"}}\n```";
    let message = json!({ "role": "assistant", "content": text, "tool_calls": null });
    let response = compatible([reply(&message, "stop")])
        .await
        .complete(&request())
        .await;
    let read = webwise::action::parse_calls(&response.calls, &response.text, &tools()).unwrap();
    assert_eq!(read[0].as_ref().unwrap().line(), r#"click {"target":"e7"}"#);
}

#[tokio::test]
async fn json_schema_mode_sends_the_schema_as_it_is_and_no_tools() {
    let message =
        json!({ "role": "assistant", "content": r#"{"calls":[{"tool":"click","target":"e2"}]}"# });
    let peer = compatible([reply(&message, "stop")]).await;
    let response = peer.complete(&json_request()).await;
    let read = webwise::action::parse_calls(&response.calls, &response.text, &tools()).unwrap();
    assert_eq!(read[0].as_ref().unwrap().line(), r#"click {"target":"e2"}"#);
    let (_, mut body) = peer.sent().await;
    assert_eq!(take_tools(&mut body), unset());
    assert_eq!(body["tool_choice"], unset());
    assert_eq!(
        body["response_format"],
        json!({ "type": "json_schema", "json_schema": { "name": "calls", "schema": reply_schema() } })
    );
}

#[tokio::test]
async fn a_picture_goes_after_the_text() {
    let peer = compatible([calling(&[call("1", "click", "{}")])]).await;
    peer.complete(&seeing_request()).await;
    let (_, body) = peer.sent().await;
    assert_eq!(
        body["messages"][1]["content"],
        json!([
            { "type": "text", "text": "Goal: buy tea" },
            { "type": "image_url", "image_url": { "url": "data:image/png;base64,UE5H" } }
        ])
    );
}

#[tokio::test]
async fn a_server_without_a_key_gets_no_authorization() {
    let peer = compatible([calling(&[call("1", "click", "{}")])]).await;
    let mut options = peer.options();
    options.api_key = None;
    GenAi::new(options)
        .unwrap()
        .complete(&request())
        .await
        .unwrap();
    assert_eq!(peer.header("authorization").await, None);
    assert_eq!(peer.sent().await.1["model"], "qwen3-max");
}

#[tokio::test]
async fn a_servers_own_switches_are_sent_over_ours() {
    let peer = compatible([calling(&[call("1", "click", "{}")])]).await;
    let mut options = peer.options();
    options.extra_body = json!({ "top_k": 20, "temperature": 0.0 })
        .as_object()
        .unwrap()
        .clone();
    options.reasoning = Reasoning::Low;
    GenAi::new(options)
        .unwrap()
        .complete(&request())
        .await
        .unwrap();
    let (_, body) = peer.sent().await;
    assert_eq!(
        (&body["top_k"], &body["temperature"]),
        (&json!(20), &json!(0.0))
    );
    assert_eq!(body["reasoning_effort"], "low");
}

#[tokio::test]
async fn openai_itself_is_given_a_key_for_its_prompt_cache() {
    let answers = [calling(&[call("1", "click", "{}")])];
    let peer = Peer::new(Provider::OpenAi, "gpt-4.1-mini", answers.map(ok)).await;
    peer.complete(&request()).await;
    let (path, body) = peer.sent().await;
    let key = body["prompt_cache_key"].as_str().unwrap();
    assert!(
        path.ends_with("/chat/completions") && key.starts_with("webwise-") && key.len() == 24,
        "{key}"
    );
}

#[tokio::test]
async fn usage_that_was_not_reported_is_absent() {
    let mut body = calling(&[call("1", "click", "{}")]);
    body.as_object_mut().unwrap().remove("usage");
    assert_eq!(
        compatible([body]).await.complete(&request()).await.usage,
        None
    );
}

#[tokio::test]
async fn a_filter_and_a_refusal_are_refused() {
    let filtered = reply(
        &json!({ "role": "assistant", "content": "" }),
        "content_filter",
    );
    let refused = reply(
        &json!({ "role": "assistant", "content": null, "refusal": "I can't help with that." }),
        "stop",
    );
    let peer = compatible([filtered, refused]).await;
    assert_eq!(peer.fails(&request()).await.kind(), ErrorKind::Refused);
    let error = peer.fails(&request()).await;
    assert!(
        error.kind() == ErrorKind::Refused && error.to_string().contains("I can't help"),
        "{error}"
    );
}

#[tokio::test]
async fn a_filter_beside_a_whole_call_does_not_hide_the_call() {
    let message =
        json!({ "role": "assistant", "tool_calls": [call("1", "click", r#"{"target":"e1"}"#)] });
    let response = compatible([reply(&message, "content_filter")])
        .await
        .complete(&request())
        .await;
    assert_eq!(response.calls.len(), 1);
}

#[tokio::test]
async fn equal_requests_are_equal_bytes() {
    assert_deterministic(&compatible([]).await).await;
}
