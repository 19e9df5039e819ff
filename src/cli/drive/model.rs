//! The model of a run, configured by flags, or else by environment variables.

use std::{collections::BTreeSet, ffi::OsString, sync::Arc, time::Duration};

use uuid::Uuid;

use crate::{
    LlmClient,
    action::ToolSet,
    agent::{Images, Options},
    base::Error,
    chat::ChatRequest,
    cli::{
        Refusal,
        run_args::{ImagesArg, ModelArgs},
    },
    llm::{GenAi, Provider, RetryPolicy, Retrying},
    stand_in::StandIn,
};

/// Environment variable with the name of the model. The flag `--model` overrides it.
const MODEL: &str = "WEBWISE_MODEL";
const BASE_URL: &str = "WEBWISE_LLM_BASE_URL";
/// Name of the built-in stand-in, a set of rules that takes the place of a model and needs no server and no key.
pub(in crate::cli) const STAND_IN: &str = "stand-in";
/// Difference between the time limit that should end a wait for the model and the longer limit behind it. `Retrying`
/// has the shorter limit. The longer one is that of `GenAi` for one call, and that of the decision loop for all
/// attempts. Source: the default limits of one call, 60 s and 120 s.
const MARGIN: Duration = Duration::from_mins(1);

/// Returns the model that flags and environment variables configure; `None` if they configure no model. Failed
/// calls to a model on a server are repeated.
pub(in crate::cli) fn configured(args: &ModelArgs) -> Result<Option<Arc<dyn LlmClient>>, Refusal> {
    if is_stand_in(args, |name| std::env::var_os(name)) {
        return Ok(Some(Arc::new(StandIn::new())));
    }
    let found = described(args, |name| std::env::var_os(name))?;
    let (seed, _) = Uuid::new_v4().as_u64_pair();
    let patient = |model| Retrying::new(model, seed).with_policy(policy(args));
    Ok(found.map(|model| Arc::new(patient(model)) as Arc<dyn LlmClient>))
}

/// Fails if the server of the model that flags and environment variables configure cannot be reached or rejects the key.
/// The check costs no tokens (see [`GenAi::check`]), so a run makes it before it starts a browser.
pub(in crate::cli) async fn check(args: &ModelArgs) -> Result<(), Refusal> {
    if is_stand_in(args, |name| std::env::var_os(name)) {
        return Ok(());
    }
    match described(args, |name| std::env::var_os(name))? {
        Some(model) => model.check().await.map_err(|error| {
            let why = with_flags(&error.to_string());
            Refusal::failure(format!("the model cannot be asked: {why}")).of_kind("model", 3)
        }),
        None => Ok(()),
    }
}

/// Asks the configured model one tiny question. Returns the answer's size, in words; `None` if there is no model on a
/// server to ask.
pub(in crate::cli) async fn asked(args: &ModelArgs) -> Result<Option<String>, String> {
    let model = if is_stand_in(args, |name| std::env::var_os(name)) {
        None
    } else {
        let found = described(args, |name| std::env::var_os(name));
        found.map_err(|refusal| refusal.sentence().to_owned())?
    };
    let Some(model) = model else {
        return Ok(None);
    };
    let all = ToolSet::new(&BTreeSet::new(), false, []);
    let others: Vec<String> = all.specs().iter().map(|spec| spec.name.clone()).collect();
    let others = others.iter().filter(|name| *name != "finish");
    let tools = others.fold(all.clone(), |tools, name| tools.without(name));
    let mut request = ChatRequest::new(
        "You are asked whether you can be reached.",
        "Call finish with the answer \"here\".",
        Arc::new(tools),
    );
    request.mode = model.capabilities().mode;
    request.max_calls = 1;
    let reply = model.complete(&request).await;
    let reply = reply.map_err(|error| with_flags(&error.to_string()))?;
    let usage = reply.usage.unwrap_or_default();
    Ok(Some(format!(
        "{} answered, {} tokens read, {} written",
        model.options().model,
        usage.input.0,
        usage.output.0
    )))
}

/// Returns true if flags or environment variables name the built-in stand-in as the model, and no server is configured. With
/// a server, the name could mean a model on the server.
fn is_stand_in(args: &ModelArgs, environment: impl Fn(&str) -> Option<OsString>) -> bool {
    let set = |name: &str| environment(name).filter(|value| !value.is_empty());
    let named = args.model.as_ref().map(OsString::from);
    let has_server = args.base_url.is_some() || set(BASE_URL).is_some();
    !has_server
        && named
            .or_else(|| set(MODEL))
            .is_some_and(|name| name == STAND_IN)
}

fn policy(args: &ModelArgs) -> RetryPolicy {
    let policy = RetryPolicy::default();
    match args.model_timeout {
        Some(timeout) => policy.with_call_timeout(timeout),
        None => policy,
    }
}

