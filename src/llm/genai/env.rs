//! Options from environment variables. [`GenAi::from_env`](super::GenAi::from_env) documents the order in which they
//! are checked.

use std::ffi::OsString;

use url::Url;

use super::{GenAiOptions, Provider, http::is_loopback, options::wrong};
use crate::{
    base::{Result, TokenCount},
    chat::CallMode,
    secret::Secret,
};

const BASE_URL: &str = "WEBWISE_LLM_BASE_URL";
const BASE_URL_KEY: &str = "WEBWISE_LLM_API_KEY";
const MODEL: &str = "WEBWISE_MODEL";
const WINDOW: &str = "WEBWISE_CONTEXT_WINDOW";
const MODE: &str = "WEBWISE_LLM_MODE";

/// Each provider with its key variable and its default model, in the order in which the variables are checked.
const KEYS: [(Provider, &str, &str); 3] = [
    (Provider::Gemini, "GEMINI_API_KEY", "gemini-flash-latest"),
    (
        Provider::Anthropic,
        "ANTHROPIC_API_KEY",
        "claude-sonnet-4-6",
    ),
    (Provider::OpenAi, "OPENAI_API_KEY", "gpt-4.1-mini"),
];

/// A function that returns the value of a variable.
type Variables<'a> = &'a dyn Fn(&str) -> Option<OsString>;

pub(super) fn options(variables: Variables<'_>) -> Result<Option<GenAiOptions>> {
    let get = |name: &'static str| text(variables, name);
    let (url, key, model) = (get(BASE_URL)?, get(BASE_URL_KEY)?, get(MODEL)?);
    let found = match (url, model) {
        (Some(url), model) => Some(server(&url, key, model.as_deref())?),
        (None, _) if key.is_some() => {
            return Err(wrong(BASE_URL_KEY, "set, but WEBWISE_LLM_BASE_URL is not"));
        }
        (None, Some(model)) => Some(named(variables, &model)?),
        (None, None) => first_key(variables)?,
    };
    let Some(mut options) = found else {
        return Ok(None);
    };
    if let Some(window) = get(WINDOW)? {
        let tokens = window.parse().ok().filter(|tokens| *tokens > 0);
        options.context_window =
            Some(TokenCount(tokens.ok_or_else(|| {
                wrong(WINDOW, "expected a number of tokens")
            })?));
    }
    options.mode = match get(MODE)?.as_deref() {
        None if options.base_url.as_ref().is_some_and(is_loopback)
            || options.provider == Provider::Ollama =>
        {
            CallMode::JsonSchema
        }
        None | Some("tools") => CallMode::Tools,
        Some("json_schema") => CallMode::JsonSchema,
        Some(_) => return Err(wrong(MODE, "expected `tools` or `json_schema`")),
    };
    Ok(Some(options))
}

fn server(url: &str, key: Option<String>, model: Option<&str>) -> Result<GenAiOptions> {
    let mut options = GenAiOptions::new(Provider::OpenAiCompatible, model.unwrap_or("default"));
    options.base_url =
        Some(Url::parse(url).map_err(|e| wrong(BASE_URL, "not a URL").with_source(e))?);
    options.api_key = key.map(Secret::new);
    Ok(options)
}

/// Returns options for the model that the user named. The model's name determines the provider.
fn named(variables: Variables<'_>, model: &str) -> Result<GenAiOptions> {
    let prefixed = model.split_once('/').and_then(|(prefix, name)| {
        let known = [
            Provider::Gemini,
            Provider::Anthropic,
            Provider::OpenAi,
            Provider::Ollama,
        ];
        Some((
            known
                .into_iter()
                .find(|provider| provider.as_str() == prefix)?,
            name,
        ))
    });
    let found = prefixed.or_else(|| Some((Provider::of_model(model)?, model)));
    let Some((provider, name)) = found else {
        return Err(wrong(
            MODEL,
            "names a model of an unknown provider; set WEBWISE_LLM_BASE_URL, or begin the name with gemini/, anthropic/, \
             openai/ or ollama/",
        )
        .with("value", model));
    };
    let mut options = GenAiOptions::new(provider, name);
    if let Some((_, variable, _)) = KEYS.into_iter().find(|(of, ..)| *of == provider) {
        options.api_key = text(variables, variable)?.map(Secret::new);
        if options.api_key.is_none() {
            return Err(wrong(MODEL, "names a model whose key is not set")
                .with("value", model)
                .with("missing", variable));
        }
    }
    Ok(options)
}

fn first_key(variables: Variables<'_>) -> Result<Option<GenAiOptions>> {
    for (provider, variable, model) in KEYS {
        if let Some(key) = text(variables, variable)? {
            let mut options = GenAiOptions::new(provider, model);
            options.api_key = Some(Secret::new(key));
            return Ok(Some(options));
        }
    }
    Ok(None)
}

