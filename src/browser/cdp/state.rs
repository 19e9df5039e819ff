//! The known state of the browser: its tabs, their frames, dialogs, requests and downloads.
//!
//! This code does no I/O: an event goes in, the state changes, and the effects (the work that the event requires) come
//! out.

mod files;
mod tab;

use std::{collections::HashMap, fmt};

use url::Url;

use self::files::Files;
pub(super) use self::files::MAX_DOWNLOAD;
pub(super) use self::tab::{Frame, Tab, World};

use super::events::{BrowserEvent, FrameTree, Paused, TargetInfo};
use crate::page::Dialog;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Effect {
    Attach {
        target: String,
    },
    /// Closes a tab that a page opened, because there are too many tabs.
    Close {
        target: String,
    },
    /// Prepares a new session: subscribes to its events, and reads its frames.
    Prepare {
        session: String,
        target: String,
        is_tab: bool,
    },
    /// Checks a held request.
    Judge {
        request: Box<Paused>,
    },
    /// Checks the address of a WebSocket.
    JudgeSocket {
        url: String,
    },
    /// Ends the open calls of a session that has ended.
    End {
        session: String,
    },
    /// Cancels a download, because the incomplete files are too large or too many.
    CancelDownload {
        id: String,
    },
    /// Reports an ended download. Its file can be kept only if it is `whole`, which means complete and within the
    /// limits.
    KeepDownload {
        id: String,
        name: String,
        whole: bool,
    },
}

#[derive(Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "none of them follows from the others"
)]
pub(super) struct BrowserState {
    /// The tabs, in the order in which they appeared.
    pub(super) tabs: Vec<Tab>,
    /// The browser's id of the current tab; `None` if there is no tab.
    pub(super) current: Option<String>,
    /// The id of another tab whose dialog blocks the current page, because both pages are in one process.
    pub(super) over: Option<String>,
    /// True in an attached browser. This driver then deals only with the tabs that it opened, and with those of which
    /// the browser says that one of its tabs opened them. The browser does not say so of a tab that a click with Ctrl,
    /// with Shift or with the middle button opened.
    pub(super) own_only: bool,
    /// The browser's id of the context of this driver's tabs; `None` before the first tab. In an attached browser, it has no
    /// meaning.
    pub(super) context: Option<String>,
    /// True while this driver opens a tab that the browser has not reported yet.
    pub(super) opening: bool,
    /// The target (a tab, a frame or a worker) of each session, by session id.
    sessions: HashMap<String, String>,
    files: Files,
    pub(super) drag: Option<serde_json::Value>,
    /// The address with which this driver's hidden tab begins; `None` until there is one. No page knows it.
    pub(super) hidden: Option<String>,
    /// Ids of the requests held in this driver's hidden tabs: the latest of each tab, by the id of the tab's session.
    pub(super) paused: HashMap<String, String>,
    /// True if the requests of the browser are checked for typed secrets.
    pub(super) guards: bool,
    last_frame: u32,
    /// The highest number of an element that was recorded so far. The elements of later main documents get higher
    /// numbers.
    pub(super) last_number: u64,
    /// Number of requests that have begun so far.
    pub(super) started: u64,
    /// Number of windows that pages have opened so far with an empty address.
    pub(super) blank: usize,
    /// The id of the frame that contains the current action's element.
    pub(super) aimed: Option<String>,
    /// Web origins that tabs and frames have shown, or whose local storage came from a loaded state, the latest last.
    pub(super) origins: Vec<String>,
    pub(super) closed: bool,
}

/// Maximum number of tabs. Further tabs that pages open are closed, but this driver itself may open more tabs.
/// Source: chosen; most pages open one or two windows, but some open them until the machine has no memory left.
pub(super) const MAX_TABS: usize = 30;
/// Maximum number of origins that are remembered. Source: chosen; a page has up to about thirty origins.
const MAX_ORIGINS: usize = 200;

impl fmt::Debug for BrowserState {
    /// Leaves out all text of the pages, which may contain secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BrowserState")
            .field("closed", &self.closed)
            .field("tabs", &self.tabs.len())
            .finish_non_exhaustive()
    }
}

