//! Options of the [`GenAi`](super::GenAi) client.

use std::time::Duration;

use ::genai::adapter::AdapterKind;
use serde_json::{Map, Value};
use url::Url;

use super::http::is_loopback;
use crate::{
    base::{Error, ErrorKind, Result, TokenCount},
    chat::CallMode,
    secret::Secret,
};

/// The provider of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Provider {
    /// Google's Gemini API.
    Gemini,
    /// Anthropic's Messages API.
    Anthropic,
    /// `OpenAI`'s own API: the Responses API for models that need it, Chat Completions for all others.
    OpenAi,
    /// A server that implements `OpenAI`'s Chat Completions: llama.cpp, vLLM, LM Studio, `OpenRouter` and others.
    OpenAiCompatible,
    /// Ollama's own API. For [`CallMode::JsonSchema`], Ollama's OpenAI-compatible API is used instead.
    Ollama,
}

impl Provider {
    /// Returns the provider's name in lower case, for logs and errors.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Gemini => "gemini",
            Self::Anthropic => "anthropic",
            Self::OpenAi => "openai",
            Self::OpenAiCompatible => "openai-compatible",
            Self::Ollama => "ollama",
        }
    }

    /// Guesses the provider from a model's name; `None` if the name gives no hint.
    ///
    /// ```
    /// use webwise::llm::Provider;
    ///
    /// assert_eq!(Provider::of_model("gemini-2.5-flash"), Some(Provider::Gemini));
    /// assert_eq!(Provider::of_model("qwen3:4b"), None);
    /// ```
    pub fn of_model(model: &str) -> Option<Self> {
        let begins = |prefixes: &[&str]| prefixes.iter().any(|prefix| model.starts_with(prefix));
        if begins(&["gemini"]) {
            Some(Self::Gemini)
        } else if begins(&["claude"]) {
            Some(Self::Anthropic)
        } else if begins(&["gpt-", "chatgpt", "o1", "o3", "o4"]) && !begins(&["gpt-oss"]) {
            Some(Self::OpenAi)
        } else {
            None
        }
    }

    const fn needs_key(self) -> bool {
        matches!(self, Self::Gemini | Self::Anthropic | Self::OpenAi)
    }

    const fn default_base_url(self) -> Option<&'static str> {
        match self {
            Self::Gemini => Some("https://generativelanguage.googleapis.com/v1beta/"),
            Self::Anthropic => Some("https://api.anthropic.com/v1/"),
            Self::OpenAi => Some("https://api.openai.com/v1/"),
            Self::OpenAiCompatible => None,
            Self::Ollama => Some("http://localhost:11434/"),
        }
    }
}

/// The amount of reasoning that a model does before it answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reasoning {
    /// The provider's default amount of reasoning.
    Provider,
    /// No reasoning, if the model can go without.
    Off,
    /// A small amount of reasoning.
    Low,
    /// A medium amount of reasoning.
    Medium,
    /// A large amount of reasoning.
    High,
}

/// Options of [`GenAi`](super::GenAi).
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct GenAiOptions {
    /// The provider of the model.
    pub provider: Provider,
    /// The model's name in the provider's spelling.
    pub model: String,
    /// The base URL of the API; `None` for the provider's default. Required for [`Provider::OpenAiCompatible`]. If
    /// there is a key, the URL must begin with https or be on this machine.
    pub base_url: Option<Url>,
    /// The key for the provider's API; optional for [`Provider::OpenAiCompatible`] and [`Provider::Ollama`].
    pub api_key: Option<Secret>,
    /// The model's context window: the maximum number of tokens of a request and its reply together. Default: unknown.
    pub context_window: Option<TokenCount>,
    /// True if the model accepts pictures. Default: true for Gemini, Anthropic and `OpenAI`; false for other servers.
    pub images: bool,
    /// The format of the model's answers: tool calls, or JSON that follows a schema. Default: tool calls.
    pub mode: CallMode,
    /// The amount of reasoning before each answer.
    ///
    /// Default: low for Gemini (except versions 1 and 2.0) and for `OpenAI`'s reasoning models, because their reasoning
    /// takes tokens from the answer's budget. Off for Anthropic, because its API cannot require a tool call of a model that
    /// reasons. The provider's default for all other models.
    pub reasoning: Reasoning,
    /// True if requests set a temperature. A request to an Anthropic model that reasons sets none in any case. Default:
    /// false for models whose name shows that they reject a temperature, otherwise true.
    pub temperature: bool,
    /// Longest time to connect to the provider. Default: 10 s. Source: chosen.
    pub connect_timeout: Duration,
    /// Longest time for one call. Default: 120 s. Source: chosen; this is twice the limit that
    /// [`Retrying`](crate::llm::Retrying) has for one call by default.
    pub timeout: Duration,
    /// Maximum size of a reply. A larger reply gives the error [`ErrorKind::MalformedReply`], which is not retried.
    /// Compressed replies are not unpacked. Unit: bytes. Default: 4 MiB. Source: chosen; 2,048 tokens take about 10
    /// KiB.
    pub max_reply_bytes: usize,
    /// Fields that are added to the body of each request, such as options of a particular server. They override the
    /// fields that the client sets. Not allowed for [`Provider::Ollama`].
    pub extra_body: Map<String, Value>,
}

