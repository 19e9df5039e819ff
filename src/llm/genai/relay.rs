//! The relay between the `genai` crate and a provider. It enforces the size limit while it reads a reply.
//!
//! The `genai` crate reads a whole reply, however large it is, and lets no other code send its requests or read its
//! replies. So the client `GenAi` makes the `genai` crate send each request to a socket of this process. The socket is
//! opened for this one request and accepts only a path that nobody can guess.
//!
//! The relay sends the request to the provider with an HTTP client of its own. It passes the reply back only if the
//! reply is complete, is declared as JSON and is within the size limit. A failure is reported by the side that notices
//! it: the `genai` crate or the relay.

use std::{net::Ipv4Addr, time::Duration};

use reqwest::{
    Method, RequestBuilder,
    header::{CONNECTION, CONTENT_LENGTH, HOST, HeaderMap, HeaderName, HeaderValue},
    redirect::Policy,
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    time::timeout,
};
use uuid::Uuid;

use super::http;
use crate::base::{Error, ErrorKind, Result};

/// Longest time that a new connection may take to deliver its whole request. Source: chosen; the `genai` crate sends
/// its request at once.
const LONGEST_TO_ASK: Duration = Duration::from_secs(5);
/// Maximum size of a request's head: its first line and its headers. Unit: bytes. Source: chosen; the head of a request
/// of the `genai` crate takes less than 1 KiB, and most of it is the key.
const MAX_HEAD: usize = 64 * 1_024;

/// A socket of this process that accepts one request of the `genai` crate.
pub(super) struct Relay {
    listener: TcpListener,
    port: u16,
    /// The first part of the path of a valid request. Only the `genai` crate knows it, so no other program's request is
    /// accepted.
    token: String,
}

struct Asked {
    place: String,
    headers: HeaderMap,
    body: Vec<u8>,
}

/// Returns the HTTP client for the `genai` crate. It uses no proxy and keeps no connection open.
pub(super) fn client() -> Result<reqwest::Client> {
    reqwest::Client::builder()
        .no_proxy()
        .redirect(Policy::none())
        .no_gzip()
        .no_brotli()
        .no_deflate()
        .no_zstd()
        .referer(false)
        .pool_max_idle_per_host(0)
        .build()
        .map_err(|e| Error::new(ErrorKind::Unavailable, "llm.new").with("cause", e.without_url()))
}

impl Relay {
    pub(super) async fn open() -> Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await;
        let listener = listener.map_err(|e| unavailable(&e))?;
        let port = listener.local_addr().map_err(|e| unavailable(&e))?.port();
        let token = Uuid::new_v4().simple().to_string();
        Ok(Self {
            listener,
            port,
            token,
        })
    }

    /// Returns the relay's address, with a slash at its end. The `genai` crate uses it as the address of the API.
    pub(super) fn endpoint(&self) -> String {
        format!(
            "http://{}:{}/{}/",
            Ipv4Addr::LOCALHOST,
            self.port,
            self.token
        )
    }

    /// Passes one request of the `genai` crate to the provider's address `upstream`, which ends with a slash, and
    /// passes the reply back. Fails if the reply is an error, has more than `max_bytes`, or is not declared as JSON.
    pub(super) async fn carry(
        self,
        http: &reqwest::Client,
        upstream: String,
        max_bytes: usize,
    ) -> Result<()> {
        let (mut stream, asked) = self.next().await?;
        let reply = http::fetch(asked.onward(http, &upstream), max_bytes).await?;
        let head = format!(
            "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
            reply.len()
        );
        // Head and body are written at once, because this future may be dropped as soon as the `genai` crate has read
        // the whole reply.
        let whole = [head.into_bytes(), reply].concat();
        stream.write_all(&whole).await.map_err(|e| unavailable(&e))
    }

    /// Waits for the first request that has the relay's token in its path, and returns it with its connection. A
    /// connection is dropped if it sends anything else, or no whole request within [`LONGEST_TO_ASK`].
    async fn next(&self) -> Result<(TcpStream, Asked)> {
        loop {
            let (mut stream, _) = self.listener.accept().await.map_err(|e| unavailable(&e))?;
            let asked = timeout(LONGEST_TO_ASK, read(&mut stream, &self.token)).await;
            if let Ok(Some(asked)) = asked {
                return Ok((stream, asked));
            }
        }
    }
}

