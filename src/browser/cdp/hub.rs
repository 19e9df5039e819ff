//! Where calls, events and what is known meet: everything that talks to the browser does so through a [`Hub`].

use std::{
    convert::Infallible,
    fmt,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Value, json, value::RawValue};
use tokio::{
    sync::{mpsc, watch},
    task::spawn_blocking,
    time::{Instant, timeout},
};

use super::{
    downloads::{self, Offered},
    events::{FrameTree, Told},
    known::{Effect, Frame, Known, Tab, is_blank},
    options::CdpOptions,
    said::Said,
    sending::Guard,
    trouble::Trouble,
    wire::{Event, Line, Reader, Wire, Writer},
};
use crate::{base::ErrorKind, page::Notice};

/// How long a page may answer nothing until a dialog of another tab counts as what holds it up. Unit: time. Source: chosen; an
/// answer takes a millisecond.
const HELD_UP: Duration = Duration::from_millis(500);

/// Where files are that are on their way, in the private folder.
pub(super) const FILES: &str = "files";

/// What is shared by the driver and by what runs beside it.
#[derive(Debug)]
pub(super) struct Hub {
    pub(super) wire: Wire,
    shared: Arc<Shared>,
    pub(super) options: CdpOptions,
    /// Whether the browser is ours, and not one that was attached to.
    pub(super) owned: bool,
    /// The private folder of a browser of ours.
    pub(super) private: Option<PathBuf>,
    /// What a browser of ours writes.
    pub(super) said: Said,
}

#[derive(Default)]
struct Shared {
    known: Mutex<Known>,
    offered: Mutex<Offered>,
    /// When the command under way stops waiting for documents.
    load_until: Mutex<Option<Instant>>,
    guard: Mutex<Guard>,
    changed: watch::Sender<()>,
}

impl fmt::Debug for Shared {
    /// Nothing of the pages, which name files and tabs as they like.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shared")
            .field("known", &*self.known())
            .finish_non_exhaustive()
    }
}

impl Shared {
    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn load_until(&self) -> MutexGuard<'_, Option<Instant>> {
        self.load_until
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn offered(&self) -> MutexGuard<'_, Offered> {
        self.offered.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a script call gives.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Evaluated {
    result: Object,
    exception_details: Option<Thrown>,
}

/// A value, or the handle of something that stays in the page.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Object {
    value: Option<Box<RawValue>>,
    pub(super) object_id: Option<String>,
}

impl Object {
    /// The value as JSON; `undefined` has none.
    pub(super) fn json(&self) -> &str {
        self.value.as_ref().map_or("null", |value| value.get())
    }
}

#[derive(Deserialize)]
struct Thrown {
    #[serde(default)]
    text: String,
    exception: Option<Exception>,
}

#[derive(Deserialize)]
struct Exception {
    description: Option<String>,
}

impl Evaluated {
    /// What the script threw, in its own words.
    pub(super) fn thrown(&self) -> Option<&str> {
        let thrown = self.exception_details.as_ref()?;
        Some(
            thrown
                .exception
                .as_ref()
                .and_then(|e| e.description.as_deref())
                .unwrap_or(&thrown.text),
        )
    }
}

