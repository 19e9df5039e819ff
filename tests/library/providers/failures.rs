//! What goes wrong on the way, for every provider alike; no error text holds the key.

use std::{io::Write, net::SocketAddr, time::Duration};

use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
    task::JoinHandle,
};
use webwise::{
    ErrorKind, LlmClient,
    llm::{GenAi, GenAiOptions, Provider},
    secret::Secret,
};
use wiremock::ResponseTemplate;

use crate::providers::support::*;

const PROVIDERS: [(Provider, &str); 4] = [
    (Provider::OpenAiCompatible, "some-model"),
    (Provider::OpenAi, "gpt-5.4-mini"),
    (Provider::Gemini, "gemini-2.5-flash"),
    (Provider::Anthropic, "claude-sonnet-4-6"),
];

/// One model of each wire format; Ollama speaks another with a schema.
const EVERY_FORMAT: [(Provider, &str); 6] = [
    (Provider::OpenAiCompatible, "some-model"),
    (Provider::OpenAi, "gpt-5.4-mini"),
    (Provider::OpenAi, "gpt-4.1-mini"),
    (Provider::Gemini, "gemini-2.5-flash"),
    (Provider::Anthropic, "claude-sonnet-4-6"),
    (Provider::Ollama, "qwen3:4b"),
];

/// A good answer in each provider's format.
fn good(provider: Provider) -> Value {
    match provider {
        Provider::Gemini => json!({ "candidates": [{ "finishReason": "STOP",
            "content": { "parts": [{ "functionCall": { "name": "reload", "args": {} } }] } }] }),
        Provider::Anthropic => json!({ "model": "m", "stop_reason": "tool_use",
            "content": [{ "type": "tool_use", "id": "1", "name": "reload", "input": {} }] }),
        Provider::OpenAi => json!({ "id": "1", "status": "completed", "model": "m",
            "output": [{ "type": "function_call", "call_id": "1", "name": "reload", "arguments": "{}" }] }),
        _ => json!({ "choices": [{ "finish_reason": "tool_calls", "message": { "tool_calls": [
            { "id": "1", "type": "function", "function": { "name": "reload", "arguments": "{}" } }] } }] }),
    }
}

/// An error body in the form that most providers use, with the key in it as some echo it.
fn complaint(code: u16) -> ResponseTemplate {
    status(
        code,
        json!({ "error": { "message": format!("failed for {KEY}"), "type": "some_error" } }),
    )
}

#[tokio::test]
async fn every_status_has_its_kind_and_no_text_holds_the_key() {
    for (provider, model) in PROVIDERS {
        let kinds = [
            (400, ErrorKind::InvalidInput),
            (401, ErrorKind::Unauthorized),
            (403, ErrorKind::Unauthorized),
            (404, ErrorKind::InvalidInput),
            (422, ErrorKind::InvalidInput),
            (429, ErrorKind::RateLimited),
            (500, ErrorKind::Unavailable),
            (503, ErrorKind::Unavailable),
            (529, ErrorKind::Unavailable),
        ];
        let peer = Peer::new(provider, model, kinds.map(|(code, _)| complaint(code))).await;
        for (code, kind) in kinds {
            let error = peer.fails(&request()).await;
            assert_eq!(error.kind(), kind, "{provider:?} {code}");
            assert!(
                error.to_string().contains("<secret:LLM_API_KEY>"),
                "{error}"
            );
            assert!(
                error.to_string().contains(&format!("model: {model}")),
                "{error}"
            );
        }
    }
}

#[tokio::test]
async fn a_rate_limit_with_seconds_then_with_a_date_is_waited_out() {
    for (provider, model) in PROVIDERS {
        let peer = Peer::new(
            provider,
            model,
            [
                complaint(429).insert_header("retry-after", "0"),
                complaint(429)
                    .insert_header("date", "Wed, 21 Oct 2015 07:28:00 GMT")
                    .insert_header("retry-after", "Wed, 21 Oct 2015 07:28:00 GMT"),
                complaint(429).insert_header("retry-after-ms", "1"),
                ok(good(provider)),
            ],
        )
        .await;
        let response = peer.patient().complete(&request()).await.unwrap();
        assert_eq!(
            (lines(&response), response.retries),
            (vec!["reload {}".to_owned()], 3),
            "{provider:?}"
        );
        let sent = peer.requests().await;
        assert!(
            sent.iter().all(|one| one.body == sent[0].body),
            "{provider:?}"
        );
    }
}