impl BrowserState {
    pub(super) fn tab(&self) -> Option<&Tab> {
        self.tabs
            .iter()
            .find(|tab| Some(&tab.target) == self.current.as_ref())
    }

    pub(super) fn tab_mut(&mut self) -> Option<&mut Tab> {
        self.tabs
            .iter_mut()
            .find(|tab| Some(&tab.target) == self.current.as_ref())
    }

    /// Returns the tab whose dialog or file chooser blocks the current page. It may be another tab in the same process.
    pub(super) fn blocking(&self) -> Option<&Tab> {
        let other = || {
            self.tabs
                .iter()
                .find(|tab| Some(&tab.target) == self.over.as_ref() && tab.dialog.is_some())
        };
        self.tab()
            .filter(|tab| tab.blocked_by().is_some())
            .or_else(other)
    }

    pub(super) fn dialog(&self) -> Option<Dialog> {
        self.blocking().and_then(Tab::blocked_by)
    }

    /// Returns the id of a background tab that has an open dialog. Returns `None` if there is no such tab, or while the
    /// current tab is navigating or loading.
    pub(super) fn dialog_behind(&self) -> Option<String> {
        let current = self
            .tab()
            .filter(|tab| tab.main().is_some_and(|main| !main.moves()))?;
        let behind = self
            .tabs
            .iter()
            .find(|tab| tab.target != current.target && tab.dialog.is_some());
        behind.map(|tab| tab.target.clone())
    }

    /// Returns the numbers of background tabs with an unreported dialog. Leaves out a dialog that blocks the current
    /// page. Marks all open dialogs as reported, the ones left out too.
    pub(super) fn untold_dialogs(&mut self) -> Vec<u32> {
        let over = self.blocking().map(|tab| tab.target.clone());
        let tabs = (0..)
            .zip(&mut self.tabs)
            .filter(|(_, tab)| tab.dialog.is_some() && !tab.dialog_told);
        let is_behind = |tab: &Tab| {
            Some(&tab.target) != self.current.as_ref() && Some(&tab.target) != over.as_ref()
        };
        let told = tabs.map(|(number, tab)| {
            tab.dialog_told = true;
            is_behind(tab).then_some(number)
        });
        told.flatten().collect()
    }

    /// Returns the ids of the sessions with tabs, frames and workers.
    pub(super) fn sessions(&self) -> Vec<String> {
        self.sessions.keys().cloned().collect()
    }

    pub(super) fn by_target(&mut self, target: &str) -> Option<&mut Tab> {
        self.tabs.iter_mut().find(|tab| tab.target == target)
    }

    /// Returns the tab that a session belongs to, directly or through one of the tab's frames.
    pub(super) fn tab_of(&mut self, session: &str) -> Option<&mut Tab> {
        let target = self.sessions.get(session)?.clone();
        self.tabs
            .iter_mut()
            .find(|tab| tab.target == target || tab.frames.contains_key(&target))
    }

    fn has_frame(&self, frame: &str) -> bool {
        self.tabs.iter().any(|tab| tab.frames.contains_key(frame))
    }

    /// Returns true if a frame or worker belongs to one of the tabs.
    pub(super) fn has(&self, frame: &str) -> bool {
        // The main frame of a tab has the tab's id, and is not reported at once.
        let is_tab = || self.tabs.iter().any(|tab| tab.target == frame);
        // A request of a worker has the worker's target in place of a frame.
        let is_worker = || self.sessions.values().any(|target| target == frame);
        self.has_frame(frame) || is_tab() || is_worker()
    }

    pub(super) fn open(&mut self, target: &str) {
        if self.by_target(target).is_none() {
            self.tabs.push(Tab::new(target));
        }
        if let Some(tab) = self.by_target(target) {
            tab.told = true;
        }
    }

