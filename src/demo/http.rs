//! The part of HTTP/1.1 that the shop needs: parses requests and writes responses.
//!
//! Supports GET, and POST with form bodies of known length. Every other request is refused.
//! There are no sockets here; `server` reads and writes.

use std::fmt::Write as _;

use url::{Url, form_urlencoded};

use super::html::Html;
use crate::base::Site;

/// Maximum total size of the request line and all headers. Unit: bytes. Source: chosen; browsers send about 1,000, and
/// Apache allows 8,192 for each line.
pub(super) const MAX_HEAD_BYTES: usize = 16 * 1024;
/// Maximum number of header lines of a request. Source: chosen; browsers send about 15.
pub(super) const MAX_HEADERS: usize = 64;
/// Maximum size of a form body. Unit: bytes. Source: chosen; the checkout form sends about 300.
pub(super) const MAX_BODY_BYTES: usize = 32 * 1024;

/// Content security policy: the browser may load nothing over the network, and may send forms only to this server. Styles
/// and the only script are inline.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; \
                      form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Method {
    Get,
    Post,
}

/// Names and values of a query, a form or the cookies, in the order in which they were sent.
#[derive(Debug, Clone, Default)]
pub(super) struct Fields(Vec<(String, String)>);

impl Fields {
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.0
            .iter()
            .find(|(key, _)| key == name)
            .map(|(_, value)| value.as_str())
    }

    /// Returns the first value with this name, trimmed; empty if there is no such value.
    pub(super) fn text(&self, name: &str) -> &str {
        self.get(name).unwrap_or_default().trim()
    }

    fn decode(encoded: &[u8]) -> Self {
        Self(form_urlencoded::parse(encoded).into_owned().collect())
    }
}

#[derive(Debug, Clone)]
pub(super) struct Request {
    pub(super) method: Method,
    pub(super) path: String,
    /// Path and query of the request, as the client sent them.
    pub(super) target: String,
    pub(super) query: Fields,
    pub(super) form: Fields,
    pub(super) cookies: Fields,
    /// True if the client may send another request on this connection.
    pub(super) keep_alive: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Status {
    Ok,
    SeeOther,
    BadRequest,
    NotFound,
    MethodNotAllowed,
    RequestTimeout,
    ContentTooLarge,
    Misdirected,
    Unprocessable,
}

impl Status {
    pub(super) const fn line(self) -> &'static str {
        match self {
            Self::Ok => "200 OK",
            Self::SeeOther => "303 See Other",
            Self::BadRequest => "400 Bad Request",
            Self::NotFound => "404 Not Found",
            Self::MethodNotAllowed => "405 Method Not Allowed",
            Self::RequestTimeout => "408 Request Timeout",
            Self::ContentTooLarge => "413 Content Too Large",
            Self::Misdirected => "421 Misdirected Request",
            Self::Unprocessable => "422 Unprocessable Content",
        }
    }
}

/// Parses one request at the start of the received bytes.
///
/// Returns the request and its length in bytes, or `None` if more bytes are needed.
pub(super) fn parse(arrived: &[u8]) -> Result<Option<(Request, usize)>, Status> {
    let Some(head_end) = arrived.windows(4).position(|w| w == b"\r\n\r\n") else {
        return if arrived.len() > MAX_HEAD_BYTES {
            Err(Status::ContentTooLarge)
        } else {
            Ok(None)
        };
    };
    if head_end > MAX_HEAD_BYTES {
        return Err(Status::ContentTooLarge);
    }
    let head = std::str::from_utf8(&arrived[..head_end]).map_err(|_| Status::BadRequest)?;
    let mut lines = head.split("\r\n");
    let (method, target) = request_line(lines.next().unwrap_or_default())?;
    let headers = Headers::parse(lines)?;
    headers.check_host()?;

    let body_start = head_end + 4;
    let length = headers.body_length(method)?;
    let Some(body) = arrived.get(body_start..body_start + length) else {
        return Ok(None);
    };
    let form = if method == Method::Post {
        Fields::decode(body)
    } else {
        Fields::default()
    };
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let request = Request {
        method,
        path: path.to_owned(),
        target: target.to_owned(),
        query: Fields::decode(query.as_bytes()),
        form,
        cookies: headers.cookies(),
        keep_alive: headers.keep_alive(),
    };
    Ok(Some((request, body_start + length)))
}

fn request_line(line: &str) -> Result<(Method, &str), Status> {
    let words: Vec<&str> = line.split(' ').collect();
    let [method, target, "HTTP/1.1"] = words[..] else {
        return Err(Status::BadRequest);
    };
    let method = match method {
        "GET" => Method::Get,
        "POST" => Method::Post,
        _ => return Err(Status::MethodNotAllowed),
    };
    if !target.starts_with('/') || !target.bytes().all(|b| b.is_ascii_graphic()) {
        return Err(Status::BadRequest);
    }
    Ok((method, target))
}

struct Headers<'a>(Vec<(&'a str, &'a str)>);

