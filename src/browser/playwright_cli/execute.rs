//! Execution of browser actions by commands of the tool.

use std::time::Duration;

use tokio::time::{Instant, sleep};

use super::{
    driver::{PlaywrightCli, State, malformed},
    evidence::{execution, failed, of_script, told},
    locator,
    observe::class_of,
    points,
    reply::Page,
    scripts, selection,
    transport::Command,
};
use crate::{
    action::{
        BrowserAction, Click, DialogAccept, Drag, ErrorClass, Eval, Fill, Goto, MouseButton,
        OnTarget, Outcome, Scroll, Select, SelectText, Target, TextValue, Type, Wait,
    },
    base::{Error, ErrorKind, Result, SessionId, text},
    browser::{
        ExecuteRequest, Execution,
        chromium::write_private,
        rules::{
            Awaited, DIALOG_SECRET, MAX_WAIT, NO_TARGET, OPTION_SECRET, STATE_NAME, out_of_time,
            uploaded,
        },
    },
    page::DialogKind,
    secret::SecretResolver,
};

/// Pause between two observations while waiting for a text. Source: chosen; an observation takes 10 to 500 ms.
const LOOK_EVERY: Duration = Duration::from_millis(250);

impl PlaywrightCli {
    pub(super) async fn carry_out(&self, request: &ExecuteRequest) -> Result<Execution> {
        // The action's commands and the wait before them share one time limit.
        let work = async {
            let mut state = self.state("browser.execute").await?;
            let mut execution = match self.act(&mut state, request).await {
                Err(error) if error.kind() == ErrorKind::Timeout => out_of_time(&request.action),
                other => other?,
            };
            execution.notices = self.notices(&mut state);
            Ok(execution)
        };
        // If the time runs out, events during this action are reported with the next action.
        tokio::time::timeout(request.timeout, work)
            .await
            .unwrap_or_else(|_| Ok(out_of_time(&request.action)))
    }

    async fn act(&self, state: &mut State, request: &ExecuteRequest) -> Result<Execution> {
        if let Some(refused) = self.refused(state, request).await? {
            return Ok(refused.into());
        }
        self.trace(state, &request.action, request.timeout).await?;
        let mut execution = self.does(state, request).await?;
        if execution.outcome.is_done() && execution.dialog.is_none() {
            execution.traces = self.traced(state, &request.action, request.timeout).await?;
        }
        Ok(execution)
    }

