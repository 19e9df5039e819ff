//! The driver [`PlaywrightCli`], its state, and the functions that send commands.

use std::{
    collections::HashSet,
    fmt,
    path::PathBuf,
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

use async_trait::async_trait;
use tokio::sync::{Mutex, MutexGuard};

use super::{
    failure, launch,
    masking::Typed,
    observe::class_of,
    options::PlaywrightCliOptions,
    reply::{Page, Reply, Untrusted},
    scripts::Returned,
    transport::{Command, Link, RawReply},
};
use crate::{
    action::{BrowserTool, ErrorClass, Outcome},
    base::{Error, ErrorKind, Result},
    browser::{
        BrowserCapabilities, BrowserDriver, ExecuteRequest, Execution, Lease, ObserveRequest,
        SceneRequest, ScreenshotRequest, chromium::Folder,
    },
    page::{Dialog, Notice, Observation, Scene, Tab},
    secret::TypedSecrets,
};

/// The address of a tab that has not loaded a page yet, or whose renderer died.
pub(super) const BLANK: &str = "about:blank";
/// Longest time for the answer to the command that ends the tool's daemon. Source: chosen; it takes 0.2 s.
const STOP_TIMEOUT: Duration = Duration::from_secs(5);
/// Longest time for the answer to the check whether the browser still runs. Source: chosen.
const PROBE_TIMEOUT: Duration = Duration::from_secs(10);

/// A driver that controls Chromium through the program playwright-cli.
///
/// Dropping the driver ends the browser. [`close`](BrowserDriver::close) ends it in an orderly way, and waits until it
/// has ended.
#[derive(Debug)]
pub struct PlaywrightCli {
    pub(super) link: Link,
    pub(super) options: PlaywrightCliOptions,
    pub(super) folder: Folder,
    pub(super) files: AtomicU64,
    lease: Lease,
    state: Mutex<State>,
}

#[derive(Default)]
pub(super) struct State {
    /// The reason why the browser can no longer be used; `None` while it can be used.
    gone: Option<&'static str>,
    /// The current page in the last reply; `None` if it is not known.
    pub(super) page: Option<Page>,
    pub(super) dialog: Option<Dialog>,
    /// True if the current page may be blank. Otherwise, a blank page after a real page means that the renderer died.
    pub(super) blank_is_fine: bool,
    /// True if the last command got no answer, or if the tool's own time limit for it was over.
    pub(super) stalled: bool,
    /// Number of open tabs in the last reply that reported them.
    pub(super) tabs: usize,
    pub(super) secret: HashSet<String>,
    pub(super) readonly: HashSet<String>,
    pub(super) typed: Typed,
    pub(super) secrets: TypedSecrets,
    notices: Vec<Notice>,
}

impl PlaywrightCli {
    /// Starts a browser with these options.
    ///
    /// # Errors
    /// - [`ErrorKind::Unavailable`] if playwright-cli, Node.js or Chromium cannot be started. The error's context
    ///   contains the message of playwright-cli.
    /// - [`ErrorKind::InvalidInput`] if the path of the private folder would be too long.
    /// - [`ErrorKind::Timeout`] if the browser is not ready within the launch timeout.
    /// - [`ErrorKind::Io`] if the private folder or a file in it cannot be created.
    /// - [`ErrorKind::Unsupported`] if the options require the socket and the system is not Unix.
    pub async fn launch(options: &PlaywrightCliOptions) -> Result<Self> {
        let (folder, link) = launch::launch(options).await?;
        let state = State {
            tabs: 1,
            ..State::default()
        };
        Ok(Self {
            link,
            options: options.clone(),
            folder,
            files: AtomicU64::new(0),
            lease: Lease::new(),
            state: Mutex::new(state),
        })
    }

    /// Returns the transport of the next command: `socket` for the socket of playwright-cli's daemon, `process` for a
    /// new process of playwright-cli.
    pub fn transport(&self) -> &'static str {
        self.link.name()
    }

    /// Waits until no other command runs, and returns the state. Fails if the browser is gone.
    pub(super) async fn state(&self, operation: &'static str) -> Result<MutexGuard<'_, State>> {
        let state = self.state.lock().await;
        match state.gone {
            None => Ok(state),
            Some(why) => Err(lost(operation, why)),
        }
    }

    pub(super) fn new_file(&self, extension: &str) -> PathBuf {
        let number = self.files.fetch_add(1, Ordering::Relaxed);
        self.folder.file(&format!("file-{number}.{extension}"))
    }

    /// Sends a command and updates the state from the reply.
    ///
    /// # Errors
    /// Those of the transport; `BrowserLost` if the reply, or a missing reply, means that the browser is gone.
    pub(super) async fn send(
        &self,
        state: &mut State,
        command: Command,
        timeout: Duration,
    ) -> Result<Reply> {
        self.send_with(state, command, timeout, Trust::Tool).await
    }

    /// Sends a command whose script runs in the page. The page may have written the reply's error text, so this text is
    /// never taken as a sign that the browser is lost.
    pub(super) async fn send_foreign(
        &self,
        state: &mut State,
        command: Command,
        timeout: Duration,
    ) -> Result<Reply> {
        self.send_with(state, command, timeout, Trust::Page).await
    }

    /// Sends a command after which the current page may be blank. Until the reply comes, the current page counts as
    /// unknown, so a blank page is not taken for a dead renderer.
    pub(super) async fn send_leaving(
        &self,
        state: &mut State,
        command: Command,
        timeout: Duration,
    ) -> Result<Reply> {
        let before = state.page.take();
        let reply = self.send(state, command, timeout).await?;
        if let Some(before) = before {
            match &mut state.page {
                None => state.page = Some(before),
                // While a dialog is open, the tool cannot read the title.
                Some(page) if page.title.is_empty() && page.url == before.url => {
                    page.title = before.title;
                }
                Some(_) => {}
            }
        }
        Ok(reply)
    }

    /// Sends a command whose script runs in the tool. The state is not updated from the reply, because the script may
    /// forge it.
    pub(super) async fn send_untrusted(
        &self,
        state: &mut State,
        command: Command,
        timeout: Duration,
    ) -> Result<Untrusted> {
        let raw = self.exchange(state, command, timeout).await?;
        Ok(Untrusted::parse(raw.text.expose(), raw.is_error))
    }

    async fn exchange(
        &self,
        state: &mut State,
        command: Command,
        timeout: Duration,
    ) -> Result<RawReply> {
        // The flag stays set until an answer comes. If this future is dropped first, the flag stays set until a later
        // command is answered.
        state.stalled = true;
        let error = match self.link.run(&command, timeout).await {
            Ok(raw) => {
                state.stalled = false;
                return Ok(raw);
            }
            Err(error) => Error::from(error),
        };
        let is_broken = matches!(
            error.kind(),
            ErrorKind::MalformedReply | ErrorKind::Io | ErrorKind::Unavailable
        );
        if is_broken && !self.lives().await {
            state.gone = Some("the daemon does not answer");
            return Err(lost("browser.command", "the daemon does not answer").with_source(error));
        }
        Err(error)
    }

    async fn send_with(
        &self,
        state: &mut State,
        command: Command,
        timeout: Duration,
        trust: Trust,
    ) -> Result<Reply> {
        let raw = self.exchange(state, command, timeout).await?;
        let mut reply = match trust {
            Trust::Script => Reply::parse_without_echo(raw.text.expose()),
            Trust::Tool | Trust::Page => Reply::parse(raw.text.expose()),
        };
        if raw.is_error && reply.error.is_none() {
            reply.error = Some("the tool gave no reason".to_owned());
        }
        state.stalled = reply
            .error
            .as_deref()
            .is_some_and(|error| class_of(error) == ErrorClass::Timeout);
        self.learn(state, &reply, trust != Trust::Page)?;
        Ok(reply)
    }

    pub(super) async fn script(
        &self,
        state: &mut State,
        code: String,
        timeout: Duration,
    ) -> Result<Scripted> {
        let reply = self
            .send_with(state, Command::script(code), timeout, Trust::Script)
            .await?;
        if let Some(error) = reply.error {
            return Ok(Scripted::Refused(error));
        }
        if let Some(returned) = reply.result.as_deref().and_then(Returned::parse) {
            return Ok(Scripted::Returned(Box::new(returned)));
        }
        match (reply.code, reply.dialog) {
            (Some(_), Some(dialog)) => Ok(Scripted::Interrupted(dialog)),
            _ => Err(malformed("a script without a result")),
        }
    }

    async fn lives(&self) -> bool {
        match self
            .link
            .run(&Command::read("tab-list"), PROBE_TIMEOUT)
            .await
        {
            Ok(raw) => !raw.is_error,
            Err(_) => false,
        }
    }

    fn learn(&self, state: &mut State, reply: &Reply, own: bool) -> Result<()> {
        if own && reply.error.as_deref().is_some_and(launch::says_lost) {
            return Err(state.lose("the tool says that the browser or its page is gone"));
        }
        if let Some(page) = &reply.page {
            state.arrive(page, reply.dialog.is_some())?;
            state.note_tabs(&reply.tabs);
        }
        // The reply to a command that the tool rejected says nothing about dialogs.
        if reply.error.is_none() || reply.dialog.is_some() {
            state.dialog.clone_from(&reply.dialog);
        }
        for download in &reply.downloads {
            let notice = self.download(download);
            state.notices.extend(notice);
        }
        state.notices.extend(self.dropped());
        Ok(())
    }

    /// Removes and returns the notices that have gathered since the last call.
    pub(super) fn notices(&self, state: &mut State) -> Vec<Notice> {
        let change = self
            .link
            .take_change()
            .map(|change| Notice::TransportChanged {
                from: change.from.to_owned(),
                to: change.to.to_owned(),
                why: change.why,
            });
        change.into_iter().chain(state.notices.drain(..)).collect()
    }
}

#[derive(Debug)]
pub(super) enum Scripted {
    Returned(Box<Returned>),
    /// The tool's error text, if it did not run the script, for example because a dialog is open.
    Refused(String),
    /// The dialog that opened before the script returned a value.
    Interrupted(Dialog),
}

impl Scripted {
    /// Returns the execution of an action whose script this dialog interrupted. The action counts as done.
    pub(super) fn done_under(dialog: Dialog) -> Execution {
        Execution {
            dialog: Some(dialog),
            ..Outcome::Done.into()
        }
    }
}

/// The possible author of a reply's error text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Trust {
    /// The tool, for one of its own commands.
    Tool,
    /// The tool, for a script of this driver. The reply repeats the script, which may contain a secret.
    Script,
    /// The page, for a command whose script runs in the page.
    Page,
}