#[tokio::test]
async fn the_providers_wait_reaches_the_error_exactly() {
    for (provider, model) in PROVIDERS {
        let dated = complaint(429)
            .insert_header("date", "Wed, 21 Oct 2015 07:28:00 GMT")
            .insert_header("retry-after", "Wed, 21 Oct 2015 07:29:17 GMT");
        let peer = Peer::new(
            provider,
            model,
            [complaint(429).insert_header("retry-after", "7"), dated],
        )
        .await;
        assert_eq!(
            peer.fails(&request()).await.retry_after(),
            Some(Duration::from_secs(7))
        );
        assert_eq!(
            peer.fails(&request()).await.retry_after(),
            Some(Duration::from_secs(77))
        );
    }
}

#[tokio::test]
async fn a_server_error_then_a_success_is_a_success() {
    for (provider, model) in PROVIDERS {
        let peer = Peer::new(
            provider,
            model,
            [complaint(500), complaint(529), ok(good(provider))],
        )
        .await;
        assert_eq!(
            peer.patient().complete(&request()).await.unwrap().retries,
            2,
            "{provider:?}"
        );
    }
}

#[tokio::test]
async fn what_the_caller_must_change_is_asked_once() {
    for (provider, model) in PROVIDERS {
        for code in [400, 401, 403] {
            let peer = Peer::new(provider, model, [complaint(code), ok(good(provider))]).await;
            let error = checked(peer.patient().complete(&request()).await.unwrap_err());
            assert!(
                !error.is_retryable() && peer.requests().await.len() == 1,
                "{provider:?} {error}"
            );
        }
    }
}

#[tokio::test]
async fn a_body_that_is_no_reply_is_malformed() {
    for (provider, model) in PROVIDERS {
        let bodies = [
            "{\"choices\": [",
            "{}",
            "[]",
            "{\"choices\": []}",
            "{\"candidates\": 3, \"content\": 4}",
        ];
        let peer = Peer::new(
            provider,
            model,
            bodies
                .iter()
                .map(|body| ResponseTemplate::new(200).set_body_raw(*body, "application/json")),
        )
        .await;
        for body in bodies {
            assert_eq!(
                peer.fails(&request()).await.kind(),
                ErrorKind::MalformedReply,
                "{provider:?} {body}"
            );
        }
        let page = ResponseTemplate::new(200)
            .set_body_raw(format!("<html>Log in {KEY}</html>"), "text/html");
        let peer = Peer::new(provider, model, [page]).await;
        let error = peer.fails(&request()).await;
        assert!(
            error.kind() == ErrorKind::MalformedReply && error.to_string().contains("Log in"),
            "{error}"
        );
    }
}

#[tokio::test]
async fn an_error_under_status_200_is_an_error() {
    for (provider, model) in PROVIDERS {
        let body = json!({ "error": { "code": 429, "message": "Provider returned error" } });
        let error = Peer::new(provider, model, [ok(body)])
            .await
            .fails(&request())
            .await;
        assert_eq!(error.kind(), ErrorKind::RateLimited, "{provider:?}");
    }
}

#[tokio::test]
async fn a_redirect_is_not_followed_with_the_key() {
    let other = Peer::new(Provider::Gemini, "gemini-2.5-flash", []).await;
    let place = other.options().base_url.unwrap().to_string();
    let peer = Peer::new(
        Provider::Gemini,
        "gemini-2.5-flash",
        [ResponseTemplate::new(307).insert_header("location", place.as_str())],
    )
    .await;
    assert_eq!(peer.fails(&request()).await.kind(), ErrorKind::InvalidInput);
    assert_eq!(other.requests().await.len(), 0);
}

#[tokio::test]
async fn an_answer_that_does_not_come_is_a_time_out() {
    for (provider, model) in PROVIDERS {
        let late = ok(good(provider)).set_delay(Duration::from_mins(10));
        let peer = Peer::new(provider, model, [late]).await;
        let mut options = peer.options();
        options.timeout = Duration::from_millis(60);
        let error = checked(
            GenAi::new(options)
                .unwrap()
                .complete(&request())
                .await
                .unwrap_err(),
        );
        assert_eq!(error.kind(), ErrorKind::Timeout, "{provider:?} {error}");
    }
}

#[tokio::test]
async fn no_reply_is_asked_for_in_a_compressed_form() {
    for (provider, model) in PROVIDERS {
        let peer = Peer::new(provider, model, [ok(good(provider))]).await;
        peer.complete(&request()).await;
        assert_eq!(peer.header("accept-encoding").await, None, "{provider:?}");
    }
}

