//! What is known of the browser: its tabs, their frames, dialogs, requests and downloads. Fed by events, in their order.
//!
//! Pure: an event goes in, the state changes, and what is to be done about it comes out. Nothing here waits or sends.

mod files;
mod tab;

use std::{
    collections::{HashMap, HashSet},
    fmt,
};

use url::Url;

use self::files::Files;
pub(super) use self::files::MAX_DOWNLOAD;
pub(super) use self::tab::{Frame, Request, Tab, World};

use super::events::{FrameTree, Paused, TargetInfo, Told};
use crate::page::Dialog;

/// What is to be done about an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Effect {
    /// A tab appeared that nobody is attached to.
    Attach { target: String },
    /// A page opens more windows than anybody can use.
    Close { target: String },
    /// A session began: switch on what is listened to, and read its frames.
    Prepare {
        session: String,
        target: String,
        is_tab: bool,
    },
    /// Requests are looked at, and a session began: look at those of this one too, and let it begin.
    Watch { session: String },
    /// A session began that is none of our business: let it begin, and leave it.
    Leave { session: String, waits: bool },
    /// A request waits to be looked at.
    Judge {
        session: String,
        request: Box<Paused>,
    },
    /// A session is over.
    End { session: String },
    /// A file takes too much.
    CancelDownload { id: String },
    /// A file is whole, or will not come.
    KeepDownload {
        id: String,
        name: String,
        whole: bool,
    },
}

/// See the module.
#[derive(Default)]
pub(super) struct Known {
    /// In the order in which they appeared.
    pub(super) tabs: Vec<Tab>,
    /// The target of the current one.
    pub(super) current: Option<String>,
    /// Another one whose dialog holds the current one up too: one process shows both.
    pub(super) over: Option<String>,
    /// Whether only tabs that this driver or its pages opened are its business.
    pub(super) own_only: bool,
    /// Which tab or frame a session speaks for.
    sessions: HashMap<String, String>,
    files: Files,
    pub(super) drag: Option<serde_json::Value>,
    /// Requests of tabs that nobody sees, which wait for an answer of ours, by session.
    pub(super) paused: HashMap<String, String>,
    /// Whether the requests of all tabs are looked at.
    pub(super) guards: bool,
    /// Sessions of workers, and further ones of tabs: all that is known of them is that they make requests.
    others: HashSet<String>,
    last_frame: u32,
    /// The highest number that an element of any page got.
    pub(super) last_number: u64,
    /// Requests that began so far.
    pub(super) started: u64,
    /// Windows that pages opened so far and mean to write themselves.
    pub(super) blank: usize,
    /// The frame that the action under way aimed at.
    pub(super) aimed: Option<String>,
    /// Origins of the web that tabs and frames have shown, the last one last.
    pub(super) origins: Vec<String>,
    pub(super) closed: bool,
}

/// How the address of a tab begins that this driver makes for itself and that is nobody's business.
pub(super) const HIDDEN: &str = "about:blank#webwise-";

/// Most tabs; a window that a page opens beyond them is closed. Unit: tabs. Source: chosen; pages open one or two, and some open
/// them until the machine has no memory left.
pub(super) const MAX_TABS: usize = 30;
/// Most origins that are remembered. Unit: origins. Source: chosen; a page has up to some thirty.
const MAX_ORIGINS: usize = 200;

impl fmt::Debug for Known {
    /// Nothing of the pages: they may show what was typed, and only the run knows what must not be seen.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Known")
            .field("closed", &self.closed)
            .field("tabs", &self.tabs.len())
            .finish_non_exhaustive()
    }
}

impl Known {
    /// The current tab.
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

    /// The tab whose dialog, or file chooser, blocks the current page: itself, or one that is shown by the same process.
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

    /// What blocks the current page.
    pub(super) fn dialog(&self) -> Option<Dialog> {
        self.blocking().and_then(Tab::blocked_by)
    }

    /// A tab behind the current one with a dialog, if the current one is not on its way to another document.
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

    /// The tabs behind the current one of whose dialogs nothing was told yet, by their numbers; told once.
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

    pub(super) fn by_target(&mut self, target: &str) -> Option<&mut Tab> {
        self.tabs.iter_mut().find(|tab| tab.target == target)
    }

    /// The tab that a session belongs to, directly or by one of its frames.
    pub(super) fn tab_of(&mut self, session: &str) -> Option<&mut Tab> {
        let target = self.sessions.get(session)?.clone();
        self.tabs
            .iter_mut()
            .find(|tab| tab.target == target || tab.frames.contains_key(&target))
    }

    fn has_frame(&self, frame: &str) -> bool {
        self.tabs.iter().any(|tab| tab.frames.contains_key(frame))
    }