    async fn does(&self, state: &mut State, request: &ExecuteRequest) -> Result<Execution> {
        let timeout = request.timeout;
        let action = &request.action;
        if let Some((command, evidence)) = command_of(action) {
            return self.simple(state, command, evidence, timeout).await;
        }
        if let Some(code) = script_of(action, self.action_ms()) {
            return self.by_script(state, code, timeout).await;
        }
        match action {
            BrowserAction::Goto(Goto { url }) => self.goto(state, url, timeout).await,
            BrowserAction::GoBack(_) => self.go_back(state, timeout).await,
            BrowserAction::GoForward(_) => self.go_forward(state, timeout).await,
            BrowserAction::ClickXy(_) | BrowserAction::HoverXy(_) | BrowserAction::DragXy(_) => {
                Ok(Outcome::failed(ErrorClass::BadArguments, NO_TARGET).into())
            }
            BrowserAction::Fill(fill) => self.fill(state, fill, &request.secrets, timeout).await,
            BrowserAction::Type(typed) => {
                self.type_text(state, typed, &request.secrets, timeout)
                    .await
            }
            BrowserAction::Select(select) => self.select(state, select, timeout).await,
            BrowserAction::Upload(upload) => match uploaded(upload, &request.files) {
                Ok(files) => {
                    let files = files.iter().map(|file| file.display().to_string());
                    let command = Command::new("upload").args(files);
                    self.simple(state, command, "fileChooser.setFiles(", timeout)
                        .await
                }
                Err(refused) => Ok(refused.into()),
            },
            BrowserAction::Scroll(scroll) => self.scroll(state, scroll, timeout).await,
            BrowserAction::Wait(wait) => self.wait(state, wait, timeout).await,
            BrowserAction::Snapshot(_) => {
                let seen = self.snapshot(state, timeout).await?;
                Ok(Execution {
                    page: Some((seen.url, seen.title)),
                    dialog: seen.dialog,
                    ..Outcome::Done.into()
                })
            }
            BrowserAction::Screenshot(screenshot) => {
                let target = screenshot.target.as_ref().map(words);
                Ok(match self.try_picture(state, target, timeout).await? {
                    Ok(image) => Execution {
                        image: Some(image),
                        ..Outcome::Done.into()
                    },
                    Err(error) => failed(&error),
                })
            }
            BrowserAction::TabList(_) => self.tab_list(state, timeout).await,
            BrowserAction::TabNew(tab) => self.tab_new(state, tab.url.as_deref(), timeout).await,
            BrowserAction::TabSelect(tab) => self.tab_select(state, tab.index, timeout).await,
            BrowserAction::TabClose(tab) => self.tab_close(state, tab.index, timeout).await,
            BrowserAction::DialogAccept(DialogAccept { text }) => {
                self.dialog_accept(state, text.as_ref(), timeout).await
            }
            BrowserAction::DialogDismiss(_) => {
                self.answer_dialog(state, Command::new("dialog-dismiss"), timeout)
                    .await
            }
            BrowserAction::StateSave(file) => {
                self.storage(state, "state-save", &file.name, timeout).await
            }
            BrowserAction::StateLoad(file) => {
                self.storage(state, "state-load", &file.name, timeout).await
            }
            BrowserAction::Eval(Eval { function, target }) if self.options.common.scripts => {
                let command = Command::new("eval")
                    .arg(function.as_str())
                    .args(target.as_ref().map(words));
                self.foreign(state, command, ".evaluate(", timeout).await
            }
            BrowserAction::RunCode(run) if self.options.common.scripts => {
                self.run_code(state, &run.code, timeout).await
            }
            _ => Ok(Outcome::failed(ErrorClass::Unsupported, "").into()),
        }
    }

    /// Runs a command of the tool. The command counts as done only if the reply shows the code that was run, and
    /// this code contains `evidence`.
    pub(super) async fn simple(
        &self,
        state: &mut State,
        command: Command,
        evidence: &str,
        timeout: Duration,
    ) -> Result<Execution> {
        let reply = self.send(state, command, timeout).await?;
        execution(reply, evidence)
    }

    async fn fill(
        &self,
        state: &mut State,
        fill: &Fill,
        secrets: &SecretResolver,
        timeout: Duration,
    ) -> Result<Execution> {
        let (target, submit) = (&fill.target, fill.submit);
        if let TextValue::Secret(name) = &fill.text {
            return self
                .fill_secret(state, target, (name, submit), secrets, timeout)
                .await;
        }
        let text = fill.text.to_string();
        if text.len() > MAX_ARGUMENT {
            let code = scripts::fill(target, &text, submit, self.action_ms());
            return self.by_script(state, code, timeout).await;
        }
        let command = Command::new("fill").arg(words(target)).arg(text);
        self.simple(state, submitting(command, submit), ".fill(", timeout)
            .await
    }

    async fn type_text(
        &self,
        state: &mut State,
        Type { text, submit }: &Type,
        secrets: &SecretResolver,
        timeout: Duration,
    ) -> Result<Execution> {
        if let TextValue::Secret(name) = text {
            return self
                .type_secret(state, (name, *submit), secrets, timeout)
                .await;
        }
        let text = text.to_string();
        // The tool repeats the text unescaped in a comment of its reply, so a line break in the text could forge a
        // section.
        if text.len() > MAX_ARGUMENT || text.contains(['\n', '\r']) {
            let code = scripts::type_text(&text, *submit);
            return self.by_script(state, code, timeout).await;
        }
        let command = submitting(Command::new("type").arg(text), *submit);
        self.simple(state, command, "page.keyboard.type(", timeout)
            .await
    }

