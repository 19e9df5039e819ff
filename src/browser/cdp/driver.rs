//! The driver [`Cdp`] and its implementation of [`BrowserDriver`].

use std::{collections::HashMap, fmt, pin::pin, sync::Arc, time::Duration};

use async_trait::async_trait;
use serde_json::{Value, json};
use tokio::{
    sync::{Mutex, MutexGuard},
    time::{Instant, timeout, timeout_at},
};

use super::{
    attach::{self, close_tabs},
    error::{CdpError, lost},
    hub::Hub,
    launch::{self, Life},
    options::CdpOptions,
    pointer::Midway,
    rows::Seen,
    stderr_tail,
    target::Aim,
};
use crate::{
    action::{BrowserTool, Outcome},
    base::{Error, ErrorKind, Result},
    browser::{
        BrowserCapabilities, BrowserDriver, COMMAND_TIMEOUT, ExecuteRequest, Execution, Lease,
        ObserveRequest, SceneRequest, ScreenshotRequest, chromium, rules::out_of_time,
    },
    page::{Observation, Scene},
};

/// Longest wait for a browser to answer `Browser.close`. The waits for its end after that, and for its end after a
/// kill, each have the same limit. Source: chosen; a browser usually ends within 0.2 s.
const END_TIMEOUT: Duration = Duration::from_secs(5);

/// Longest wait for the reason of a page's crash, and for a browser's exit status. Source: chosen; each is known after
/// about 10 ms.
const EXPLAIN: Duration = Duration::from_millis(500);

/// A driver that controls Chromium through Chromium's own DevTools protocol.
///
/// If the driver [launched](Cdp::launch) its browser, dropping the driver ends the browser. If the driver is
/// [attached](Cdp::attach) to the browser, dropping the driver closes only the driver's tabs: those that it
/// opened, and those that their pages opened (see [`attach`](Cdp::attach)). Outside a Tokio runtime, dropping the driver leaves these tabs open.
/// [`close`](BrowserDriver::close) ends the same things in an orderly way, and waits until they have ended.
///
/// ```no_run
/// use webwise::browser::{BrowserDriver, Cdp, CdpOptions};
/// use webwise::{DecisionLoop, LlmClient, Task, store::JsonFiles};
///
/// async fn opening_hours(model: impl LlmClient) -> webwise::Result<Option<String>> {
///     // Or `Cdp::attach("http://127.0.0.1:9222", &options)`: in a browser that runs, with its cookies.
///     let browser = Cdp::launch(&CdpOptions::from_env()?).await?;
///     let agent = DecisionLoop::builder(browser, model, JsonFiles::open("memory")).with_max_steps(40).build()?;
///     let report = agent.run(Task::new("Find the opening hours")?.with_start_url("https://example.com")?).await;
///     agent.browser().close().await?;
///     Ok(report.answer.filter(|_| report.summary.success))
/// }
/// ```
#[derive(Debug)]
pub struct Cdp {
    pub(super) hub: Arc<Hub>,
    /// The state between actions. Its lock lets only one action or observation run at a time.
    turn: Mutex<Turn>,
    life: Mutex<Life>,
    lease: Lease,
}

/// The state of the driver that is kept from one action to the next.
#[derive(Default)]
pub(super) struct Turn {
    /// The last observation of each frame. The key is the browser's id of the frame.
    pub(super) seen: HashMap<String, Seen>,
    /// The id of the session to which the input of the current action is sent. It is kept even if the session's tab
    /// closes.
    pub(super) session: Option<String>,
    /// True once the last part of the current action was sent to the page. If a dialog opens later, the action counts
    /// as done.
    pub(super) sent: bool,
    /// The latest position of the mouse pointer in the window. Unit: CSS pixels.
    pub(super) pointer: (f64, f64),
    pub(super) midway: Midway,
    /// The element that the current action moves the pointer onto, and its surroundings before.
    pub(super) hovered: Option<(Aim, String)>,
    /// The reason why the browser cannot be used any more; `None` while it can be used.
    gone: Option<&'static str>,
}

