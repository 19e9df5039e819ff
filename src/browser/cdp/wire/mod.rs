//! The DevTools protocol: calls to a browser, their answers, and the browser's events. Each is a message through a pipe
//! or a WebSocket.
//!
//! A call ends with its answer, with the end of its session, or with the end of the connection. So a lost browser is
//! noticed at once. Events are passed to one function in the browser's order. This function must not wait.

mod pipe;
mod websocket;

use std::{
    borrow::Cow,
    collections::HashMap,
    fmt, io,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::{Value, value::RawValue};
use tokio::{
    sync::{mpsc, oneshot},
    task::AbortHandle,
};

pub(super) use pipe::{PipeReader, PipeWriter};
pub(super) use websocket::connect;

/// Maximum size of a message that is read. Unit: bytes. Source: chosen; a page of 40,000 nodes takes about 8 MB.
const MAX_MESSAGE: usize = 256 << 20;

pub(super) trait Reader: Send + 'static {
    /// Reads the next message; returns `None` at the end of the connection.
    fn next(&mut self) -> impl Future<Output = io::Result<Option<Vec<u8>>>> + Send;
}

pub(super) trait Writer: Send + 'static {
    fn send(&mut self, message: Vec<u8>) -> impl Future<Output = io::Result<()>> + Send;
}

/// A message that the browser sends on its own, not as an answer to a call.
#[derive(Debug)]
pub(super) struct Event<'a> {
    /// The id of the event's session; `None` for the browser as a whole.
    pub(super) session: Option<&'a str>,
    pub(super) method: &'a str,
    pub(super) params: &'a RawValue,
}

impl Event<'_> {
    pub(super) fn read<T: DeserializeOwned>(&self) -> Option<T> {
        serde_json::from_str(self.params.get()).ok()
    }
}

#[derive(Debug, Clone, thiserror::Error)]
pub(super) enum WireError {
    #[error("the connection to the browser is closed")]
    Closed,
    /// The session has ended, because its tab or frame is gone.
    #[error("the tab or frame is gone")]
    Gone,
    /// The browser answered with an error. Its message may quote the page.
    #[error("{method} was refused ({code})")]
    Refused {
        method: &'static str,
        code: i64,
        message: String,
    },
    #[error("{method} gave a result that is not understood")]
    Malformed {
        method: &'static str,
        source: Arc<serde_json::Error>,
    },
}

type Answer = Result<Box<RawValue>, WireError>;

struct Call {
    session: Option<String>,
    method: &'static str,
    answer: oneshot::Sender<Answer>,
}

#[derive(Default)]
struct Calls {
    last: u64,
    open: HashMap<u64, Call>,
    closed: bool,
}

/// A connection to a browser, for sending calls. Clones share the connection.
#[derive(Clone)]
pub(super) struct Wire {
    calls: Arc<Mutex<Calls>>,
    outgoing: mpsc::UnboundedSender<Vec<u8>>,
}

impl fmt::Debug for Wire {
    /// Leaves out the messages, which may contain typed text.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Wire")
            .field("closed", &lock(&self.calls).closed)
            .finish_non_exhaustive()
    }
}

/// The tasks of a connection that read and write messages. Dropping this value ends the connection.
pub(super) struct Line {
    tasks: [AbortHandle; 2],
    calls: Arc<Mutex<Calls>>,
}

impl fmt::Debug for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Line").finish_non_exhaustive()
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        for task in &self.tasks {
            task.abort();
        }
        close(&self.calls);
    }
}

#[derive(Serialize)]
struct Outgoing<'a> {
    id: u64,
    method: &'static str,
    params: Value,
    #[serde(rename = "sessionId", skip_serializing_if = "Option::is_none")]
    session: Option<&'a str>,
}

#[derive(Deserialize)]
struct Incoming<'a> {
    id: Option<u64>,
    #[serde(borrow)]
    result: Option<&'a RawValue>,
    error: Option<Refusal>,
    #[serde(borrow)]
    method: Option<Cow<'a, str>>,
    #[serde(borrow)]
    params: Option<&'a RawValue>,
    #[serde(borrow, rename = "sessionId")]
    session: Option<Cow<'a, str>>,
}

#[derive(Deserialize)]
struct Refusal {
    code: i64,
    message: String,
}