impl Asked {
    fn onward(self, http: &reqwest::Client, upstream: &str) -> RequestBuilder {
        let mut headers = self.headers;
        for own in [HOST, CONNECTION, CONTENT_LENGTH] {
            headers.remove(own);
        }
        http.request(Method::POST, format!("{upstream}{}", self.place))
            .headers(headers)
            .body(self.body)
    }
}

/// Reads the request that arrives on a connection. Returns `None` if the request is incomplete or invalid, or if its
/// path does not begin with the token. A request without the token does not come from the `genai` crate.
async fn read(stream: &mut TcpStream, token: &str) -> Option<Asked> {
    let mut bytes = Vec::new();
    let end = loop {
        if let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
            break end;
        }
        if bytes.len() > MAX_HEAD || stream.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    };
    let (place, headers) = parse_head(std::str::from_utf8(&bytes[..end]).ok()?, token)?;
    let length: usize = headers.get(CONTENT_LENGTH)?.to_str().ok()?.parse().ok()?;
    let mut body = bytes.split_off(end + 4);
    while body.len() < length {
        if stream.read_buf(&mut body).await.ok()? == 0 {
            return None;
        }
    }
    Some(Asked {
        place,
        headers,
        body,
    })
}

/// Parses the head of a request. Returns the headers and the part of the path after the token. Returns `None` if the
/// path does not begin with the token.
fn parse_head(head: &str, token: &str) -> Option<(String, HeaderMap)> {
    let mut lines = head.split("\r\n");
    let place = lines.next()?.strip_prefix("POST /")?;
    let place = place.strip_prefix(token)?.strip_prefix('/')?;
    let place = place.strip_suffix(" HTTP/1.1")?.to_owned();
    let header = |line: &str| {
        let (name, value) = line.split_once(':')?;
        let name = HeaderName::from_bytes(name.as_bytes()).ok()?;
        let mut value = HeaderValue::from_str(value.trim()).ok()?;
        // One of the headers contains the key.
        value.set_sensitive(true);
        Some((name, value))
    };
    Some((place, lines.map(header).collect::<Option<_>>()?))
}

fn unavailable(error: &std::io::Error) -> Error {
    Error::new(ErrorKind::Unavailable, "llm.complete")
        .with("cause", format!("the way to the provider broke: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_request_that_knows_the_path_is_carried() {
        let head = |first: &str| parse_head(&format!("{first}\r\nhost: a\r\nx-key: b"), "t0ken");
        let (place, headers) = head("POST /t0ken/models/m:generate?a=b HTTP/1.1").unwrap();
        assert_eq!(place, "models/m:generate?a=b");
        assert_eq!((headers["x-key"].as_bytes(), headers.len()), (&b"b"[..], 2));
        assert!(!format!("{headers:?}").contains("\"b\""), "{headers:?}");
        for other in [
            "POST /t0ke/x HTTP/1.1",
            "POST /t0kenx HTTP/1.1",
            "POST /x HTTP/1.1",
            "GET /t0ken/x HTTP/1.1",
            "POST /t0ken/x",
            "",
        ] {
            assert!(head(other).is_none(), "{other}");
        }
        assert!(parse_head("POST /t0ken/x HTTP/1.1\r\nnonsense", "t0ken").is_none());
    }

    #[tokio::test]
    async fn a_stranger_at_the_socket_gets_nothing_and_holds_nobody_up() {
        let relay = Relay::open().await.unwrap();
        let address = (Ipv4Addr::LOCALHOST, relay.port);
        let mut stranger = TcpStream::connect(address).await.unwrap();
        let wrong = b"POST /guess/x HTTP/1.1\r\ncontent-length: 0\r\n\r\n";
        stranger.write_all(wrong).await.unwrap();
        let ours = format!(
            "POST /{}/x HTTP/1.1\r\ncontent-length: 2\r\n\r\n{{}}",
            relay.token
        );
        let mut crate_side = TcpStream::connect(address).await.unwrap();
        crate_side.write_all(ours.as_bytes()).await.unwrap();
        let (_stream, asked) = relay.next().await.unwrap();
        assert_eq!(
            (asked.place.as_str(), asked.body.as_slice()),
            ("x", &b"{}"[..])
        );
        let mut said = Vec::new();
        let _ = stranger.read_to_end(&mut said).await;
        assert_eq!(said, b"");
    }
}
