//! Attachment to a browser that is already running. At the end, our tabs are closed and the browser is left running.

use std::{io, pin::pin, sync::Arc, time::Duration};

use serde::Deserialize;
use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader},
    net::TcpStream,
    sync::oneshot,
    time::{Instant, timeout, timeout_at},
};
use url::Url;

use super::{
    error::CdpError,
    hub::Hub,
    launch::{Life, there},
    options::CdpOptions,
    sending::NONE,
    stderr_tail::StderrTail,
    wire,
};
use crate::base::{Error, ErrorKind, Result};

const OPERATION: &str = "browser.attach";
/// Longest time for a browser to close our tabs, or to finish opening a tab that is then closed. Source: a browser closes
/// tabs within 0.1 s.
const LEAVE: Duration = Duration::from_secs(5);
/// Maximum size of a browser's answer to the request for its version and WebSocket address. Unit: bytes. Source: a
/// usual answer has about 500 bytes.
const MAX_ANSWER: u64 = 64 << 10;

/// Attaches to a browser with remote debugging, and opens a new tab in it. The tab is closed again if the caller stops
/// waiting or if attaching takes longer than the launch timeout.
pub(super) async fn attach(address: &str, options: &CdpOptions) -> Result<(Arc<Hub>, Life)> {
    let (attached, wanted) = oneshot::channel();
    // This runs on a task of its own, so that the tab is closed even if the caller stops waiting.
    tokio::spawn(in_the_background(
        address.to_owned(),
        options.clone(),
        attached,
    ));
    wanted.await.unwrap_or_else(|_| Err(late()))
}

type Attached = Result<(Arc<Hub>, Life)>;

async fn in_the_background(
    address: String,
    options: CdpOptions,
    mut wanted: oneshot::Sender<Attached>,
) {
    let end = Instant::now() + options.common.launch_timeout;
    let connecting = async {
        let address = debugger_address(&address).await?;
        wire::connect(&address)
            .await
            .map_err(|error| unreachable(&address, error))
    };
    let connected = tokio::select! {
        connected = timeout_at(end, connecting) => connected,
        () = wanted.closed() => return,
    };
    let (reader, writer) = match connected.unwrap_or_else(|_| Err(late())) {
        Ok(ends) => ends,
        Err(error) => return drop(wanted.send(Err(error))),
    };
    let (hub, line) = Hub::start(reader, writer, options, None, StderrTail::default());
    let mut beginning = pin!(begin(&hub));
    let begun = tokio::select! {
        begun = timeout_at(end, &mut beginning) => Some(begun),
        () = wanted.closed() => None,
    };
    let is_over = matches!(begun, Some(Ok(_)));
    let error = match begun {
        Some(Ok(Ok(()))) => {
            let life = Life {
                line: Some(line),
                own: None,
            };
            if let Err(Ok((hub, mut life))) = wanted.send(Ok((Arc::clone(&hub), life))) {
                close_tabs(&hub).await;
                drop(life.line.take());
            }
            return;
        }
        Some(Ok(Err(trouble))) => Some(trouble.into_error(OPERATION)),
        Some(Err(_)) => Some(late()),
        None => None,
    };
    if let Some(error) = error {
        // A caller that is gone needs no answer.
        let _ = wanted.send(Err(error));
    }
    if !is_over {
        // The tab can be closed only after it is opened, because its id is not known before.
        let _ = timeout(LEAVE, beginning).await;
    }
    close_tabs(&hub).await;
    drop(line);
}

pub(super) async fn close_tabs(hub: &Hub) {
    let close = async {
        let tabs: Vec<String> = hub
            .state()
            .tabs
            .iter()
            .map(|tab| tab.target.clone())
            .collect();
        for target in tabs {
            // A tab that is gone already needs no closing.
            let _ = hub
                .wire
                .call::<Value>(None, "Target.closeTarget", json!({ "targetId": target }))
                .await;
        }
    };
    // If the browser does not react in time, the tabs stay open.
    let _ = timeout(LEAVE, close).await;
}