    async fn select(
        &self,
        state: &mut State,
        Select { target, values }: &Select,
        timeout: Duration,
    ) -> Result<Execution> {
        if values.iter().any(|value| value.secret().is_some()) {
            return Ok(Outcome::failed(ErrorClass::SecretRefused, OPTION_SECRET).into());
        }
        let values: Vec<String> = values.iter().map(ToString::to_string).collect();
        match &values[..] {
            [value] if value.len() <= MAX_ARGUMENT => {
                let command = Command::new("select")
                    .arg(words(target))
                    .arg(value.as_str());
                self.simple(state, command, ".selectOption(", timeout).await
            }
            values => {
                let code = scripts::select(target, values, self.action_ms());
                self.by_script(state, code, timeout).await
            }
        }
    }

    async fn scroll(
        &self,
        state: &mut State,
        scroll: &Scroll,
        timeout: Duration,
    ) -> Result<Execution> {
        if let Some(target) = &scroll.target {
            let reached = if scroll.direction.is_some() {
                let hover = Command::new("hover").arg(words(target));
                self.simple(state, hover, ".hover(", timeout).await?
            } else {
                let code = scripts::into_view(target, self.action_ms());
                self.by_script(state, code, timeout).await?
            };
            if scroll.direction.is_none() || !reached.outcome.is_done() {
                return Ok(reached);
            }
        }
        let (x, y) = scroll.by().unwrap_or_default();
        let command = Command::new("mousewheel")
            .arg(x.to_string())
            .arg(y.to_string());
        let turned = self.simple(state, command, "page.mouse.wheel(", timeout);
        let turned = turned.await?;
        if turned.outcome.is_done() && turned.dialog.is_none() {
            // The tool waits for what a click or a drag starts, but not for a page to scroll.
            sleep(self.options.common.settle).await;
        }
        Ok(turned)
    }

    /// Waits for a text to appear or disappear, or for a number of seconds.
    async fn wait(&self, state: &mut State, wait: &Wait, timeout: Duration) -> Result<Execution> {
        if let Some(seconds) = wait.seconds {
            sleep(seconds.duration()).await;
            return Ok(Outcome::Done.into());
        }
        let wanted = match Awaited::of(wait) {
            Ok(wanted) => wanted,
            Err(refused) => return Ok(refused.into()),
        };
        let deadline = Instant::now() + timeout.min(MAX_WAIT);
        loop {
            let seen = self.snapshot(state, timeout).await?;
            let page = Some((seen.url.clone(), seen.title.clone()));
            if let Some(dialog) = seen.dialog {
                let outcome = Outcome::failed(ErrorClass::DialogOpen, &dialog.message);
                return Ok(Execution {
                    page,
                    dialog: Some(dialog),
                    ..outcome.into()
                });
            }
            if wanted.is_met_by(&seen) {
                return Ok(Execution {
                    page,
                    ..Outcome::Done.into()
                });
            }
            if Instant::now() + LOOK_EVERY > deadline {
                return Ok(Execution {
                    page,
                    ..Outcome::Failed(wanted.in_vain(Some(&seen))).into()
                });
            }
            sleep(LOOK_EVERY).await;
        }
    }