/// Returns the trimmed value of a variable; `None` if it is unset or empty. An error never contains the value.
fn text(variables: Variables<'_>, name: &'static str) -> Result<Option<String>> {
    let Some(value) = variables(name) else {
        return Ok(None);
    };
    let value = value
        .into_string()
        .map_err(|_| wrong(name, "not Unicode text"))?;
    let value = value.trim();
    Ok((!value.is_empty()).then(|| value.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::ErrorKind;

    fn read(variables: &[(&str, &str)]) -> Result<Option<GenAiOptions>> {
        options(&|name| {
            variables
                .iter()
                .find(|(n, _)| *n == name)
                .map(|(_, value)| OsString::from(value))
        })
    }

    fn found(variables: &[(&str, &str)]) -> (Provider, String, Option<String>) {
        let options = read(variables).unwrap().unwrap();
        (
            options.provider,
            options.model,
            options.api_key.map(|key| key.expose().to_owned()),
        )
    }

    fn refused(variables: &[(&str, &str)]) -> String {
        let error = read(variables).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidInput);
        assert!(!format!("{error:?}").contains("s3cret"), "{error:?}");
        error.to_string()
    }

    #[test]
    fn nothing_configured_is_none() {
        assert!(read(&[]).unwrap().is_none());
        assert!(
            read(&[("GEMINI_API_KEY", " "), (BASE_URL, "")])
                .unwrap()
                .is_none()
        );
    }

    #[test]
    fn a_base_url_wins_over_every_key() {
        let local = read(&[
            (BASE_URL, "http://127.0.0.1:8091/v1"),
            ("GEMINI_API_KEY", "g"),
        ])
        .unwrap()
        .unwrap();
        assert_eq!(
            (local.provider, local.model.as_str()),
            (Provider::OpenAiCompatible, "default")
        );
        assert_eq!(
            (local.api_key.is_none(), local.mode),
            (true, CallMode::JsonSchema)
        );
        let remote = [
            (BASE_URL, "https://openrouter.ai/api/v1"),
            (BASE_URL_KEY, "k"),
            (MODEL, "openai/gpt-4o"),
        ];
        assert_eq!(
            found(&remote),
            (
                Provider::OpenAiCompatible,
                "openai/gpt-4o".into(),
                Some("k".into())
            )
        );
        assert_eq!(read(&remote).unwrap().unwrap().mode, CallMode::Tools);
    }

    #[test]
    fn a_model_by_name_takes_its_providers_key() {
        let keys = [
            ("GEMINI_API_KEY", "g"),
            ("ANTHROPIC_API_KEY", "a"),
            ("OPENAI_API_KEY", "o"),
        ];
        for (name, provider, model, key) in [
            (
                "gemini-2.5-pro",
                Provider::Gemini,
                "gemini-2.5-pro",
                Some("g"),
            ),
            (
                "claude-opus-4-6",
                Provider::Anthropic,
                "claude-opus-4-6",
                Some("a"),
            ),
            ("gpt-4o", Provider::OpenAi, "gpt-4o", Some("o")),
            ("openai/ft:x", Provider::OpenAi, "ft:x", Some("o")),
            ("ollama/qwen3:4b", Provider::Ollama, "qwen3:4b", None),
        ] {
            let variables: Vec<_> = keys.into_iter().chain([(MODEL, name)]).collect();
            assert_eq!(
                found(&variables),
                (provider, model.to_owned(), key.map(str::to_owned)),
                "{name}"
            );
        }
    }

    #[test]
    fn keys_alone_are_taken_in_order_with_their_default_model() {
        let keys = [
            ("OPENAI_API_KEY", "o"),
            ("ANTHROPIC_API_KEY", "a"),
            ("GEMINI_API_KEY", "g"),
        ];
        let models: Vec<_> = (1..=3).map(|count| found(&keys[..count]).1).collect();
        assert_eq!(
            models,
            ["gpt-4.1-mini", "claude-sonnet-4-6", "gemini-flash-latest"]
        );
    }

    #[test]
    fn window_and_mode_are_read_for_every_provider() {
        let options = read(&[
            ("GEMINI_API_KEY", "g"),
            (WINDOW, "8192"),
            (MODE, "json_schema"),
        ])
        .unwrap()
        .unwrap();
        assert_eq!(
            (options.context_window, options.mode),
            (Some(TokenCount(8_192)), CallMode::JsonSchema)
        );
    }

    #[test]
    fn an_unreadable_combination_names_the_variable_and_never_a_value() {
        assert!(refused(&[(BASE_URL, "not a url s3cret")]).contains(BASE_URL));
        assert!(refused(&[(BASE_URL_KEY, "s3cret")]).contains(BASE_URL_KEY));
        assert!(refused(&[(MODEL, "qwen3")]).contains("ollama/"));
        assert!(
            refused(&[(MODEL, "claude-opus-4-6"), ("GEMINI_API_KEY", "s3cret")])
                .contains("ANTHROPIC_API_KEY")
        );
        assert!(refused(&[("GEMINI_API_KEY", "s3cret"), (WINDOW, "many")]).contains(WINDOW));
        assert!(refused(&[("GEMINI_API_KEY", "s3cret"), (MODE, "xml")]).contains(MODE));
    }
}
