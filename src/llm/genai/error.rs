//! Conversion of errors of the `genai` crate, of HTTP and of providers into this crate's errors.

use std::{error::Error as StdError, io};

use ::genai::{Error as GenAiError, webc::Error as WebError};
use reqwest::{StatusCode, header::HeaderMap};
use serde_json::Value;

use super::{GenAi, http::is_loopback, retry_after};
use crate::base::{Error, ErrorKind, text};

/// Maximum length of a provider's message in an error. Unit: characters. Source: chosen; about two lines in a terminal.
const MAX_SAID: usize = 300;

/// Converts an error of the `genai` crate into an error of this crate.
pub(super) fn convert(error: GenAiError) -> Error {
    match error {
        GenAiError::WebModelCall { webc_error, .. }
        | GenAiError::WebAdapterCall { webc_error, .. } => web(webc_error),
        GenAiError::HttpError {
            status,
            body,
            headers,
            ..
        } => status_error(status, &body, &headers),
        GenAiError::ChatResponse { body, .. } => {
            in_body(&body).unwrap_or_else(|| malformed("the reply holds no answer"))
        }
        GenAiError::ChatResponseGeneration { cause, .. } => malformed(cause),
        GenAiError::NoChatResponse { .. } => malformed("the reply holds no answer"),
        GenAiError::RequiresApiKey { .. }
        | GenAiError::NoAuthResolver { .. }
        | GenAiError::NoAuthData { .. } => call(ErrorKind::Unauthorized),
        GenAiError::MessageRoleNotSupported { .. }
        | GenAiError::MessageContentTypeNotSupported { .. }
        | GenAiError::AdapterNotSupported { .. } => {
            call(ErrorKind::Unsupported).with("cause", error)
        }
        // All other errors mean that the request was invalid.
        other => call(ErrorKind::InvalidInput).with("cause", said(&other.to_string())),
    }
}

/// Returns the error that some servers put into the body of a successful reply (status 200); `None` if there is none.
pub(super) fn in_body(body: &Value) -> Option<Error> {
    if body.get("error").is_none_or(Value::is_null) {
        return None;
    }
    let complaint = Complaint::of(body);
    let status = complaint.codes.iter().find_map(|code| code.parse().ok());
    // Without a status that says more, the server is asked again.
    let kind = complaint.kind(status.filter(|status| *status != 200).unwrap_or(503));
    let error = complaint.tell(call(kind));
    Some(match retry_after::in_body(body) {
        Some(wait) => error.with_retry_after(wait),
        None => error,
    })
}

/// Returns the error for a reply of more than `max` bytes. It is not retried, because the same reply would come again.
pub(super) fn too_large(max: usize) -> Error {
    malformed("the reply is too large").with("max_reply_bytes", max)
}

/// Returns the error for a reply that is not JSON, such as a login page. It quotes the reply's content type and body.
pub(super) fn not_json(content_type: &str, body: &str) -> Error {
    malformed("the reply is not JSON")
        .with("content_type", said(content_type))
        .with("said", said(body))
}

pub(super) fn malformed(cause: impl AsRef<str>) -> Error {
    call(ErrorKind::MalformedReply).with("cause", said(cause.as_ref()))
}

pub(super) fn refused(why: &str) -> Error {
    call(ErrorKind::Refused).with("said", said(why))
}

fn call(kind: ErrorKind) -> Error {
    Error::new(kind, "llm.complete")
}

/// Returns external text in the form in which errors quote it: cleaned, on one line, and cut to [`MAX_SAID`].
fn said(words: &str) -> String {
    text::truncate(&text::squeeze(&text::clean(words)), MAX_SAID)
}