impl GenAiOptions {
    /// Creates options for a model of this provider, with all other options at their defaults.
    pub fn new(provider: Provider, model: impl Into<String>) -> Self {
        let model = model.into();
        Self {
            provider,
            base_url: None,
            api_key: None,
            context_window: None,
            images: provider.needs_key(),
            mode: CallMode::Tools,
            reasoning: default_reasoning(provider, &model),
            temperature: takes_temperature(&model),
            connect_timeout: Duration::from_secs(10),
            timeout: Duration::from_mins(2),
            max_reply_bytes: 4 * 1_024 * 1_024,
            extra_body: Map::new(),
            model,
        }
    }

    /// Checks the options. Returns them with a normalised key and base URL.
    pub(super) fn checked(mut self) -> Result<Self> {
        self.model = self.model.trim().to_owned();
        if self.model.is_empty()
            || self.model.contains("::")
            || self.model.chars().any(char::is_control)
        {
            return Err(wrong("model", "expected the model's name without `::`"));
        }
        self.api_key = match self.api_key.take() {
            Some(key) => usable(&key)?,
            None => None,
        };
        if self.api_key.is_none() && self.provider.needs_key() {
            return Err(wrong("api_key", "this provider needs a key")
                .with("provider", self.provider.as_str()));
        }
        if self.provider == Provider::Ollama && !self.extra_body.is_empty() {
            return Err(wrong(
                "extra_body",
                "cannot be sent to ollama; use its openai-compatible address",
            ));
        }
        let url = match (self.base_url.take(), self.provider.default_base_url()) {
            (Some(url), _) => url,
            (None, Some(text)) => {
                Url::parse(text).map_err(|e| wrong("base_url", "not a URL").with_source(e))?
            }
            (None, None) => {
                return Err(wrong("base_url", "needed for an openai-compatible server"));
            }
        };
        let url = folder(url)?;
        if self.api_key.is_some() && url.scheme() == "http" && !is_loopback(&url) {
            return Err(wrong("base_url", UNENCRYPTED));
        }
        self.base_url = Some(url);
        Ok(self)
    }

    pub(super) fn adapter_kind(&self, mode: CallMode) -> AdapterKind {
        match self.provider {
            Provider::Gemini => AdapterKind::Gemini,
            Provider::Anthropic => AdapterKind::Anthropic,
            Provider::OpenAi => match AdapterKind::from_model(&self.model) {
                Ok(AdapterKind::OpenAIResp) => AdapterKind::OpenAIResp,
                _ => AdapterKind::OpenAI,
            },
            Provider::Ollama if mode == CallMode::Tools => AdapterKind::Ollama,
            // The next two variants stand for Chat Completions without and with a key. `compatible` sends these
            // requests, so the `genai` crate never sees either variant.
            Provider::Ollama | Provider::OpenAiCompatible if self.api_key.is_none() => {
                AdapterKind::Omlx
            }
            Provider::Ollama | Provider::OpenAiCompatible => AdapterKind::Custom(0),
        }
    }

