//! The transport that sends commands through the socket of the tool's daemon. Each command has a connection of its own.
//! The command and its answer are JSON objects of one line each.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use async_trait::async_trait;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    net::UnixStream,
};
use zeroize::Zeroizing;

use super::{Command, MAX_REPLY, RawReply, Transport, TransportError};
use crate::secret::Secret;

/// Tested versions of the daemon's protocol, as prefixes. Source: the daemon of `@playwright/cli` 0.1.22.
const TESTED_VERSIONS: &[&str] = &["1.64."];

/// Maximum size of a session file. A larger file is not read. Unit: bytes. Source: chosen; a usual session file has
/// about 800 bytes.
const MAX_SESSION_FILE: u64 = 64 << 10;

/// The identifier of every command. It need not be unique, because each command has a connection of its own.
const ID: u64 = 1;

#[derive(Debug)]
pub(in super::super) struct Socket {
    path: PathBuf,
    working_folder: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Session {
    version: String,
    socket_path: PathBuf,
}

#[derive(Deserialize)]
struct Answer {
    id: u64,
    result: Option<Value>,
    error: Option<String>,
}

impl Socket {
    /// Creates the transport from the daemon's session file. Fails if the protocol version in the file was not tested.
    pub(in super::super) fn from_session_file(
        file: &Path,
        working_folder: &Path,
    ) -> Result<Self, TransportError> {
        let size = std::fs::metadata(file)
            .map_err(|_| TransportError::NoSession)?
            .len();
        if size > MAX_SESSION_FILE {
            return Err(TransportError::NoSession);
        }
        let text = std::fs::read(file).map_err(|_| TransportError::NoSession)?;
        let session: Session =
            serde_json::from_slice(&text).map_err(|_| TransportError::NoSession)?;
        if !TESTED_VERSIONS
            .iter()
            .any(|tested| session.version.starts_with(tested))
        {
            let shown =
                crate::base::text::truncate(&crate::base::text::clean(&session.version), 40);
            return Err(TransportError::WrongVersion(shown));
        }
        Ok(Self {
            path: session.socket_path,
            working_folder: working_folder.display().to_string(),
        })
    }

    async fn exchange(
        &self,
        method: &str,
        params: Value,
        timeout: Duration,
    ) -> Result<Answer, TransportError> {
        let request = json!({ "id": ID, "method": method, "params": params });
        let line = Zeroizing::new(format!("{request}\n"));
        wipe(request);
        let talk = async {
            let mut stream = UnixStream::connect(&self.path)
                .await
                .map_err(TransportError::Unreachable)?;
            stream
                .write_all(line.as_bytes())
                .await
                .map_err(|_| TransportError::Closed)?;
            let mut answer = Zeroizing::new(Vec::new());
            // One byte more than allowed is read, to tell a complete answer from a truncated one.
            let mut reader = BufReader::new(stream).take(MAX_REPLY as u64 + 1);
            reader
                .read_until(b'\n', &mut answer)
                .await
                .map_err(TransportError::Io)?;
            if answer.len() > MAX_REPLY {
                return Err(TransportError::TooLarge);
            }
            if answer.last() != Some(&b'\n') {
                return Err(TransportError::Closed);
            }
            let answer: Answer =
                serde_json::from_slice(&answer).map_err(|_| TransportError::Garbage)?;
            if answer.id == ID {
                Ok(answer)
            } else {
                Err(TransportError::Garbage)
            }
        };
        tokio::time::timeout(timeout, talk)
            .await
            .unwrap_or(Err(TransportError::Timeout(timeout)))
    }
}

/// Drops a JSON value, and overwrites the bytes of its texts with zeros.
fn wipe(value: Value) {
    match value {
        Value::String(text) => drop(Zeroizing::new(text)),
        Value::Array(items) => items.into_iter().for_each(wipe),
        Value::Object(map) => map.into_iter().for_each(|(_, value)| wipe(value)),
        _ => {}
    }
}

/// Returns the command as the tool's own client would send it.
fn arguments(command: &Command) -> Value {
    let mut words = vec![Value::from(command.name)];
    words.extend(command.code.iter().map(|code| Value::from(code.expose())));
    words.extend(
        command
            .positionals
            .iter()
            .map(|value| Value::from(value.as_str())),
    );
    let mut arguments = Map::new();
    arguments.insert("_".into(), Value::Array(words));
    for (name, value) in &command.flags {
        arguments.insert(
            (*name).into(),
            value.as_deref().map_or(Value::Bool(true), Value::from),
        );
    }
    Value::Object(arguments)
}

#[async_trait]
impl Transport for Socket {
    fn name(&self) -> &'static str {
        "socket"
    }