fn web(error: WebError) -> Error {
    match error {
        WebError::ResponseFailedStatus {
            status,
            body,
            headers,
        } => status_error(status, &body, &headers),
        WebError::ResponseFailedNotJson { content_type, body } => not_json(&content_type, &body),
        WebError::ResponseFailedInvalidJson { cause, .. } => malformed(cause),
        WebError::JsonValueExt(cause) => malformed(cause.to_string()),
        WebError::Reqwest(error) => connection(error),
    }
}

pub(super) fn connection(error: reqwest::Error) -> Error {
    let kind = if error.is_timeout() {
        ErrorKind::Timeout
    } else if error.is_builder() {
        ErrorKind::InvalidInput
    } else {
        ErrorKind::Unavailable
    };
    // Only the origin of the address is kept, because the rest may contain the key.
    let server = error.url().filter(|_| error.is_connect());
    let server = server.map(|url| (url.origin().ascii_serialization(), is_loopback(url)));
    // The causes are turned into text, so that the key can be searched for in them.
    let error = error.without_url();
    let mut cause = error.to_string();
    let mut next = error.source();
    let mut is_refused = false;
    while let Some(inner) = next {
        is_refused |= inner
            .downcast_ref::<io::Error>()
            .is_some_and(|inner| inner.kind() == io::ErrorKind::ConnectionRefused);
        cause = format!("{cause}: {inner}");
        next = inner.source();
    }
    let failed = call(kind).with("cause", said(&cause));
    let Some((origin, is_here)) = server else {
        return failed;
    };
    let failed = failed.with("server", origin);
    if is_here && is_refused {
        failed.with("help", GenAi::NOT_RUNNING)
    } else {
        failed
    }
}

pub(super) fn status_error(status: StatusCode, body: &str, headers: &HeaderMap) -> Error {
    let json: Value = serde_json::from_str(body).unwrap_or_default();
    let complaint = if json.is_null() {
        Complaint::words(body)
    } else {
        Complaint::of(&json)
    };
    let error =
        complaint.tell(call(complaint.kind(status.as_u16())).with("status", status.as_u16()));
    let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    match retry_after::in_headers(header).or_else(|| retry_after::in_body(&json)) {
        Some(wait) => error.with_retry_after(wait),
        None => error,
    }
}

struct Complaint {
    message: String,
    codes: Vec<String>,
}

impl Complaint {
    fn words(text: &str) -> Self {
        Self {
            message: said(text),
            codes: Vec::new(),
        }
    }

    /// Reads an error from a body. The body is `{"error": {"message", "code", "type", "status", "details"}}`,
    /// `{"error": "text"}`, `{"message": "text"}`, or a list whose first item is one of these.
    fn of(body: &Value) -> Self {
        let body = body.get(0).unwrap_or(body);
        let error = body
            .get("error")
            .filter(|error| !error.is_null())
            .unwrap_or(body);
        if let Some(text) = error.as_str() {
            return Self::words(text);
        }
        let message = error
            .get("message")
            .and_then(Value::as_str)
            .unwrap_or_default();
        let details = error
            .get("details")
            .and_then(Value::as_array)
            .into_iter()
            .flatten();
        let own = ["code", "type", "status"]
            .into_iter()
            .filter_map(|key| error.get(key));
        let inner = error.pointer("/innererror/code");
        let codes = own
            .chain(inner)
            .chain(details.filter_map(|detail| detail.get("reason")));
        let codes = codes.filter_map(|code| match code {
            Value::String(text) => Some(said(text)),
            Value::Number(number) => Some(number.to_string()),
            _ => None,
        });
        Self {
            message: said(message),
            codes: codes.collect(),
        }
    }

    fn has(&self, known: &[&str]) -> bool {
        self.codes.iter().any(|code| known.contains(&code.as_str()))
    }

    fn is_filter(&self) -> bool {
        self.has(&[
            "content_filter",
            "content_policy_violation",
            "ResponsibleAIPolicyViolation",
        ])
    }