    /// Saves or loads cookies and local storage, as a state with the name `file`.
    async fn storage(
        &self,
        state: &mut State,
        name: &'static str,
        file: &str,
        timeout: Duration,
    ) -> Result<Execution> {
        if SessionId::parse(file).is_err() {
            return Ok(Outcome::failed(ErrorClass::BadArguments, STATE_NAME).into());
        }
        let folder = self
            .options
            .common
            .state_folder
            .clone()
            .unwrap_or_else(|| self.folder.path().join("out"));
        let path = folder.join(format!("state-{file}.json"));
        let io = |error| Error::new(ErrorKind::Io, "browser.state").with_source(error);
        let is_new = name == "state-save" && !path.exists();
        if is_new {
            // The file is created first, because the tool would create it readable for everybody.
            std::fs::create_dir_all(&folder).map_err(io)?;
            write_private(&path, b"{}").map_err(io)?;
        }
        let evidence = if name == "state-save" {
            ".storageState("
        } else {
            ".setStorageState("
        };
        let command = Command::new(name).arg(path.display().to_string());
        let result = self.simple(state, command, evidence, timeout).await;
        // After a timeout the tool may still write. The file that only this user can read is kept, so that the tool
        // writes into it.
        if is_new
            && !matches!(&result, Err(error) if error.kind() == ErrorKind::Timeout)
            && !is_done(&result)
        {
            // If this fails, the empty file stays, and a later save overwrites it.
            let _ = std::fs::remove_file(&path);
        }
        result
    }

    async fn by_script(
        &self,
        state: &mut State,
        code: String,
        timeout: Duration,
    ) -> Result<Execution> {
        Ok(of_script(self.script(state, code, timeout).await?))
    }

    async fn dialog_accept(
        &self,
        state: &mut State,
        text: Option<&TextValue>,
        timeout: Duration,
    ) -> Result<Execution> {
        if text.is_some_and(|text| text.secret().is_some()) {
            return Ok(Outcome::failed(ErrorClass::SecretRefused, DIALOG_SECRET).into());
        }
        let command = Command::new("dialog-accept").args(text.map(ToString::to_string));
        self.answer_dialog(state, command, timeout).await
    }

    async fn answer_dialog(
        &self,
        state: &mut State,
        command: Command,
        timeout: Duration,
    ) -> Result<Execution> {
        if state
            .dialog
            .as_ref()
            .is_some_and(|dialog| dialog.kind == DialogKind::FileChooser)
        {
            let why = "a file chooser can only be answered with upload, or left with tab_new";
            return Ok(Outcome::failed(ErrorClass::Unsupported, why).into());
        }
        let reply = self.send(state, command, timeout).await?;
        if let Some(error) = &reply.error {
            return Ok(failed(error));
        }
        // The tool prints no code for dialogs. A reply without an error is the evidence, because the tool refuses this
        // command if no dialog is open. The transports have already rejected every other reply without text.
        if reply.is_silent() || reply.page.is_some() || reply.dialog.is_some() {
            return Ok(told(reply, Outcome::Done));
        }
        Err(malformed("no answer to a dialog"))
    }

    /// Runs the caller's script in the tool. The script can forge the tool's reply, so the current page is read by a
    /// second command.
    async fn run_code(
        &self,
        state: &mut State,
        code: &str,
        timeout: Duration,
    ) -> Result<Execution> {
        let reply = self
            .send_untrusted(state, Command::script(code), timeout)
            .await?;
        if reply.error.is_none() && !reply.ran {
            return Err(malformed("no trace of the script in the reply"));
        }
        let tabs = match self.tabs(state, Command::read("tab-list"), timeout).await? {
            Ok(tabs) => tabs,
            Err(error) => return Ok(failed(&error)),
        };
        state.note_tabs(&tabs);
        // A tab whose title contains `](` has no known address.
        match tabs
            .into_iter()
            .find(|tab| tab.current && !tab.url.is_empty())
        {
            Some(tab) => {
                let page = Page {
                    url: tab.url,
                    title: tab.title,
                    crashed: false,
                };
                state.arrive(&page, state.dialog.is_some())?;
            }
            None => state.page = None,
        }
        let page = state
            .page
            .as_ref()
            .map(|page| (page.url.clone(), page.title.clone()));
        let told = |outcome: Outcome| Execution {
            page,
            dialog: state.dialog.clone(),
            ..outcome.into()
        };
        let Some(error) = reply.error else {
            return Ok(Execution {
                text: reply.result.as_deref().map(text::clean),
                ..told(Outcome::Done)
            });
        };
        let refused = state.dialog.is_some() && class_of(&error) == ErrorClass::DialogOpen;
        let class = if refused {
            ErrorClass::DialogOpen
        } else {
            ErrorClass::ScriptFailed
        };
        Ok(told(Outcome::failed(class, &error)))
    }