impl Cdp {
    /// Starts a browser with these options. A browser that crashes while it starts is started a second time.
    ///
    /// The browser writes its files into a private folder, which is deleted when the driver is closed or dropped. It
    /// reads the user's certificates, fonts and desktop settings, but no browser profile of the user, unless one is
    /// [named](CdpOptions::with_profile).
    ///
    /// # Errors
    /// - [`ErrorKind::Unavailable`] if the program does not exist or ends at once. The error's context contains the
    ///   output of the program.
    /// - [`ErrorKind::InvalidInput`] if the path of the private folder is too long for the sockets in it.
    /// - [`ErrorKind::Timeout`] if the browser is not ready within the launch timeout.
    /// - [`ErrorKind::Io`] if the private folder or a file in it cannot be created, for example because the folder that
    ///   was set by [`with_folder`](CdpOptions::with_folder) does not exist.
    pub async fn launch(options: &CdpOptions) -> Result<Self> {
        let (hub, life) = launch::launch(options).await?;
        Ok(Self::new(hub, life))
    }

    /// Attaches to a browser that was started with `--remote-debugging-port`, and opens a new tab in it. `address`
    /// has the form `http://host:port`, or is the address of the browser's WebSocket.
    ///
    /// The driver sees the tabs that it opens and the tabs that their pages open, and no other tab of the browser. A
    /// click with Ctrl, with Shift or with the middle button opens a tab that cannot be told from a person's: the driver
    /// neither sees nor closes it.
    ///
    /// The tabs use the browser's cookies and storage. Files that pages offer for download go to the browser's own
    /// download folder and are reported as not kept. The action `state_save` saves all cookies of the browser. The
    /// action `state_load` replaces the cookies of the sites in the saved state and leaves all other cookies alone. From
    /// the first typed secret on, the requests of the whole browser are checked: one that would send the secret to a
    /// wrong origin fails in any tab.
    ///
    /// The driver's tabs are closed when the driver is closed, when it is dropped inside a Tokio runtime, and when
    /// attaching is cancelled. If this process is killed, the tabs stay open: a browser closes the tabs of a lost
    /// client only if they have cookies of their own, and these tabs use the cookies of the browser's user.
    ///
    /// # Errors
    /// - [`ErrorKind::InvalidInput`] if `address` has neither of these two forms.
    /// - [`ErrorKind::Unavailable`] if no program can be reached there, or if it has no such WebSocket.
    /// - [`ErrorKind::MalformedReply`] if the program that answers at an http address is not a browser.
    /// - [`ErrorKind::BrowserLost`] if the browser ends meanwhile.
    /// - [`ErrorKind::Timeout`] if attaching takes longer than the launch timeout.
    pub async fn attach(address: &str, options: &CdpOptions) -> Result<Self> {
        let (hub, life) = attach::attach(address, options).await?;
        Ok(Self::new(hub, life))
    }

