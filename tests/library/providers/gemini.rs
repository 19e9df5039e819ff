//! Gemini's `generateContent`.

use serde_json::{Value, json};
use webwise::{ErrorKind, base::TokenCount, chat::Usage, llm::Provider};

use crate::providers::support::*;

async fn peer(answers: impl IntoIterator<Item = Value>) -> Peer {
    Peer::new(
        Provider::Gemini,
        "gemini-2.5-flash",
        answers.into_iter().map(ok),
    )
    .await
}

fn reply(parts: &Value, finish: &str) -> Value {
    json!({
        "candidates": [{ "content": { "parts": parts, "role": "model" }, "finishReason": finish, "index": 0 }],
        "usageMetadata": { "promptTokenCount": 1_410, "candidatesTokenCount": 22, "totalTokenCount": 1_500,
            "cachedContentTokenCount": 1_019, "thoughtsTokenCount": 68,
            "promptTokensDetails": [{ "modality": "TEXT", "tokenCount": 1_410 }] },
        "modelVersion": "gemini-2.5-flash", "responseId": "abc"
    })
}

fn call(target: &str) -> Value {
    json!({ "functionCall": { "name": "click", "args": { "target": target } }, "thoughtSignature": "CiQB" })
}

#[tokio::test]
async fn a_tool_call_is_asked_for_and_read_although_it_stops_with_stop() {
    let peer = peer([reply(&json!([call("e4")]), "STOP")]).await;
    let response = peer.complete(&request()).await;
    assert_eq!(lines(&response), [r#"click {"target":"e4"}"#]);
    let usage = Usage {
        input: TokenCount(1_410),
        output: TokenCount(90),
        cached: TokenCount(1_019),
    };
    assert_eq!(
        (response.usage, response.stop.as_deref()),
        (Some(usage), Some("STOP"))
    );

    let (path, mut body) = peer.sent().await;
    assert_eq!(path, "/v1beta/models/gemini-2.5-flash:generateContent");
    assert_eq!(peer.header("x-goog-api-key").await.as_deref(), Some(KEY));
    let declared = take_tools(&mut body)[0]["functionDeclarations"][0].take();
    assert_eq!(
        (&declared["name"], &declared["parametersJsonSchema"]),
        (&json!("click"), &click_schema())
    );
    assert_eq!(
        body,
        json!({
            "systemInstruction": { "parts": [{ "text": "You operate a browser." }] },
            "toolConfig": { "functionCallingConfig": { "mode": "ANY" } },
            "contents": [{ "role": "user", "parts": [{ "text": "Goal: buy tea" }] }],
            "generationConfig": { "temperature": 0.2, "maxOutputTokens": 2_048,
                "thinkingConfig": { "thinkingBudget": 1_000 } }
        })
    );
}

#[tokio::test]
async fn several_calls_of_one_tool_without_ids_are_kept_apart() {
    let parts = json!([{ "text": "I think", "thought": true }, call("e1"), call("e2"), call("e1")]);
    let response = peer([reply(&parts, "STOP")])
        .await
        .complete(&request())
        .await;
    let targets: Vec<_> = response
        .calls
        .iter()
        .map(|call| call.arguments["target"].as_str().unwrap())
        .collect();
    assert_eq!(
        (targets, response.reasoning.as_deref()),
        (vec!["e1", "e2", "e1"], Some("I think"))
    );
}

#[tokio::test]
async fn a_picture_goes_after_the_text() {
    let peer = peer([reply(&json!([call("e1")]), "STOP")]).await;
    peer.complete(&seeing_request()).await;
    assert_eq!(
        peer.sent().await.1["contents"][0]["parts"],
        json!([{ "text": "Goal: buy tea" }, { "inline_data": { "mime_type": "image/png", "data": "UE5H" } }])
    );
}

#[tokio::test]
async fn json_schema_mode_sends_a_schema_without_constants_and_no_tools() {
    let parts = json!([{ "text": r#"{"calls":[{"tool":"click","target":"e2"}]}"# }]);
    let peer = peer([reply(&parts, "STOP")]).await;
    let response = peer.complete(&json_request()).await;
    let read = webwise::action::parse_calls(&response.calls, &response.text, &tools()).unwrap();
    assert_eq!(read[0].as_ref().unwrap().line(), r#"click {"target":"e2"}"#);
    let (_, mut body) = peer.sent().await;
    assert_eq!(take_tools(&mut body), unset());
    let config = &body["generationConfig"];
    assert_eq!(config["responseMimeType"], "application/json");
    let tool = &config["responseJsonSchema"]["properties"]["calls"]["items"]["anyOf"][0]["properties"]
        ["action"];
    assert_eq!(tool, &json!({ "enum": ["click"] }));
}

#[tokio::test]
async fn a_blocked_prompt_and_a_blocked_answer_are_refused() {
    let prompt = json!({ "promptFeedback": { "blockReason": "PROHIBITED_CONTENT" },
        "usageMetadata": { "promptTokenCount": 12, "totalTokenCount": 12 }, "modelVersion": "gemini-2.5-flash" });
    let answer = json!({ "candidates": [{ "finishReason": "SAFETY", "index": 0,
        "safetyRatings": [{ "category": "HARM_CATEGORY_HARASSMENT", "probability": "HIGH" }] }] });
    let peer = peer([prompt, answer]).await;
    for why in ["PROHIBITED_CONTENT", "SAFETY"] {
        let error = peer.fails(&request()).await;
        assert!(
            error.kind() == ErrorKind::Refused && error.to_string().contains(why),
            "{error}"
        );
    }
}

#[tokio::test]
async fn a_call_that_gemini_could_not_write_is_a_malformed_reply() {
    let body = json!({ "candidates": [{ "content": {}, "finishReason": "MALFORMED_FUNCTION_CALL", "index": 0,
        "finishMessage": "Malformed function call: click(target=e1" }] });
    assert_eq!(
        peer([body]).await.fails(&request()).await.kind(),
        ErrorKind::MalformedReply
    );
}

#[tokio::test]
async fn a_reply_that_was_all_thinking_is_empty_and_counted() {
    let body = json!({ "candidates": [{ "content": { "role": "model" }, "finishReason": "MAX_TOKENS", "index": 0 }],
        "usageMetadata": { "promptTokenCount": 10, "thoughtsTokenCount": 2_047, "totalTokenCount": 2_057 } });
    let response = peer([body]).await.complete(&request()).await;
    assert_eq!(
        (
            response.text.as_str(),
            response.calls.len(),
            response.stop.as_deref()
        ),
        ("", 0, Some("MAX_TOKENS"))
    );
    assert_eq!(response.usage.unwrap().output, TokenCount(2_047));
}

#[tokio::test]
async fn a_bad_key_under_status_400_is_unauthorized() {
    let body = json!({ "error": { "code": 400, "message": format!("API key not valid: {KEY}"),
        "status": "INVALID_ARGUMENT", "details": [{ "@type": "type.googleapis.com/google.rpc.ErrorInfo",
        "reason": "API_KEY_INVALID", "domain": "googleapis.com" }] } });
    let peer = Peer::new(Provider::Gemini, "gemini-2.5-flash", [status(400, body)]).await;
    assert_eq!(peer.fails(&request()).await.kind(), ErrorKind::Unauthorized);
}

#[tokio::test]
async fn the_wait_in_the_body_of_a_429_is_exact() {
    let body = json!({ "error": { "code": 429, "message": "Quota exceeded", "status": "RESOURCE_EXHAUSTED",
        "details": [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "34.074824224s" }] } });
    let peer = Peer::new(Provider::Gemini, "gemini-2.5-flash", [status(429, body)]).await;
    let error = peer.fails(&request()).await;
    assert_eq!(error.kind(), ErrorKind::RateLimited);
    assert_eq!(error.retry_after().unwrap().as_nanos(), 34_074_824_224);
}

#[tokio::test]
async fn equal_requests_are_equal_bytes() {
    assert_deterministic(&peer([]).await).await;
}
