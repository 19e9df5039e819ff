//! A tab and its frames, as events tell of them.

use std::collections::{BTreeMap, HashMap, VecDeque};

use crate::{
    browser::cdp::events::{CRASHED, DialogInfo, FrameInfo, Told},
    page::{Dialog, DialogKind},
};

/// Most documents that a tab remembers to have shown. Unit: documents. Source: chosen; pages that lead on at once do so once or
/// twice.
const MAX_DOCUMENTS: usize = 20;

/// The script world of ours in one document. It is gone with the document, and no other document ever answers for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::browser::cdp) struct World {
    /// Its number among those of its process; another process may use the same.
    pub(in crate::browser::cdp) context: u64,
    /// The page side in it, by a name that no other process uses.
    pub(in crate::browser::cdp) object: String,
}

/// A frame of a tab.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is told by an event of its own"
)]
pub(in crate::browser::cdp) struct Frame {
    pub(in crate::browser::cdp) parent: Option<String>,
    /// The session that speaks for it: the tab's own, or one of its own if it has a process of its own.
    pub(in crate::browser::cdp) session: String,
    /// Which document it shows.
    pub(in crate::browser::cdp) loader: String,
    pub(in crate::browser::cdp) url: String,
    /// The number in references, `f3e12`; 0 for the frame that is the page.
    pub(in crate::browser::cdp) number: u32,
    pub(in crate::browser::cdp) loading: bool,
    /// The page wants it to go somewhere, and nothing of that was seen yet.
    pub(in crate::browser::cdp) asked: bool,
    /// The document that it is on its way to.
    pub(in crate::browser::cdp) goes: Option<String>,
    /// Whether what it is loading was waited for once, in vain.
    pub(in crate::browser::cdp) vain: bool,
    /// How often its address changed without a new document.
    pub(in crate::browser::cdp) steps: u64,
    /// Whether the document is read.
    pub(in crate::browser::cdp) ready: bool,
    /// The reference of the element that shows it, in its parent.
    pub(in crate::browser::cdp) owner: Option<u64>,
    pub(in crate::browser::cdp) world: Option<World>,
}

/// A file chooser that a page opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::browser::cdp) struct Chooser {
    pub(in crate::browser::cdp) session: String,
    pub(in crate::browser::cdp) node: Option<u64>,
    pub(in crate::browser::cdp) multiple: bool,
}

/// A tab.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is told by an event of its own"
)]
pub(in crate::browser::cdp) struct Tab {
    pub(in crate::browser::cdp) target: String,
    /// Nothing until it is attached.
    pub(in crate::browser::cdp) session: Option<String>,
    /// Whether its state was read after it was attached.
    pub(in crate::browser::cdp) prepared: bool,
    pub(in crate::browser::cdp) url: String,
    pub(in crate::browser::cdp) title: String,
    pub(in crate::browser::cdp) dialog: Option<DialogInfo>,
    /// Whether it need not be told any more.
    pub(in crate::browser::cdp) dialog_told: bool,
    /// Dialogs so far: two may say the same.
    pub(in crate::browser::cdp) dialogs: u64,
    pub(in crate::browser::cdp) chooser: Option<Chooser>,
    pub(in crate::browser::cdp) crashed: Option<&'static str>,
    /// How the browser says that it did.
    pub(in crate::browser::cdp) how: Option<String>,
    /// Whether it was not still when the last action was over.
    pub(in crate::browser::cdp) restless: bool,
    /// Whether somebody asked for it, and it need not be told.
    pub(in crate::browser::cdp) told: bool,
    pub(in crate::browser::cdp) frames: BTreeMap<String, Frame>,
    /// The documents that it showed last, the present one last.
    pub(super) documents: VecDeque<Shown>,
    /// Requests under way, by their number.
    pub(in crate::browser::cdp) requests: HashMap<String, Request>,
    /// Parts of answers that came so far.
    pub(in crate::browser::cdp) received: u64,
}

/// A document that a tab showed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Shown {
    loader: String,
    /// Whether the document before it was on its way elsewhere when it came, and may still take its place.
    contested: bool,
}