    /// Updates the state with an event, and returns the work that the event requires. `session` is `None` for an event
    /// of the browser as a whole.
    pub(super) fn learn(&mut self, session: Option<&str>, told: BrowserEvent) -> Vec<Effect> {
        match told {
            BrowserEvent::TargetCreated(target) => {
                return self.created(&target).into_iter().collect();
            }
            BrowserEvent::TargetChanged(target) => {
                if let Some(tab) = self.by_target(&target.target_id) {
                    tab.url = target.url;
                    tab.title = target.title;
                }
            }
            BrowserEvent::TargetDestroyed(target) => self.destroyed(&target),
            BrowserEvent::TargetCrashed { target, why, how } => {
                if let Some(tab) = self.by_target(&target) {
                    tab.crashed = Some(why);
                    tab.how = Some(how);
                }
            }
            BrowserEvent::Attached {
                session: new,
                target,
            } => return self.attached(session, new, &target),
            BrowserEvent::Detached { session } => return self.detached(session),
            // An attached browser also reports the downloads of tabs that are not ours.
            BrowserEvent::DownloadBegan { id, frame, name }
                if self.has(&frame) || !self.own_only =>
            {
                return self.files.began(id, name, !self.own_only);
            }
            BrowserEvent::Download {
                id,
                received,
                state,
            } => {
                return self.files.progress(id, received, &state, !self.own_only);
            }
            BrowserEvent::WindowOpened { url } => self.blank += usize::from(is_blank(&url)),
            BrowserEvent::DragBegan(data) => self.drag = Some(data),
            BrowserEvent::RequestPaused(request) => {
                // Only hidden tabs hold requests in a session.
                let Some(session) = session else {
                    return vec![Effect::Judge { request }];
                };
                self.paused.insert(session.to_owned(), request.id);
            }
            BrowserEvent::SocketMade { url } if self.guards => {
                return vec![Effect::JudgeSocket { url }];
            }
            BrowserEvent::DownloadBegan { .. } | BrowserEvent::SocketMade { .. } => {}
            BrowserEvent::RequestStarted {
                request,
                frame,
                kind,
            } => {
                self.started += 1;
                let count = self.started;
                if let Some(tab) = session.and_then(|session| self.tab_of(session)) {
                    tab.asks(request, count, frame.as_deref(), &kind);
                }
            }
            other => {
                if let Some(session) = session {
                    self.learn_of_tab(session, other);
                }
            }
        }
        Vec::new()
    }

    /// Updates the tab of a session with an event.
    fn learn_of_tab(&mut self, session: &str, told: BrowserEvent) {
        let number = self.last_frame + 1;
        if let BrowserEvent::FrameNavigated(frame) = &told {
            self.shown(&frame.url);
        }
        let Some(tab) = self.tab_of(session) else {
            return;
        };
        if tab.learn(session, told, number) {
            self.last_frame = number;
        }
        let tabs = &self.tabs;
        let is_open = |over: &str| {
            tabs.iter()
                .any(|tab| tab.target == over && tab.dialog.is_some())
        };
        self.over.take_if(|over| !is_open(over));
    }

    /// Adds the frames of a session, as `Page.getFrameTree` lists them.
    pub(super) fn frames(&mut self, session: &str, tree: &FrameTree) {
        let mut open = vec![tree];
        while let Some(at) = open.pop() {
            open.extend(&at.child_frames);
            let number = self.last_frame + 1;
            self.shown(&at.frame.url);
            let Some(tab) = self.tab_of(session) else {
                return;
            };
            // Events that arrived meanwhile are newer: for example, a frame may have moved to its own process, and so
            // to another session.
            let is_known = tab
                .frames
                .get(&at.frame.id)
                .is_some_and(|frame| !frame.loader.is_empty() || frame.session != session);
            if !is_known && tab.navigated(session, &at.frame, number) {
                self.last_frame = number;
            }
        }
    }

    /// Records the origin of an address that was shown, if it is a web origin.
    fn shown(&mut self, address: &str) {
        if let Ok(url) = Url::parse(address)
            && matches!(url.scheme(), "http" | "https")
        {
            self.visited(&url);
        }
    }

    /// Records the origin of an address as the latest origin.
    pub(super) fn visited(&mut self, url: &Url) {
        let origin = url.origin().ascii_serialization();
        self.origins.retain(|other| *other != origin);
        if self.origins.len() >= MAX_ORIGINS {
            self.origins.remove(0);
        }
        self.origins.push(origin);
    }

