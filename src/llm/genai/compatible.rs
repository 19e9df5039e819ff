//! A client for the Chat Completions API of OpenAI-compatible servers, without the `genai` crate.

use ::genai::chat::{ChatOptions, ReasoningEffort, StopReason, ToolChoice};
use base64::{Engine, engine::general_purpose::STANDARD};
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE};
use serde_json::{Map, Value, json};

use super::{GenAiOptions, error, http, request, response};
use crate::{
    base::{Result, sorted},
    chat::{CallMode, ChatRequest, ChatResponse},
};

pub(super) async fn complete(
    client: &reqwest::Client,
    options: &GenAiOptions,
    request: &ChatRequest,
) -> Result<ChatResponse> {
    let url = options.endpoint(request.mode) + "chat/completions";
    let body = body(options, request);
    let mut post = client
        .post(url)
        .header(CONTENT_TYPE, "application/json")
        .body(body.to_string());
    if let Some(key) = &options.api_key {
        post = post.header(AUTHORIZATION, format!("Bearer {}", key.expose()));
    }
    let bytes = http::fetch(post, options.max_reply_bytes).await?;
    let body: Value =
        serde_json::from_slice(&bytes).map_err(|e| error::malformed(e.to_string()))?;
    read(&body, options)
}

/// Returns the body of the request. For prefix caching, the tools and other fields that stay the same come before the
/// messages. Only the temperature, the token limit and the extra fields, such as the schema, come after them.
fn body(options: &GenAiOptions, request: &ChatRequest) -> Value {
    let chat = request::options(request, options);
    let mut body = Map::new();
    let mut set = |key: &str, value: Value| {
        body.insert(key.to_owned(), value);
    };
    set("model", json!(options.model));
    set("stream", json!(false));
    if let Some(effort) = effort(&chat) {
        set("reasoning_effort", json!(effort));
        if options.api_key.is_none() {
            // A server that needs no key is assumed to be a local one. Local servers pass these fields to the template that
            // formats the model's input.
            let template = json!({
                "enable_thinking": true, "reasoning_effort": effort, "preserve_thinking": false,
            });
            set("chat_template_kwargs", template);
        }
    }
    if request.mode == CallMode::Tools {
        let tools = request.tools.declared().iter().map(|spec| {
            json!({ "type": "function", "function": {
                "name": spec.name,
                "description": spec.description,
                "parameters": sorted(&spec.parameters),
            } })
        });
        set("tools", tools.collect());
    }
    match chat.tool_choice {
        Some(ToolChoice::Required) => set("tool_choice", json!("required")),
        Some(ToolChoice::Auto) => set("tool_choice", json!("auto")),
        _ => {}
    }
    set("messages", messages(request));
    if let Some(temperature) = chat.temperature {
        set("temperature", json!(temperature));
    }
    if let Some(tokens) = chat.max_tokens {
        set(tokens_key(&options.model), json!(tokens));
    }
    if let Some(Value::Object(extra)) = chat.extra_body {
        body.extend(extra);
    }
    Value::Object(body)
}

fn messages(request: &ChatRequest) -> Value {
    let content = if request.images.is_empty() {
        json!(request.message)
    } else {
        let text = json!({ "type": "text", "text": request.message });
        let images = request.images.iter().map(|image| {
            let url = format!("data:image/png;base64,{}", STANDARD.encode(&image.png));
            json!({ "type": "image_url", "image_url": { "url": url } })
        });
        std::iter::once(text).chain(images).collect()
    };
    json!([
        { "role": "system", "content": request.system },
        { "role": "user", "content": content },
    ])
}

fn effort(chat: &ChatOptions) -> Option<&'static str> {
    match chat.reasoning_effort.as_ref()? {
        ReasoningEffort::Zero => Some("none"),
        ReasoningEffort::Low => Some("low"),
        ReasoningEffort::Medium => Some("medium"),
        ReasoningEffort::High => Some("high"),
        _ => None,
    }
}

/// Returns the name of the request's field that limits the output tokens. `OpenAI`'s reasoning models use another name
/// than all other models.
fn tokens_key(model: &str) -> &'static str {
    let own = ["gpt-5", "gpt-6", "o1", "o3", "o4"];
    if own.iter().any(|prefix| model.starts_with(prefix)) {
        "max_completion_tokens"
    } else {
        "max_tokens"
    }
}

/// Parses the body of a reply. Each tool call is parsed separately, so that a truncated call does not affect the
/// others.
fn read(body: &Value, options: &GenAiOptions) -> Result<ChatResponse> {
    if let Some(error) = error::in_body(body) {
        return Err(error);
    }
    let text = |pointer: &str| {
        body.pointer(pointer)
            .and_then(Value::as_str)
            .map(str::trim)
            .filter(|text| !text.is_empty())
            .map(str::to_owned)
    };
    let mut calls = response::raw_calls(body);
    for call in &mut calls {
        if let Some(arguments) = call
            .arguments
            .as_str()
            .and_then(|a| serde_json::from_str(a).ok())
        {
            call.arguments = arguments;
        }
    }
    let response = ChatResponse {
        text: text("/choices/0/message/content")
            .or_else(|| parts(body))
            .unwrap_or_default(),
        reasoning: text("/choices/0/message/reasoning")
            .or_else(|| text("/choices/0/message/reasoning_content")),
        calls,
        usage: response::raw_usage(body),
        stop: text("/choices/0/finish_reason"),
        model: text("/model").or_else(|| Some(options.model.clone())),
        ..ChatResponse::default()
    };
    if response.calls.is_empty() {
        response::declined(body, response.stop.clone().map(StopReason::from).as_ref())?;
        if response.text.is_empty() {
            response::unspoken(body)?;
        }
    }
    Ok(response)
}

/// Returns the text of a reply whose content is a list of parts; `None` if the content is no list.
fn parts(body: &Value) -> Option<String> {
    let parts = body.pointer("/choices/0/message/content")?.as_array()?;
    let texts = parts.iter().filter_map(|part| part.get("text")?.as_str());
    Some(texts.collect::<String>().trim().to_owned())
}