impl fmt::Debug for State {
    /// Leaves out all page text, because it may contain typed secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("State")
            .field("gone", &self.gone)
            .field("tabs", &self.tabs)
            .finish_non_exhaustive()
    }
}

impl State {
    pub(super) fn lose(&mut self, why: &'static str) -> Error {
        self.gone = Some(why);
        lost("browser.command", why)
    }

    /// Records `page` as the current page. Fails, and records that the browser is lost, if the page crashed or is
    /// unexpectedly blank (see [`blank_is_fine`](Self::blank_is_fine)).
    pub(super) fn arrive(&mut self, page: &Page, under_dialog: bool) -> Result<()> {
        if page.crashed {
            return Err(self.lose("the page crashed"));
        }
        let was_real = self.page.as_ref().is_some_and(|before| before.url != BLANK);
        if page.url == BLANK && was_real && !self.blank_is_fine {
            return Err(self.lose("a blank page stands in the place of a real one"));
        }
        // While a dialog is open, the tool cannot read the title.
        let title = match (&self.page, page.title.is_empty() && under_dialog) {
            (Some(before), true) if before.url == page.url => before.title.clone(),
            _ => page.title.clone(),
        };
        self.page = Some(Page {
            title,
            ..page.clone()
        });
        Ok(())
    }

