//! Execution of the actions of the trait [`BrowserDriver`](crate::browser::BrowserDriver).

use std::time::Duration;

use serde::Deserialize;
use serde_json::json;
use tokio::time::{Instant, sleep, timeout};

use super::{
    driver::{Cdp, Turn},
    error::CdpError,
    hub::{Evaluated, evaluated},
    pointer::Needs,
    settle::Mark,
    target::{Aim, Area},
};
use crate::{
    action::{
        BrowserAction, Click, ClickAt, Drag, ErrorClass, Eval, Fill, Goto, HoverXy, MouseButton,
        OnTarget, Outcome, Press, Scroll, Select, SelectText, TabNew, Target, Type, Wait,
    },
    base::text::clean,
    browser::{
        ExecuteRequest, Execution,
        rules::{
            Awaited, MAX_WAIT, MOVED, NO_TARGET, UNFOCUSED, is_same_origin, is_watched, listing,
            meets_any_page,
        },
    },
    page::{Locator, Trace, TraceKind},
    secret::SecretResolver,
};

/// Longest time for a page to report its address and title. Source: chosen; a page usually reports them within a
/// millisecond.
const PLACE: Duration = Duration::from_secs(2);
/// Pause between two observations while waiting for a text. Source: chosen; an observation takes a few milliseconds.
pub(super) const LOOK_EVERY: Duration = Duration::from_millis(100);

#[derive(Debug, Deserialize)]
struct Focused {
    focused: bool,
}

#[derive(Debug, Default)]
pub(super) struct Performed {
    pub(super) locator: Option<Locator>,
    pub(super) text: Option<String>,
    pub(super) image: Option<Vec<u8>>,
    pub(super) has_no_effect: bool,
}

impl Performed {
    fn text(text: String) -> Self {
        Self {
            text: Some(text),
            ..Self::default()
        }
    }
}

impl Cdp {
    /// Carries out one action, and waits until its effects on the page are over.
    pub(super) async fn act(
        &self,
        turn: &mut Turn,
        request: &ExecuteRequest,
    ) -> Result<Execution, CdpError> {
        let mark = self.hub.state().mark();
        turn.sent = false;
        turn.hovered = None;
        self.still_there(request)?;
        if let Some(execution) = self.answered(request).await? {
            return self.after(&mark, execution).await;
        }
        // While a dialog is open, only the answer to it is carried out.
        self.page()?;
        let blocked = self.hub.state().dialog();
        if let Some(dialog) = blocked {
            return Err(CdpError::Dialog(dialog));
        }
        self.tidy(turn).await;
        turn.session = Some(self.main_session()?);
        if opens_dialogs(&request.action) {
            self.hub.trace().await?;
        }
        let told = match self.done(turn, request).await {
            Ok(told) => told,
            // A dialog counts as caused by the action once the last part of the action was sent.
            Err(CdpError::Dialog(dialog)) if opens_dialogs(&request.action) && turn.sent => {
                return Ok(Execution {
                    dialog: Some(dialog),
                    ..Outcome::Done.into()
                });
            }
            Err(trouble) => return Err(trouble),
        };
        let outcome = if told.has_no_effect {
            Outcome::NoEffect
        } else {
            Outcome::Done
        };
        let execution = Execution {
            locator: told.locator,
            text: told.text,
            image: told.image,
            ..outcome.into()
        };
        if looks_only(&request.action) {
            return Ok(execution);
        }
        let mut execution = self.after(&mark, execution).await?;
        if execution.dialog.is_none() && self.has_revealed(turn.hovered.take()).await {
            let revealed = Trace::new(TraceKind::Markup).near().within();
            execution.traces.get_or_insert_default().push(revealed);
        }
        Ok(execution)
    }