/// Opens a new tab, makes it the current one, and waits until it is ready.
async fn begin(hub: &Arc<Hub>) -> Result<(), CdpError> {
    hub.hold_requests(NONE).await?;
    // Downloads keep the browser's default behaviour.
    let downloads = json!({ "behavior": "default", "eventsEnabled": true });
    hub.wire
        .call::<Value>(None, "Browser.setDownloadBehavior", downloads)
        .await?;
    let target = hub.open_tab().await?;
    hub.state().current = Some(target);
    let discover = json!({ "discover": true, "filter": [{ "type": "page" }] });
    hub.wire
        .call::<Value>(None, "Target.setDiscoverTargets", discover)
        .await?;
    there(hub).await
}

fn late() -> Error {
    Error::new(ErrorKind::Timeout, OPERATION)
}

fn unreachable(address: &str, error: io::Error) -> Error {
    let host = Url::parse(address).ok().and_then(|url| {
        Some(format!(
            "{}:{}",
            url.host_str()?,
            url.port_or_known_default()?
        ))
    });
    Error::new(ErrorKind::Unavailable, OPERATION)
        .with("address", host.unwrap_or_default())
        .with_source(error)
}

/// Returns the address of a browser's WebSocket. If `address` is an http address, asks the browser there for the path
/// of its WebSocket.
async fn debugger_address(address: &str) -> Result<String> {
    let wrong = || {
        Error::new(ErrorKind::InvalidInput, OPERATION).with(
            "expected",
            "http://host:port, or ws://host:port/devtools/browser/<id>",
        )
    };
    let url = Url::parse(address).map_err(|_| wrong())?;
    match url.scheme() {
        "ws" => return Ok(address.to_owned()),
        "http" => {}
        _ => return Err(wrong()),
    }
    let no_browser = || {
        let address = format!(
            "{}:{}",
            url.host_str().unwrap_or_default(),
            url.port_or_known_default().unwrap_or(0)
        );
        Error::new(ErrorKind::MalformedReply, OPERATION)
            .with("address", address)
            .with("found", "no browser answers there")
    };
    let (Some(host), Some(port)) = (url.host_str(), url.port_or_known_default()) else {
        return Err(wrong());
    };
    let answer = version(host, port)
        .await
        .map_err(|error| unreachable(address, error))?;
    let answer: Version = answer
        .split_once("\r\n\r\n")
        .and_then(|(_, body)| serde_json::from_str(body).ok())
        .ok_or_else(no_browser)?;
    // The answer repeats the host of the question, so only its path is used, with the host and port that were given.
    let named = Url::parse(&answer.web_socket_debugger_url);
    let path = named.map_err(|_| no_browser())?.path().to_owned();
    Ok(format!("ws://{host}:{port}{path}"))
}

#[derive(Deserialize)]
struct Version {
    #[serde(rename = "webSocketDebuggerUrl")]
    web_socket_debugger_url: String,
}

/// Asks a browser for its version by one HTTP request. Returns the whole answer, headers included.
async fn version(host: &str, port: u16) -> io::Result<String> {
    let mut stream = TcpStream::connect((host.trim_matches(['[', ']']), port)).await?;
    let question =
        format!("GET /json/version HTTP/1.1\r\nHost: {host}:{port}\r\nConnection: close\r\n\r\n");
    stream.write_all(question.as_bytes()).await?;
    let mut answer = Vec::new();
    let mut reader = BufReader::new(stream).take(MAX_ANSWER);
    // The connection stays open, so only the length shows where the answer ends.
    let mut length = None;
    loop {
        let before = answer.len();
        reader.read_until(b'\n', &mut answer).await?;
        let line = String::from_utf8_lossy(&answer[before..]).to_ascii_lowercase();
        if let Some(value) = line.strip_prefix("content-length:") {
            length = value.trim().parse::<usize>().ok();
        }
        if line.trim().is_empty() {
            break;
        }
    }
    let mut body = vec![
        0;
        length
            .unwrap_or(0)
            .min(usize::try_from(MAX_ANSWER).unwrap_or(0))
    ];
    reader.read_exact(&mut body).await?;
    answer.extend(body);
    Ok(String::from_utf8_lossy(&answer).into_owned())
}
