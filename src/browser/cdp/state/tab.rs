//! A tab and its frames, as the browser's events report them.

use std::collections::{BTreeMap, HashMap, VecDeque};

use crate::{
    browser::cdp::events::{BrowserEvent, CRASHED, DialogInfo, FrameInfo},
    page::{Dialog, DialogKind},
};

/// Maximum number of documents that are remembered for a tab. Source: chosen; a page redirects once or twice.
const MAX_DOCUMENTS: usize = 20;

/// The isolated JavaScript world of our script in one document. It ends with the document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::browser::cdp) struct World {
    /// The number of the world within its process. Another process may use the same number.
    pub(in crate::browser::cdp) context: u64,
    /// The id that the browser gave our script's object in this world. No other process uses the same id.
    pub(in crate::browser::cdp) object: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is told by an event of its own"
)]
pub(in crate::browser::cdp) struct Frame {
    pub(in crate::browser::cdp) parent: Option<String>,
    /// The id of the frame's session: that of the nearest frame with a process of its own, which may be this frame or
    /// one around it, or else the tab's session.
    pub(in crate::browser::cdp) session: String,
    /// The browser's id of the frame's document; empty if not known yet.
    pub(in crate::browser::cdp) loader: String,
    pub(in crate::browser::cdp) url: String,
    /// The frame's number in element references, such as 3 in `f3e12`; 0 for the main frame.
    pub(in crate::browser::cdp) number: u32,
    pub(in crate::browser::cdp) loading: bool,
    /// True if the page asked for a navigation of the frame, and this navigation has not begun yet.
    pub(in crate::browser::cdp) asked: bool,
    /// The browser's id of the document to which the frame is navigating; `None` if it is not navigating.
    pub(in crate::browser::cdp) goes: Option<String>,
    /// True if an action waited in vain for the frame to load. Later actions then do not wait for the frame. False
    /// again when the frame's loading stops, when it shows another document, or when its next navigation is asked for
    /// or begins.
    pub(in crate::browser::cdp) vain: bool,
    /// Number of navigations of this frame that kept its document, for example to a fragment or by the history.
    pub(in crate::browser::cdp) steps: u64,
    /// True once the frame's document is parsed.
    pub(in crate::browser::cdp) ready: bool,
    /// The number of the element that shows this frame; `None` if not known yet.
    pub(in crate::browser::cdp) owner: Option<u64>,
    pub(in crate::browser::cdp) world: Option<World>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::browser::cdp) struct Chooser {
    pub(in crate::browser::cdp) session: String,
    pub(in crate::browser::cdp) node: Option<u64>,
    pub(in crate::browser::cdp) multiple: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is told by an event of its own"
)]
pub(in crate::browser::cdp) struct Tab {
    pub(in crate::browser::cdp) target: String,
    /// The id of the tab's session; `None` while this driver is not attached to the tab.
    pub(in crate::browser::cdp) session: Option<String>,
    /// True once the tab's events are subscribed to and its frames are read.
    pub(in crate::browser::cdp) prepared: bool,
    pub(in crate::browser::cdp) url: String,
    pub(in crate::browser::cdp) title: String,
    pub(in crate::browser::cdp) dialog: Option<DialogInfo>,
    /// True if the open dialog was reported, or need not be reported.
    pub(in crate::browser::cdp) dialog_told: bool,
    /// Number of dialogs so far. It distinguishes dialogs with the same text.
    pub(in crate::browser::cdp) dialogs: u64,
    pub(in crate::browser::cdp) chooser: Option<Chooser>,
    pub(in crate::browser::cdp) crashed: Option<&'static str>,
    /// The browser's description of the tab's crash; `None` if it has not crashed.
    pub(in crate::browser::cdp) how: Option<String>,
    /// True if the page was not quiet at the end of the last action.
    pub(in crate::browser::cdp) restless: bool,
    /// True if this driver opened the tab or has already reported it.
    pub(in crate::browser::cdp) told: bool,
    pub(in crate::browser::cdp) frames: BTreeMap<String, Frame>,
    /// The latest documents of the tab, the current one last.
    pub(super) documents: VecDeque<Shown>,
    /// Unfinished requests of the kinds that are waited for, by id.
    pub(in crate::browser::cdp) requests: HashMap<String, Request>,
    /// Number of signs so far that a response arrives: the start of the response to a `fetch` call, or a piece of the
    /// data of one of the `requests`.
    pub(in crate::browser::cdp) received: u64,
}

