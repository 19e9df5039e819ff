//! The events of the DevTools protocol that this driver uses, as Rust values.

use std::{collections::BTreeMap, fmt};

use serde::Deserialize;

use super::wire::Event;
use crate::base::text::clean;

/// An event of the browser. Its addresses, titles and names come from the page and may contain control characters.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum BrowserEvent {
    TargetCreated(TargetInfo),
    TargetChanged(TargetInfo),
    TargetDestroyed(String),
    TargetCrashed {
        target: String,
        why: &'static str,
        how: String,
    },
    Attached {
        session: String,
        target: TargetInfo,
    },
    Detached {
        session: String,
    },
    FrameAttached {
        frame: String,
        parent: String,
    },
    /// A frame left its process. If `swapped` is true, the frame moved to another process, where it gets another
    /// document; otherwise it was removed.
    FrameDetached {
        frame: String,
        swapped: bool,
    },
    FrameNavigated(FrameInfo),
    /// A frame navigated within its document. Its address may have stayed the same.
    NavigatedWithin {
        frame: String,
        url: String,
    },
    /// The page asked for an immediate navigation of a frame.
    NavigationAsked {
        frame: String,
    },
    /// A frame began to navigate to another document.
    NavigationBegan {
        frame: String,
        loader: String,
    },
    LoadingStarted {
        frame: String,
    },
    LoadingStopped {
        frame: String,
    },
    /// A frame's document reached the loading stage `name`, such as the end of parsing.
    Lifecycle {
        frame: String,
        loader: String,
        name: String,
    },
    DialogOpened(DialogInfo),
    DialogClosed,
    ChooserOpened {
        frame: String,
        node: Option<u64>,
        multiple: bool,
    },
    RequestStarted {
        request: String,
        frame: Option<String>,
        kind: String,
    },
    /// The response to a `fetch` call of a script began to arrive.
    Answered {
        request: String,
    },
    Received {
        request: String,
    },
    RequestEnded {
        request: String,
        /// True if the request was cancelled, perhaps before any response. False if it failed in another way.
        given_up: bool,
    },
    /// A page opens a window. The event for the window's target follows.
    WindowOpened {
        url: String,
    },
    DownloadBegan {
        id: String,
        frame: String,
        name: String,
    },
    Download {
        id: String,
        received: u64,
        state: String,
    },
    DragBegan(serde_json::Value),
    RequestPaused(Box<Paused>),
    SocketMade {
        url: String,
    },
    Crashed,
}

/// A target of the protocol: a tab, a frame with its own process, or a worker.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct TargetInfo {
    pub(super) target_id: String,
    #[serde(rename = "type")]
    pub(super) kind: String,
    #[serde(default)]
    pub(super) title: String,
    #[serde(default)]
    pub(super) url: String,
    pub(super) opener_id: Option<String>,
    pub(super) browser_context_id: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct FrameInfo {
    pub(super) id: String,
    pub(super) parent_id: Option<String>,
    pub(super) loader_id: String,
    pub(super) url: String,
    #[serde(default)]
    pub(super) url_fragment: String,
}

impl FrameInfo {
    /// Returns the frame's whole address, including its fragment.
    pub(super) fn address(&self) -> String {
        // Chromium's address for the empty document with which a window begins.
        let url = if self.url == ":" {
            "about:blank"
        } else {
            &self.url
        };
        format!("{url}{}", self.url_fragment)
    }
}

/// A request that the browser holds until this driver lets it continue or fail.
#[derive(Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Paused {
    #[serde(rename = "requestId")]
    pub(super) id: String,
    pub(super) request: Sent,
    #[serde(rename = "resourceType", default)]
    pub(super) kind: String,
    /// The id of the frame that sends the request. For a request of a shared worker or a service worker, the id of the
    /// worker.
    #[serde(rename = "frameId")]
    pub(super) frame: String,
}

impl fmt::Debug for Paused {
    /// Leaves out the request's content, which may be typed text.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Paused")
            .field("id", &self.id)
            .finish_non_exhaustive()
    }
}

#[derive(Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Sent {
    pub(super) url: String,
    #[serde(default)]
    pub(super) url_fragment: String,
    #[serde(default)]
    pub(super) headers: BTreeMap<String, String>,
    #[serde(default)]
    pub(super) has_post_data: bool,
    pub(super) post_data_entries: Option<Vec<Bytes>>,
}

