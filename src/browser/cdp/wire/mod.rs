//! The DevTools protocol: calls to a browser, their answers, and the browser's events. Each is a message through a pipe
//! or a WebSocket.
//!
//! A call ends with its answer, with the end of its session, or with the end of the connection. So a lost browser is
//! noticed at once. Events are passed to one function in the browser's order. This function must not wait.
//!
//! A connection can have branches: sessions with the browser as a whole, for one browser context each. A branch has a function
//! of its own for the events of its session and of the sessions that began in it.

mod pipe;
mod websocket;

use std::{
    borrow::Cow,
    collections::HashMap,
    fmt, io,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::{Value, json, value::RawValue};
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
#[derive(Debug, Clone, Copy)]
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

/// What receives the events of a connection or branch; `None` is the end of the connection.
type Listener = Box<dyn FnMut(Option<Event<'_>>) + Send>;

/// Where the events of each session go.
struct Routes {
    /// Receives the events of all sessions that are in no branch.
    trunk: Listener,
    /// What receives the events of a branch, by the branch's session.
    branches: HashMap<String, Listener>,
    /// The branch of each session that began in a branch.
    inside: HashMap<String, String>,
}

impl Routes {
    fn pass(&mut self, event: &Event<'_>) {
        let branch = event
            .session
            .and_then(|session| Some((session, self.inside.get(session)?.clone())));
        let (within, branch) = match (branch, event.session) {
            (Some((session, branch)), _) => (Some(session), branch),
            (None, Some(session)) if self.branches.contains_key(session) => {
                (None, session.to_owned())
            }
            _ => return (self.trunk)(Some(*event)),
        };
        match event.method {
            "Target.attachedToTarget" => {
                if let Some(Began { session }) = event.read() {
                    self.inside.insert(session, branch.clone());
                }
            }
            "Target.detachedFromTarget" => {
                if let Some(Began { session }) = event.read() {
                    self.inside.remove(&session);
                }
            }
            _ => {}
        }
        if let Some(listener) = self.branches.get_mut(&branch) {
            listener(Some(Event {
                session: within,
                ..*event
            }));
        }
    }

    fn end(&mut self, tells_trunk: bool) {
        self.inside.clear();
        for (_, mut listener) in self.branches.drain() {
            listener(None);
        }
        if tells_trunk {
            (self.trunk)(None);
        }
    }
}

/// The session that an event tells the beginning or the end of.
#[derive(Deserialize)]
struct Began {
    #[serde(rename = "sessionId")]
    session: String,
}

/// A connection to a browser or a branch of it, for sending calls. Clones share the connection.
#[derive(Clone)]
pub(super) struct Wire {
    calls: Arc<Mutex<Calls>>,
    routes: Arc<Mutex<Routes>>,
    outgoing: mpsc::UnboundedSender<Vec<u8>>,
    /// The session of this branch, for the calls that are in no other session; `None` for the trunk.
    branch: Option<Arc<str>>,
}

impl fmt::Debug for Wire {
    /// Leaves out the messages, which may contain typed text.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Wire")
            .field("closed", &lock(&self.calls).closed)
            .finish_non_exhaustive()
    }
}

/// The tasks of a connection that read and write messages, or a branch. Dropping this value ends it.
pub(super) struct Line {
    /// `None` for a branch.
    tasks: Option<[AbortHandle; 2]>,
    wire: Wire,
}

impl fmt::Debug for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Line").finish_non_exhaustive()
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        match (&self.tasks, self.wire.branch.as_deref()) {
            (Some(tasks), _) => {
                for task in tasks {
                    task.abort();
                }
                close(&self.wire.calls);
                lock(&self.wire.routes).end(false);
            }
            (None, Some(branch)) => {
                let trunk = Wire {
                    branch: None,
                    ..self.wire.clone()
                };
                // The browser closes the context with the session that made it.
                drop(trunk.call::<Value>(
                    None,
                    "Target.detachFromTarget",
                    json!({ "sessionId": branch }),
                ));
                let (listener, inside) = {
                    let mut routes = lock(&self.wire.routes);
                    let inside: Vec<String> = routes
                        .inside
                        .extract_if(|_, of| &**of == branch)
                        .map(|(session, _)| session)
                        .collect();
                    (routes.branches.remove(branch), inside)
                };
                // The browser does not answer calls of sessions that ended with the branch.
                for session in inside.iter().map(String::as_str).chain([branch]) {
                    trunk.end_session(session);
                }
                if let Some(mut listener) = listener {
                    listener(None);
                }
            }
            (None, None) => {}
        }
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

fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
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
        on_event: impl FnMut(Option<Event<'_>>) + Send + 'static,
    ) -> (Self, Line) {
        let calls = Arc::<Mutex<Calls>>::default();
        let routes = Arc::new(Mutex::new(Routes {
            trunk: Box::new(on_event),
            branches: HashMap::new(),
            inside: HashMap::new(),
        }));
        let (outgoing, mut queue) = mpsc::unbounded_channel();
        let writing = tokio::spawn(async move {
            while let Some(message) = queue.recv().await {
                if writer.send(message).await.is_err() {
                    break;
                }
            }
        });
        let shared = (Arc::clone(&calls), Arc::clone(&routes));
        let reading = tokio::spawn(async move {
            let (calls, routes) = shared;
            while let Ok(Some(message)) = reader.next().await {
                receive(&calls, &message, &routes);
            }
            close(&calls);
            lock(&routes).end(true);
        });
        let wire = Self {
            calls,
            routes,
            outgoing,
            branch: None,
        };
        let line = Line {
            tasks: Some([writing.abort_handle(), reading.abort_handle()]),
            wire: wire.clone(),
        };
        (wire, line)
    }

    /// Opens a branch of the connection. Calls `on_event` for each event of the branch, and with `None` when the connection
    /// ends before the branch.
    ///
    /// Dropping the [`Line`] ends the branch, and closes the browser contexts that were made in it.
    pub(super) async fn branch(
        &self,
        on_event: impl FnMut(Option<Event<'_>>) + Send + 'static,
    ) -> Result<(Self, Line), WireError> {
        let trunk = Self {
            branch: None,
            ..self.clone()
        };
        let Began { session } = trunk
            .call(None, "Target.attachToBrowserTarget", json!({}))
            .await?;
        let wire = Self {
            branch: Some(session.as_str().into()),
            ..trunk
        };
        let line = Line {
            tasks: None,
            wire: wire.clone(),
        };
        lock(&self.routes)
            .branches
            .insert(session, Box::new(on_event));
        if lock(&self.calls).closed {
            return Err(WireError::Closed);
        }
        Ok((wire, line))
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
        let session = session.or(self.branch.as_deref());
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

fn receive(calls: &Mutex<Calls>, message: &[u8], routes: &Mutex<Routes>) {
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
        lock(routes).pass(&Event {
            session: incoming.session.as_deref(),
            method: &method,
            params,
        });
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
