//! Hosted and local models through the `genai` crate: Gemini, `OpenAI` and compatible servers, Anthropic, Ollama.
//!
//! No type of the `genai` crate appears outside this folder. No code here retries a call; [`Retrying`](super::Retrying)
//! does.
//!
//! # Decisions
//!
//! - The `genai` crate reads a whole reply, however long it is. So `compatible` itself sends the requests to
//!   OpenAI-compatible servers, and `relay` sends all others. Both read a reply only up to a size limit.
//! - In `json_schema` mode, the system instruction also lists the tools. A server turns the schema into a grammar that
//!   the model never sees, so without the list the model would not know the tools. The grammar also fixes the order of
//!   keys, so the schema puts the tool's name first in each call.

mod compatible;
mod env;
mod error;
mod http;
mod options;
mod relay;
mod request;
mod response;
mod retry_after;

use std::{fmt, pin::pin, time::Duration};

use ::genai::{
    Client, ModelIden, ServiceTarget,
    adapter::AdapterKind,
    resolver::{AuthData, Endpoint},
};
use async_trait::async_trait;

pub use self::options::{GenAiOptions, Provider, Reasoning};
use self::relay::Relay;
use super::LlmClient;
use crate::{
    base::{Error, ErrorKind, Result},
    chat::{CallMode, ChatRequest, ChatResponse, LlmCapabilities},
    secret::{Redactor, SecretName},
};

/// Time that a call through the [`Relay`] may take beyond its own time limit. Source: chosen; passing the request and
/// the reply through the relay takes milliseconds.
const ON_THE_WAY: Duration = Duration::from_secs(1);

/// A model of one of the [`Provider`]s.
///
/// ```
/// use webwise::{LlmClient, llm::{GenAi, GenAiOptions, Provider}, secret::Secret};
///
/// let mut options = GenAiOptions::new(Provider::Anthropic, "claude-sonnet-4-6");
/// options.api_key = Some(Secret::new("sk-ant-secret"));
/// let model = GenAi::new(options)?;
/// assert!(model.capabilities().images);
/// assert!(!format!("{model:?}").contains("secret"));
/// # Ok::<(), webwise::Error>(())
/// ```
pub struct GenAi {
    client: Client,
    http: reqwest::Client,
    options: GenAiOptions,
}

impl GenAi {
    /// Advice for a person if a local model server refuses the connection.
    pub(crate) const NOT_RUNNING: &'static str =
        "start the server, such as Ollama by `ollama serve`, or give the `base_url` of another one";

    /// Creates a client with these options. Nothing is sent yet.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidInput`] if an option is wrong or missing. The error names the option.
    /// [`ErrorKind::Unavailable`] if the HTTP client cannot be created.
    pub fn new(options: GenAiOptions) -> Result<Self> {
        let options = options.checked()?;
        let http = http::client(&options)?;
        let client = Client::builder().with_reqwest(relay::client()?).build();
        let client =
            client.map_err(|e| Error::new(ErrorKind::Unavailable, "llm.new").with("cause", e))?;
        Ok(Self {
            client,
            http,
            options,
        })
    }

    /// Creates the client that the environment variables describe; `None` if none of them asks for a client. The
    /// variables are checked in this order:
    ///
    /// 1. `WEBWISE_LLM_BASE_URL`: an OpenAI-compatible server. `WEBWISE_LLM_API_KEY` is the server's key, if the server
    ///    needs a key. The model is `WEBWISE_MODEL`, else `default`; a server with only one model ignores this name.
    /// 2. `WEBWISE_MODEL`: a model whose name shows its provider (`gemini-…`, `claude-…`, `gpt-…`, `o3-…`), or any name
    ///    after a prefix `gemini/`, `anthropic/`, `openai/` or `ollama/`. The provider's key variable must be set; only
    ///    Ollama needs none.
    /// 3. The first of these provider keys that is set, with that provider's default model: `GEMINI_API_KEY` (model
    ///    `gemini-flash-latest`), `ANTHROPIC_API_KEY` (`claude-sonnet-4-6`), `OPENAI_API_KEY` (`gpt-4.1-mini`).
    ///
    /// In all cases, `WEBWISE_CONTEXT_WINDOW` is the model's context window in tokens, and `WEBWISE_LLM_MODE` is
    /// `tools` or `json_schema`. If the mode is unset, it is `json_schema` for Ollama and for a server on this machine,
    /// else `tools`. An empty variable counts as unset.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidInput`] if a variable is wrong or missing. The error names the variable, or the option that
    /// it sets. Also the errors of [`new`](Self::new).
    pub fn from_env() -> Result<Option<Self>> {
        Self::from_variables(|name| std::env::var_os(name))
    }

