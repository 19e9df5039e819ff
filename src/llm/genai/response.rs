//! Conversion of the `genai` crate's reply into a [`ChatResponse`].

use ::genai::{
    Error as GenAiError,
    chat::{ChatResponse as GenAiResponse, StopReason, Usage as GenAiUsage},
};
use serde_json::Value;

use super::error::{self, malformed, refused};
use crate::{
    action::RawCall,
    base::{Result, TokenCount},
    chat::{ChatResponse, Usage},
};

/// JSON pointer to the tool calls in a reply of the Chat Completions API.
const CHAT_CALLS: &str = "/choices/0/message/tool_calls";
const RESPONSES_ITEMS: &str = "/output";

/// Converts a reply that the `genai` crate could read. Fails if the reply contains an error. A reply without calls also
/// fails if the request was declined, even beside text, or if the reply has neither text nor a message.
pub(super) fn read(reply: GenAiResponse) -> Result<ChatResponse> {
    let body = reply.captured_raw_body.unwrap_or_default();
    if let Some(error) = error::in_body(&body) {
        return Err(error);
    }
    let mut response = ChatResponse {
        text: reply.content.joined_texts().unwrap_or_default(),
        reasoning: reply.reasoning_content.filter(|text| !text.is_empty()),
        usage: usage(&reply.usage),
        stop: reply
            .stop_reason
            .as_ref()
            .map(|reason| reason.raw().to_owned()),
        model: Some(reply.provider_model_iden.model_name.to_string()),
        ..ChatResponse::default()
    };
    response.calls = reply
        .content
        .into_tool_calls()
        .into_iter()
        .map(|call| RawCall::new(call.fn_name, call.fn_arguments))
        .collect();
    if response.calls.is_empty() {
        declined(&body, reply.stop_reason.as_ref())?;
        if response.text.is_empty() {
            unspoken(&body)?;
        }
    }
    Ok(response)
}

/// Returns the readable part of a reply that the `genai` crate rejected. Returns an error if the reply has no tool call
/// in the format of Chat Completions or of the Responses API, even if its text is readable. Also converts every other
/// error of the `genai` crate.
///
/// The `genai` crate rejects a whole reply if the arguments of one call are not JSON, for example because the call was
/// cut off. The broken call is returned too; the parser of calls reports it later.
pub(super) fn recover(error: GenAiError) -> Result<ChatResponse> {
    let GenAiError::ChatResponseGeneration {
        response_body: body,
        cause,
        ..
    } = error
    else {
        return Err(error::convert(error));
    };
    if let Some(error) = error::in_body(&body) {
        return Err(error);
    }
    let calls = raw_calls(&body);
    if calls.is_empty() {
        declined(&body, None)?;
        return Err(malformed(cause));
    }
    let text = |pointer: &str| {
        body.pointer(pointer)
            .and_then(Value::as_str)
            .map(str::to_owned)
    };
    Ok(ChatResponse {
        text: text("/choices/0/message/content").unwrap_or_default(),
        calls,
        usage: raw_usage(&body),
        stop: text("/choices/0/finish_reason").or_else(|| text("/status")),
        model: text("/model"),
        ..ChatResponse::default()
    })
}

/// Returns the tool calls in a reply's body, in the format of Chat Completions or of the Responses API. Their arguments
/// are not parsed.
pub(super) fn raw_calls(body: &Value) -> Vec<RawCall> {
    let list = |pointer: &str| {
        body.pointer(pointer)
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
    };
    let chat = list(CHAT_CALLS).filter_map(|call| call.get("function"));
    let responses = list(RESPONSES_ITEMS).filter(|item| item["type"] == "function_call");
    let call = |value: &Value| {
        let arguments = value.get("arguments").cloned().unwrap_or_default();
        Some(RawCall::new(value.get("name")?.as_str()?, arguments))
    };
    chat.chain(responses).filter_map(call).collect()
}

pub(super) fn raw_usage(body: &Value) -> Option<Usage> {
    let count = |names: [&str; 2]| {
        names
            .iter()
            .find_map(|name| body.pointer(name)?.as_u64())
            .map(TokenCount)
    };
    let input = count(["/usage/prompt_tokens", "/usage/input_tokens"]);
    let output = count(["/usage/completion_tokens", "/usage/output_tokens"]);
    (input.is_some() || output.is_some()).then(|| Usage {
        input: input.unwrap_or_default(),
        output: output.unwrap_or_default(),
        cached: count([
            "/usage/prompt_tokens_details/cached_tokens",
            "/usage/input_tokens_details/cached_tokens",
        ])
        .unwrap_or_default(),
    })
}

fn usage(reported: &GenAiUsage) -> Option<Usage> {
    let count = |tokens: Option<i32>| {
        tokens
            .and_then(|tokens| u64::try_from(tokens).ok())
            .map(TokenCount)
    };
    let thought = reported
        .completion_tokens_details
        .as_ref()
        .and_then(|details| details.reasoning_tokens);
    let cached = reported
        .prompt_tokens_details
        .as_ref()
        .and_then(|details| details.cached_tokens);
    // Gemini leaves out the number of output tokens if the model only reasoned.
    let (input, output) = (
        count(reported.prompt_tokens),
        count(reported.completion_tokens.or(thought)),
    );
    (input.is_some() || output.is_some()).then(|| Usage {
        input: input.unwrap_or_default(),
        output: output.unwrap_or_default(),
        cached: count(cached).unwrap_or_default(),
    })
}

/// Fails if a content filter or the model itself declined the request. Must be called only for replies without tool calls.
pub(super) fn declined(body: &Value, stop: Option<&StopReason>) -> Result<()> {
    let said = |pointer: &str| {
        body.pointer(pointer)
            .and_then(Value::as_str)
            .filter(|text| !text.is_empty())
    };
    if let Some(why) = said("/choices/0/message/refusal") {
        return Err(refused(why));
    }
    if let Some(why) = said("/promptFeedback/blockReason") {
        return Err(refused(why));
    }
    let items = body
        .pointer(RESPONSES_ITEMS)
        .and_then(Value::as_array)
        .into_iter()
        .flatten();
    let parts = items
        .filter_map(|item| item.get("content")?.as_array())
        .flatten();
    if let Some(why) = parts
        .filter(|part| part["type"] == "refusal")
        .find_map(|part| part.get("refusal")?.as_str())
    {
        return Err(refused(why));
    }
    if let Some(why) = said("/incomplete_details/reason").filter(|why| *why == "content_filter") {
        return Err(refused(why));
    }
    match stop {
        Some(StopReason::ContentFilter(why)) => Err(refused(why)),
        _ => Ok(()),
    }
}

/// Fails if a reply's body contains no message of the model, or if the provider reports that the model's tool call was
/// invalid. Must be called only for replies without tool calls and without text.
pub(super) fn unspoken(body: &Value) -> Result<()> {
    let known = ["choices", "candidates", "content", "output", "message"];
    let spoken = known.iter().any(|key| match body.get(*key) {
        Some(Value::Array(items)) => *key == "content" || !items.is_empty(),
        Some(Value::Object(_)) => true,
        _ => false,
    });
    if !spoken {
        return Err(malformed("the reply holds no message"));
    }
    match body
        .pointer("/candidates/0/finishReason")
        .and_then(Value::as_str)
    {
        Some(why @ ("MALFORMED_FUNCTION_CALL" | "UNEXPECTED_TOOL_CALL")) => Err(malformed(why)),
        _ => Ok(()),
    }
}
