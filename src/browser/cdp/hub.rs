//! The hub: it sends calls to the browser, receives the browser's events, and keeps the browser's state as the events
//! report it.

use std::{
    convert::Infallible,
    fmt,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
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
    error::CdpError,
    events::{BrowserEvent, FrameTree},
    options::CdpOptions,
    sending::Guard,
    state::{BrowserState, Effect, Frame, Tab, is_blank},
    stderr_tail::StderrTail,
    wire::{Event, Line, Reader, Wire, Writer},
};
use crate::{base::ErrorKind, page::Notice};

/// Longest time for the current page to answer while another tab has a dialog open. After that, the dialog is assumed
/// to block the current page too. Source: chosen; an answer takes a millisecond.
const HELD_UP: Duration = Duration::from_millis(500);

/// Name of the download folder inside the browser's private folder.
pub(super) const FILES: &str = "files";

/// The connection to a browser, and the known state of that browser. The driver and its background tasks share one hub.
#[derive(Debug)]
pub(super) struct Hub {
    pub(super) wire: Wire,
    shared: Arc<Shared>,
    pub(super) options: CdpOptions,
    /// True if this driver or the one it is [fresh](crate::browser::BrowserDriver::fresh) from started the browser, false if
    /// this driver attached to it.
    pub(super) owned: bool,
    /// The browser's id of the context that was made for this driver; `None` for the browser's first context.
    pub(super) context: Option<String>,
    /// The states of all drivers of this browser, this one too.
    all: Arc<All>,
    /// The private folder of a browser that this driver started; `None` for an attached browser.
    pub(super) private: Option<PathBuf>,
    /// The last lines of the error output of a browser that this driver started; empty for an attached browser.
    pub(super) stderr: StderrTail,
}

/// The states of all drivers of one browser.
type All = Mutex<Vec<Weak<Shared>>>;

#[derive(Default)]
struct Shared {
    known: Mutex<BrowserState>,
    offered: Mutex<Offered>,
    /// The time at which the current action or observation stops waiting for documents to load; `None` before the first
    /// action or observation.
    load_until: Mutex<Option<Instant>>,
    guard: Mutex<Guard>,
    changed: watch::Sender<()>,
}

impl fmt::Debug for Shared {
    /// Leaves out all text of the pages, such as the names of downloaded files and the titles of tabs.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shared")
            .field("known", &*self.state())
            .finish_non_exhaustive()
    }
}

impl Shared {
    /// Returns a new state, what keeps it up to date with the browser's events, and the effects of these events. Adds the state
    /// to `all`.
    fn listening(
        all: &Arc<All>,
    ) -> (
        Arc<Self>,
        impl FnMut(Option<Event<'_>>) + Send + 'static,
        mpsc::UnboundedReceiver<Effect>,
    ) {
        let shared = Arc::<Self>::default();
        let (effects, queue) = mpsc::unbounded_channel();
        {
            let mut all = all.lock().unwrap_or_else(PoisonError::into_inner);
            all.retain(|of| of.strong_count() > 0);
            all.push(Arc::downgrade(&shared));
        }
        let (listener, all) = (Arc::clone(&shared), Arc::clone(all));
        let on_event = move |event: Option<Event<'_>>| {
            let Some(event) = event else {
                listener.state().closed = true;
                listener.changed.send_replace(());
                return;
            };
            let Some(told) = BrowserEvent::read(&event) else {
                return;
            };
            // The browser tells each context the downloads of all.
            if let BrowserEvent::DownloadBegan { frame, .. } = &told
                && listener.is_of_another(&all, frame)
            {
                return;
            }
            let todo = listener.state().learn(event.session, told);
            for effect in todo {
                // Sending fails only while the browser is being left, when no effect is needed any more.
                let _ = effects.send(effect);
            }
            listener.changed.send_replace(());
        };
        (shared, on_event, queue)
    }

    /// Returns true if another driver of this browser has this frame.
    fn is_of_another(self: &Arc<Self>, all: &All, frame: &str) -> bool {
        let all = all.lock().unwrap_or_else(PoisonError::into_inner);
        let mut others = all
            .iter()
            .filter_map(Weak::upgrade)
            .filter(|of| !Arc::ptr_eq(of, self));
        others.any(|of| of.state().has(frame))
    }