/// A document that a tab shows or has shown in its main frame.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Shown {
    loader: String,
    /// True if another navigation was under way when the tab began to show this document.
    contested: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::browser::cdp) struct Request {
    /// The position of this request among all requests of the browser, from 1.
    pub(in crate::browser::cdp) count: u64,
    /// True once the response to a `fetch` call has begun to arrive; always false for other requests.
    pub(in crate::browser::cdp) answered: bool,
}

impl Frame {
    pub(super) fn new(session: String, number: u32) -> Self {
        Self {
            parent: None,
            session,
            loader: String::new(),
            url: String::new(),
            number,
            loading: false,
            asked: false,
            goes: None,
            vain: false,
            ready: false,
            owner: None,
            world: None,
            steps: 0,
        }
    }

    pub(in crate::browser::cdp) fn moves(&self) -> bool {
        self.loading || self.asked || self.goes.is_some()
    }

    /// Returns true if the frame is loading, is about to navigate, or has no known document. Always returns false
    /// once an action has waited for the frame in vain (see `vain`).
    pub(in crate::browser::cdp) fn is_awaited(&self) -> bool {
        (self.moves() || self.loader.is_empty()) && !self.vain
    }

    /// Returns true if the frame is navigating or its document is not parsed yet. Always returns false once
    /// an action has waited for the frame in vain (see `vain`).
    pub(in crate::browser::cdp) fn navigates(&self) -> bool {
        (self.goes.is_some() || (self.loading && !self.ready)) && !self.vain
    }

    /// Records that a navigation was asked for (`loader` is `None`) or began (`loader` is the id of its document).
    /// Later actions wait for it.
    fn begins(&mut self, loader: Option<String>) {
        // A report of the same navigation by another session or event changes nothing.
        if loader
            .as_ref()
            .is_some_and(|loader| *loader == self.loader || Some(loader) == self.goes.as_ref())
        {
            return;
        }
        self.asked = loader.is_none();
        if loader.is_some() {
            self.goes = loader;
        }
        self.vain = false;
    }
}

impl Tab {
    pub(super) fn new(target: &str) -> Self {
        Self {
            target: target.to_owned(),
            session: None,
            prepared: false,
            url: String::new(),
            title: String::new(),
            dialog: None,
            dialog_told: false,
            dialogs: 0,
            chooser: None,
            crashed: None,
            how: None,
            restless: false,
            told: false,
            frames: BTreeMap::new(),
            documents: VecDeque::new(),
            requests: HashMap::new(),
            received: 0,
        }
    }

    /// Returns the main frame, if it is known. Chromium gives the main frame the same id as the tab.
    pub(in crate::browser::cdp) fn main(&self) -> Option<&Frame> {
        self.frames.get(&self.target)
    }

    /// Returns true if a request that is waited for is unfinished, or a frame should still be waited for.
    pub(in crate::browser::cdp) fn is_fetching(&self) -> bool {
        !self.requests.is_empty() || self.frames.values().any(Frame::is_awaited)
    }

    /// Returns true if the tab has shown `document`, or no longer shows `last`. Both are ids of documents.
    pub(in crate::browser::cdp) fn has_come_to(&self, document: &str, last: &str) -> bool {
        self.documents.iter().any(|shown| shown.loader == document)
            || self
                .documents
                .back()
                .is_some_and(|shown| shown.loader != last)
    }

    /// Returns true if the tab has shown `document`, and no other navigation was under way when the document came.
    pub(in crate::browser::cdp) fn has_let_in(&self, document: &str) -> bool {
        self.documents
            .iter()
            .any(|shown| shown.loader == document && !shown.contested)
    }

