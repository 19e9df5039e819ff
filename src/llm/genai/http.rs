//! The HTTP client. It has the time limits of the options, follows no redirects and accepts no compression.

use std::sync::Arc;

use reqwest::{ClientBuilder, RequestBuilder, header::CONTENT_TYPE, redirect::Policy};
use rustls::{ClientConfig, RootCertStore, crypto::ring};
use rustls_platform_verifier::BuilderVerifierExt as _;
use url::Url;

use super::{GenAiOptions, error};
use crate::base::{Error, ErrorKind, Result, Site};

pub(super) fn client(options: &GenAiOptions) -> Result<reqwest::Client> {
    let here = options.base_url.as_ref().filter(|url| is_loopback(url));
    let trust = match here.map(Url::scheme) {
        Some("http") => Trust::Nobody,
        _ => Trust::System,
    };
    let mut builder = builder(trust)?
        .connect_timeout(options.connect_timeout)
        .timeout(options.timeout)
        .tcp_nodelay(true);
    // A proxy from the environment cannot reach a server on this machine.
    if here.is_some() {
        builder = builder.no_proxy();
    }
    built(builder)
}

/// The authorities whose certificates a client accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Trust {
    /// Those that the system trusts. They must be read first, and a system may have none.
    System,
    /// None, for a client that only connects to this machine without TLS.
    Nobody,
}

/// Returns a builder for a client that follows no redirects and accepts no compression.
pub(super) fn builder(trust: Trust) -> Result<ClientBuilder> {
    Ok(reqwest::Client::builder()
        .tls_backend_preconfigured(tls(trust).map_err(|e| unavailable(&e))?)
        // A compressed reply of one megabyte may unpack to a gigabyte.
        .no_gzip()
        .no_brotli()
        .no_deflate()
        .no_zstd()
        .referer(false)
        // A redirect could send the key to another host. Some providers take the key in a header of their own, which an HTTP client
        // does not remove on a redirect.
        .redirect(Policy::none()))
}

pub(super) fn built(builder: ClientBuilder) -> Result<reqwest::Client> {
    builder.build().map_err(|e| unavailable(&e.without_url()))
}

fn unavailable(cause: &dyn std::error::Error) -> Error {
    Error::new(ErrorKind::Unavailable, "llm.new").with("cause", cause)
}

/// Returns the TLS settings, with the ciphers of `ring`. They are given to each client, because only the program may choose
/// ciphers for the whole process.
fn tls(trust: Trust) -> Result<ClientConfig, rustls::Error> {
    let tls = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()?;
    let tls = match trust {
        Trust::System => tls.with_platform_verifier()?,
        Trust::Nobody => tls.with_root_certificates(RootCertStore::empty()),
    };
    let mut tls = tls.with_no_client_auth();
    tls.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(tls)
}

/// Sends a request and returns the JSON body of the reply. Fails if the body has more than `max_bytes` or is not JSON.
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

pub(super) fn is_loopback(url: &Url) -> bool {
    Site::of(url).is_ok_and(|site| site.is_loopback())
}