    fn kind(&self, status: u16) -> ErrorKind {
        match status {
            _ if self.is_filter() => ErrorKind::Refused,
            // Gemini answers 400 if the key is wrong. OpenAI answers 429 if the account has no credit; waiting does not
            // help then.
            _ if self.has(&["API_KEY_INVALID", "insufficient_quota"]) => ErrorKind::Unauthorized,
            401..=403 => ErrorKind::Unauthorized,
            408 => ErrorKind::Timeout,
            429 => ErrorKind::RateLimited,
            425 | 500..=599 => ErrorKind::Unavailable,
            _ => ErrorKind::InvalidInput,
        }
    }

    fn tell(&self, error: Error) -> Error {
        let error = match self.codes.first() {
            Some(code) => error.with("code", code),
            None => error,
        };
        if self.message.is_empty() {
            error
        } else {
            error.with("said", &self.message)
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn kind(status: u16, body: &Value) -> ErrorKind {
        status_error(
            StatusCode::from_u16(status).unwrap(),
            &body.to_string(),
            &HeaderMap::new(),
        )
        .kind()
    }

    #[test]
    fn every_status_has_the_kind_that_says_what_to_do() {
        for (status, expected) in [
            (400, ErrorKind::InvalidInput),
            (401, ErrorKind::Unauthorized),
            (402, ErrorKind::Unauthorized),
            (403, ErrorKind::Unauthorized),
            (404, ErrorKind::InvalidInput),
            (408, ErrorKind::Timeout),
            (413, ErrorKind::InvalidInput),
            (422, ErrorKind::InvalidInput),
            (429, ErrorKind::RateLimited),
            (500, ErrorKind::Unavailable),
            (503, ErrorKind::Unavailable),
            (529, ErrorKind::Unavailable),
            (302, ErrorKind::InvalidInput),
        ] {
            assert_eq!(
                kind(status, &json!({ "error": { "message": "no" } })),
                expected,
                "{status}"
            );
        }
    }

    #[test]
    fn a_code_in_the_body_says_more_than_the_status() {
        assert_eq!(
            kind(
                400,
                &json!({ "error": { "code": "content_filter", "message": "x" } })
            ),
            ErrorKind::Refused
        );
        assert_eq!(
            kind(429, &json!({ "error": { "code": "insufficient_quota" } })),
            ErrorKind::Unauthorized
        );
        let gemini = json!({ "error": { "code": 400, "status": "INVALID_ARGUMENT", "message": "API key not valid.",
            "details": [{ "@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID" }] } });
        assert_eq!(kind(400, &gemini), ErrorKind::Unauthorized);
        assert_eq!(kind(400, &json!([gemini])), ErrorKind::Unauthorized);
    }

    #[test]
    fn an_error_under_status_200_is_an_error() {
        let error = in_body(&json!({ "error": { "code": 429, "message": "slow down" } })).unwrap();
        assert_eq!(
            error.to_string(),
            "llm.complete: rate limited (code: 429, said: slow down)"
        );
        assert_eq!(
            in_body(&json!({ "error": "model is loading" }))
                .unwrap()
                .kind(),
            ErrorKind::Unavailable
        );
        for code in [json!("insufficient_quota"), json!(200)] {
            let is_final = code.is_string();
            let error = in_body(&json!({ "error": { "code": code, "message": "no" } })).unwrap();
            assert_eq!(error.kind() == ErrorKind::Unauthorized, is_final, "{error}");
            assert_eq!(error.is_retryable(), !is_final, "{error}");
        }
        assert!(in_body(&json!({ "error": null, "choices": [] })).is_none());
    }

    #[test]
    fn a_providers_words_are_one_short_line() {
        let long = format!("a\n\u{1b}[31mb {}", "x".repeat(10_000));
        let error = status_error(StatusCode::BAD_REQUEST, &long, &HeaderMap::new()).to_string();
        assert!(
            error.contains("said: a b xxx") && error.chars().count() < 400,
            "{error}"
        );
    }
}
