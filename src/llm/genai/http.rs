//! The HTTP client. It has the time limits of the options, follows no redirects and accepts no compression. Only this
//! module reads replies of providers.

use std::time::Duration;

use reqwest::{RequestBuilder, header::CONTENT_TYPE, redirect::Policy};
use url::Url;

use super::{GenAiOptions, Provider, error};
use crate::{
    base::{Error, ErrorKind, Result, Site},
    chat::CallMode,
};

pub(super) fn client(options: &GenAiOptions) -> Result<reqwest::Client> {
    let mut builder = reqwest::Client::builder()
        .connect_timeout(options.connect_timeout)
        .timeout(options.timeout)
        .tcp_nodelay(true)
        // A compressed reply of one megabyte may unpack to a gigabyte.
        .no_gzip()
        .no_brotli()
        .no_deflate()
        .no_zstd()
        .referer(false)
        // A redirect could send the key to another host. Some providers take the key in a header of their own, which an HTTP client
        // does not remove on a redirect.
        .redirect(Policy::none());
    // A proxy from the environment cannot reach a server on this machine.
    if options.base_url.as_ref().is_some_and(is_loopback) {
        builder = builder.no_proxy();
    }
    builder
        .build()
        .map_err(|e| Error::new(ErrorKind::Unavailable, "llm.new").with("cause", e.without_url()))
}

/// Sends a request and returns the body of the reply. Fails if the status is not a success, if the body has more than
/// `max_bytes`, or if the content type is not JSON. The body itself is not parsed.
pub(super) async fn fetch(request: RequestBuilder, max_bytes: usize) -> Result<Vec<u8>> {
    let mut reply = request.send().await.map_err(error::connection)?;
    let (status, headers) = (reply.status(), reply.headers().clone());
    let mut bytes = Vec::new();
    while let Some(chunk) = reply.chunk().await.map_err(error::connection)? {
        let room = max_bytes.saturating_sub(bytes.len());
        bytes.extend_from_slice(&chunk[..chunk.len().min(room)]);
        if chunk.len() <= room {
            continue;
        }
        if status.is_success() {
            return Err(error::too_large(max_bytes));
        }
        // The rest of an error reply is not needed, because its beginning contains the message.
        break;
    }
    if !status.is_success() {
        let said = String::from_utf8_lossy(&bytes);
        return Err(error::status_error(status, &said, &headers));
    }
    let content_type = headers
        .get(CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default();
    if !content_type.starts_with("application/json") {
        let said = String::from_utf8_lossy(&bytes);
        return Err(error::not_json(content_type, &said));
    }
    Ok(bytes)
}

/// Longest time that [`check`] waits for an answer. Source: chosen; a list of models takes well under a second.
const CHECKED_FOR: Duration = Duration::from_secs(5);

/// Asks for the list of models. Fails if the server cannot be reached or rejects the key.
pub(super) async fn check(client: &reqwest::Client, options: &GenAiOptions) -> Result<()> {
    let list = match options.provider {
        Provider::Ollama => "api/tags",
        _ => "models",
    };
    let mut get = client
        .get(options.endpoint(CallMode::Tools) + list)
        .timeout(CHECKED_FOR);
    if let Some(key) = &options.api_key {
        get = match options.provider {
            Provider::Gemini => get.header("x-goog-api-key", key.expose()),
            Provider::Anthropic => get
                .header("x-api-key", key.expose())
                .header("anthropic-version", "2023-06-01"),
            _ => get.bearer_auth(key.expose()),
        };
    }
    match fetch(get, options.max_reply_bytes).await {
        // OpenAI answers 403 to a key that may ask models, but not list them.
        Err(error)
            if error.kind() == ErrorKind::Unauthorized && error.said("status") != Some("403") =>
        {
            Err(error)
        }
        // Only a failed connection names its server.
        Err(error) if error.said("server").is_some() => Err(error),
        _ => Ok(()),
    }
}

pub(super) fn is_loopback(url: &Url) -> bool {
    Site::of(url).is_ok_and(|site| site.is_loopback())
}
