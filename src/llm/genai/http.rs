//! The connection: one HTTP client with our time-outs and without surprises.

use reqwest::redirect::Policy;
use url::Url;

use super::GenAiOptions;
use crate::base::{Error, ErrorKind, Result, Site};

/// An HTTP client for these options.
pub(super) fn client(options: &GenAiOptions) -> Result<reqwest::Client> {
    let mut builder = reqwest::Client::builder()
        .connect_timeout(options.connect_timeout)
        .timeout(options.timeout)
        .tcp_nodelay(true)
        // A reply of one megabyte may hold a thousand when it is compressed.
        .no_gzip()
        .no_brotli()
        .no_deflate()
        .no_zstd()
        .referer(false)
        // A redirect would carry the key, which some providers take in a header of their own, to another host.
        .redirect(Policy::none());
    // A proxy of the environment cannot reach a server on this machine.
    if options.base_url.as_ref().is_some_and(is_loopback) {
        builder = builder.no_proxy();
    }
    builder
        .build()
        .map_err(|e| Error::new(ErrorKind::Unavailable, "llm.new").with("cause", e.without_url()))
}

/// Whether a URL points to this machine.
pub(super) fn is_loopback(url: &Url) -> bool {
    Site::of(url).is_ok_and(|site| site.is_loopback())
}