    /// Returns the URL of the API for calls in this mode. It ends with a slash.
    pub(super) fn endpoint(&self, mode: CallMode) -> String {
        let base = self
            .base_url
            .as_ref()
            .map_or_else(String::new, Url::to_string);
        if self.provider == Provider::Ollama && mode == CallMode::JsonSchema {
            base + "v1/"
        } else {
            base
        }
    }
}

const UNENCRYPTED: &str =
    "would send the key unencrypted to another machine; use https, or give no key";

pub(super) fn wrong(option: &'static str, why: &'static str) -> Error {
    Error::new(ErrorKind::InvalidInput, "llm.options")
        .with("option", option)
        .with("why", why)
}

/// Returns the key without white space at its ends; `None` if nothing is left. Fails if the rest contains anything but
/// visible ASCII characters.
fn usable(key: &Secret) -> Result<Option<Secret>> {
    let text = key.expose().trim();
    if text.bytes().all(|b| b.is_ascii_graphic()) {
        Ok((!text.is_empty()).then(|| Secret::new(text)))
    } else {
        Err(wrong(
            "api_key",
            "holds characters that no header can carry",
        ))
    }
}

/// Returns the base URL without a fragment or a final `/chat/completions`. It ends with a slash, so that a path can be
/// joined to it.
fn folder(mut url: Url) -> Result<Url> {
    let web = matches!(url.scheme(), "http" | "https") && url.has_host();
    // User names and queries are refused, because they often contain keys, and the base URL appears in logs.
    if !web || !url.username().is_empty() || url.password().is_some() || url.query().is_some() {
        return Err(wrong(
            "base_url",
            "expected http or https, without user, password and query",
        ));
    }
    url.set_fragment(None);
    let path = url.path().trim_end_matches('/');
    let path = path.strip_suffix("/chat/completions").unwrap_or(path);
    let path = format!("{path}/");
    url.set_path(&path);
    Ok(url)
}

fn default_reasoning(provider: Provider, model: &str) -> Reasoning {
    match provider {
        Provider::Gemini
            if ["gemini-1", "gemini-2.0"]
                .iter()
                .any(|old| model.starts_with(old)) =>
        {
            Reasoning::Provider
        }
        Provider::Gemini => Reasoning::Low,
        Provider::Anthropic => Reasoning::Off,
        Provider::OpenAi if thinks_always(model) => Reasoning::Low,
        _ => Reasoning::Provider,
    }
}

fn thinks_always(model: &str) -> bool {
    ["gpt-5", "gpt-6", "o1", "o3", "o4"]
        .iter()
        .any(|prefix| model.starts_with(prefix))
}