    /// Creates a client as [`from_env`](Self::from_env) does, but takes the variables from another source, such as a
    /// configuration file, or flags that override the environment.
    ///
    /// ```
    /// use webwise::llm::GenAi;
    ///
    /// let model = GenAi::from_variables(|name| (name == "WEBWISE_MODEL").then(|| "ollama/qwen3:4b".into()))?;
    /// assert_eq!(model.unwrap().options().model, "qwen3:4b");
    /// # Ok::<(), webwise::Error>(())
    /// ```
    ///
    /// # Errors
    /// The errors of [`from_env`](Self::from_env).
    pub fn from_variables(
        variable: impl Fn(&str) -> Option<std::ffi::OsString>,
    ) -> Result<Option<Self>> {
        env::options(&variable)?.map(Self::new).transpose()
    }

    /// Checks that the server answers and does not reject the key. It asks for the server's list of models, which costs
    /// no tokens.
    ///
    /// A success does not prove that [`complete`](LlmClient::complete) works: a server may have no such list, and a key
    /// may be allowed to do less than to list models or more. So only a failed connection and a rejected key are errors.
    /// If there is no answer within 5 s although the server can be reached, it counts as busy.
    ///
    /// # Errors
    /// [`ErrorKind::Unavailable`] or [`ErrorKind::Timeout`] if no connection can be made, [`ErrorKind::Unauthorized`] if the
    /// server rejects the key.
    pub async fn check(&self) -> Result<()> {
        let checked = http::check(&self.http, &self.options).await;
        checked.map_err(|error| self.finished(error))
    }

    /// Returns the options of this client.
    pub const fn options(&self) -> &GenAiOptions {
        &self.options
    }

    fn target(&self, mode: CallMode, endpoint: String) -> ServiceTarget {
        let options = &self.options;
        let kind = options.adapter_kind(mode);
        let auth = match &options.api_key {
            // The `genai` crate sends no key to Ollama's own API, so `request` adds the key as a header.
            Some(key) if kind != AdapterKind::Ollama => AuthData::from_single(key.expose()),
            _ => AuthData::None,
        };
        let model = ModelIden::new(kind, options.model.as_str());
        ServiceTarget {
            endpoint: Endpoint::from_owned(endpoint),
            auth,
            model,
        }
    }

    /// Sends one request through the `genai` crate and the relay, and returns the reply. If the crate and the relay both
    /// report an error, returns the earlier one.
    async fn relayed(&self, request: &ChatRequest) -> Result<ChatResponse> {
        let (mode, max_bytes) = (request.mode, self.options.max_reply_bytes);
        let relay = Relay::open().await?;
        let target = self.target(mode, relay.endpoint());
        let options = request::options(request, &self.options);
        let mut asked = pin!(
            self.client
                .exec_chat(target, request::chat(request), Some(&options))
        );
        let carried = relay.carry(&self.http, self.options.endpoint(mode), max_bytes);
        let both = async {
            tokio::select! {
                biased;
                carried = carried => {
                    carried?;
                    Ok::<_, Error>(asked.await)
                }
                reply = &mut asked => Ok(reply),
            }
        };
        // The provider's time limit starts when the relay sends the request. This longer limit also covers the time in the
        // relay.
        let reply = tokio::time::timeout(self.options.timeout + ON_THE_WAY, both)
            .await
            .map_err(|_| Error::new(ErrorKind::Timeout, "llm.complete"))??;
        reply.map_or_else(response::recover, response::read)
    }

    /// Adds the provider and the model to an error, and removes the key from its texts.
    fn finished(&self, error: Error) -> Error {
        let options = &self.options;
        let error = error
            .with("provider", options.provider.as_str())
            .with("model", &options.model);
        match (&options.api_key, SecretName::parse("LLM_API_KEY")) {
            (Some(key), Ok(name)) => {
                let redactor = Redactor::new([(&name, key)]);
                error.map_text(|text| redactor.text(text))
            }
            _ => error,
        }
    }
}

impl fmt::Debug for GenAi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GenAi")
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}

#[async_trait]
impl LlmClient for GenAi {
    fn capabilities(&self) -> LlmCapabilities {
        let options = &self.options;
        let mut capabilities = LlmCapabilities::new(&options.model);
        capabilities.context_window = options.context_window;
        capabilities.images = options.images;
        capabilities.mode = options.mode;
        capabilities
    }

    async fn complete(&self, request: &ChatRequest) -> Result<ChatResponse> {
        if let Some(model) = request
            .model
            .as_ref()
            .filter(|model| **model != self.options.model)
        {
            let mut other = Self {
                client: self.client.clone(),
                http: self.http.clone(),
                options: self.options.clone(),
            };
            other.options.model.clone_from(model);
            return other.complete(request).await;
        }
        let kind = self.options.adapter_kind(request.mode);
        let response = if matches!(kind, AdapterKind::Omlx | AdapterKind::Custom(_)) {
            compatible::complete(&self.http, &self.options, request).await
        } else {
            self.relayed(request).await
        };
        response.map_err(|error| self.finished(error))
    }
}
