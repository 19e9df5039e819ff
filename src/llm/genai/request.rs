//! Conversion of a [`ChatRequest`] into the `genai` crate's request. Equal requests give equal bytes, so that providers
//! can cache the prefix.

use ::genai::{
    Headers,
    adapter::AdapterKind,
    chat::{
        Binary, CacheControl, ChatMessage, ChatOptions, ChatRequest as GenAiRequest, ContentPart,
        JsonSpec, MessageContent, ReasoningEffort, Tool, ToolChoice,
    },
};
use base64::{Engine, engine::general_purpose::STANDARD};
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use super::{GenAiOptions, Provider, Reasoning};
use crate::{
    action::{ToolSet, ToolSpec},
    base::sorted,
    chat::{CallMode, ChatRequest},
};

/// The name of the schema of replies, for providers that require a name.
const SCHEMA_NAME: &str = "calls";

/// Returns the request for the `genai` crate. The system instruction and the tools come first, because they stay the
/// same from call to call.
pub(super) fn chat(request: &ChatRequest) -> GenAiRequest {
    let text = std::iter::once(ContentPart::from_text(&request.message));
    let images = request.images.iter().map(|image| {
        ContentPart::Binary(Binary::from_base64(
            "image/png",
            STANDARD.encode(&image.png),
            None,
        ))
    });
    let parts: Vec<_> = text.chain(images).collect();
    let chat = GenAiRequest::from_system(&request.system)
        .append_message(ChatMessage::user(MessageContent::from_parts(parts)));
    match request.mode {
        CallMode::Tools => chat.with_tools(request.tools.declared().iter().map(tool)),
        // The schema already names the tools. If a request had both schema and tools, it would be unclear which to use,
        // and some providers would refuse it.
        CallMode::JsonSchema => chat,
    }
}

fn tool(spec: &ToolSpec) -> Tool {
    Tool::new(spec.name.as_str())
        .with_description(spec.description.as_str())
        .with_schema(sorted(&spec.parameters))
}

/// Returns the parts of the provider's request that are neither messages nor tools.
pub(super) fn options(request: &ChatRequest, options: &GenAiOptions) -> ChatOptions {
    let kind = options.adapter_kind(request.mode);
    // The raw bodies of replies are kept, because some answers are visible only there: refusals, blocked prompts,
    // errors under status 200.
    let mut chat = ChatOptions::default().with_capture_raw_body(true);
    chat.max_tokens = u32::try_from(request.max_output.0)
        .ok()
        .filter(|tokens| *tokens > 0);
    chat.reasoning_effort = effort(options.reasoning, kind);
    // A request to an Anthropic model that reasons may neither require a call nor set a temperature.
    let thinks = options.provider == Provider::Anthropic && options.reasoning != Reasoning::Off;
    chat.temperature = (options.temperature && !thinks).then_some(request.temperature);
    let mut body = Map::new();
    match request.mode {
        CallMode::Tools => {
            chat.tool_choice = Some(if thinks {
                ToolChoice::Auto
            } else {
                ToolChoice::Required
            });
        }
        CallMode::JsonSchema => respond_with(
            &request.tools,
            request.max_calls,
            kind,
            &mut chat,
            &mut body,
        ),
    }
    cache(request, kind, options.provider, &mut chat);
    if let (AdapterKind::Ollama, Some(key)) = (kind, &options.api_key) {
        chat.extra_headers = Some(Headers::from((
            "Authorization",
            format!("Bearer {}", key.expose()),
        )));
    }
    body.extend(options.extra_body.clone());
    chat.extra_body = (!body.is_empty()).then_some(Value::Object(body));
    chat
}