    /// Waits until the effects of an action are over. Adds to `execution` the dialog that opened, the traces (reactions
    /// of the page), and the address and title of the page that the action led to.
    async fn after(&self, mark: &Mark, mut execution: Execution) -> Result<Execution, CdpError> {
        let told = match self.hub.settle(mark).await {
            Err(CdpError::Dialog(dialog)) => {
                execution.dialog = Some(dialog);
                None
            }
            Ok(place) => place,
            // Loading is stopped. The next observation shows the part of the page that has loaded.
            Err(CdpError::Late) => {
                self.hub.stop_loading();
                None
            }
            Err(trouble) => return Err(trouble),
        };
        if execution.dialog.is_none() {
            execution.dialog = self.hub.state().dialog();
        }
        if execution.dialog.is_none() {
            match self.hub.traced().await {
                Err(CdpError::Dialog(dialog)) => execution.dialog = Some(dialog),
                traces => execution.traces = traces?,
            }
        }
        let place = match told {
            Some(place) if execution.dialog.is_none() => Ok(place),
            // A page whose script never ends does not answer; the outcome of the action is known without it.
            _ => timeout(PLACE, self.place())
                .await
                .unwrap_or(Err(CdpError::Late)),
        };
        match place {
            Ok(place) => {
                let (url, title) = (clean(&place.url), clean(&place.title));
                if let Some(tab) = self.hub.state().tab_mut() {
                    // The browser's own report of the title comes later, so the title is stored here.
                    tab.title.clone_from(&title);
                }
                execution.page = Some((url, title));
            }
            Err(CdpError::Dialog(dialog)) => execution.dialog = Some(dialog),
            Err(CdpError::Lost(why)) => return Err(CdpError::Lost(why)),
            // While one document replaces another, there is no address or title to report.
            Err(_) => {}
        }
        Ok(execution)
    }

    /// Fails if the current page has another origin than the page for which the action was decided. Checks only actions
    /// for which [`meets_any_page`] returns true.
    fn still_there(&self, request: &ExecuteRequest) -> Result<(), CdpError> {
        let Some(seen) = request
            .page
            .as_deref()
            .filter(|_| meets_any_page(&request.action))
        else {
            return Ok(());
        };
        let now = self
            .hub
            .state()
            .tab()
            .and_then(|tab| tab.main())
            .map(|main| main.url.clone())
            .unwrap_or_default();
        if is_same_origin(seen, &now) {
            Ok(())
        } else {
            Err(CdpError::refused(ErrorClass::Detached, MOVED))
        }
    }

