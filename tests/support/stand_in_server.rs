//! The stand-in model behind an OpenAI-compatible server on loopback: the whole way to a model and back, without a key.
//!
//! The server knows only what a request carries. Include it with `#[path]`; it needs the feature `stand-in`.

use serde_json::{Value, json};
use webwise::{
    action::{BrowserTool, ToolSet},
    chat::{CallMode, ChatRequest, ChatResponse},
    stand_in::StandIn,
};
use wiremock::{Mock, MockServer, Request, Respond, ResponseTemplate, matchers::path};

/// Starts a server; its base URL is `{uri}/v1`.
pub(crate) async fn start() -> MockServer {
    let server = MockServer::start().await;
    Mock::given(path("/v1/chat/completions"))
        .respond_with(ChatCompletions)
        .mount(&server)
        .await;
    server
}

struct ChatCompletions;

impl Respond for ChatCompletions {
    fn respond(&self, request: &Request) -> ResponseTemplate {
        let Ok(body) = serde_json::from_slice::<Value>(&request.body) else {
            return ResponseTemplate::new(400);
        };
        let Some(asked) = asked(&body) else {
            return ResponseTemplate::new(422);
        };
        ResponseTemplate::new(200).set_body_json(completion(&StandIn::new().decide(&asked)))
    }
}

/// The request as it was before it went over the wire, as far as the wire carries it.
fn asked(body: &Value) -> Option<ChatRequest> {
    let said = |at: usize| {
        let content = body.pointer(&format!("/messages/{at}/content"))?;
        content
            .as_str()
            .or_else(|| content.pointer("/0/text")?.as_str())
    };
    let tools = body["tools"].as_array().into_iter().flatten();
    let names = tools.filter_map(|tool| tool.pointer("/function/name")?.as_str());
    let schema = body.pointer("/response_format/json_schema/schema/properties/calls/items/anyOf");
    let schemas = schema.and_then(Value::as_array).into_iter().flatten();
    let named = schemas.flat_map(|call| {
        let name = &call["properties"]["action"];
        let any_of = name["enum"].as_array().into_iter().flatten();
        std::iter::once(&name["const"]).chain(any_of)
    });
    let offered: Vec<&str> = names.chain(named.filter_map(Value::as_str)).collect();
    // A request that offers no tool is one that this server failed to read.
    if offered.is_empty() {
        return None;
    }
    let browser = offered.into_iter().filter_map(BrowserTool::parse).collect();
    let mut request =
        ChatRequest::new(said(0)?, said(1)?, ToolSet::new(&browser, false, []).into());
    request.mode = if schema.is_some() {
        CallMode::JsonSchema
    } else {
        CallMode::Tools
    };
    Some(request)
}

fn completion(reply: &ChatResponse) -> Value {
    let call = |(index, call): (usize, &webwise::action::RawCall)| {
        let function = json!({ "name": call.name, "arguments": call.arguments.to_string() });
        json!({ "id": format!("call_{index}"), "type": "function", "function": function })
    };
    let calls: Vec<Value> = reply.calls.iter().enumerate().map(call).collect();
    let finish = if calls.is_empty() {
        "stop"
    } else {
        "tool_calls"
    };
    let message = json!({ "role": "assistant", "content": reply.text, "tool_calls": calls });
    json!({ "model": "stand-in", "choices": [{ "index": 0, "message": message, "finish_reason": finish }] })
}
