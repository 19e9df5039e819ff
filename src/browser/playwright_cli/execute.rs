//! Execution of browser actions by commands of the tool.

use std::time::Duration;

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
        BrowserAction, Click, ClickAt, DialogAccept, Drag, ErrorClass, Eval, Fill, Goto,
        MouseButton, OnTarget, Outcome, Select, SelectText, StateFile, TabAt, TabNew, Target,
        TextValue, Type, Upload,
    },
    base::{ErrorKind, Result, text},
    browser::{
        ExecuteRequest, Execution,
        rules::{DIALOG_SECRET, NO_TARGET, OPTION_SECRET, listing, out_of_time},
    },
    page::DialogKind,
};

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
        match &request.action {
            BrowserAction::Goto(Goto { url }) => self.goto(state, url, timeout).await,
            BrowserAction::GoBack(_) => self.go_back(state, timeout).await,
            BrowserAction::GoForward(_) => self.go_forward(state, timeout).await,
            BrowserAction::Reload(_) => {
                self.simple(state, Command::new("reload"), "page.reload(", timeout)
                    .await
            }
            BrowserAction::Click(click) => self.click(state, "click", click, timeout).await,
            BrowserAction::Dblclick(click) => self.click(state, "dblclick", click, timeout).await,
            BrowserAction::ClickAt(ClickAt { target, x, y }) => {
                let code = points::click_at(target, (*x, *y), false, self.action_ms());
                self.by_script(state, code, timeout).await
            }
            action @ (BrowserAction::ClickXy(_)
            | BrowserAction::HoverXy(_)
            | BrowserAction::DragXy(_)) => match points::at_points(action, self.action_ms()) {
                Some(code) => self.by_script(state, code, timeout).await,
                None => Ok(Outcome::failed(ErrorClass::BadArguments, NO_TARGET).into()),
            },
            BrowserAction::Hover(OnTarget { target }) => {
                self.on(state, "hover", target, ".hover(", timeout).await
            }
            BrowserAction::Check(OnTarget { target }) => {
                self.on(state, "check", target, ".check(", timeout).await
            }
            BrowserAction::Uncheck(OnTarget { target }) => {
                self.on(state, "uncheck", target, ".uncheck(", timeout)
                    .await
            }
            BrowserAction::DragBy(drag) => {
                let code = points::drag_by(drag, self.action_ms());
                self.by_script(state, code, timeout).await
            }
            BrowserAction::Drag(Drag { from, to }) => {
                let command = Command::new("drag").arg(words(from)).arg(words(to));
                self.simple(state, command, ".dragTo(", timeout).await
            }
            BrowserAction::Fill(Fill {
                target,
                text,
                submit,
            }) => match text {
                TextValue::Secret(name) => {
                    self.fill_secret(state, target, (name, *submit), &request.secrets, timeout)
                        .await
                }
                _ => {
                    self.fill(state, target, &text.to_string(), *submit, timeout)
                        .await
                }
            },
            BrowserAction::Type(Type { text, submit }) => match text {
                TextValue::Secret(name) => {
                    self.type_secret(state, (name, *submit), &request.secrets, timeout)
                        .await
                }
                _ => {
                    self.type_text(state, &text.to_string(), *submit, timeout)
                        .await
                }
            },
            BrowserAction::Press(press) if press.target.is_some() || press.times() > 1 => {
                let code = scripts::press(press, self.action_ms());
                self.by_script(state, code, timeout).await
            }
            BrowserAction::Press(press) => {
                let command = Command::new("press").arg(press.key.as_str());
                self.simple(state, command, "page.keyboard.press(", timeout)
                    .await
            }
            BrowserAction::Select(Select { target, values }) => {
                self.select(state, target, values, timeout).await
            }
            BrowserAction::SelectText(SelectText { target, text }) => {
                let code = selection::select(target, text.as_deref(), self.action_ms());
                self.by_script(state, code, timeout).await
            }
            BrowserAction::Upload(upload) => self.upload(state, upload, timeout).await,
            BrowserAction::Scroll(scroll) => {
                if let Some(target) = &scroll.target {
                    let reached = if scroll.direction.is_some() {
                        self.on(state, "hover", target, ".hover(", timeout).await?
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
                    tokio::time::sleep(self.options.common.settle).await;
                }
                Ok(turned)
            }
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
            BrowserAction::TabList(_) => {
                let tabs = self.tabs(state, Command::read("tab-list"), timeout).await?;
                Ok(tabs.map_or_else(
                    |error| failed(&error),
                    |tabs| Execution {
                        text: Some(listing(&tabs)),
                        ..Outcome::Done.into()
                    },
                ))
            }
            BrowserAction::TabNew(TabNew { url }) => {
                self.tab_new(state, url.as_deref(), timeout).await
            }
            BrowserAction::TabSelect(TabAt { index }) => {
                self.tab_select(state, *index, timeout).await
            }
            BrowserAction::TabClose(TabAt { index }) => {
                self.tab_close(state, *index, timeout).await
            }
            BrowserAction::DialogAccept(DialogAccept { text }) => {
                self.dialog_accept(state, text.as_ref(), timeout).await
            }
            BrowserAction::DialogDismiss(_) => {
                self.answer_dialog(state, Command::new("dialog-dismiss"), timeout)
                    .await
            }
            BrowserAction::StateSave(StateFile { name }) => {
                self.storage(state, "state-save", name, timeout).await
            }
            BrowserAction::StateLoad(StateFile { name }) => {
                self.storage(state, "state-load", name, timeout).await
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

    async fn on(
        &self,
        state: &mut State,
        command: &'static str,
        target: &Target,
        evidence: &str,
        timeout: Duration,
    ) -> Result<Execution> {
        self.simple(
            state,
            Command::new(command).arg(words(target)),
            evidence,
            timeout,
        )
        .await
    }

    async fn click(
        &self,
        state: &mut State,
        name: &'static str,
        click: &Click,
        timeout: Duration,
    ) -> Result<Execution> {
        let button = match click.button {
            None | Some(MouseButton::Left) => None,
            Some(MouseButton::Right) => Some("right"),
            Some(MouseButton::Middle) => Some("middle"),
        };
        let evidence = if name == "click" {
            ".click("
        } else {
            ".dblclick("
        };
        self.simple(
            state,
            Command::new(name).arg(words(&click.target)).args(button),
            evidence,
            timeout,
        )
        .await
    }

    async fn fill(
        &self,
        state: &mut State,
        target: &Target,
        text: &str,
        submit: bool,
        timeout: Duration,
    ) -> Result<Execution> {
        if text.len() > MAX_ARGUMENT {
            let code = scripts::fill(target, text, submit, self.action_ms());
            return self.by_script(state, code, timeout).await;
        }
        let command = Command::new("fill").arg(words(target)).arg(text);
        let command = if submit {
            command.flag("submit")
        } else {
            command
        };
        self.simple(state, command, ".fill(", timeout).await
    }

    async fn type_text(
        &self,
        state: &mut State,
        text: &str,
        submit: bool,
        timeout: Duration,
    ) -> Result<Execution> {
        // The tool repeats the text unescaped in a comment of its reply, so a line break in the text could forge a
        // section.
        if text.len() > MAX_ARGUMENT || text.contains(['\n', '\r']) {
            return self
                .by_script(state, scripts::type_text(text, submit), timeout)
                .await;
        }
        let command = Command::new("type").arg(text);
        let command = if submit {
            command.flag("submit")
        } else {
            command
        };
        self.simple(state, command, "page.keyboard.type(", timeout)
            .await
    }

    async fn select(
        &self,
        state: &mut State,
        target: &Target,
        values: &[TextValue],
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
                self.by_script(
                    state,
                    scripts::select(target, values, self.action_ms()),
                    timeout,
                )
                .await
            }
        }
    }

    async fn by_script(
        &self,
        state: &mut State,
        code: String,
        timeout: Duration,
    ) -> Result<Execution> {
        Ok(of_script(self.script(state, code, timeout).await?))
    }

    async fn upload(
        &self,
        state: &mut State,
        upload: &Upload,
        timeout: Duration,
    ) -> Result<Execution> {
        let mut command = Command::new("upload");
        for name in &upload.files {
            let Some(file) = self.options.common.uploads.get(name) else {
                return Ok(Outcome::failed(ErrorClass::FileRefused, name).into());
            };
            command = command.arg(file.display().to_string());
        }
        self.simple(state, command, "fileChooser.setFiles(", timeout)
            .await
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

fn words(target: &Target) -> String {
    match target {
        Target::Ref(reference) => reference.to_string(),
        Target::Locator(locator) => locator::print(locator),
    }
}