    /// Makes a new tab known that somebody asked for.
    pub(super) fn open(&mut self, target: &str) {
        if self.by_target(target).is_none() {
            self.tabs.push(Tab::new(target));
        }
        if let Some(tab) = self.by_target(target) {
            tab.told = true;
        }
    }

    /// Takes an event in.
    pub(super) fn learn(&mut self, session: Option<&str>, told: Told) -> Vec<Effect> {
        match told {
            Told::TargetCreated(target) => return self.created(&target).into_iter().collect(),
            Told::TargetChanged(target) => {
                if let Some(tab) = self.by_target(&target.target_id) {
                    tab.url = target.url;
                    tab.title = target.title;
                }
            }
            Told::TargetDestroyed(target) => self.destroyed(&target),
            Told::TargetCrashed { target, why, how } => {
                if let Some(tab) = self.by_target(&target) {
                    tab.crashed = Some(why);
                    tab.how = Some(how);
                }
            }
            Told::Attached {
                session: new,
                target,
                waits,
            } => return self.attached(session, new, &target, waits),
            Told::Detached { session } => return self.detached(session),
            // In a browser of others, files of their pages come too.
            Told::DownloadBegan { id, frame, name } if self.has_frame(&frame) || !self.own_only => {
                return self.files.began(id, name, !self.own_only);
            }
            Told::DownloadBegan { .. } => {}
            Told::Download {
                id,
                received,
                state,
            } => {
                return self.files.progress(id, received, &state, !self.own_only);
            }
            Told::WindowOpened { url } => self.blank += usize::from(is_blank(&url)),
            Told::DragBegan(data) => self.drag = Some(data),
            Told::RequestPaused(request) => {
                let Some(session) = session.map(str::to_owned) else {
                    return Vec::new();
                };
                if self.sessions.contains_key(&session) || self.others.contains(&session) {
                    return vec![Effect::Judge { session, request }];
                }
                self.paused.insert(session, request.id);
            }
            Told::RequestStarted {
                request,
                frame,
                kind,
            } => {
                self.started += 1;
                let count = self.started;
                if let Some(tab) = session.and_then(|session| self.tab_of(session)) {
                    if let Some(frame) = frame.as_ref().filter(|_| kind == "Document") {
                        // The request of a document has the document's name.
                        let began = Told::NavigationBegan {
                            frame: frame.clone(),
                            loader: request.clone(),
                        };
                        tab.learn("", began, 0);
                    }
                    // What never ends, and what a frame of its own process reports twice, is not waited for.
                    if is_awaited(&kind)
                        && frame.is_none_or(|frame| tab.frames.contains_key(&frame))
                    {
                        tab.requests.insert(
                            request,
                            Request {
                                count,
                                answered: false,
                            },
                        );
                    }
                }
            }
            other => {
                let Some(session) = session else {
                    return Vec::new();
                };
                let number = self.last_frame + 1;
                if let Told::FrameNavigated(frame) = &other {
                    self.shown(&frame.url);
                }
                let Some(tab) = self.tab_of(session) else {
                    return Vec::new();
                };
                if tab.learn(session, other, number) {
                    self.last_frame = number;
                }
                let tabs = &self.tabs;
                let is_open = |over: &str| {
                    tabs.iter()
                        .any(|tab| tab.target == over && tab.dialog.is_some())
                };
                self.over.take_if(|over| !is_open(over));
            }
        }
        Vec::new()
    }

    /// The frames that a session was found to have.
    pub(super) fn frames(&mut self, session: &str, tree: &FrameTree) {
        let mut open = vec![tree];
        while let Some(at) = open.pop() {
            open.extend(&at.child_frames);
            let number = self.last_frame + 1;
            self.shown(&at.frame.url);
            let Some(tab) = self.tab_of(session) else {
                return;
            };
            // What events have told since is newer: also that a frame went to a process of its own, and so to another session.
            let is_known = tab
                .frames
                .get(&at.frame.id)
                .is_some_and(|frame| !frame.loader.is_empty() || frame.session != session);
            if !is_known && tab.navigated(session, &at.frame, number) {
                self.last_frame = number;
            }
        }
    }

    /// A tab or a frame shows an address.
    fn shown(&mut self, address: &str) {
        if let Ok(url) = Url::parse(address)
            && matches!(url.scheme(), "http" | "https")
        {
            self.visited(&url);
        }
    }

    /// Remembers an origin.
    pub(super) fn visited(&mut self, url: &Url) {
        let origin = url.origin().ascii_serialization();
        self.origins.retain(|other| *other != origin);
        if self.origins.len() >= MAX_ORIGINS {
            self.origins.remove(0);
        }
        self.origins.push(origin);
    }