    async fn run(&self, command: &Command, timeout: Duration) -> Result<RawReply, TransportError> {
        if command.positionals.iter().any(|value| value.contains('\0')) {
            return Err(TransportError::Nul);
        }
        let params = json!({ "args": arguments(command), "cwd": self.working_folder, "raw": false, "json": false });
        let answer = self.exchange("run", params, timeout).await?;
        if let Some(error) = answer.error {
            return Ok(RawReply::refusal(&error));
        }
        let Some(Value::Object(mut result)) = answer.result else {
            return Err(TransportError::Garbage);
        };
        let is_error = result.get("isError") == Some(&Value::Bool(true));
        match result.remove("text") {
            Some(Value::String(text)) => Ok(RawReply {
                text: Secret::new(text),
                is_error,
            }),
            _ => Err(TransportError::Garbage),
        }
    }

    async fn stop(&self, timeout: Duration) -> Result<(), TransportError> {
        match self.exchange("stop", json!({}), timeout).await {
            // The daemon may end before its answer is sent.
            Ok(_) | Err(TransportError::Closed) => Ok(()),
            Err(error) => Err(error),
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use tokio::net::UnixListener;

    use super::*;

    pub(in super::super) fn session(folder: &Path, version: &str) -> PathBuf {
        let file = folder.join("x.session");
        let socket = folder.join("d.sock");
        std::fs::write(
            &file,
            json!({ "version": version, "socketPath": socket, "more": [1] }).to_string(),
        )
        .unwrap();
        file
    }

    /// Starts a daemon that answers one connection with these bytes. The task's result is the line that it received.
    pub(in super::super) fn daemon(
        folder: &Path,
        answer: &'static [u8],
    ) -> tokio::task::JoinHandle<String> {
        let listener = UnixListener::bind(folder.join("d.sock")).unwrap();
        tokio::spawn(async move {
            let (stream, _) = listener.accept().await.unwrap();
            let mut stream = BufReader::new(stream);
            let mut line = String::new();
            stream.read_line(&mut line).await.unwrap();
            stream.get_mut().write_all(answer).await.unwrap();
            line
        })
    }

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn only_a_tested_version_is_spoken_to() {
        let folder = tempfile::tempdir().unwrap();
        let read = |file: &Path| Socket::from_session_file(file, folder.path());
        assert!(matches!(
            read(&folder.path().join("none")),
            Err(TransportError::NoSession)
        ));
        assert!(read(&session(folder.path(), "1.64.0-alpha-1")).is_ok());
        assert!(
            matches!(read(&session(folder.path(), "2.0.0")), Err(TransportError::WrongVersion(v)) if v == "2.0.0")
        );
        std::fs::write(folder.path().join("x.session"), "{").unwrap();
        assert!(matches!(
            read(&folder.path().join("x.session")),
            Err(TransportError::NoSession)
        ));
    }

    #[tokio::test]
    async fn a_command_goes_out_as_the_tools_own_client_would_send_it() {
        let folder = tempfile::tempdir().unwrap();
        let socket =
            Socket::from_session_file(&session(folder.path(), "1.64.0"), folder.path()).unwrap();
        let sent = daemon(
            folder.path(),
            b"{\"id\":1,\"result\":{\"text\":\"### Page\",\"isError\":true}}\n",
        );
        let command = Command::new("fill")
            .arg("e8")
            .arg("--help\n-s=x")
            .flag("submit")
            .option("filename", "a");
        let reply = socket.run(&command, SECOND).await.unwrap();
        assert_eq!((reply.text.expose(), reply.is_error), ("### Page", true));
        let sent: Value = serde_json::from_str(&sent.await.unwrap()).unwrap();
        assert_eq!(sent["method"], "run");
        assert_eq!(
            sent["params"]["args"],
            json!({ "_": ["fill", "e8", "--help\n-s=x"], "submit": true, "filename": "a" })
        );
    }

    #[tokio::test]
    async fn what_is_not_the_protocol_is_told_apart_from_what_was_never_sent() {
        let answers: [(&'static [u8], bool); 5] = [
            (b"", true),
            (b"{\"id\":1", true),
            (b"hello\n", false),
            (b"{\"id\":2,\"result\":{\"text\":\"\"}}\n", false),
            (b"{\"id\":1,\"result\":{}}\n", false),
        ];
        for (answer, closed) in answers {
            let folder = tempfile::tempdir().unwrap();
            let socket =
                Socket::from_session_file(&session(folder.path(), "1.64.0"), folder.path())
                    .unwrap();
            let unreachable = socket
                .run(&Command::read("snapshot"), SECOND)
                .await
                .unwrap_err();
            assert!(unreachable.nothing_was_sent());
            let sent = daemon(folder.path(), answer);
            let error = socket
                .run(&Command::read("snapshot"), SECOND)
                .await
                .unwrap_err();
            assert!(!error.nothing_was_sent());
            assert_eq!(matches!(error, TransportError::Closed), closed, "{error:?}");
            sent.await.unwrap();
        }
    }
}