    async fn done(&self, turn: &mut Turn, request: &ExecuteRequest) -> Result<Performed, CdpError> {
        let nothing = |()| Performed::default();
        match &request.action {
            BrowserAction::Goto(Goto { url }) => self.goto(url).await.map(nothing),
            BrowserAction::GoBack(_) => self.step_in_history(-1).await.map(nothing),
            BrowserAction::GoForward(_) => self.step_in_history(1).await.map(nothing),
            BrowserAction::Reload(_) => self.reload().await.map(nothing),
            BrowserAction::Click(Click { target, button }) => {
                self.click(turn, target, *button, Needs::CLICK, 1).await
            }
            BrowserAction::Dblclick(Click { target, button }) => {
                self.click(turn, target, *button, Needs::CLICK, 2).await
            }
            BrowserAction::ClickAt(ClickAt { target, x, y }) => {
                self.click(turn, target, None, Needs::at(*x, *y), 1).await
            }
            BrowserAction::ClickXy(click) => {
                let target = target_of(click.target.as_ref())?;
                let clicks = if click.double { 2 } else { 1 };
                self.click(turn, target, None, Needs::at(click.x, click.y), clicks)
                    .await
            }
            BrowserAction::Hover(OnTarget { target }) => self.point_at(turn, target, None).await,
            BrowserAction::HoverXy(HoverXy { x, y, target }) => {
                self.point_at(turn, target_of(target.as_ref())?, Some((*x, *y)))
                    .await
            }
            BrowserAction::Check(OnTarget { target }) => self.tick(turn, target, true).await,
            BrowserAction::Uncheck(OnTarget { target }) => self.tick(turn, target, false).await,
            BrowserAction::Drag(Drag { from, to }) => {
                let (from, told) = self.begin(from).await?;
                let to = self.aim(to).await?;
                self.drag(turn, &from, &to).await.map(|()| told)
            }
            BrowserAction::DragBy(drag) => {
                let (aim, told) = self.begin(&drag.target).await?;
                self.drag_by(turn, &aim, drag).await.map(|()| told)
            }
            BrowserAction::DragXy(drag) => {
                let (aim, told) = self.begin(target_of(drag.target.as_ref())?).await?;
                let dragged = self.drag_within(turn, &aim, &drag.points()).await;
                dragged.map(|()| told)
            }
            BrowserAction::Fill(fill) => self.fill_in(turn, fill, &request.secrets).await,
            BrowserAction::Type(typed) => self.type_in(turn, typed, &request.secrets).await,
            BrowserAction::Press(press) => self.press_times(turn, press).await,
            BrowserAction::Select(Select { target, values }) => {
                self.select(turn, target, values).await
            }
            BrowserAction::SelectText(SelectText { target, text }) => {
                self.select_text(turn, target, text.as_deref()).await
            }
            BrowserAction::Scroll(scroll) => self.scroll(turn, scroll).await.map(nothing),
            BrowserAction::Wait(wait) => self.wait(turn, wait, request.timeout).await.map(nothing),
            BrowserAction::Snapshot(_) => self.seen(turn).await.map(|_| Performed::default()),
            BrowserAction::Screenshot(screenshot) => {
                let image = self.picture(screenshot.target.as_ref()).await?;
                Ok(Performed {
                    image: Some(image),
                    ..Performed::default()
                })
            }
            BrowserAction::TabList(_) => self.tabs_after(self.ask_titles()).await,
            BrowserAction::TabNew(TabNew { url }) => {
                self.tabs_after(self.tab_new(url.as_deref())).await
            }
            BrowserAction::TabSelect(at) => self.tabs_after(self.tab_select(at.index)).await,
            BrowserAction::TabClose(at) => self.tabs_after(self.tab_close(at.index)).await,
            BrowserAction::StateSave(file) => self.save_state(&file.name).await.map(nothing),
            BrowserAction::StateLoad(file) => self.load_state(&file.name).await.map(nothing),
            BrowserAction::Eval(Eval { function, target }) if self.hub.options.common.scripts => {
                let text = self.evaluate(turn, function, target.as_ref()).await;
                text.map(Performed::text)
            }
            _ => Err(CdpError::refused(ErrorClass::Unsupported, "")),
        }
    }

    async fn click(
        &self,
        turn: &mut Turn,
        target: &Target,
        button: Option<MouseButton>,
        needs: Needs,
        clicks: u32,
    ) -> Result<Performed, CdpError> {
        let aim = self.aim(target).await?;
        self.named(&aim, self.press(turn, &aim, button, needs, clicks))
            .await
    }

    async fn point_at(
        &self,
        turn: &mut Turn,
        target: &Target,
        at: Option<(u32, u32)>,
    ) -> Result<Performed, CdpError> {
        let aim = self.aim(target).await?;
        self.named(&aim, self.hover(turn, &aim, at)).await
    }

    async fn fill_in(
        &self,
        turn: &mut Turn,
        fill: &Fill,
        secrets: &SecretResolver,
    ) -> Result<Performed, CdpError> {
        let aim = self.aim(&fill.target).await?;
        let filled = self
            .named(&aim, self.fill(turn, &aim, &fill.text, secrets))
            .await;
        // A dialog that opens now would prevent the press of Enter, so the action is not done yet.
        turn.sent &= !fill.submit;
        let told = filled?;
        if fill.submit {
            let why = "the page took the focus away from the field";
            self.focus(&aim, ErrorClass::NotEditable, why).await?;
            self.press_enter(turn).await?;
        }
        Ok(told)
    }