/// Returns false if the model's name shows that the model rejects a temperature. Source: the providers' model pages.
fn takes_temperature(model: &str) -> bool {
    let fixed = [
        "claude-opus-4-7",
        "claude-opus-4-8",
        "claude-opus-5",
        "claude-sonnet-5",
        "claude-haiku-5",
    ];
    !thinks_always(model)
        && !fixed.iter().any(|prefix| model.starts_with(prefix))
        && !model.contains("fable")
        && !model.contains("mythos")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(url: &str) -> Result<String> {
        let mut options = GenAiOptions::new(Provider::OpenAiCompatible, "m");
        options.base_url = Some(Url::parse(url).unwrap());
        options
            .checked()
            .map(|options| options.endpoint(CallMode::Tools))
    }

    #[test]
    fn a_base_url_becomes_a_folder_however_it_was_written() {
        for url in [
            "http://h/v1",
            "http://h/v1/",
            "http://h/v1/chat/completions",
            "http://h/v1//#x",
        ] {
            assert_eq!(checked(url).unwrap(), "http://h/v1/", "{url}");
        }
        assert_eq!(checked("https://h").unwrap(), "https://h/");
    }

    #[test]
    fn a_base_url_that_hides_a_key_or_is_no_web_address_is_refused() {
        for url in [
            "http://me:pw@h/v1",
            "http://me@h/v1",
            "http://h/v1?key=s3cret",
            "file:///v1",
            "ws://h/v1",
        ] {
            let error = checked(url).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::InvalidInput, "{url}");
            assert!(!format!("{error:?}").contains("s3cret"), "{url}");
        }
    }

    #[test]
    fn a_key_goes_over_plain_http_to_this_machine_only() {
        let with_key = |provider, url: &str, key: Option<&str>| {
            let mut options = GenAiOptions::new(provider, "m");
            options.base_url = Some(Url::parse(url).unwrap());
            options.api_key = key.map(Secret::new);
            options
                .checked()
                .map(|_| ())
                .map_err(|error| format!("{error:?} {error}"))
        };
        for url in [
            "http://models.example/v1",
            "http://192.168.1.7:8000/v1",
            "http://localhost.models.example/",
        ] {
            for provider in [
                Provider::OpenAiCompatible,
                Provider::Ollama,
                Provider::Gemini,
            ] {
                let error = with_key(provider, url, Some("s3cret")).unwrap_err();
                assert!(
                    error.contains("would send the key unencrypted") && !error.contains("s3cret"),
                    "{error}"
                );
            }
            assert_eq!(
                with_key(Provider::OpenAiCompatible, url, None),
                Ok(()),
                "{url}"
            );
            assert_eq!(
                with_key(Provider::OpenAiCompatible, url, Some(" ")),
                Ok(()),
                "{url}"
            );
        }
        for url in [
            "https://models.example/v1",
            "http://127.0.0.1:8091/v1",
            "http://localhost/v1",
            "http://[::1]/v1",
        ] {
            assert_eq!(
                with_key(Provider::OpenAiCompatible, url, Some("s3cret")),
                Ok(()),
                "{url}"
            );
        }
    }

    #[test]
    fn what_is_missing_or_unusable_is_named() {
        let why = |options: GenAiOptions| options.checked().unwrap_err().to_string();
        assert!(
            why(GenAiOptions::new(Provider::Gemini, "gemini-2.5-flash"))
                .contains("option: api_key")
        );
        assert!(
            why(GenAiOptions::new(Provider::OpenAiCompatible, "m")).contains("option: base_url")
        );
        assert!(why(GenAiOptions::new(Provider::Ollama, " ")).contains("option: model"));
        let mut options = GenAiOptions::new(Provider::Ollama, "m");
        options.api_key = Some(Secret::new("two\nlines"));
        assert!(why(options).contains("option: api_key"));
    }

    #[test]
    fn white_space_around_a_key_is_not_part_of_it() {
        let mut options = GenAiOptions::new(Provider::Gemini, "gemini-2.5-flash");
        options.api_key = Some(Secret::new(" abc\n"));
        assert_eq!(options.checked().unwrap().api_key.unwrap().expose(), "abc");
    }

    #[test]
    fn the_wire_format_follows_provider_model_and_mode() {
        let kind =
            |provider, model: &str, mode| GenAiOptions::new(provider, model).adapter_kind(mode);
        assert_eq!(
            kind(Provider::OpenAi, "gpt-4.1-mini", CallMode::Tools),
            AdapterKind::OpenAI
        );
        assert_eq!(
            kind(Provider::OpenAi, "gpt-5-mini", CallMode::Tools),
            AdapterKind::OpenAIResp
        );
        assert_eq!(
            kind(Provider::OpenAiCompatible, "gpt-5-mini", CallMode::Tools),
            AdapterKind::Omlx
        );
        assert_eq!(
            kind(Provider::Ollama, "qwen3:4b", CallMode::Tools),
            AdapterKind::Ollama
        );
        assert_eq!(
            kind(Provider::Ollama, "qwen3:4b", CallMode::JsonSchema),
            AdapterKind::Omlx
        );
    }

    #[test]
    fn models_that_reject_a_temperature_are_sent_none() {
        for model in [
            "gpt-5.4-mini",
            "o3-mini",
            "claude-opus-4-8",
            "claude-sonnet-5",
        ] {
            assert!(
                !GenAiOptions::new(Provider::OpenAi, model).temperature,
                "{model}"
            );
        }
        for model in [
            "gpt-4.1-mini",
            "claude-sonnet-4-6",
            "gemini-2.5-flash",
            "qwen3",
        ] {
            assert!(
                GenAiOptions::new(Provider::OpenAi, model).temperature,
                "{model}"
            );
        }
    }
}