#[tokio::test]
async fn a_reply_beyond_the_cap_is_malformed_and_asked_for_once() {
    for (provider, model) in PROVIDERS {
        let mut large = good(provider);
        large["padding"] = json!("x".repeat(5 * 1024 * 1024));
        let peer = Peer::new(provider, model, [ok(large), ok(good(provider))]).await;
        let error = checked(peer.patient().complete(&request()).await.unwrap_err());
        assert_eq!(error.kind(), ErrorKind::MalformedReply, "{provider:?}");
        assert!(
            error.to_string().contains("max_reply_bytes: 4194304"),
            "{error}"
        );
        assert_eq!(peer.requests().await.len(), 1, "{provider:?}");
    }
}

#[tokio::test]
async fn a_reply_of_the_cap_is_read_and_one_byte_more_is_not() {
    let reply = good(Provider::OpenAiCompatible);
    let size = reply.to_string().len();
    let answers = [ok(reply.clone()), ok(reply)];
    let peer = Peer::new(Provider::OpenAiCompatible, "some-model", answers).await;
    let mut options = peer.options();
    options.max_reply_bytes = size;
    let whole = GenAi::new(options.clone()).unwrap();
    assert_eq!(
        lines(&whole.complete(&request()).await.unwrap()),
        ["reload {}"]
    );
    options.max_reply_bytes = size - 1;
    let cut = GenAi::new(options).unwrap();
    let error = cut.complete(&request()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::MalformedReply);
}

/// The most that a server gets rid of after which it was left. Unit: bytes. Source: chosen; what the system holds on the way is not
/// ours, some megabytes at each end.
const LEFT_EARLY: usize = 16 * 1024 * 1024;

/// A server that says `head` and then talks on for 50 MB, at its address; it gives how much it could write.
async fn talks_on(head: &str) -> (SocketAddr, JoinHandle<usize>) {
    const CHUNK: usize = 64 * 1024;
    const ENOUGH: usize = 50_000_000;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let head = format!("HTTP/1.1 {head}\r\n\r\n{{\"a\":\"");
    let server = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut buffer = vec![0; 64 * 1024];
        let _ = stream.read(&mut buffer).await;
        stream.write_all(head.as_bytes()).await.unwrap();
        let (mut written, chunk) = (0, vec![b'x'; CHUNK]);
        while written < ENOUGH && stream.write_all(&chunk).await.is_ok() {
            written += CHUNK;
        }
        written
    });
    (address, server)
}

#[tokio::test]
async fn a_server_that_never_stops_talking_is_left_at_the_cap() {
    let json = "content-type: application/json";
    let heads = [
        (format!("200 OK\r\n{json}"), ErrorKind::MalformedReply),
        (
            format!("200 OK\r\n{json}\r\ncontent-encoding: gzip"),
            ErrorKind::MalformedReply,
        ),
        (
            format!("200 OK\r\n{json}\r\ncontent-length: 50000000"),
            ErrorKind::MalformedReply,
        ),
        (
            format!("500 Internal Server Error\r\n{json}"),
            ErrorKind::Unavailable,
        ),
    ];
    let mut most = 0;
    for (provider, model) in EVERY_FORMAT {
        for (request, (head, kind)) in [request(), json_request()]
            .iter()
            .flat_map(|request| heads.iter().map(move |head| (request, head)))
        {
            let (address, server) = talks_on(head).await;
            let mut options = GenAiOptions::new(provider, model);
            options.base_url = Some(format!("http://{address}/v1").parse().unwrap());
            options.api_key = Some(Secret::new(KEY));
            let client = GenAi::new(options).unwrap();
            let error = checked(client.complete(request).await.unwrap_err());
            assert_eq!(error.kind(), *kind, "{provider:?} {head}: {error}");
            let is_told = error.to_string().contains("max_reply_bytes: 4194304");
            assert_eq!(is_told, *kind == ErrorKind::MalformedReply, "{error}");
            let written = server.await.unwrap();
            assert!(written < LEFT_EARLY, "{provider:?} {head}: {written}");
            most = most.max(written);
        }
    }
    println!("providers: left after at most {most} of 50000000 bytes");
}

#[tokio::test]
async fn a_compressed_reply_is_not_unpacked() {
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    let large = format!("{{\"a\":\"{}\"}}", "x".repeat(50_000_000));
    packed.write_all(large.as_bytes()).unwrap();
    let packed = packed.finish().unwrap();
    assert!(packed.len() < 100_000);
    for (provider, model) in EVERY_FORMAT {
        let reply = ResponseTemplate::new(200)
            .insert_header("content-encoding", "gzip")
            .set_body_raw(packed.clone(), "application/json");
        let error = Peer::new(provider, model, [reply])
            .await
            .fails(&request())
            .await;
        assert_eq!(error.kind(), ErrorKind::MalformedReply, "{provider:?}");
        assert!(!error.to_string().contains("max_reply_bytes"), "{error}");
    }
}

