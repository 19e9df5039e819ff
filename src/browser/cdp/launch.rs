//! Starting a browser of our own, and attaching to one that runs.
//!
//! A browser of our own talks by a pipe: no port is open that another user or a page could reach, and a browser whose pipe
//! closes ends by itself, so it does not outlive this process however that ends.

use std::{io, process::Stdio, sync::Arc, time::Duration};

use serde::Deserialize;
use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader},
    net::TcpStream,
    process::{Child, ChildStderr, Command},
    task::JoinHandle,
    time::timeout,
};
use url::Url;

use super::{
    hub::{self, Hub},
    options::CdpOptions,
    trouble::Trouble,
    wire::{self, Line, PipeReader, PipeWriter},
};
use crate::{
    base::{
        Error, ErrorKind, Result,
        text::{clean, truncate},
    },
    browser::chromium::{self, Folder},
};

const OPERATION: &str = "browser.launch";
const ATTACH: &str = "browser.attach";
/// Folders in the private one: profile, files on their way, temporary files.
const INSIDE: [&str; 4] = ["profile", "profile/Default", hub::FILES, "t"];
/// Where a new profile finds its preferences.
const PREFERENCES: &str = "profile/Default/Preferences";
/// Ours: nothing that is typed into forms is kept on the disk to be offered again.
const KEEP_NOTHING: &str = r#"{"autofill":{"enabled":false,"profile_enabled":false,"credit_card_enabled":false},
"credentials_enable_service":false,"profile":{"password_manager_enabled":false}}"#;
/// Longest line and most lines kept of what the browser says of its start. Unit: bytes and lines. Source: chosen.
const SAID: (u64, usize) = (4 << 10, 40);
/// Longest answer to the question for a browser's address. Unit: bytes. Source: it has some 500.
const MAX_ANSWER: u64 = 64 << 10;

/// A started browser, as what keeps it alive.
#[derive(Debug)]
pub(super) struct Life {
    /// Dropped first: the end of the connection ends the browser.
    pub(super) line: Option<Line>,
    /// Nothing for a browser that was attached to.
    pub(super) own: Option<Own>,
}

/// What belongs to a browser of our own.
#[derive(Debug)]
pub(super) struct Own {
    pub(super) child: Child,
    pub(super) folder: Folder,
}