impl Hub {
    /// Takes a connection over: to a browser of ours, which has a private folder, or to one that was attached to.
    ///
    /// The returned [`Line`] ends all of it when it is dropped.
    pub(super) fn start(
        reader: impl Reader,
        writer: impl Writer,
        options: CdpOptions,
        private: Option<&Path>,
        said: Said,
    ) -> (Arc<Self>, Line) {
        let shared = Arc::<Shared>::default();
        shared.known().own_only = private.is_none();
        let (effects, queue) = mpsc::unbounded_channel();
        let on_event = {
            let shared = Arc::clone(&shared);
            move |event: Option<Event<'_>>| {
                let Some(event) = event else {
                    shared.known().closed = true;
                    shared.changed.send_replace(());
                    return;
                };
                let Some(told) = Told::read(&event) else {
                    return;
                };
                let todo = shared.known().learn(event.session, told);
                for effect in todo {
                    // Nobody listens only when the browser is being left.
                    let _ = effects.send(effect);
                }
                shared.changed.send_replace(());
            }
        };
        let (wire, line) = Wire::start(reader, writer, on_event);
        let private = private.map(Path::to_owned);
        let hub = Arc::new(Self {
            wire,
            shared,
            options,
            owned: private.is_some(),
            private,
            said,
        });
        tokio::spawn(Arc::clone(&hub).look_after(queue));
        (hub, line)
    }

    /// The browser is closed: whoever waits is told.
    pub(super) fn close(&self) {
        self.known().closed = true;
        self.shared.changed.send_replace(());
    }

    /// A command begins that may take so long. Documents may take two thirds of it: then they are given up, and the page
    /// that is there has to answer in what is left. Source: chosen.
    pub(super) fn begin(&self, time: Duration) {
        *self.shared.load_until() = Some(Instant::now() + time * 2 / 3);
    }

    /// How long a document may take that the command under way waits for.
    pub(super) fn time_to_load(&self) -> Duration {
        let longest = self.options.common.navigation_timeout;
        let left = |end: Instant| end.saturating_duration_since(Instant::now());
        self.shared
            .load_until()
            .map_or(longest, |end| longest.min(left(end)))
    }

    /// Something was learnt by an answer, and not by an event.
    pub(super) fn changed(&self) {
        self.shared.changed.send_replace(());
    }

    /// What is known now. The guard must not be kept across an await.
    pub(super) fn known(&self) -> MutexGuard<'_, Known> {
        self.shared.known()
    }

    /// What was typed, and must not leave. The guard must not be kept across an await.
    pub(super) fn guard(&self) -> MutexGuard<'_, Guard> {
        self.shared
            .guard
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// An element of the page has this number: no other page's gets it.
    pub(super) fn told(&self, number: u64) {
        let mut known = self.known();
        known.last_number = known.last_number.max(number);
    }

    /// What happened beside the last actions; told once.
    pub(super) fn take_notices(&self) -> Vec<Notice> {
        let mut notices = self.shared.offered().take();
        for tab in self.known().tabs.iter_mut().filter(|tab| !tab.told) {
            tab.told = true;
            notices.push(Notice::TabOpened {
                url: tab.url.clone(),
            });
        }
        notices.extend(
            self.known()
                .untold_dialogs()
                .into_iter()
                .map(|tab| Notice::DialogBehind { tab }),
        );
        notices
    }

    /// Waits until what is known gives an answer; gives up only with the future.
    pub(super) async fn until<T>(&self, mut look: impl FnMut(&mut Known) -> Option<T>) -> T {
        let mut changed = self.shared.changed.subscribe();
        loop {
            changed.borrow_and_update();
            if let Some(found) = look(&mut self.known()) {
                return found;
            }
            if changed.changed().await.is_err() {
                // The sender is our own; this cannot be, and to wait is what remains.
                std::future::pending::<()>().await;
            }
        }
    }

    /// Calls a method of a session of the current page, unless a dialog, a crash or the end of the browser comes first.
    pub(super) async fn call<T: DeserializeOwned + 'static>(
        &self,
        session: &str,
        method: &'static str,
        params: Value,
    ) -> Result<T, Trouble> {
        let answer = self.wire.call(Some(session), method, params);
        let work = async {
            tokio::select! {
                biased;
                answer = answer => Ok(answer?),
                never = self.give_up_a_late_document() => match never {},
            }
        };
        self.unless_blocked(work).await
    }

    /// Waits for something of the current page that a dialog, a crash or the end of the browser would hold up.
    pub(super) async fn unless_blocked<T>(
        &self,
        work: impl Future<Output = Result<T, Trouble>>,
    ) -> Result<T, Trouble> {
        tokio::select! {
            biased;
            done = work => done.map_err(|trouble| self.known().trouble().unwrap_or(trouble)),
            trouble = self.until(|known| known.trouble()) => Err(trouble),
            never = self.watch_behind() => match never {},
        }
    }

    /// Finds out whether a dialog of another tab holds the current page up: pages that one process shows wait together.
    async fn watch_behind(&self) -> Infallible {
        loop {
            let behind = self.until(|known| known.dialog_behind()).await;
            let session = self.known().tab().and_then(|tab| tab.session.clone());
            let params = json!({ "expression": "0", "returnByValue": true });
            let mut answers = Box::pin(self.wire.call::<Value>(
                session.as_deref(),
                "Runtime.evaluate",
                params,
            ));
            if timeout(HELD_UP, &mut answers).await.is_ok() {
                // It goes on behind this page.
                std::future::pending::<()>().await;
            }
            {
                let mut known = self.known();
                if known.dialog_behind().as_ref() == Some(&behind) {
                    known.over = Some(behind.clone());
                }
            }
            self.shared.changed.send_replace(());
            let shared = Arc::clone(&self.shared);
            tokio::spawn(async move {
                // A page that answers under it was busy and not held up.
                let _ = answers.await;
                shared.known().over.take_if(|over| *over == behind);
                shared.changed.send_replace(());
            });
        }
    }

    /// Does what events ask for, until nobody can ask any more.
    async fn look_after(self: Arc<Self>, mut queue: mpsc::UnboundedReceiver<Effect>) {
        while let Some(effect) = queue.recv().await {
            match effect {
                Effect::Attach { target } => {
                    let params = json!({ "targetId": target, "flatten": true });
                    // A tab that is gone again needs nothing; the event of its session tells the rest.
                    drop(
                        self.wire
                            .call::<Value>(None, "Target.attachToTarget", params),
                    );
                }
                Effect::Prepare {
                    session,
                    target,
                    is_tab,
                } => {
                    tokio::spawn(Arc::clone(&self).prepare(session, target, is_tab));
                }
                Effect::Close { target } => {
                    // One that is gone by itself is what was wanted.
                    let params = json!({ "targetId": target });
                    drop(self.wire.call::<Value>(None, "Target.closeTarget", params));
                }
                Effect::Watch { session } => {
                    let hub = Arc::clone(&self);
                    tokio::spawn(async move { hub.watch_requests(&session).await });
                }
                Effect::Leave { session, waits } => {
                    if waits {
                        self.let_begin(&session);
                    }
                    let params = json!({ "sessionId": session });
                    drop(
                        self.wire
                            .call::<Value>(None, "Target.detachFromTarget", params),
                    );
                }
                Effect::Judge { session, request } => {
                    let hub = Arc::clone(&self);
                    tokio::spawn(async move { hub.judge(&session, *request).await });
                }
                Effect::End { session } => self.wire.end_session(&session),
                Effect::CancelDownload { id } => {
                    drop(self.wire.call::<Value>(
                        None,
                        "Browser.cancelDownload",
                        json!({ "guid": id }),
                    ));
                }
                Effect::KeepDownload { id, name, whole } => {
                    tokio::spawn(Arc::clone(&self).keep_download(id, name, whole));
                }
            }
        }
    }

    /// Moves a file to where it is kept, or away, and tells of it.
    async fn keep_download(self: Arc<Self>, id: String, name: String, whole: bool) {
        let has_room = self.shared.offered().has_room();
        let folder = self
            .options
            .common
            .downloads
            .clone()
            .filter(|_| whole && has_room);
        let kept = match self.private.as_ref().map(|folder| folder.join(FILES)) {
            Some(files) => {
                let keep = move || downloads::keep(&files, &id, folder.as_deref());
                spawn_blocking(keep).await.unwrap_or(false)
            }
            None => false,
        };
        if has_room {
            self.shared.offered().tell(&name, kept);
            self.shared.changed.send_replace(());
        }
    }

    /// Has the page of a tab behind others, or of a window without a screen, behave as if it was looked at.
    ///
    /// Chromium hands what was not answered yet to the document that comes, and this call is the end of that document's process
    /// while it is on its way. So a window that a page opened is asked once its document is there.
    async fn emulate_focus(&self, session: &str, target: &str) {
        self.until(|known| {
            let is_current = known.current.as_deref() == Some(target);
            let is_closed = known.closed;
            let Some(tab) = known.by_target(target) else {
                return Some(());
            };
            let is_ours = is_current || tab.told;
            let is_there = |main: &Frame| {
                main.goes.is_none() && !main.asked && (is_ours || !is_blank(&main.url))
            };
            (is_closed || tab.main().is_some_and(is_there)).then_some(())
        })
        .await;
        let enabled = json!({ "enabled": true });
        // A tab that is gone again needs nothing.
        let _ = self
            .wire
            .call::<Value>(Some(session), "Emulation.setFocusEmulationEnabled", enabled)
            .await;
    }

    /// Switches on what is listened to in a new session and reads its frames.
    async fn prepare(self: Arc<Self>, session: String, target: String, is_tab: bool) {
        // What begins in it waits until its requests are looked at, where those of others are.
        let guards = self.known().guards;
        let mut calls = vec![
            ("Page.enable", json!({})),
            ("Page.setLifecycleEventsEnabled", json!({ "enabled": true })),
            (
                "Network.enable",
                json!({ "maxTotalBufferSize": 0, "maxResourceBufferSize": 0 }),
            ),
            (
                "Target.setAutoAttach",
                json!({ "autoAttach": true, "waitForDebuggerOnStart": guards, "flatten": true }),
            ),
            // Of a frame with a process of its own too: nobody sees the system's chooser, and none may stay open.
            (
                "Page.setInterceptFileChooserDialog",
                json!({ "enabled": true }),
            ),
        ];
        if is_tab && self.owned {
            let (width, height) = self.options.common.viewport;
            let size = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
            calls.push(("Emulation.setDeviceMetricsOverride", size));
        }
        for (method, params) in calls {
            // All are sent before the last one is answered; what one of them cannot do, the page goes without.
            drop(self.wire.call::<Value>(Some(&session), method, params));
        }
        let tree = self
            .wire
            .call::<Tree>(Some(&session), "Page.getFrameTree", json!({}))
            .await;
        if let Ok(tree) = &tree {
            self.known().frames(&session, &tree.frame_tree);
            self.changed();
        }
        if is_tab {
            self.emulate_focus(&session, &target).await;
        }
        let mut known = self.known();
        if let Some(tab) = known.by_target(&target) {
            tab.prepared = true;
        }
        drop(known);
        self.shared.changed.send_replace(());
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Tree {
    frame_tree: FrameTree,
}

/// The value of a script that did not throw.
pub(super) fn evaluated(evaluated: Evaluated) -> Result<Object, Trouble> {
    match evaluated.exception_details {
        None => Ok(evaluated.result),
        // Our own script threw: its words may quote the page.
        Some(thrown) => Err(Trouble::Broken(
            crate::base::Error::new(ErrorKind::MalformedReply, "browser.page")
                .with("thrown", thrown.text.len()),
        )),
    }
}

impl Known {
    /// What stands between this driver and the current page, if anything does.
    pub(super) fn trouble(&self) -> Option<Trouble> {
        if self.closed {
            return Some(Trouble::Lost("the connection to the browser is closed"));
        }
        let Some(tab) = self.tab() else {
            return Some(Trouble::Lost("the last tab was closed"));
        };
        if let Some(why) = tab.crashed {
            return Some(Trouble::Lost(why));
        }
        // A file chooser blocks nothing in the browser.
        let blocking = if tab.dialog.is_some() {
            Some(tab)
        } else {
            self.blocking().filter(|tab| tab.dialog.is_some())
        };
        blocking.and_then(Tab::blocked_by).map(Trouble::Dialog)
    }
}