    /// Has requests looked at from now on; the sessions that make some.
    pub(super) fn begin_to_guard(&mut self) -> Vec<String> {
        self.guards = true;
        self.sessions.keys().chain(&self.others).cloned().collect()
    }

    /// Whether a tab that is not known yet is our business.
    fn is_ours(&self, target: &TargetInfo) -> bool {
        let by_ours = |opener: &str| self.tabs.iter().any(|tab| tab.target == opener);
        !is_hidden(target) && (!self.own_only || target.opener_id.as_deref().is_some_and(by_ours))
    }

    fn created(&mut self, target: &TargetInfo) -> Option<Effect> {
        if target.kind != "page"
            || self.by_target(&target.target_id).is_some()
            || !self.is_ours(target)
        {
            return None;
        }
        if target.opener_id.is_some() && self.tabs.len() >= MAX_TABS {
            return Some(Effect::Close {
                target: target.target_id.clone(),
            });
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

    fn destroyed(&mut self, target: &str) {
        let place = self.tabs.iter().position(|tab| tab.target == target);
        if let Some(place) = place {
            self.tabs.remove(place);
            if self.current.as_deref() == Some(target) {
                // As browsers do: the one that takes its place, or the last one.
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
        waits: bool,
    ) -> Vec<Effect> {
        if is_hidden(target) && !waits {
            // Who made a tab that nobody sees knows its session. A browser may tell of it as a page or as something else.
            return Vec::new();
        }
        match &*target.kind {
            "page" => {
                let is_ours = self.is_ours(target);
                let guards = self.guards;
                match self.by_target(&target.target_id) {
                    Some(tab) if tab.session.is_none() => tab.session = Some(session.clone()),
                    // A window that a page opens is told twice: because it waits for us, and because we asked for it.
                    known if waits && (known.is_some() || is_ours) => {
                        return self.other(session, waits);
                    }
                    _ if guards => return vec![Effect::Leave { session, waits }],
                    _ => return Vec::new(),
                }
            }
            "iframe" => {
                let number = self.last_frame + 1;
                let Some(tab) = parent.and_then(|parent| self.tab_of(parent)) else {
                    // Of a window's second session, say: what waits for us must be let go.
                    return if waits {
                        self.other(session, waits)
                    } else {
                        Vec::new()
                    };
                };
                let frame = tab.frames.entry(target.target_id.clone());
                let is_new = matches!(frame, std::collections::btree_map::Entry::Vacant(_));
                let frame = frame.or_insert_with(|| Frame::new(session.clone(), number));
                session.clone_into(&mut frame.session);
                // Its document is another one, of which nothing was told yet.
                frame.loader.clear();
                frame.world = None;
                if is_new {
                    self.last_frame = number;
                }
            }
            _ => return self.other(session, waits),
        }
        self.sessions
            .insert(session.clone(), target.target_id.clone());
        let prepare = Effect::Prepare {
            session: session.clone(),
            target: target.target_id.clone(),
            is_tab: target.kind == "page",
        };
        let watch = (self.guards || waits).then_some(Effect::Watch { session });
        [prepare].into_iter().chain(watch).collect()
    }

    /// A session of which nothing is to be known but its requests.
    fn other(&mut self, session: String, waits: bool) -> Vec<Effect> {
        self.others.insert(session.clone());
        let watch = (self.guards || waits).then_some(Effect::Watch { session });
        watch.into_iter().collect()
    }

    fn detached(&mut self, session: String) -> Vec<Effect> {
        if let Some(tab) = self.tab_of(&session) {
            if tab.session.as_ref() == Some(&session) {
                tab.session = None;
            }
            let main = tab.session.clone().unwrap_or_default();
            // Nobody can answer it any more.
            tab.chooser.take_if(|chooser| chooser.session == session);
            for frame in tab
                .frames
                .values_mut()
                .filter(|frame| frame.session == session)
            {
                // It goes on in the process of the page, or its end is told next.
                frame.session.clone_from(&main);
                frame.world = None;
            }
        }
        self.sessions.remove(&session);
        self.others.remove(&session);
        vec![Effect::End { session }]
    }
}

/// Whether a tab is one that this driver made for itself. What a page opens has an opener, so no page can hide in this way.
fn is_hidden(target: &TargetInfo) -> bool {
    target.url.starts_with(HIDDEN) && target.opener_id.is_none()
}

/// Whether a tab of this address shows nothing of the web.
pub(super) fn is_blank(url: &str) -> bool {
    url.is_empty() || url == "about:blank"
}

/// Whether the page waits for the answer to such a request, as far as anybody can tell.
fn is_awaited(kind: &str) -> bool {
    matches!(
        kind,
        "Document" | "Script" | "Stylesheet" | "XHR" | "Fetch" | "Preflight"
    )
}

#[cfg(test)]
mod tests;