    fn state(&self) -> MutexGuard<'_, BrowserState> {
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

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Evaluated {
    result: Object,
    exception_details: Option<Thrown>,
}

/// A value that a script returned, or the handle of an object that stays in the page.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Object {
    value: Option<Box<RawValue>>,
    pub(super) object_id: Option<String>,
}

impl Object {
    /// Returns the value as JSON; `null` for `undefined`.
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
    /// Starts a hub on a connection to a browser. `private` is the private folder of a browser that this driver
    /// started.
    ///
    /// Dropping the returned [`Line`] ends the connection and everything that depends on it.
    pub(super) fn start(
        reader: impl Reader,
        writer: impl Writer,
        options: CdpOptions,
        private: Option<&Path>,
        stderr: StderrTail,
    ) -> (Arc<Self>, Line) {
        let all = Arc::default();
        let (shared, on_event, queue) = Shared::listening(&all);
        shared.state().own_only = private.is_none();
        let (wire, line) = Wire::start(reader, writer, on_event);
        let private = private.map(Path::to_owned);
        let hub = Arc::new(Self {
            wire,
            shared,
            all,
            options,
            owned: private.is_some(),
            context: None,
            private,
            stderr,
        });
        tokio::spawn(Arc::clone(&hub).look_after(queue));
        (hub, line)
    }

    /// Starts a hub for a new context of the same browser: it shares no cookies, storage, cache and permissions with the others.
    ///
    /// Dropping the returned [`Line`] closes the context with its tabs.
    pub(super) async fn start_context(&self) -> Result<(Arc<Self>, Line), CdpError> {
        let (shared, on_event, queue) = Shared::listening(&self.all);
        let (wire, line) = self.wire.branch(on_event).await?;
        let made: Made = wire
            .call(
                None,
                "Target.createBrowserContext",
                json!({ "disposeOnDetach": true }),
            )
            .await?;
        shared.state().context = Some(made.browser_context_id.clone());
        let hub = Arc::new(Self {
            wire,
            all: Arc::clone(&self.all),
            shared,
            options: self.options.clone(),
            owned: self.owned,
            context: Some(made.browser_context_id),
            private: self.private.clone(),
            stderr: self.stderr.clone(),
        });
        tokio::spawn(Arc::clone(&hub).look_after(queue));
        Ok((hub, line))
    }

    /// Returns these parameters for a method that concerns one context, with the id of this driver's context.
    pub(super) fn in_context(&self, mut params: Value) -> Value {
        if let Some(context) = &self.context {
            params["browserContextId"] = json!(context);
        }
        params
    }

    /// Returns true if another driver of this browser has this frame.
    pub(super) fn is_of_another(&self, frame: &str) -> bool {
        self.shared.is_of_another(&self.all, frame)
    }

    /// Returns the folder in which the browser puts the files of this driver's context; `None` in an attached browser.
    pub(super) fn files(&self) -> Option<PathBuf> {
        let files = self.private.as_ref()?.join(FILES);
        Some(match &self.context {
            Some(context) => files.join(context),
            None => files,
        })
    }

    pub(super) fn close(&self) {
        self.state().closed = true;
        self.shared.changed.send_replace(());
    }

    /// Starts an action or observation with this time limit. Documents may take two thirds of the time to load. Then
    /// their loading is stopped, and the current page has the remaining time to answer. Source: chosen.
    pub(super) fn begin(&self, time: Duration) {
        *self.shared.load_until() = Some(Instant::now() + time * 2 / 3);
    }

    /// Returns the time that a document may still take to load, at most the navigation timeout.
    pub(super) fn time_to_load(&self) -> Duration {
        let longest = self.options.common.navigation_timeout;
        let left = |end: Instant| end.saturating_duration_since(Instant::now());
        self.shared
            .load_until()
            .map_or(longest, |end| longest.min(left(end)))
    }

    /// Wakes everything that waits for a change of the known state.
    pub(super) fn changed(&self) {
        self.shared.changed.send_replace(());
    }