    /// Returns the dialog or file chooser that blocks the tab's page; `None` if there is none.
    pub(in crate::browser::cdp) fn blocked_by(&self) -> Option<Dialog> {
        let kind = |dialog: &DialogInfo| match &*dialog.kind {
            "confirm" => DialogKind::Confirm,
            "prompt" => DialogKind::Prompt,
            "beforeunload" => DialogKind::BeforeUnload,
            _ => DialogKind::Alert,
        };
        let dialog = self
            .dialog
            .as_ref()
            .map(|dialog| Dialog::new(kind(dialog), &dialog.message));
        dialog.or_else(|| {
            self.chooser
                .is_some()
                .then(|| Dialog::new(DialogKind::FileChooser, ""))
        })
    }

    /// Updates the tab with an event of one of its sessions. `number` is the next free frame number. Returns true if
    /// the number was used.
    pub(super) fn learn(&mut self, session: &str, told: BrowserEvent, number: u32) -> bool {
        match told {
            BrowserEvent::FrameAttached { frame, parent } => {
                let is_new = !self.frames.contains_key(&frame);
                let frame = self
                    .frames
                    .entry(frame)
                    .or_insert_with(|| Frame::new(session.to_owned(), number));
                frame.parent = Some(parent);
                return is_new;
            }
            BrowserEvent::FrameDetached {
                frame,
                swapped: false,
            } => self.remove(&frame),
            BrowserEvent::FrameDetached { frame, .. } => self.leaves(session, &frame),
            BrowserEvent::FrameNavigated(info) => return self.navigated(session, &info, number),
            BrowserEvent::NavigatedWithin { frame, url } => self.with(&frame, |frame| {
                frame.url = url;
                frame.steps += 1;
                frame.asked = false;
            }),
            BrowserEvent::NavigationAsked { frame } => {
                self.with(&frame, |frame| frame.begins(None));
            }
            BrowserEvent::NavigationBegan { frame, loader } => {
                self.with(&frame, |frame| frame.begins(Some(loader)));
            }
            BrowserEvent::LoadingStarted { frame } => {
                self.with(&frame, |frame| frame.loading = true);
            }
            BrowserEvent::LoadingStopped { frame } => self.with(&frame, |frame| {
                frame.loading = false;
                frame.asked = false;
                frame.goes = None;
                frame.vain = false;
            }),
            BrowserEvent::Lifecycle {
                frame,
                loader,
                name,
            } => self.with(&frame, |frame| {
                if frame.loader == loader {
                    frame.ready |= matches!(&*name, "DOMContentLoaded" | "load");
                }
            }),
            BrowserEvent::DialogOpened(dialog) => {
                self.dialog = Some(dialog);
                self.dialog_told = false;
                self.dialogs += 1;
            }
            BrowserEvent::DialogClosed => self.dialog = None,
            BrowserEvent::ChooserOpened { node, multiple, .. } => {
                self.chooser = Some(Chooser {
                    session: session.to_owned(),
                    node,
                    multiple,
                });
            }
            BrowserEvent::Answered { request } => {
                self.received += 1;
                if let Some(request) = self.requests.get_mut(&request) {
                    request.answered = true;
                }
            }
            BrowserEvent::Received { request } => {
                self.received += u64::from(self.requests.contains_key(&request));
            }
            BrowserEvent::RequestEnded { request, given_up } => {
                self.requests.remove(&request);
                // The navigation brought no document: it was stopped, or its answer was a file or nothing at all.
                let of_it = |frame: &&mut Frame| given_up && frame.goes.as_ref() == Some(&request);
                if let Some(frame) = self.frames.values_mut().find(of_it) {
                    frame.goes = None;
                }
            }
            // A crashed frame cannot be read, but the page goes on.
            BrowserEvent::Crashed if self.session.as_deref() == Some(session) => {
                self.crashed.get_or_insert(CRASHED);
            }
            _ => {}
        }
        false
    }