    /// Returns true if a new tab concerns this driver and is not its hidden tab: a tab of this driver's context, and in an attached
    /// browser a tab that one of this driver's tabs opened.
    fn is_ours(&self, target: &TargetInfo) -> bool {
        if self.hidden.as_ref() == Some(&target.url) {
            return false;
        }
        if self.own_only {
            let by_ours = |opener: &str| self.tabs.iter().any(|tab| tab.target == opener);
            return target.opener_id.as_deref().is_some_and(by_ours);
        }
        self.context.is_none() || self.context == target.browser_context_id
    }

    fn created(&mut self, target: &TargetInfo) -> Option<Effect> {
        if target.kind != "page"
            || self.by_target(&target.target_id).is_some()
            || !self.is_ours(target)
        {
            return None;
        }
        // A tab without an opener may also be from a page, which opens such tabs by clicks with Ctrl.
        let is_made_here = target.opener_id.is_none() && std::mem::take(&mut self.opening);
        if self.tabs.len() >= MAX_TABS && !is_made_here {
            return Some(Effect::Close {
                target: target.target_id.clone(),
            });
        }
        if self.context.is_none() {
            self.context.clone_from(&target.browser_context_id);
        }
        let tab = Tab {
            url: target.url.clone(),
            title: target.title.clone(),
            ..Tab::new(&target.target_id)
        };
        self.tabs.push(tab);
        if self.current.is_none() {
            self.current = Some(target.target_id.clone());
        }
        Some(Effect::Attach {
            target: target.target_id.clone(),
        })
    }

    /// Removes a tab that closed, or that is hidden.
    pub(super) fn destroyed(&mut self, target: &str) {
        let place = self.tabs.iter().position(|tab| tab.target == target);
        if let Some(place) = place {
            self.tabs.remove(place);
            if self.current.as_deref() == Some(target) {
                // As in browsers, the new current tab is the one that takes the place of the closed one, or else the
                // last one.
                let next = self.tabs.get(place).or_else(|| self.tabs.last());
                self.current = next.map(|tab| tab.target.clone());
            }
        }
    }

    fn attached(
        &mut self,
        parent: Option<&str>,
        session: String,
        target: &TargetInfo,
    ) -> Vec<Effect> {
        match &*target.kind {
            "page" => match self.by_target(&target.target_id) {
                Some(tab) if tab.session.is_none() => tab.session = Some(session.clone()),
                // Nothing is needed for a hidden tab, because the code that made it knows its session.
                _ => return Vec::new(),
            },
            "iframe" => {
                let number = self.last_frame + 1;
                let Some(tab) = parent.and_then(|parent| self.tab_of(parent)) else {
                    return Vec::new();
                };
                let frame = tab.frames.entry(target.target_id.clone());
                let is_new = matches!(frame, std::collections::btree_map::Entry::Vacant(_));
                let frame = frame.or_insert_with(|| Frame::new(session.clone(), number));
                session.clone_into(&mut frame.session);
                // The frame shows another document, which was not reported yet.
                frame.loader.clear();
                frame.world = None;
                if is_new {
                    self.last_frame = number;
                }
            }
            // A session with the browser itself, for another context.
            "browser" => return Vec::new(),
            // Of a worker, only the WebSockets matter, and they matter once a secret was typed.
            _ if !self.guards => {
                self.sessions.insert(session, target.target_id.clone());
                return Vec::new();
            }
            _ => {}
        }
        self.sessions
            .insert(session.clone(), target.target_id.clone());
        vec![Effect::Prepare {
            session,
            target: target.target_id.clone(),
            is_tab: target.kind == "page",
        }]
    }

    fn detached(&mut self, session: String) -> Vec<Effect> {
        if let Some(tab) = self.tab_of(&session) {
            if tab.session.as_ref() == Some(&session) {
                tab.session = None;
            }
            let main = tab.session.clone().unwrap_or_default();
            // Without its session, the file chooser cannot be answered any more.
            tab.chooser.take_if(|chooser| chooser.session == session);
            for frame in tab
                .frames
                .values_mut()
                .filter(|frame| frame.session == session)
            {
                // The frame goes on in the process of the page, or its end is reported next.
                frame.session.clone_from(&main);
                frame.world = None;
            }
        }
        self.sessions.remove(&session);
        vec![Effect::End { session }]
    }
}

pub(super) fn is_blank(url: &str) -> bool {
    url.is_empty() || url == "about:blank"
}

#[cfg(test)]
mod tests;