    /// Locks the known state. The lock must not be held across an await.
    pub(super) fn state(&self) -> MutexGuard<'_, BrowserState> {
        self.shared.state()
    }

    /// Locks the guard, which knows the typed secrets and the requests that were held back because of them. The lock
    /// must not be held across an await.
    pub(super) fn guard(&self) -> MutexGuard<'_, Guard> {
        self.shared
            .guard
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Records a number that our script in a page gave to an element. The elements of later main documents get higher
    /// numbers.
    pub(super) fn told(&self, number: u64) {
        let mut known = self.state();
        known.last_number = known.last_number.max(number);
    }

    /// Removes and returns the notices since the last call: downloads, new tabs, and dialogs of other tabs.
    pub(super) fn take_notices(&self) -> Vec<Notice> {
        let mut notices = self.shared.offered().take();
        for tab in self.state().tabs.iter_mut().filter(|tab| !tab.told) {
            tab.told = true;
            notices.push(Notice::TabOpened {
                url: tab.url.clone(),
            });
        }
        notices.extend(
            self.state()
                .untold_dialogs()
                .into_iter()
                .map(|tab| Notice::DialogBehind { tab }),
        );
        notices
    }

    /// Waits until `look` returns a value for the known state, and returns that value. `look` is called at once and
    /// again after changes. It may miss a state that lasts only until the next change.
    pub(super) async fn until<T>(&self, mut look: impl FnMut(&mut BrowserState) -> Option<T>) -> T {
        let mut changed = self.shared.changed.subscribe();
        loop {
            changed.borrow_and_update();
            if let Some(found) = look(&mut self.state()) {
                return found;
            }
            if changed.changed().await.is_err() {
                // The sender lives as long as this hub, so this line is never reached.
                std::future::pending::<()>().await;
            }
        }
    }

    /// Calls a method of the protocol in a session of the current page. Fails if a dialog, a crash or the end of the
    /// browser comes before the answer.
    pub(super) async fn call<T: DeserializeOwned + 'static>(
        &self,
        session: &str,
        method: &'static str,
        params: Value,
    ) -> Result<T, CdpError> {
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

    /// Waits for `work`, which needs the current page, and returns its result. Fails as soon as a dialog, a crash or
    /// the end of the browser blocks the page.
    pub(super) async fn unless_blocked<T>(
        &self,
        work: impl Future<Output = Result<T, CdpError>>,
    ) -> Result<T, CdpError> {
        tokio::select! {
            biased;
            done = work => done.map_err(|trouble| self.state().trouble().unwrap_or(trouble)),
            trouble = self.until(|known| known.trouble()) => Err(trouble),
            never = self.watch_behind() => match never {},
        }
    }

    /// Waits for a dialog of another tab, and tests whether it also blocks the current page, as it does if both pages
    /// share a process. Records a blocking dialog in the known state. Never returns.
    async fn watch_behind(&self) -> Infallible {
        loop {
            let behind = self.until(|known| known.dialog_behind()).await;
            let session = self.state().tab().and_then(|tab| tab.session.clone());
            let params = json!({ "expression": "0", "returnByValue": true });
            let mut answers = Box::pin(self.wire.call::<Value>(
                session.as_deref(),
                "Runtime.evaluate",
                params,
            ));
            if timeout(HELD_UP, &mut answers).await.is_ok() {
                // The page answers, so the dialog does not block it.
                std::future::pending::<()>().await;
            }
            {
                let mut known = self.state();
                if known.dialog_behind().as_ref() == Some(&behind) {
                    known.over = Some(behind.clone());
                }
            }
            self.shared.changed.send_replace(());
            let shared = Arc::clone(&self.shared);
            tokio::spawn(async move {
                // If the page answers while the dialog is open, it was busy and not blocked.
                let _ = answers.await;
                shared.state().over.take_if(|over| *over == behind);
                shared.changed.send_replace(());
            });
        }
    }

    /// Carries out the [`Effect`]s of the browser's events until the connection ends.
    async fn look_after(self: Arc<Self>, mut queue: mpsc::UnboundedReceiver<Effect>) {
        while let Some(effect) = queue.recv().await {
            match effect {
                Effect::Attach { target } => {
                    let params = json!({ "targetId": target, "flatten": true });
                    // The answer is not needed: an event reports the new session, and a tab that is gone again needs
                    // nothing.
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
                    // A tab that closed by itself needs no closing.
                    let params = json!({ "targetId": target });
                    drop(self.wire.call::<Value>(None, "Target.closeTarget", params));
                }
                Effect::Judge { request } => {
                    let hub = Arc::clone(&self);
                    tokio::spawn(async move { hub.judge(*request).await });
                }
                Effect::JudgeSocket { url } => self.judge_socket(url),
                Effect::End { session } => self.wire.end_session(&session),
                Effect::CancelDownload { id } => {
                    drop(self.wire.call::<Value>(
                        None,
                        "Browser.cancelDownload",
                        self.in_context(json!({ "guid": id })),
                    ));
                }
                Effect::KeepDownload { id, name, whole } => {
                    tokio::spawn(Arc::clone(&self).keep_download(id, name, whole));
                }
            }
        }
    }

    /// In a browser that this driver started, moves a downloaded file to the caller's folder or deletes it. A file that
    /// is not `whole` (complete and within the limits) is always deleted. In an attached browser, the file stays where
    /// it is. Then reports the download, or only counts it if there is no room for another report.
    async fn keep_download(self: Arc<Self>, id: String, name: String, whole: bool) {
        let has_room = self.shared.offered().has_room();
        let folder = self
            .options
            .common
            .downloads
            .clone()
            .filter(|_| whole && has_room);
        let kept = match self.files() {
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

    /// Makes the page of a background tab, or of a browser without a window, behave as if it were in view.
    ///
    /// Waits for the document first, because emulating focus can crash the process of a document that is still
    /// arriving.
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

    async fn prepare(self: Arc<Self>, session: String, target: String, is_tab: bool) {
        let guards = self.state().guards;
        let mut calls = vec![
            ("Page.enable", json!({})),
            ("Page.setLifecycleEventsEnabled", json!({ "enabled": true })),
            (
                "Network.enable",
                json!({ "maxTotalBufferSize": 0, "maxResourceBufferSize": 0 }),
            ),
            // A frame with a process of its own needs this too, because the system's file chooser would be invisible
            // and must not stay open.
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
        if let Some(locale) = &self.options.common.locale {
            calls.push(("Emulation.setLocaleOverride", json!({ "locale": locale })));
        }
        if !self.options.common.headers.is_empty() {
            let headers = json!({ "headers": self.options.common.headers });
            calls.push(("Network.setExtraHTTPHeaders", headers));
        }
        for (method, params) in calls {
            // All calls are sent before the last answer is awaited. A call that the browser does not support is ignored.
            drop(self.wire.call::<Value>(Some(&session), method, params));
        }
        if guards {
            self.hold_sockets(&session);
        }
        self.attach_inside(&session, guards);
        let run = "Runtime.runIfWaitingForDebugger";
        drop(self.wire.call::<Value>(Some(&session), run, json!({})));
        let tree = self
            .wire
            .call::<Tree>(Some(&session), "Page.getFrameTree", json!({}))
            .await;
        if let Ok(tree) = &tree {
            self.state().frames(&session, &tree.frame_tree);
            self.changed();
        }
        if is_tab {
            self.emulate_focus(&session, &target).await;
        }
        let mut known = self.state();
        if let Some(tab) = known.by_target(&target) {
            tab.prepared = true;
        }
        drop(known);
        self.shared.changed.send_replace(());
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Made {
    browser_context_id: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Tree {
    frame_tree: FrameTree,
}

/// Returns the value of a script, or an error if the script threw.
pub(super) fn evaluated(evaluated: Evaluated) -> Result<Object, CdpError> {
    match evaluated.exception_details {
        None => Ok(evaluated.result),
        // Our own script threw. Its message may quote the page, so only the length of the message is reported.
        Some(thrown) => Err(CdpError::Broken(
            crate::base::Error::new(ErrorKind::MalformedReply, "browser.page")
                .with("thrown", thrown.text.len()),
        )),
    }
}

impl BrowserState {
    /// Returns the reason why this driver cannot use the current page: the end of the browser or of its last tab, a
    /// crash, or a dialog. Returns `None` if it can.
    pub(super) fn trouble(&self) -> Option<CdpError> {
        if self.closed {
            return Some(CdpError::Lost("the connection to the browser is closed"));
        }
        let Some(tab) = self.tab() else {
            return Some(CdpError::Lost("the last tab was closed"));
        };
        if let Some(why) = tab.crashed {
            return Some(CdpError::Lost(why));
        }
        // A file chooser blocks nothing in the browser.
        let blocking = if tab.dialog.is_some() {
            Some(tab)
        } else {
            self.blocking().filter(|tab| tab.dialog.is_some())
        };
        blocking.and_then(Tab::blocked_by).map(CdpError::Dialog)
    }
}