    /// Records that a session of the tab sent the request with the number `count`.
    pub(super) fn asks(&mut self, request: String, count: u64, frame: Option<&str>, kind: &str) {
        if let Some(frame) = frame.filter(|_| kind == "Document") {
            // The request of a document has the document's id.
            self.with(frame, |frame| frame.begins(Some(request.clone())));
        }
        // Requests that pages hardly wait for, and those that a frame in its own process reports twice, are not waited
        // for.
        if is_awaited(kind) && frame.is_none_or(|frame| self.frames.contains_key(frame)) {
            let answered = false;
            self.requests.insert(request, Request { count, answered });
        }
    }

    fn with(&mut self, frame: &str, change: impl FnOnce(&mut Frame)) {
        if let Some(frame) = self.frames.get_mut(frame) {
            change(frame);
        }
    }

    /// Records that a frame shows a document. `number` is the next free frame number. Returns true if the number was
    /// used.
    pub(super) fn navigated(&mut self, session: &str, info: &FrameInfo, number: u32) -> bool {
        let is_main = info.id == self.target;
        let is_new = !self.frames.contains_key(&info.id);
        // The frames inside the previous document are gone with it. If no document was known, the known inner frames
        // belong to this one, because a frame with its own process may be reported before the document around it.
        if self
            .frames
            .get(&info.id)
            .is_some_and(|frame| !frame.loader.is_empty() && frame.loader != info.loader_id)
        {
            self.empty(&info.id, |_| true);
        }
        let frame = self
            .frames
            .entry(info.id.clone())
            .or_insert_with(|| Frame::new(session.to_owned(), number));
        session.clone_into(&mut frame.session);
        if info.parent_id.is_some() {
            frame.parent.clone_from(&info.parent_id);
        }
        let is_other_document = frame.loader != info.loader_id;
        if is_other_document || is_new {
            frame.loader.clone_from(&info.loader_id);
            frame.number = if is_main { 0 } else { number };
            frame.ready = false;
            frame.vain = false;
            frame.world = None;
        }
        frame.url = info.address();
        frame.asked = false;
        frame.goes.take_if(|goes| *goes == info.loader_id);
        if is_main {
            self.url = info.address();
            self.chooser = None;
            if is_other_document {
                self.requests.clear();
                self.restless = false;
                let contested = frame.goes.is_some();
                self.documents.push_back(Shown {
                    loader: info.loader_id.clone(),
                    contested,
                });
                if self.documents.len() > MAX_DOCUMENTS {
                    self.documents.pop_front();
                }
            }
        }
        !is_main && (is_other_document || is_new)
    }

    /// Returns the ids of all frames inside a frame, at any depth.
    fn below(&self, frame: &str) -> Vec<String> {
        let mut found: Vec<String> = Vec::new();
        let mut open = vec![frame.to_owned()];
        while let Some(at) = open.pop() {
            let inside = self
                .frames
                .iter()
                .filter(|(_, frame)| frame.parent.as_ref() == Some(&at));
            let inside: Vec<String> = inside
                .map(|(id, _)| id.clone())
                .filter(|id| !found.contains(id))
                .collect();
            open.extend(inside.iter().cloned());
            found.extend(inside);
        }
        found
    }

    fn remove(&mut self, frame: &str) {
        self.empty(frame, |_| true);
        self.frames.remove(frame);
    }

    /// Records that `frame` moves to another process, and removes the inner frames that belong to `session`. Other
    /// inner frames stay, because the new process may already have reported them.
    fn leaves(&mut self, session: &str, frame: &str) {
        self.empty(frame, |inside| inside.session == session);
    }

    fn empty(&mut self, frame: &str, goes: impl Fn(&Frame) -> bool) {
        let inside = self.below(frame);
        self.frames
            .retain(|id, frame| !(inside.contains(id) && goes(frame)));
    }
}

/// Returns true if pages are likely to wait for requests of this resource type.
fn is_awaited(kind: &str) -> bool {
    matches!(
        kind,
        "Document" | "Script" | "Stylesheet" | "XHR" | "Fetch" | "Preflight"
    )
}