    async fn type_in(
        &self,
        turn: &mut Turn,
        Type { text, submit }: &Type,
        secrets: &SecretResolver,
    ) -> Result<Performed, CdpError> {
        let typed = self.type_text(turn, text, secrets).await;
        turn.sent &= !*submit;
        typed?;
        if *submit {
            self.press_enter(turn).await?;
        }
        Ok(Performed::default())
    }

    /// Moves the focus to an element. Fails with `class` and `why` if the page moves it elsewhere.
    async fn focus(&self, aim: &Aim, class: ErrorClass, why: &str) -> Result<(), CdpError> {
        let number = json!([aim.number]);
        let Focused { focused } = self.hub.ask(&aim.frame, "focus", number).await?;
        focused
            .then_some(())
            .ok_or_else(|| CdpError::refused(class, why))
    }

    async fn scroll(&self, turn: &mut Turn, scroll: &Scroll) -> Result<(), CdpError> {
        if let Some(target) = &scroll.target {
            let aim = self.aim(target).await?;
            if scroll.direction.is_some() {
                let hovered = self.hover(turn, &aim, None).await;
                turn.sent = false;
                turn.hovered = None;
                hovered?;
            } else {
                turn.sent = true;
                let number = json!([aim.number]);
                self.hub.ask::<Area>(&aim.frame, "box", number).await?;
            }
        }
        match scroll.by() {
            Some(way) => self.turn_wheel(turn, way).await,
            None => Ok(()),
        }
    }

    /// Waits for some seconds, or until a text appears on the page or disappears.
    async fn wait(&self, turn: &mut Turn, wait: &Wait, longest: Duration) -> Result<(), CdpError> {
        if let Some(seconds) = wait.seconds {
            let lost = self.hub.until(|known| {
                known
                    .trouble()
                    .filter(|trouble| matches!(trouble, CdpError::Lost(_)))
            });
            // This wait sends nothing to the page, so dialogs may open and close during it. Only the loss of the
            // browser, of the page's process or of the last tab ends it early.
            return timeout(seconds.duration(), lost).await.map_or(Ok(()), Err);
        }
        let wanted = Awaited::of(wait).map_err(|_| {
            CdpError::refused(
                ErrorClass::BadArguments,
                "wait takes one of text, gone and seconds",
            )
        })?;
        // A tenth is left for the last look, because a wait that is cut off cannot say where the text stands.
        let deadline = Instant::now() + longest.mul_f32(0.9).min(MAX_WAIT);
        loop {
            let seen = match self.seen(turn).await {
                Ok(seen) => Some(seen),
                // Between two documents there is nothing to read.
                Err(CdpError::Moved) => None,
                Err(trouble) => return Err(trouble),
            };
            if let Some(dialog) = seen.as_ref().and_then(|seen| seen.dialog.clone()) {
                return Err(CdpError::Dialog(dialog));
            }
            if seen.as_ref().is_some_and(|seen| wanted.is_met_by(seen)) {
                return Ok(());
            }
            if Instant::now() + LOOK_EVERY > deadline {
                return Err(CdpError::Refused(wanted.in_vain(seen.as_ref())));
            }
            sleep(LOOK_EVERY).await;
        }
    }

    /// Carries out `work` on the tabs, and returns the list of tabs.
    async fn tabs_after(
        &self,
        work: impl Future<Output = Result<(), CdpError>>,
    ) -> Result<Performed, CdpError> {
        work.await?;
        Ok(Performed::text(listing(&self.tabs())))
    }