impl<'a> Headers<'a> {
    fn parse(lines: impl Iterator<Item = &'a str>) -> Result<Self, Status> {
        let mut headers = Vec::new();
        for line in lines {
            let (name, value) = line.split_once(':').ok_or(Status::BadRequest)?;
            if name.is_empty() || name.contains(char::is_whitespace) {
                return Err(Status::BadRequest);
            }
            if headers.len() == MAX_HEADERS {
                return Err(Status::ContentTooLarge);
            }
            headers.push((name, value.trim_matches([' ', '\t'])));
        }
        Ok(Self(headers))
    }

    fn all(&self, name: &str) -> impl Iterator<Item = &'a str> {
        self.0
            .iter()
            .filter(move |(key, _)| key.eq_ignore_ascii_case(name))
            .map(|(_, value)| *value)
    }

    /// Returns the value of a header that may occur only once; `None` if the header is missing. Refuses a request in which
    /// it occurs twice.
    fn single(&self, name: &str) -> Result<Option<&'a str>, Status> {
        let mut values = self.all(name);
        match (values.next(), values.next()) {
            (value, None) => Ok(value),
            _ => Err(Status::BadRequest),
        }
    }

    /// Refuses a request whose `Host` header is not a loopback name, as a protection against DNS rebinding.
    fn check_host(&self) -> Result<(), Status> {
        let host = self.single("host")?.ok_or(Status::BadRequest)?;
        let site = Url::parse(&format!("http://{host}/"))
            .ok()
            .and_then(|url| Site::of(&url).ok());
        if site.is_some_and(|site| site.is_loopback()) {
            Ok(())
        } else {
            Err(Status::Misdirected)
        }
    }

    fn body_length(&self, method: Method) -> Result<usize, Status> {
        let length = match self.single("content-length")? {
            Some(digits) => digits.parse().map_err(|_| Status::BadRequest)?,
            None if method == Method::Post => return Err(Status::BadRequest),
            None => 0,
        };
        if length > MAX_BODY_BYTES {
            return Err(Status::ContentTooLarge);
        }
        Ok(length)
    }

    fn keep_alive(&self) -> bool {
        let mut options = self.all("connection").flat_map(|v| v.split(','));
        !options.any(|v| v.trim().eq_ignore_ascii_case("close"))
    }

    fn cookies(&self) -> Fields {
        let pairs = self
            .all("cookie")
            .flat_map(|line| line.split(';'))
            .filter_map(|pair| pair.trim().split_once('='));
        Fields(
            pairs
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .collect(),
        )
    }
}

#[derive(Debug)]
pub(super) struct Response {
    pub(super) status: Status,
    location: Option<String>,
    cookies: Vec<String>,
    body: Html,
}

impl Response {
    pub(super) fn page(status: Status, body: Html) -> Self {
        Self {
            status,
            location: None,
            cookies: Vec::new(),
            body,
        }
    }

    /// Returns a response that makes the browser load `path` from this server, with GET.
    pub(super) fn see_other(path: impl Into<String>) -> Self {
        Self {
            location: Some(path.into()),
            ..Self::page(Status::SeeOther, Html::default())
        }
    }

    /// Returns a response that consists of the status in one line, for a client that is not a browser.
    pub(super) fn refusal(status: Status) -> Self {
        Self::page(status, Html::text(status.line()))
    }

    /// Adds a cookie for all paths of the shop. Scripts cannot read it. Requests that other sites start carry it only
    /// if they open a page of the shop with GET, as a link does.
    #[must_use]
    pub(super) fn with_cookie(mut self, name: &str, value: &str) -> Self {
        self.cookies
            .push(format!("{name}={value}; Path=/; HttpOnly; SameSite=Lax"));
        self
    }

    pub(super) fn into_bytes(self, keep_alive: bool) -> Vec<u8> {
        let body = self.body.as_str();
        let connection = if keep_alive { "keep-alive" } else { "close" };
        let mut head = format!(
            "HTTP/1.1 {}\r\nContent-Length: {}\r\n",
            self.status.line(),
            body.len()
        );
        let fixed = [
            ("Content-Type", "text/html; charset=utf-8"),
            ("Content-Security-Policy", POLICY),
            ("X-Content-Type-Options", "nosniff"),
            ("Cache-Control", "no-store"),
            ("Connection", connection),
        ];
        let allow = (self.status == Status::MethodNotAllowed).then_some(("Allow", "GET, POST"));
        let location = self.location.as_deref().map(|path| ("Location", path));
        let cookies = self
            .cookies
            .iter()
            .map(|cookie| ("Set-Cookie", cookie.as_str()));
        for (name, value) in fixed
            .into_iter()
            .chain(allow)
            .chain(location)
            .chain(cookies)
        {
            // Writing to a `String` cannot fail.
            let _ = write!(head, "{name}: {value}\r\n");
        }
        head.push_str("\r\n");
        head.push_str(body);
        head.into_bytes()
    }
}