/// Returns the default options of the decision loop, with two changes: the time limit is long enough for all attempts of a
/// model call, and `--images` decides when pictures are sent.
pub(in crate::cli) fn options(args: &ModelArgs) -> Options {
    let mut options = Options::default();
    let all_tries = policy(args).overall.saturating_add(MARGIN);
    options.model_timeout = options.model_timeout.max(all_tries);
    options.images = match args.images {
        None | Some(ImagesArg::Auto) => Images::Auto,
        Some(ImagesArg::Always) => Images::Always,
        Some(ImagesArg::Never) => Images::Never,
    };
    options
}

#[derive(Debug)]
pub(in crate::cli) struct Described {
    pub(in crate::cli) name: String,
    /// The model's provider; `None` for the built-in stand-in.
    provider: Option<Provider>,
}

impl Described {
    /// Returns true if this model would use the given environment variable. It would not use the key of another provider.
    pub(in crate::cli) fn uses(&self, variable: &str) -> bool {
        let owner = match variable {
            "GEMINI_API_KEY" => Provider::Gemini,
            "ANTHROPIC_API_KEY" => Provider::Anthropic,
            "OPENAI_API_KEY" => Provider::OpenAi,
            MODEL => return true,
            _ => return self.provider.is_some(),
        };
        self.provider == Some(owner)
    }
}

/// Returns the model that a run with these flags would use; `None` if no model is configured.
pub(in crate::cli) fn described_by(args: &ModelArgs) -> Result<Option<Described>, Refusal> {
    if is_stand_in(args, |name| std::env::var_os(name)) {
        return Ok(Some(Described {
            name: STAND_IN.to_owned(),
            provider: None,
        }));
    }
    let found = described(args, |name| std::env::var_os(name))?;
    Ok(found.map(|model| {
        let options = model.options();
        Described {
            name: options.model.clone(),
            provider: Some(options.provider),
        }
    }))
}

fn described(
    args: &ModelArgs,
    environment: impl Fn(&str) -> Option<OsString>,
) -> Result<Option<GenAi>, Refusal> {
    let variable = |name: &str| match name {
        MODEL => args.model.as_ref().map(OsString::from),
        BASE_URL => args
            .base_url
            .as_ref()
            .map(|url| OsString::from(url.as_str())),
        _ => None,
    };
    let found = GenAi::from_variables(|name| variable(name).or_else(|| environment(name)));
    // It is unknown which model a server runs, so the user must say that it accepts pictures.
    let sees = matches!(args.images, Some(ImagesArg::Auto | ImagesArg::Always));
    let changed = found.and_then(|found| match found {
        Some(model) if sees || args.model_timeout.is_some() => {
            let mut options = model.options().clone();
            options.images |= sees;
            if let Some(timeout) = args.model_timeout {
                options.timeout = timeout.saturating_add(MARGIN);
            }
            GenAi::new(options).map(Some)
        }
        found => Ok(found),
    });
    changed.map_err(|error| unusable(args, &error))
}

fn unusable(args: &ModelArgs, error: &Error) -> Refusal {
    let Some(option) = error.said("option") else {
        return Refusal::usage(format!("the model cannot be used: {error}"));
    };
    let option = match option {
        MODEL | "model" if args.model.is_some() => "--model",
        BASE_URL | "base_url" if args.base_url.is_some() => "--base-url",
        "base_url" => BASE_URL,
        "model" => MODEL,
        other => other,
    };
    let why = error.said("why").unwrap_or("it is wrong");
    let missing = error
        .said("missing")
        .map(|name| format!(": set {name}"))
        .unwrap_or_default();
    let value = error
        .said("value")
        .map(|value| format!(" {value}"))
        .unwrap_or_default();
    Refusal::usage(format!(
        "{option}{value} {}{missing}",
        why.replace("names a model", "is a model")
    ))
}

/// Replaces the library's advice in an error about a server that is not running. The new advice names the flag and the
/// environment variable for the server's address.
pub(super) fn with_flags(text: &str) -> String {
    let here = format!(
        "start the server, such as Ollama by `ollama serve`, or name another one by {BASE_URL} or --base-url"
    );
    text.replace(GenAi::NOT_RUNNING, &here)
}