impl Own {
    /// Ends by force what was started and all that it started: it has a process group of its own. What is no browser may
    /// neither notice the end of the connection nor name the folder in its command line.
    pub(super) fn kill(&self) {
        // As long as nobody waited for its end the number is its own.
        #[cfg(unix)]
        if let Some(group) = self.child.id().and_then(|pid| rustix::process::Pid::from_raw(i32::try_from(pid).ok()?)) {
            // Gone already: just as well.
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
    }
}

impl Drop for Own {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Starts a browser in a folder of its own.
pub(super) async fn launch(options: &CdpOptions) -> Result<(Arc<Hub>, Life)> {
    let io = |error: io::Error| {
        let kind = match error.kind() {
            io::ErrorKind::InvalidInput => ErrorKind::InvalidInput,
            _ => ErrorKind::Io,
        };
        let folder = options.folder.clone().unwrap_or_else(std::env::temp_dir);
        Error::new(kind, OPERATION).with("folder", folder.display()).with_source(error)
    };
    let folder = Folder::create_for(options.folder.as_deref(), &INSIDE).map_err(io)?;
    chromium::write_private(&folder.file(PREFERENCES), KEEP_NOTHING.as_bytes()).map_err(io)?;
    let started = command(options, &folder).spawn();
    let mut child = started.map_err(|error| unavailable(options, "it cannot be started").with_source(error))?;
    let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let own = Own { child, folder };
    if let Some(pid) = own.child.id() {
        own.folder.set_process(pid).map_err(io)?;
    }
    let (Some(input), Some(output), Some(errors)) = pipes else {
        return Err(unavailable(options, "it cannot be talked to"));
    };
    let said = listen(errors);
    let private = Some(own.folder.path());
    let (hub, line) = Hub::start(PipeReader::new(output), PipeWriter::new(input), options.clone(), private);
    let life = Life { line: Some(line), own: Some(own) };
    match timeout(options.launch_timeout, begin(&hub)).await {
        Ok(Ok(())) => Ok((hub, life)),
        Ok(Err(Trouble::Lost(_))) => {
            drop(life);
            Err(unavailable(options, &reason(said).await))
        }
        Ok(Err(trouble)) => Err(trouble.into_error(OPERATION)),
        Err(_) => Err(Error::new(ErrorKind::Timeout, OPERATION).with("program", options.chromium.display())),
    }
}

/// Attaches to a browser that runs with remote debugging, and opens a tab of our own in it.
pub(super) async fn attach(address: &str, options: &CdpOptions) -> Result<(Arc<Hub>, Life)> {
    let work = async {
        let address = debugger_address(address).await?;
        let (reader, writer) = wire::connect(&address).await.map_err(|error| unreachable(&address, error))?;
        let (hub, line) = Hub::start(reader, writer, options.clone(), None);
        let life = Life { line: Some(line), own: None };
        begin(&hub).await.map_err(|trouble| trouble.into_error(ATTACH))?;
        Ok((hub, life))
    };
    let late = |_| Err(Error::new(ErrorKind::Timeout, ATTACH));
    timeout(options.launch_timeout, work).await.unwrap_or_else(late)
}

fn unavailable(options: &CdpOptions, why: &str) -> Error {
    Error::new(ErrorKind::Unavailable, OPERATION).with("program", options.chromium.display()).with("why", why)
}

fn unreachable(address: &str, error: io::Error) -> Error {
    let host =
        Url::parse(address).ok().and_then(|url| Some(format!("{}:{}", url.host_str()?, url.port_or_known_default()?)));
    Error::new(ErrorKind::Unavailable, ATTACH).with("address", host.unwrap_or_default()).with_source(error)
}

/// The browser, with its ends of the pipe where it expects them: 3 to read from, 4 to write to.
#[cfg(unix)]
fn command(options: &CdpOptions, folder: &Folder) -> Command {
    // A shell moves them there, so that no code of ours runs between fork and exec.
    let mut command = Command::new("/bin/sh");
    command.args(["-c", r#"exec "$0" "$@" 3<&0 4>&1 </dev/null >/dev/null"#]).arg(&options.chromium);
    command.arg("--remote-debugging-pipe").args(options.switches(folder)).arg("about:blank");
    command.env_clear().envs(chromium::environment(folder)).env("TMPDIR", folder.file("t"));
    command.current_dir(folder.path()).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    // A Ctrl-C at the terminal is for this process; what it means for the browser is decided here.
    command.process_group(0);
    command
}

/// Elsewhere the pipe has no such places; attaching works.
#[cfg(not(unix))]
fn command(options: &CdpOptions, folder: &Folder) -> Command {
    let mut command = Command::new(&options.chromium);
    command.args(options.switches(folder)).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Makes the browser tell of its tabs, and waits for the first one.
async fn begin(hub: &Arc<Hub>) -> Result<(), Trouble> {
    let calls = &hub.wire;
    let downloads = match (&hub.private, &hub.options.downloads) {
        (Some(private), Some(_)) => {
            json!({ "behavior": "allowAndName", "downloadPath": private.join(hub::FILES), "eventsEnabled": true })
        }
        (Some(_), None) => json!({ "behavior": "deny", "eventsEnabled": true }),
        // As the browser itself would do without us.
        (None, _) => json!({ "behavior": "default", "eventsEnabled": true }),
    };
    calls.call::<Value>(None, "Browser.setDownloadBehavior", downloads).await?;
    let filter = json!([{ "type": "page" }]);
    if hub.owned {
        calls.call::<Value>(None, "Target.setDiscoverTargets", json!({ "discover": true, "filter": filter })).await?;
    } else {
        let opened: Opened = calls.call(None, "Target.createTarget", json!({ "url": "about:blank" })).await?;
        {
            let mut known = hub.known();
            known.open(&opened.target_id);
            known.current = Some(opened.target_id.clone());
        }
        calls.call::<Value>(None, "Target.setDiscoverTargets", json!({ "discover": true, "filter": filter })).await?;
        let params = json!({ "targetId": opened.target_id, "flatten": true });
        calls.call::<Value>(None, "Target.attachToTarget", params).await?;
    }
    hub.until(|known| {
        if known.closed {
            return Some(Err(Trouble::Lost("the browser ended while it started")));
        }
        known.tab_mut().filter(|tab| tab.prepared && tab.main().is_some()).map(|tab| {
            tab.told = true;
            Ok(())
        })
    })
    .await
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Opened {
    target_id: String,
}

/// Keeps the last lines of what the browser says, and reads the rest so that it never waits for us.
fn listen(errors: ChildStderr) -> JoinHandle<Vec<String>> {
    tokio::spawn(async move {
        let (longest, most) = SAID;
        let mut reader = BufReader::new(errors);
        let mut lines = Vec::new();
        loop {
            let mut line = Vec::new();
            match (&mut reader).take(longest).read_until(b'\n', &mut line).await {
                Ok(0) | Err(_) => return lines,
                Ok(_) if lines.len() < most => lines.push(clean(&String::from_utf8_lossy(&line))),
                Ok(_) => {}
            }
        }
    })
}

/// Why it ended: the first line that says so in the browser's own manner, or else the last one.
async fn reason(said: JoinHandle<Vec<String>>) -> String {
    let patience = Duration::from_secs(1);
    let lines = timeout(patience, said).await.ok().and_then(Result::ok).unwrap_or_default();
    let is_telling = |line: &&String| line.contains("FATAL") || line.contains("error while loading");
    let line = lines.iter().find(is_telling).or_else(|| lines.iter().rfind(|line| !line.trim().is_empty()));
    line.map_or_else(|| "it ended at once and said nothing".to_owned(), |line| truncate(line.trim(), 300))
}

/// The address of a browser's own WebSocket; one of its page of endpoints is asked for it.
async fn debugger_address(address: &str) -> Result<String> {
    let wrong = || {
        Error::new(ErrorKind::InvalidInput, ATTACH)
            .with("expected", "http://host:port, or ws://host:port/devtools/browser/<id>")
    };
    let url = Url::parse(address).map_err(|_| wrong())?;
    match url.scheme() {
        "ws" => return Ok(address.to_owned()),
        "http" => {}
        _ => return Err(wrong()),
    }
    let no_browser = || {
        let address = format!("{}:{}", url.host_str().unwrap_or_default(), url.port_or_known_default().unwrap_or(0));
        Error::new(ErrorKind::MalformedReply, ATTACH).with("address", address).with("found", "no browser answers there")
    };
    let (Some(host), Some(port)) = (url.host_str(), url.port_or_known_default()) else { return Err(wrong()) };
    let answer = version(host, port).await.map_err(|error| unreachable(address, error))?;
    let answer: Version =
        answer.split_once("\r\n\r\n").and_then(|(_, body)| serde_json::from_str(body).ok()).ok_or_else(no_browser)?;
    // It names the host as it was asked for it; where to connect to is ours to say.
    let named = Url::parse(&answer.web_socket_debugger_url);
    let path = named.map_err(|_| no_browser())?.path().to_owned();
    Ok(format!("ws://{host}:{port}{path}"))
}

#[derive(Deserialize)]
struct Version {
    #[serde(rename = "webSocketDebuggerUrl")]
    web_socket_debugger_url: String,
}

/// One question in HTTP, which needs no client.
async fn version(host: &str, port: u16) -> io::Result<String> {
    let mut stream = TcpStream::connect((host.trim_matches(['[', ']']), port)).await?;
    let question = format!("GET /json/version HTTP/1.1\r\nHost: {host}:{port}\r\nConnection: close\r\n\r\n");
    stream.write_all(question.as_bytes()).await?;
    let mut answer = Vec::new();
    let mut reader = BufReader::new(stream).take(MAX_ANSWER);
    // It keeps the connection open, so the length says where the answer ends.
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
    let mut body = vec![0; length.unwrap_or(0).min(usize::try_from(MAX_ANSWER).unwrap_or(0))];
    reader.read_exact(&mut body).await?;
    answer.extend(body);
    Ok(String::from_utf8_lossy(&answer).into_owned())
}