/// Makes the request ask for JSON that follows the schema of calls. Depending on the wire format `kind`, this is set in
/// `chat` or in `body`.
fn respond_with(
    tools: &ToolSet,
    max_calls: usize,
    kind: AdapterKind,
    chat: &mut ChatOptions,
    body: &mut Map<String, Value>,
) {
    let schema = tools.reply_schema(max_calls);
    match kind {
        AdapterKind::Gemini => {
            chat.response_format =
                Some(JsonSpec::new(SCHEMA_NAME, sorted(&without_constants(schema))).into());
        }
        AdapterKind::Anthropic => {
            chat.response_format = Some(JsonSpec::new(SCHEMA_NAME, schema).into());
        }
        // The schema is written into the body here, because the `genai` crate would mark every optional argument as
        // required, for OpenAI's strict mode. The model would then have to invent a value for each.
        AdapterKind::OpenAIResp => {
            let format = json!({ "type": "json_schema", "name": SCHEMA_NAME, "schema": schema });
            body.insert("text".to_owned(), json!({ "format": format }));
        }
        _ => {
            let format = json!({ "name": SCHEMA_NAME, "schema": schema });
            body.insert(
                "response_format".to_owned(),
                json!({ "type": "json_schema", "json_schema": format }),
            );
        }
    }
}

/// Returns a JSON schema with each `const` replaced by an `enum` of one value, because Gemini does not support `const`.
fn without_constants(schema: Value) -> Value {
    match schema {
        Value::Object(map) => map
            .into_iter()
            .map(|(key, value)| match key.as_str() {
                "const" => ("enum".to_owned(), json!([value])),
                _ => (key, without_constants(value)),
            })
            .collect::<Map<_, _>>()
            .into(),
        Value::Array(items) => items
            .into_iter()
            .map(without_constants)
            .collect::<Vec<_>>()
            .into(),
        other => other,
    }
}

/// Marks as cacheable the part of the requests that stays the same during a run, for providers that need such a mark.
fn cache(request: &ChatRequest, kind: AdapterKind, provider: Provider, chat: &mut ChatOptions) {
    match kind {
        // The mark on the system instruction also covers the tools, which come before it.
        AdapterKind::Anthropic => chat.cache_control = Some(CacheControl::Ephemeral),
        // With this key, the provider sends requests with the same prefix to the same machine.
        AdapterKind::OpenAI | AdapterKind::OpenAIResp if provider == Provider::OpenAi => {
            let digest = Sha256::digest(request.system.as_bytes());
            let short = digest
                .iter()
                .take(8)
                .fold(0_u64, |short, byte| (short << 8) | u64::from(*byte));
            chat.prompt_cache_key = Some(format!("webwise-{short:016x}"));
        }
        _ => {}
    }
}

fn effort(reasoning: Reasoning, kind: AdapterKind) -> Option<ReasoningEffort> {
    match (reasoning, kind) {
        (
            Reasoning::Provider,
            AdapterKind::Gemini | AdapterKind::Anthropic | AdapterKind::Ollama,
        ) => None,
        // If no effort is set, the `genai` crate removes a final `-high`, `-max` or `-none` from the model's name, even
        // if it belongs to the name, as in `qwen3-max`. A token budget prevents that. OpenAI's formats ignore the
        // budget. Gemini reads 0 as "off", but for Gemini 3 the `genai` crate leaves the budget out.
        (Reasoning::Provider, _) | (Reasoning::Off, AdapterKind::Gemini) => {
            Some(ReasoningEffort::Budget(0))
        }
        (Reasoning::Off, _) => Some(ReasoningEffort::Zero),
        (Reasoning::Low, _) => Some(ReasoningEffort::Low),
        (Reasoning::Medium, _) => Some(ReasoningEffort::Medium),
        (Reasoning::High, _) => Some(ReasoningEffort::High),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::action::BrowserTool;

    #[test]
    fn constants_become_enums_at_every_depth() {
        let tools = ToolSet::new(&[BrowserTool::Click].into(), false, []);
        let schema = without_constants(tools.reply_schema(3)).to_string();
        assert!(
            !schema.contains("\"const\"") && schema.contains(r#"{"enum":["click"]}"#),
            "{schema}"
        );
    }

    #[test]
    fn where_the_crate_would_shorten_a_models_name_an_effort_is_always_given() {
        for kind in [
            AdapterKind::OpenAI,
            AdapterKind::OpenAIResp,
            AdapterKind::Omlx,
            AdapterKind::Custom(0),
        ] {
            assert!(
                matches!(
                    effort(Reasoning::Provider, kind),
                    Some(ReasoningEffort::Budget(0))
                ),
                "{kind}"
            );
        }
    }
}