pub(in crate::cli) fn none_configured() -> Refusal {
    Refusal::usage(format!(
        "no model is configured: set GEMINI_API_KEY, ANTHROPIC_API_KEY or OPENAI_API_KEY, or {BASE_URL} to an \
         OpenAI-compatible server (with {MODEL} and, if it needs one, WEBWISE_LLM_API_KEY). To try a run without a \
         model, give `--model {STAND_IN}`: a set of rules in this program, which needs no key"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args(model: Option<&str>, base_url: Option<&str>) -> ModelArgs {
        ModelArgs {
            model: model.map(str::to_owned),
            base_url: base_url.map(|url| url.parse().unwrap()),
            model_timeout: None,
            images: None,
        }
    }

    fn environment(name: &str) -> Option<OsString> {
        match name {
            "OPENAI_API_KEY" => Some("o".into()),
            MODEL => Some("gpt-4o".into()),
            _ => None,
        }
    }

    #[test]
    fn flags_win_over_the_environment() {
        let model = |args| {
            described(&args, environment)
                .unwrap()
                .unwrap()
                .options()
                .clone()
        };
        assert_eq!(model(args(None, None)).model, "gpt-4o");
        assert_eq!(model(args(Some("o3-mini"), None)).model, "o3-mini");
        let own = model(args(Some("qwen3"), Some("http://127.0.0.1:8091/v1")));
        assert_eq!(
            (own.model.as_str(), own.base_url.unwrap().as_str()),
            ("qwen3", "http://127.0.0.1:8091/v1/")
        );
        assert!(described(&args(None, None), |_| None).unwrap().is_none());
    }

    #[test]
    fn the_stand_in_is_named_like_a_model_but_a_server_may_have_one_of_that_name() {
        let none = |_: &str| None;
        let by_variable = |name: &str| (name == MODEL).then(|| STAND_IN.into());
        let server = Some("http://127.0.0.1:8091/v1");
        assert!(is_stand_in(&args(Some(STAND_IN), None), none));
        assert!(is_stand_in(&args(None, None), by_variable));
        assert!(!is_stand_in(&args(Some("gpt-4o"), None), by_variable));
        assert!(!is_stand_in(&args(Some(STAND_IN), server), none));
        let has_server = |name: &str| (name == BASE_URL).then(|| "http://127.0.0.1:9/v1".into());
        assert!(!is_stand_in(&args(Some(STAND_IN), None), has_server));
    }

    #[test]
    fn the_time_of_a_slow_model_reaches_every_limit_of_a_call_and_the_inner_one_ends_first() {
        for minutes in [1, 9, 30] {
            let timeout = Duration::from_mins(minutes);
            let args = ModelArgs {
                model_timeout: Some(timeout),
                ..args(Some("qwen3"), Some("http://127.0.0.1:8091/v1"))
            };
            let http = described(&args, |_| None).unwrap().unwrap();
            let (policy, loop_) = (policy(&args), options(&args));
            assert_eq!(policy.call_timeout, timeout);
            assert!(policy.call_timeout <= policy.overall, "{policy:?}");
            assert!(policy.call_timeout < http.options().timeout);
            assert!(policy.overall < loop_.model_timeout, "{loop_:?}");
        }
        let usual = args(None, None);
        assert_eq!(policy(&usual), RetryPolicy::default());
        assert_eq!(
            options(&usual).model_timeout,
            Options::default().model_timeout
        );
    }

    #[test]
    fn a_server_gets_pictures_only_if_the_person_says_so() {
        let of = |base_url, images| {
            let args = ModelArgs {
                images,
                ..args(Some("qwen3"), base_url)
            };
            let model = described(&args, |name| (name == "OPENAI_API_KEY").then(|| "o".into()));
            let sees = model.ok().flatten().map(|model| model.options().images);
            (sees, options(&args).images)
        };
        let server = Some("http://127.0.0.1:8091/v1");
        assert_eq!(of(server, None), (Some(false), Images::Auto));
        assert_eq!(
            of(server, Some(ImagesArg::Auto)),
            (Some(true), Images::Auto)
        );
        assert_eq!(
            of(server, Some(ImagesArg::Always)),
            (Some(true), Images::Always)
        );
        assert_eq!(
            of(server, Some(ImagesArg::Never)),
            (Some(false), Images::Never)
        );
        let hosted = described(&args(Some("gpt-4o"), None), environment);
        assert!(hosted.unwrap().unwrap().options().images);
    }

    #[test]
    fn what_cannot_be_used_names_the_flag_or_the_variable() {
        let sentence = |args, environment: fn(&str) -> Option<OsString>| {
            let refusal = described(&args, environment).unwrap_err();
            assert_eq!(refusal.code(), 2);
            refusal.sentence().to_owned()
        };
        assert_eq!(
            sentence(args(Some("claude-opus-4-6"), None), environment),
            "--model claude-opus-4-6 is a model whose key is not set: set ANTHROPIC_API_KEY"
        );
        assert!(
            sentence(args(Some("qwen3"), None), |_| None)
                .starts_with("--model qwen3 is a model of an unknown provider; set WEBWISE_LLM_BASE_URL, or begin the name with gemini/")
        );
        assert!(
            sentence(args(None, None), |name| (name == MODEL)
                .then(|| "qwen3".into()))
            .starts_with(MODEL)
        );
    }
}