/// A part of a request's body. `bytes` is the content of the part as base64; `None` if the content cannot be read.
#[derive(Clone, PartialEq, Eq, Deserialize)]
pub(super) struct Bytes {
    pub(super) bytes: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct FrameTree {
    pub(super) frame: FrameInfo,
    #[serde(default)]
    pub(super) child_frames: Vec<Self>,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct DialogInfo {
    #[serde(rename = "type")]
    pub(super) kind: String,
    pub(super) message: String,
    #[serde(default)]
    pub(super) default_prompt: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct OfTarget {
    target_info: TargetInfo,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct TargetId {
    target_id: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Crash {
    target_id: String,
    #[serde(default)]
    status: String,
    #[serde(default)]
    error_code: i64,
}

impl Crash {
    fn how(&self) -> String {
        format!("{}, {}", clean(&self.status), self.error_code)
    }

    fn why(&self) -> &'static str {
        match &*self.status {
            status if status.contains("oom") => "the page's process was out of memory",
            status if status.contains("launch") => "the page's process did not start",
            status if status.contains("killed") => "the page's process was killed",
            _ => CRASHED,
        }
    }
}

/// The reason to give when the process of a page is gone, if nothing more is known.
pub(super) const CRASHED: &str = "the page crashed";

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct AttachedTo {
    session_id: String,
    target_info: TargetInfo,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SessionId {
    session_id: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct OfFrame {
    #[serde(default)]
    frame_id: String,
    #[serde(default)]
    parent_frame_id: String,
    #[serde(default)]
    reason: String,
    #[serde(default)]
    url: String,
    #[serde(default)]
    disposition: String,
    #[serde(default)]
    delay: f64,
    #[serde(default)]
    loader_id: String,
    #[serde(default)]
    name: String,
    backend_node_id: Option<u64>,
    #[serde(default)]
    mode: String,
    #[serde(default)]
    navigation_type: String,
}

#[derive(Deserialize)]
struct Navigated {
    frame: FrameInfo,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Request {
    #[serde(rename = "requestId")]
    id: String,
    frame_id: Option<String>,
    loader_id: Option<String>,
    #[serde(rename = "type", default)]
    kind: String,
    #[serde(default)]
    canceled: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct OfDownload {
    guid: String,
    #[serde(default)]
    frame_id: String,
    #[serde(default)]
    suggested_filename: String,
    #[serde(default)]
    received_bytes: f64,
    #[serde(default)]
    state: String,
}

#[derive(Deserialize)]
struct Socket {
    url: String,
}

#[derive(Deserialize)]
struct Drag {
    data: serde_json::Value,
}

/// Longest delay of a navigation that still counts as immediate. Unit: seconds. Source: chosen; navigations by forms
/// and scripts have a delay of 0.
const AT_ONCE: f64 = 0.05;

impl BrowserEvent {
    /// Parses an event. Returns `None` if this driver does not use the event or cannot parse it.
    pub(super) fn read(event: &Event<'_>) -> Option<Self> {
        match event.method.split_once('.')? {
            ("Target", method) => Self::of_target(event, method),
            ("Page", method) => Self::of_page(event, method),
            ("Network", method) => Self::of_network(event, method),
            ("Browser", method) => Self::of_download(event, method),
            ("Fetch", "requestPaused") => Some(Self::RequestPaused(Box::new(event.read()?))),
            ("Input", "dragIntercepted") => Some(Self::DragBegan(event.read::<Drag>()?.data)),
            ("Inspector", "targetCrashed") => Some(Self::Crashed),
            _ => None,
        }
    }

    fn of_target(event: &Event<'_>, method: &str) -> Option<Self> {
        Some(match method {
            "targetCreated" => Self::TargetCreated(event.read::<OfTarget>()?.target_info),
            "targetInfoChanged" => Self::TargetChanged(event.read::<OfTarget>()?.target_info),
            "targetDestroyed" => Self::TargetDestroyed(event.read::<TargetId>()?.target_id),
            "targetCrashed" => {
                let crash = event.read::<Crash>()?;
                Self::TargetCrashed {
                    why: crash.why(),
                    how: crash.how(),
                    target: crash.target_id,
                }
            }
            "attachedToTarget" => {
                let attached = event.read::<AttachedTo>()?;
                Self::Attached {
                    session: attached.session_id,
                    target: attached.target_info,
                }
            }
            "detachedFromTarget" => Self::Detached {
                session: event.read::<SessionId>()?.session_id,
            },
            _ => return None,
        })
    }

    fn of_page(event: &Event<'_>, method: &str) -> Option<Self> {
        let frame = || event.read::<OfFrame>();
        Some(match method {
            "frameAttached" => {
                let of = frame()?;
                Self::FrameAttached {
                    frame: of.frame_id,
                    parent: of.parent_frame_id,
                }
            }
            "frameDetached" => {
                let of = frame()?;
                Self::FrameDetached {
                    frame: of.frame_id,
                    swapped: of.reason == "swap",
                }
            }
            "frameNavigated" => Self::FrameNavigated(event.read::<Navigated>()?.frame),
            "navigatedWithinDocument" => {
                let of = frame()?;
                Self::NavigatedWithin {
                    frame: of.frame_id,
                    url: of.url,
                }
            }
            "frameRequestedNavigation" => {
                let of = frame().filter(|of| of.disposition == "currentTab")?;
                Self::NavigationAsked { frame: of.frame_id }
            }
            "frameScheduledNavigation" => {
                let of = frame().filter(|of| of.delay < AT_ONCE)?;
                Self::NavigationAsked { frame: of.frame_id }
            }
            "frameStartedNavigating" => {
                // Navigations within a document load nothing.
                let of = frame().filter(|of| {
                    !of.loader_id.is_empty() && !of.navigation_type.contains("ameDocument")
                })?;
                Self::NavigationBegan {
                    frame: of.frame_id,
                    loader: of.loader_id,
                }
            }
            "windowOpen" => Self::WindowOpened { url: frame()?.url },
            "frameStartedLoading" => Self::LoadingStarted {
                frame: frame()?.frame_id,
            },
            "frameStoppedLoading" => Self::LoadingStopped {
                frame: frame()?.frame_id,
            },
            "lifecycleEvent" => {
                let of = frame()?;
                Self::Lifecycle {
                    frame: of.frame_id,
                    loader: of.loader_id,
                    name: of.name,
                }
            }
            "javascriptDialogOpening" => Self::DialogOpened(event.read()?),
            "javascriptDialogClosed" => Self::DialogClosed,
            "fileChooserOpened" => {
                let of = frame()?;
                Self::ChooserOpened {
                    frame: of.frame_id,
                    node: of.backend_node_id,
                    multiple: of.mode == "selectMultiple",
                }
            }
            _ => return None,
        })
    }

    fn of_network(event: &Event<'_>, method: &str) -> Option<Self> {
        Some(match method {
            "requestWillBeSent" => {
                // A request for a worker's script belongs to no document, and its end is reported only in the
                // worker's session.
                let request = event
                    .read::<Request>()
                    .filter(|request| request.loader_id.as_deref() != Some(""))?;
                Self::RequestStarted {
                    request: request.id,
                    frame: request.frame_id,
                    kind: request.kind,
                }
            }
            "responseReceived" => {
                let request = event
                    .read::<Request>()
                    .filter(|request| request.kind == "Fetch")?;
                Self::Answered {
                    request: request.id,
                }
            }
            "dataReceived" => Self::Received {
                request: event.read::<Request>()?.id,
            },
            "loadingFinished" | "loadingFailed" => {
                let request = event.read::<Request>()?;
                Self::RequestEnded {
                    request: request.id,
                    given_up: request.canceled,
                }
            }
            "webSocketCreated" => Self::SocketMade {
                url: event.read::<Socket>()?.url,
            },
            _ => return None,
        })
    }

    fn of_download(event: &Event<'_>, method: &str) -> Option<Self> {
        let of = event.read::<OfDownload>()?;
        Some(match method {
            "downloadWillBegin" => Self::DownloadBegan {
                id: of.guid,
                frame: of.frame_id,
                name: of.suggested_filename,
            },
            "downloadProgress" => Self::Download {
                id: of.guid,
                // The browser sends the count as a floating-point number.
                #[expect(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "it stops at the ends"
                )]
                received: of.received_bytes as u64,
                state: of.state,
            },
            _ => return None,
        })
    }
}