fn lock(calls: &Mutex<Calls>) -> MutexGuard<'_, Calls> {
    calls.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Wire {
    /// Starts the reading and the writing task of a connection. Calls `on_event` for each event, and with `None` when
    /// the browser ends the connection.
    ///
    /// Dropping the [`Line`] ends the connection, even if a wire still exists. `on_event` is then not called with
    /// `None`.
    pub(super) fn start(
        mut reader: impl Reader,
        mut writer: impl Writer,
        mut on_event: impl FnMut(Option<Event<'_>>) + Send + 'static,
    ) -> (Self, Line) {
        let calls = Arc::<Mutex<Calls>>::default();
        let (outgoing, mut queue) = mpsc::unbounded_channel();
        let writing = tokio::spawn(async move {
            while let Some(message) = queue.recv().await {
                if writer.send(message).await.is_err() {
                    break;
                }
            }
        });
        let shared = Arc::clone(&calls);
        let reading = tokio::spawn(async move {
            while let Ok(Some(message)) = reader.next().await {
                receive(&shared, &message, &mut on_event);
            }
            close(&shared);
            on_event(None);
        });
        let line = Line {
            tasks: [writing.abort_handle(), reading.abort_handle()],
            calls: Arc::clone(&calls),
        };
        (Self { calls, outgoing }, line)
    }

    /// Calls a method of the protocol. The call is queued before this function returns, so calls keep their order.
    ///
    /// # Errors
    /// See [`WireError`]. The call has no time limit. If the future is dropped, the answer is ignored.
    pub(super) fn call<T: DeserializeOwned + 'static>(
        &self,
        session: Option<&str>,
        method: &'static str,
        params: Value,
    ) -> impl Future<Output = Result<T, WireError>> + Send + use<T> + 'static {
        let answer = self.send(session, method, params);
        async move {
            let raw = answer.await.unwrap_or(Err(WireError::Closed))?;
            serde_json::from_str(raw.get()).map_err(|error| WireError::Malformed {
                method,
                source: Arc::new(error),
            })
        }
    }

    fn send(
        &self,
        session: Option<&str>,
        method: &'static str,
        params: Value,
    ) -> oneshot::Receiver<Answer> {
        let (sender, receiver) = oneshot::channel();
        let mut calls = lock(&self.calls);
        calls.last += 1;
        let id = calls.last;
        let message = serde_json::to_vec(&Outgoing {
            id,
            method,
            params,
            session,
        });
        match message {
            Ok(message) if !calls.closed => {
                calls.open.insert(
                    id,
                    Call {
                        session: session.map(str::to_owned),
                        method,
                        answer: sender,
                    },
                );
                // Sent under the lock, so that messages leave in the order of their numbers.
                if self.outgoing.send(message).is_err() {
                    calls.open.remove(&id);
                }
            }
            Ok(_) => _ = sender.send(Err(WireError::Closed)),
            Err(error) => {
                _ = sender.send(Err(WireError::Malformed {
                    method,
                    source: Arc::new(error),
                }));
            }
        }
        receiver
    }

    /// Ends the open calls of a session with [`WireError::Gone`].
    pub(super) fn end_session(&self, session: &str) {
        let mut calls = lock(&self.calls);
        let over = |call: &Call| call.session.as_deref() == Some(session);
        for (_, call) in calls.open.extract_if(|_, call| over(call)) {
            // The caller may have given up.
            let _ = call.answer.send(Err(WireError::Gone));
        }
    }
}

fn receive(calls: &Mutex<Calls>, message: &[u8], on_event: &mut impl FnMut(Option<Event<'_>>)) {
    // A message that cannot be parsed is ignored. If it answered a call, that call ends by its caller's time limit.
    let Ok(text) = std::str::from_utf8(message) else {
        return;
    };
    let Ok(incoming) = serde_json::from_str::<Incoming<'_>>(text) else {
        return;
    };
    if let Some(id) = incoming.id {
        let Some(call) = lock(calls).open.remove(&id) else {
            return;
        };
        let answer = match (incoming.result, incoming.error) {
            (_, Some(Refusal { code, message }))
                if code == SESSION_NOT_FOUND && !message.is_empty() =>
            {
                Err(WireError::Gone)
            }
            (_, Some(Refusal { code, message })) => Err(WireError::Refused {
                method: call.method,
                code,
                message,
            }),
            (Some(result), None) => Ok(result.to_owned()),
            (None, None) => Ok(RawValue::NULL.to_owned()),
        };
        // The caller may have given up.
        let _ = call.answer.send(answer);
    } else if let (Some(method), Some(params)) = (incoming.method, incoming.params) {
        on_event(Some(Event {
            session: incoming.session.as_deref(),
            method: &method,
            params,
        }));
    }
}

/// The browser's error code for "Session with given id not found."
const SESSION_NOT_FOUND: i64 = -32001;

fn close(calls: &Mutex<Calls>) {
    let mut calls = lock(calls);
    calls.closed = true;
    for (_, call) in calls.open.drain() {
        // The caller may have given up.
        let _ = call.answer.send(Err(WireError::Closed));
    }
}

#[cfg(test)]
pub(super) mod tests;