    /// Returns the kind of the connection to the browser: `pipe` for a launched browser, `websocket` for an attached
    /// browser.
    pub fn transport(&self) -> &'static str {
        if self.hub.owned { "pipe" } else { "websocket" }
    }

    pub(super) fn new(hub: Arc<Hub>, life: Life) -> Self {
        Self {
            hub,
            turn: Mutex::default(),
            life: Mutex::new(life),
            lease: Lease::new(),
        }
    }

    /// Waits until no other action or observation is under way. None can begin while the returned guard lives. Fails if
    /// the browser is gone.
    async fn turn(&self, operation: &'static str) -> Result<MutexGuard<'_, Turn>> {
        let turn = self.turn.lock().await;
        match turn.gone {
            None => Ok(turn),
            Some(why) => Err(lost(operation, why)),
        }
    }

    /// Adds details to a `BrowserLost` error: how the page or the browser ended, and the last lines of a launched
    /// browser's error output. Returns any other result unchanged.
    async fn explained<T>(&self, result: Result<T>) -> Result<T> {
        let error = match result {
            Err(error) if error.kind() == ErrorKind::BrowserLost => error,
            other => return other,
        };
        // The browser reports the reason for a page's crash a moment after the crash itself.
        let crash = self.hub.until(|known| {
            if known.closed {
                return Some(None);
            }
            let tab = known.tab()?;
            tab.how.clone().map(Some)
        });
        let how = match timeout(EXPLAIN, crash).await {
            Ok(Some(how)) => Some(how),
            Ok(None) => self.exit().await,
            Err(_) => None,
        };
        let error = match how {
            Some(how) => error.with("ended", how),
            None => error,
        };
        Err(if self.hub.owned {
            error.with("said", self.hub.stderr.last())
        } else {
            error
        })
    }

    /// Returns how the browser program ended. Returns `None` if it has not ended, if it is being closed, or if this
    /// driver did not launch it.
    async fn exit(&self) -> Option<String> {
        let mut life = self.life.try_lock().ok()?;
        let status = timeout(EXPLAIN, life.own.as_mut()?.child.wait()).await;
        let status = status.ok().and_then(std::io::Result::ok)?;
        Some(stderr_tail::how(Some(status)))
    }

    async fn look(&self, request: &ObserveRequest) -> Result<Observation> {
        const OPERATION: &str = "browser.observe";
        let time = chromium::bounded(request.timeout);
        let end = Instant::now() + time;
        let late = |_| Err(Error::new(ErrorKind::Timeout, OPERATION));
        let mut turn = timeout_at(end, self.turn(OPERATION))
            .await
            .unwrap_or_else(late)?;
        self.hub.begin(time);
        let page = end - time / 4;
        let seen = {
            let mut seen = pin!(timeout_at(page, self.seen(&mut turn)));
            let (seen, asked) = if let Ok(seen) = timeout(time / 4, &mut seen).await {
                (seen, None)
            } else {
                // On a busy machine the browser itself may answer late, so it is asked while the page still has time.
                let asked = self.ask_for_life();
                (seen.await, Some(asked))
            };
            match seen {
                Err(_) | Ok(Err(CdpError::Late)) => {
                    let asked = asked.unwrap_or_else(|| self.ask_for_life());
                    match timeout_at(end, asked).await {
                        Ok(Ok(_)) => self.unanswered(),
                        Ok(Err(trouble)) => Err(trouble.into()),
                        Err(_) => Err(CdpError::Late),
                    }
                }
                Ok(seen) => seen,
            }
        };
        let mut observation = seen.map_err(|trouble| turn.failed(trouble, OPERATION))?;
        if request.screenshot && observation.dialog.is_none() && !observation.unresponsive {
            // If the picture does not arrive in time, the page that was read is returned without it.
            if let Ok(picture) = timeout_at(page, self.picture(None)).await {
                let picture = picture.map_err(|trouble| turn.failed(trouble, OPERATION))?;
                observation.screenshot = Some(picture);
            }
        }
        Ok(observation)
    }

    async fn carry_out(&self, request: &ExecuteRequest) -> Result<Execution> {
        let work = async {
            let mut turn = self.turn("browser.execute").await?;
            self.hub.begin(chromium::bounded(request.timeout));
            let mut execution = match self.act(&mut turn, request).await {
                Ok(execution) => execution,
                Err(trouble) => turn.keep(trouble).into_execution()?,
            };
            if let Some(failure) = self.hub.take_held() {
                execution.outcome = Outcome::Failed(failure);
            }
            execution.notices = self.hub.take_notices();
            Ok(execution)
        };
        // Events during an action that took too long are reported with the next action.
        timeout(request.timeout, work)
            .await
            .unwrap_or_else(|_| Ok(out_of_time(&request.action)))
    }

    async fn take_picture(&self, request: &ScreenshotRequest) -> Result<Vec<u8>> {
        const OPERATION: &str = "browser.screenshot";
        let work = async {
            let mut turn = self.turn(OPERATION).await?;
            self.hub.begin(COMMAND_TIMEOUT);
            let target = request.target.clone().map(crate::action::Target::Ref);
            self.picture(target.as_ref())
                .await
                .map_err(|trouble| turn.failed(trouble, OPERATION))
        };
        timeout(COMMAND_TIMEOUT, work)
            .await
            .unwrap_or_else(|_| Err(Error::new(ErrorKind::Timeout, OPERATION)))
    }

    async fn look_around(&self, request: &SceneRequest) -> Result<Scene> {
        const OPERATION: &str = "browser.scene";
        let work = async {
            let mut turn = self.turn(OPERATION).await?;
            self.hub.begin(COMMAND_TIMEOUT);
            self.scene_of(&request.elements)
                .await
                .map_err(|trouble| turn.failed(trouble, OPERATION))
        };
        timeout(COMMAND_TIMEOUT, work)
            .await
            .unwrap_or_else(|_| Err(Error::new(ErrorKind::Timeout, OPERATION)))
    }

    async fn end(&self) -> Result<()> {
        // Actions that are under way end with the connection, so this does not wait for them.
        let mut life = self.life.lock().await;
        if let (Some(context), Some(_)) = (&self.hub.context, &life.line) {
            // The end of the connection closes the context, even if the browser does not hear this command.
            let params = json!({ "browserContextId": context });
            let orderly =
                (self.hub.wire).call::<Value>(None, "Target.disposeBrowserContext", params);
            let _ = timeout(END_TIMEOUT, orderly).await;
        } else if life.line.is_some() && self.hub.owned {
            // The end of the connection ends the browser, even if it does not hear this command.
            let orderly = self
                .hub
                .wire
                .call::<Value>(None, "Browser.close", json!({}));
            let _ = timeout(END_TIMEOUT, orderly).await;
        } else if life.line.is_some() {
            close_tabs(&self.hub).await;
        }
        life.line = None;
        self.hub.close();
        if let Some(own) = &mut life.own {
            if timeout(END_TIMEOUT, own.child.wait()).await.is_err() {
                own.kill();
                // A program that does not end even then is left running.
                let _ = timeout(END_TIMEOUT, own.child.wait()).await;
            }
            own.folder
                .end()
                .await
                .map_err(|error| Error::new(ErrorKind::Io, "browser.close").with_source(error))?;
        }
        life.own = None;
        Ok(())
    }
}