/// A server that reads a request, writes these bytes and closes the connection.
async fn breaks_off(answer: &'static [u8]) -> GenAi {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut buffer = vec![0; 64 * 1024];
            let _ = stream.read(&mut buffer).await;
            let _ = stream.write_all(answer).await;
        }
    });
    let mut options = GenAiOptions::new(Provider::OpenAiCompatible, "m");
    options.base_url = Some(format!("http://{address}/v1").parse().unwrap());
    options.api_key = Some(Secret::new(KEY));
    GenAi::new(options).unwrap()
}

#[tokio::test]
async fn a_connection_that_breaks_off_is_unavailable() {
    for answer in [
        &b""[..],
        b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 9000\r\n\r\n{\"choices\": [",
        b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n20\r\n{\"choi",
        b"HTTP/1.1 500 Internal Server Error\r\ncontent-length: 9000\r\n\r\nsorry",
        b"SSH-2.0-OpenSSH_9.2\r\n",
    ] {
        let error = checked(breaks_off(answer).await.complete(&request()).await.unwrap_err());
        assert_eq!(error.kind(), ErrorKind::Unavailable, "{error}");
    }
}

#[tokio::test]
async fn a_server_that_is_not_there_is_unavailable() {
    // Nobody listens at port 1. A port that was free a moment ago may be another test's by now.
    let free = "127.0.0.1:1";
    let mut options = GenAiOptions::new(Provider::OpenAiCompatible, "m");
    options.base_url = Some(format!("http://{free}/v1").parse().unwrap());
    let error = GenAi::new(options)
        .unwrap()
        .complete(&request())
        .await
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable);
    let told = error.to_string();
    assert!(told.contains("refused"), "{told}");
    assert_eq!(error.said("server"), Some(&*format!("http://{free}")));
    assert!(told.contains("help: start the server"), "{told}");
    assert!(!told.contains("--"), "a library has no flags: {told}");
}

#[tokio::test]
async fn a_server_that_speaks_no_tls_is_not_told_to_be_started() {
    let there = breaks_off(b"HTTP/1.1 400 Bad Request\r\n\r\n").await;
    let mut options = there.options().clone();
    let address = options.base_url.as_mut().unwrap();
    address.set_scheme("https").unwrap();
    let origin = address.origin().ascii_serialization();
    let failed = GenAi::new(options).unwrap().complete(&request()).await;
    let error = checked(failed.unwrap_err());
    assert_eq!(error.kind(), ErrorKind::Unavailable, "{error}");
    assert_eq!(error.said("server"), Some(&*origin), "{error}");
    assert_eq!(error.said("help"), None, "{error}");
}

#[test]
fn debug_of_a_client_never_prints_the_key() {
    let mut options = GenAiOptions::new(Provider::Anthropic, "claude-sonnet-4-6");
    options.api_key = Some(Secret::new(KEY));
    assert!(!format!("{options:?}").contains(KEY));
    assert!(!format!("{:?}", GenAi::new(options).unwrap()).contains(KEY));
}

#[tokio::test]
async fn a_check_asks_for_the_models_alone_and_fails_only_for_a_dead_server_or_a_wrong_key() {
    for (provider, model) in EVERY_FORMAT {
        let fine = [
            ok(json!({ "data": [] })),
            complaint(404),
            complaint(403),
            complaint(500),
        ];
        let count = fine.len();
        let peer = Peer::new(provider, model, fine.into_iter().chain([complaint(401)])).await;
        for _ in 0..count {
            peer.client().check().await.unwrap();
        }
        let error = checked(peer.client().check().await.unwrap_err());
        assert_eq!(error.kind(), ErrorKind::Unauthorized, "{error}");
        let path = match provider {
            Provider::Gemini => "/v1beta/models",
            Provider::Ollama => "/api/tags",
            _ => "/v1/models",
        };
        for asked in peer.requests().await {
            assert_eq!((asked.method.as_str(), asked.url.path()), ("GET", path));
            assert_eq!(asked.url.query(), None);
            let header = match provider {
                Provider::Gemini => "x-goog-api-key",
                Provider::Anthropic => "x-api-key",
                _ => "authorization",
            };
            let key = asked.headers[header].to_str().unwrap();
            assert!(key.ends_with(KEY), "{key}");
        }
    }
    let mut dead = GenAiOptions::new(Provider::OpenAiCompatible, "m");
    dead.base_url = Some("http://127.0.0.1:9/v1".parse().unwrap());
    let error = GenAi::new(dead).unwrap().check().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable, "{error}");
}