/// A request under way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::browser::cdp) struct Request {
    /// How many requests had begun when it did.
    pub(in crate::browser::cdp) count: u64,
    /// Whether its answer began to come. A script that never reads it leaves it at that.
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

    /// Whether it is on its way to another document.
    pub(in crate::browser::cdp) fn moves(&self) -> bool {
        self.loading || self.asked || self.goes.is_some()
    }

    /// Whether its document, or a part of it, is still to be waited for.
    pub(in crate::browser::cdp) fn is_awaited(&self) -> bool {
        (self.moves() || self.loader.is_empty()) && !self.vain
    }

    /// Its document is being read, or another one comes.
    pub(in crate::browser::cdp) fn navigates(&self) -> bool {
        (self.goes.is_some() || (self.loading && !self.ready)) && !self.vain
    }

    /// It goes somewhere: what it did before was waited for long enough, and this was not.
    fn begins(&mut self, loader: Option<String>) {
        // What was told before, by another session or by another event, is nothing new.
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

    /// The frame that is the page: Chromium gives it the name of its target.
    pub(in crate::browser::cdp) fn main(&self) -> Option<&Frame> {
        self.frames.get(&self.target)
    }

    /// Whether anything that it asked for is still to come.
    pub(in crate::browser::cdp) fn is_fetching(&self) -> bool {
        !self.requests.is_empty() || self.frames.values().any(Frame::is_awaited)
    }

    /// Whether it has shown this document, or any other one after `last`.
    pub(in crate::browser::cdp) fn has_come_to(&self, document: &str, last: &str) -> bool {
        self.documents.iter().any(|shown| shown.loader == document)
            || self
                .documents
                .back()
                .is_some_and(|shown| shown.loader != last)
    }

    /// Whether it has shown this document, and where the one before wanted to go does not take its place.
    pub(in crate::browser::cdp) fn has_let_in(&self, document: &str) -> bool {
        self.documents
            .iter()
            .any(|shown| shown.loader == document && !shown.contested)
    }

    /// What blocks the page, in the words of the port.
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

    /// Takes in an event of one of its sessions; whether the number of a frame was used up.
    pub(super) fn learn(&mut self, session: &str, told: Told, number: u32) -> bool {
        match told {
            Told::FrameAttached { frame, parent } => {
                let is_new = !self.frames.contains_key(&frame);
                let frame = self
                    .frames
                    .entry(frame)
                    .or_insert_with(|| Frame::new(session.to_owned(), number));
                frame.parent = Some(parent);
                return is_new;
            }
            Told::FrameDetached {
                frame,
                swapped: false,
            } => self.remove(&frame),
            Told::FrameDetached { frame, .. } => self.leaves(session, &frame),
            Told::FrameNavigated(info) => return self.navigated(session, &info, number),
            Told::NavigatedWithin { frame, url } => self.with(&frame, |frame| {
                frame.url = url;
                frame.steps += 1;
                frame.asked = false;
            }),
            Told::NavigationAsked { frame } => self.with(&frame, |frame| frame.begins(None)),
            Told::NavigationBegan { frame, loader } => {
                self.with(&frame, |frame| frame.begins(Some(loader)));
            }
            Told::LoadingStarted { frame } => self.with(&frame, |frame| frame.loading = true),
            Told::LoadingStopped { frame } => self.with(&frame, |frame| {
                frame.loading = false;
                frame.asked = false;
                frame.goes = None;
                frame.vain = false;
            }),
            Told::Lifecycle {
                frame,
                loader,
                name,
            } => self.with(&frame, |frame| {
                if frame.loader == loader {
                    frame.ready |= matches!(&*name, "DOMContentLoaded" | "load");
                }
            }),
            Told::DialogOpened(dialog) => {
                self.dialog = Some(dialog);
                self.dialog_told = false;
                self.dialogs += 1;
            }
            Told::DialogClosed => self.dialog = None,
            Told::ChooserOpened { node, multiple, .. } => {
                self.chooser = Some(Chooser {
                    session: session.to_owned(),
                    node,
                    multiple,
                });
            }
            Told::Answered { request } => {
                self.received += 1;
                if let Some(request) = self.requests.get_mut(&request) {
                    request.answered = true;
                }
            }
            Told::Received { request } => {
                self.received += u64::from(self.requests.contains_key(&request));
            }
            Told::RequestEnded { request, given_up } => {
                self.requests.remove(&request);
                // The answer was no document: a file, or nothing at all.
                let of_it = |frame: &&mut Frame| given_up && frame.goes.as_ref() == Some(&request);
                if let Some(frame) = self.frames.values_mut().find(of_it) {
                    frame.goes = None;
                }
            }
            // What is in a frame that crashed cannot be read, and the page goes on.
            Told::Crashed if self.session.as_deref() == Some(session) => {
                self.crashed.get_or_insert(CRASHED);
            }
            _ => {}
        }
        false
    }

    fn with(&mut self, frame: &str, change: impl FnOnce(&mut Frame)) {
        if let Some(frame) = self.frames.get_mut(frame) {
            change(frame);
        }
    }

    /// A frame shows a document; whether the number was used up.
    pub(super) fn navigated(&mut self, session: &str, info: &FrameInfo, number: u32) -> bool {
        let is_main = info.id == self.target;
        let is_new = !self.frames.contains_key(&info.id);
        // What was in the document before is gone with it. Where none was known, what is inside is in this one: a frame with a
        // process of its own may be told of before the document that it is in.
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

    /// All frames below one.
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

    /// A frame goes on in another process than that of this session, and what was in it goes. The other process may have told
    /// of what is in it now.
    fn leaves(&mut self, session: &str, frame: &str) {
        self.empty(frame, |inside| inside.session == session);
    }

    fn empty(&mut self, frame: &str, goes: impl Fn(&Frame) -> bool) {
        let inside = self.below(frame);
        self.frames
            .retain(|id, frame| !(inside.contains(id) && goes(frame)));
    }
}