    /// Presses a key as often as the action says, on its target if it has one.
    async fn press_times(&self, turn: &mut Turn, press: &Press) -> Result<Performed, CdpError> {
        let mut told = Performed::default();
        if let Some(target) = &press.target {
            let (aim, named) = self.begin(target).await?;
            self.able(&aim, json!({})).await?;
            self.focus(&aim, ErrorClass::WrongElement, UNFOCUSED)
                .await?;
            told = named;
        }
        for left in (0..press.times()).rev() {
            let pressed = self.press_key(turn, &press.key).await;
            // A dialog that opens now would prevent the other presses, so the action is not done yet.
            turn.sent &= left == 0;
            pressed?;
        }
        Ok(told)
    }

    /// Resolves a target to its element, and reads the element's durable locator, which finds the element again on the
    /// next load of the page.
    pub(super) async fn begin(&self, target: &Target) -> Result<(Aim, Performed), CdpError> {
        let aim = self.aim(target).await?;
        let told = self.told_of(&aim).await?;
        Ok((aim, told))
    }

    async fn told_of(&self, aim: &Aim) -> Result<Performed, CdpError> {
        let locator = match self.locator_of(aim).await {
            Ok(locator) => locator,
            // Without a locator the action goes on; the next step reports any problem of the element.
            Err(CdpError::Refused(_) | CdpError::Broken(_)) => None,
            Err(trouble) => return Err(trouble),
        };
        Ok(Performed {
            locator,
            ..Performed::default()
        })
    }

    /// Carries out `work` on an element, and returns the locator that the element had before `work`.
    async fn named(
        &self,
        aim: &Aim,
        work: impl Future<Output = Result<(), CdpError>>,
    ) -> Result<Performed, CdpError> {
        if aim.frame != self.page()? {
            // For an element in a frame, the frames around it are asked too, one after the other, so question and work
            // cannot run together.
            let told = self.told_of(aim).await?;
            return work.await.map(|()| told);
        }
        let (told, done) = tokio::join!(self.told_of(aim), work);
        done.map(|()| told.unwrap_or_default())
    }

    /// Runs the caller's script in the page's own JavaScript world, and returns the script's value as untrusted JSON.
    async fn evaluate(
        &self,
        turn: &mut Turn,
        function: &str,
        target: Option<&Target>,
    ) -> Result<String, CdpError> {
        let page = self.page()?;
        let (session, mut params) = match target {
            None => (
                self.session(&page)?,
                json!({ "expression": format!("({function})()") }),
            ),
            Some(target) => {
                let aim = self.aim(target).await?;
                let object = self.hub.object_of(&aim.frame, aim.number).await?;
                let call = format!("function () {{ return ({function})(this); }}");
                (
                    self.session(&aim.frame)?,
                    json!({ "functionDeclaration": call, "objectId": object }),
                )
            }
        };
        for (name, value) in [
            ("returnByValue", true),
            ("awaitPromise", true),
            ("userGesture", true),
        ] {
            params[name] = json!(value);
        }
        let method = if target.is_some() {
            "Runtime.callFunctionOn"
        } else {
            "Runtime.evaluate"
        };
        turn.sent = true;
        let answer: Evaluated = match self.hub.call(&session, method, params).await {
            Err(CdpError::Broken(_)) => {
                return Err(CdpError::refused(ErrorClass::ScriptFailed, ""));
            }
            other => other?,
        };
        if let Some(why) = answer.thrown() {
            return Err(CdpError::refused(ErrorClass::ScriptFailed, why));
        }
        Ok(clean(evaluated(answer)?.json()))
    }
}

const fn opens_dialogs(action: &BrowserAction) -> bool {
    is_watched(action) || matches!(action, BrowserAction::Eval(_))
}

const fn looks_only(action: &BrowserAction) -> bool {
    use BrowserAction as A;
    matches!(
        action,
        A::Snapshot(_) | A::Screenshot(_) | A::TabList(_) | A::StateSave(_)
    )
}

/// Returns the target of an action on a point. Fails if the action has none.
fn target_of(target: Option<&Target>) -> Result<&Target, CdpError> {
    target.ok_or_else(|| CdpError::refused(ErrorClass::BadArguments, NO_TARGET))
}