impl Turn {
    /// Returns the failure unchanged. Keeps the reason of [`Lost`](CdpError::Lost), so that later calls fail at once.
    fn keep(&mut self, trouble: CdpError) -> CdpError {
        if let CdpError::Lost(why) = trouble {
            self.gone = Some(why);
        }
        trouble
    }

    fn failed(&mut self, trouble: CdpError, operation: &'static str) -> Error {
        self.keep(trouble).into_error(operation)
    }
}

impl Drop for Cdp {
    fn drop(&mut self) {
        let Some(line) = self.life.get_mut().line.take_if(|_| !self.hub.owned) else {
            return;
        };
        // Without a runtime nothing can be sent to the browser, and its tabs stay open.
        let Ok(runtime) = tokio::runtime::Handle::try_current() else {
            return;
        };
        let hub = Arc::clone(&self.hub);
        runtime.spawn(async move {
            close_tabs(&hub).await;
            drop(line);
        });
    }
}

impl fmt::Debug for Turn {
    /// Leaves out all text of the page, because it may contain secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Turn")
            .field("gone", &self.gone)
            .field("documents", &self.seen.len())
            .finish_non_exhaustive()
    }
}

#[async_trait]
impl BrowserDriver for Cdp {
    fn capabilities(&self) -> BrowserCapabilities {
        let options = &self.hub.options.common;
        let has = |tool: &BrowserTool| match tool {
            BrowserTool::RunCode => false,
            BrowserTool::Eval => options.scripts,
            BrowserTool::StateSave | BrowserTool::StateLoad => options.state_folder.is_some(),
            _ => true,
        };
        BrowserCapabilities::new("cdp", BrowserTool::ALL.iter().copied().filter(has))
            .with_attached(!self.hub.owned)
            // Who keeps a profile wants its cookies.
            .with_fresh(self.hub.owned && self.hub.options.profile.is_none())
    }

    fn lease(&self) -> &Lease {
        &self.lease
    }

    async fn observe(&self, request: &ObserveRequest) -> Result<Observation> {
        self.explained(self.look(request).await).await
    }

    async fn execute(&self, request: &ExecuteRequest) -> Result<Execution> {
        self.explained(self.carry_out(request).await).await
    }

    async fn screenshot(&self, request: &ScreenshotRequest) -> Result<Vec<u8>> {
        self.explained(self.take_picture(request).await).await
    }

    async fn scene(&self, request: &SceneRequest) -> Result<Scene> {
        self.explained(self.look_around(request).await).await
    }

    async fn fresh(&self) -> Result<Arc<dyn BrowserDriver>> {
        const OPERATION: &str = "browser.fresh";
        if !self.capabilities().fresh {
            return Err(Error::new(ErrorKind::Unsupported, OPERATION).with(
                "why",
                "the browser is attached to, or has a profile of its user",
            ));
        }
        let hub = Arc::clone(&self.hub);
        // If the caller gives up waiting, this task drops the context, which closes it.
        let opened = tokio::spawn(async move {
            let (hub, line) = hub.start_context().await?;
            launch::begin(&hub).await?;
            let life = Life {
                line: Some(line),
                own: None,
            };
            Ok::<_, CdpError>((hub, life))
        });
        let time = self.hub.options.common.launch_timeout;
        let opened = timeout(time, opened).await;
        let (hub, life) = match opened {
            Ok(Ok(Ok(opened))) => opened,
            Ok(Ok(Err(trouble))) => {
                return self.explained(Err(trouble.into_error(OPERATION))).await;
            }
            Ok(Err(_)) | Err(_) => return Err(Error::new(ErrorKind::Timeout, OPERATION)),
        };
        Ok(Arc::new(Self::new(hub, life)))
    }

    async fn close(&self) -> Result<()> {
        self.end().await
    }
}