    /// Adds a notice for each tab that is new since the last call, except the current tab.
    pub(super) fn note_tabs(&mut self, tabs: &[Tab]) {
        let now = tabs.len().max(1);
        for tab in tabs.iter().skip(self.tabs).filter(|tab| !tab.current) {
            self.notices.push(Notice::TabOpened {
                url: tab.url.clone(),
            });
        }
        self.tabs = now;
    }

    pub(super) fn url(&self) -> Option<&str> {
        self.page.as_ref().map(|page| &*page.url)
    }
}

fn lost(operation: &'static str, why: &'static str) -> Error {
    Error::new(ErrorKind::BrowserLost, operation).with("why", why)
}

pub(super) fn malformed(what: &'static str) -> Error {
    Error::new(ErrorKind::MalformedReply, "browser.reply").with("found", what)
}

/// Converts an error text of the tool to an error, for methods that return no outcome.
pub(super) fn refusal(operation: &'static str, error: &str) -> Error {
    let (kind, class) = match failure::classify(error) {
        failure::Verdict::Lost => (ErrorKind::BrowserLost, "lost"),
        failure::Verdict::NoEffect => (ErrorKind::MalformedReply, "no_effect"),
        failure::Verdict::Failed(class) => {
            use ErrorClass as C;
            let kind = match class {
                C::Timeout => ErrorKind::Timeout,
                C::RefNotFound | C::NotFound | C::NotUnique | C::BadArguments | C::NotVisible => {
                    ErrorKind::InvalidInput
                }
                C::DialogOpen => ErrorKind::Unavailable,
                _ => ErrorKind::MalformedReply,
            };
            (kind, class.as_str())
        }
    };
    Error::new(kind, operation).with("class", class)
}

#[async_trait]
impl BrowserDriver for PlaywrightCli {
    fn capabilities(&self) -> BrowserCapabilities {
        let options = &self.options.common;
        let has = |tool: &BrowserTool| match tool {
            BrowserTool::Eval | BrowserTool::RunCode => options.scripts,
            BrowserTool::StateSave | BrowserTool::StateLoad => options.state_folder.is_some(),
            _ => true,
        };
        let tools = BrowserTool::ALL.iter().copied().filter(has);
        BrowserCapabilities::new("playwright-cli", tools)
    }

    fn lease(&self) -> &Lease {
        &self.lease
    }

    async fn observe(&self, request: &ObserveRequest) -> Result<Observation> {
        self.look(request).await
    }

    async fn execute(&self, request: &ExecuteRequest) -> Result<Execution> {
        self.carry_out(request).await
    }

    async fn screenshot(&self, request: &ScreenshotRequest) -> Result<Vec<u8>> {
        self.take_picture(request).await
    }

    async fn scene(&self, request: &SceneRequest) -> Result<Scene> {
        self.look_around(request).await
    }

    async fn close(&self) -> Result<()> {
        let mut state = self.state.lock().await;
        if state.gone != Some(CLOSED) {
            state.gone = Some(CLOSED);
            // `Folder::end` kills the daemon if it does not hear this command.
            let _ = self.link.stop(STOP_TIMEOUT).await;
            self.folder
                .end()
                .await
                .map_err(|error| Error::new(ErrorKind::Io, "browser.close").with_source(error))?;
        }
        Ok(())
    }
}

const CLOSED: &str = "it was closed";