    /// Runs the caller's script in the page. An error of the script never means that the browser is lost.
    async fn foreign(
        &self,
        state: &mut State,
        command: Command,
        evidence: &str,
        timeout: Duration,
    ) -> Result<Execution> {
        let reply = self.send_foreign(state, command, timeout).await?;
        if let Some(error) = &reply.error {
            let refused = reply.dialog.is_some() && class_of(error) == ErrorClass::DialogOpen;
            let class = if refused {
                ErrorClass::DialogOpen
            } else {
                ErrorClass::ScriptFailed
            };
            return Ok(Outcome::failed(class, error).into());
        }
        let text = reply.result.as_deref().map(text::clean);
        Ok(Execution {
            text,
            ..execution(reply, evidence)?
        })
    }

    pub(super) fn action_ms(&self) -> u64 {
        u64::try_from(self.options.common.action_timeout.as_millis()).unwrap_or(u64::MAX)
    }
}

pub(super) fn is_done(result: &Result<Execution>) -> bool {
    result
        .as_ref()
        .is_ok_and(|execution| execution.outcome.is_done())
}

/// Maximum length of a text that is passed to the tool as an argument, and not in a script. Unit: bytes.
const MAX_ARGUMENT: usize = super::transport::MAX_ARGUMENT;

/// Returns the command of the tool for an action that is one command, and the code that shows in the reply that the
/// command ran.
fn command_of(action: &BrowserAction) -> Option<(Command, &'static str)> {
    let on = |name, target: &Target| Command::new(name).arg(words(target));
    let click = |name, click: &Click| {
        on(name, &click.target).args(match click.button {
            None | Some(MouseButton::Left) => None,
            Some(MouseButton::Right) => Some("right"),
            Some(MouseButton::Middle) => Some("middle"),
        })
    };
    Some(match action {
        BrowserAction::Reload(_) => (Command::new("reload"), "page.reload("),
        BrowserAction::Click(at) => (click("click", at), ".click("),
        BrowserAction::Dblclick(at) => (click("dblclick", at), ".dblclick("),
        BrowserAction::Hover(OnTarget { target }) => (on("hover", target), ".hover("),
        BrowserAction::Check(OnTarget { target }) => (on("check", target), ".check("),
        BrowserAction::Uncheck(OnTarget { target }) => (on("uncheck", target), ".uncheck("),
        BrowserAction::Drag(Drag { from, to }) => (on("drag", from).arg(words(to)), ".dragTo("),
        BrowserAction::Press(press) if press.target.is_none() && press.times() <= 1 => (
            Command::new("press").arg(press.key.as_str()),
            "page.keyboard.press(",
        ),
        _ => return None,
    })
}

/// Returns the script for an action that no command of the tool can do; `None` for other actions, and for an action at
/// a point that has no target.
fn script_of(action: &BrowserAction, timeout_ms: u64) -> Option<String> {
    match action {
        BrowserAction::Press(press) => Some(scripts::press(press, timeout_ms)),
        BrowserAction::SelectText(SelectText { target, text }) => {
            Some(selection::select(target, text.as_deref(), timeout_ms))
        }
        _ => points::at_points(action, timeout_ms),
    }
}

fn submitting(command: Command, submit: bool) -> Command {
    if submit {
        command.flag("submit")
    } else {
        command
    }
}

fn words(target: &Target) -> String {
    match target {
        Target::Ref(reference) => reference.to_string(),
        Target::Locator(locator) => locator::print(locator),
    }
}
