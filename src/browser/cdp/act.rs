//! Execution of the actions of the trait [`BrowserDriver`](crate::browser::BrowserDriver).

use std::time::Duration;

use serde::Deserialize;
use serde_json::json;
use tokio::time::timeout;

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
        BrowserAction, Click, ClickAt, ClickXy, Drag, DragXy, ErrorClass, Eval, Fill, Goto,
        HoverXy, OnTarget, Outcome, Press, Select, SelectText, StateFile, TabAt, TabNew, Target,
        Type,
    },
    base::text::clean,
    browser::{
        ExecuteRequest, Execution,
        rules::{MOVED, NO_TARGET, UNFOCUSED, is_same_origin, is_watched, listing, meets_any_page},
    },
    page::{Locator, Trace, TraceKind},
};

/// Longest time for a page to report its address and title. Source: chosen; a page usually reports them within a
/// millisecond.
const PLACE: Duration = Duration::from_secs(2);

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
        if let Some(execution) = self.answered(&request.action).await? {
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
        let nothing = Performed::default;
        match &request.action {
            BrowserAction::Goto(Goto { url }) => self.goto(url).await.map(|()| nothing()),
            BrowserAction::GoBack(_) => self.step_in_history(-1).await.map(|()| nothing()),
            BrowserAction::GoForward(_) => self.step_in_history(1).await.map(|()| nothing()),
            BrowserAction::Reload(_) => self.reload().await.map(|()| nothing()),
            BrowserAction::Click(Click { target, button }) => {
                let aim = self.aim(target).await?;
                self.named(&aim, self.press(turn, &aim, *button, Needs::CLICK, 1))
                    .await
            }
            BrowserAction::Dblclick(Click { target, button }) => {
                let aim = self.aim(target).await?;
                self.named(&aim, self.press(turn, &aim, *button, Needs::CLICK, 2))
                    .await
            }
            BrowserAction::ClickAt(ClickAt { target, x, y }) => {
                let aim = self.aim(target).await?;
                let needs = Needs::at(*x, *y);
                self.named(&aim, self.press(turn, &aim, None, needs, 1))
                    .await
            }
            BrowserAction::ClickXy(click) => self.click_point(turn, click).await,
            BrowserAction::HoverXy(HoverXy { x, y, target }) => {
                let aim = self.aim(target_of(target.as_ref())?).await?;
                self.named(&aim, self.hover(turn, &aim, Some((*x, *y))))
                    .await
            }
            BrowserAction::DragXy(drag) => self.drag_point(turn, drag).await,
            BrowserAction::Hover(OnTarget { target }) => {
                let aim = self.aim(target).await?;
                self.named(&aim, self.hover(turn, &aim, None)).await
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
            BrowserAction::Fill(Fill {
                target,
                text,
                submit,
            }) => {
                let aim = self.aim(target).await?;
                let filled = self
                    .named(&aim, self.fill(turn, &aim, text, &request.secrets))
                    .await;
                // A dialog that opens now would prevent the press of Enter, so the action is not done yet.
                turn.sent &= !*submit;
                let told = filled?;
                if *submit {
                    let Focused { focused } = self
                        .hub
                        .ask(&aim.frame, "focus", json!([aim.number]))
                        .await?;
                    if !focused {
                        return Err(CdpError::refused(
                            ErrorClass::NotEditable,
                            "the page took the focus away from the field",
                        ));
                    }
                    self.press_enter(turn).await?;
                }
                Ok(told)
            }
            BrowserAction::Type(Type { text, submit }) => {
                let typed = self.type_text(turn, text, &request.secrets).await;
                turn.sent &= !*submit;
                typed?;
                if *submit {
                    self.press_enter(turn).await?;
                }
                Ok(nothing())
            }
            BrowserAction::Press(press) => {
                let told = match &press.target {
                    None => nothing(),
                    Some(target) => {
                        let (aim, told) = self.begin(target).await?;
                        self.able(&aim, json!({})).await?;
                        let Focused { focused } = self
                            .hub
                            .ask(&aim.frame, "focus", json!([aim.number]))
                            .await?;
                        if !focused {
                            return Err(CdpError::refused(ErrorClass::WrongElement, UNFOCUSED));
                        }
                        told
                    }
                };
                self.press_times(turn, press).await.map(|()| told)
            }
            BrowserAction::Select(Select { target, values }) => {
                self.select(turn, target, values).await
            }
            BrowserAction::SelectText(SelectText { target, text }) => {
                self.select_text(turn, target, text.as_deref()).await
            }
            BrowserAction::Scroll(scroll) => {
                if let Some(target) = &scroll.target {
                    let aim = self.aim(target).await?;
                    if scroll.direction.is_some() {
                        let hovered = self.hover(turn, &aim, None).await;
                        turn.sent = false;
                        turn.hovered = None;
                        hovered?;
                    } else {
                        turn.sent = true;
                        self.hub
                            .ask::<Area>(&aim.frame, "box", json!([aim.number]))
                            .await?;
                    }
                }
                match scroll.by() {
                    Some(way) => self.turn_wheel(turn, way).await.map(|()| nothing()),
                    None => Ok(nothing()),
                }
            }
            BrowserAction::Wait(wait) => self
                .wait(turn, wait, request.timeout)
                .await
                .map(|()| nothing()),
            BrowserAction::Snapshot(_) => self.seen(turn).await.map(|_| nothing()),
            BrowserAction::Screenshot(screenshot) => {
                let image = self.picture(screenshot.target.as_ref()).await?;
                Ok(Performed {
                    image: Some(image),
                    ..nothing()
                })
            }
            BrowserAction::TabList(_) => {
                self.ask_titles().await?;
                Ok(Performed {
                    text: Some(listing(&self.tabs())),
                    ..nothing()
                })
            }
            BrowserAction::TabNew(TabNew { url }) => {
                self.tab_new(url.as_deref()).await?;
                Ok(Performed {
                    text: Some(listing(&self.tabs())),
                    ..nothing()
                })
            }
            BrowserAction::TabSelect(TabAt { index }) => {
                self.tab_select(*index).await?;
                Ok(Performed {
                    text: Some(listing(&self.tabs())),
                    ..nothing()
                })
            }
            BrowserAction::TabClose(TabAt { index }) => {
                self.tab_close(*index).await?;
                Ok(Performed {
                    text: Some(listing(&self.tabs())),
                    ..nothing()
                })
            }
            BrowserAction::StateSave(StateFile { name }) => {
                self.save_state(name).await.map(|()| nothing())
            }
            BrowserAction::StateLoad(StateFile { name }) => {
                self.load_state(name).await.map(|()| nothing())
            }
            BrowserAction::Eval(Eval { function, target }) if self.hub.options.common.scripts => {
                let text = self.evaluate(turn, function, target.as_ref()).await?;
                Ok(Performed {
                    text: Some(text),
                    ..nothing()
                })
            }
            _ => Err(CdpError::refused(ErrorClass::Unsupported, "")),
        }
    }

    /// Presses a key as often as the action says.
    async fn press_times(&self, turn: &mut Turn, press: &Press) -> Result<(), CdpError> {
        for left in (0..press.times()).rev() {
            let pressed = self.press_key(turn, &press.key).await;
            // A dialog that opens now would prevent the other presses, so the action is not done yet.
            turn.sent &= left == 0;
            pressed?;
        }
        Ok(())
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

    async fn click_point(&self, turn: &mut Turn, click: &ClickXy) -> Result<Performed, CdpError> {
        let aim = self.aim(target_of(click.target.as_ref())?).await?;
        let clicks = if click.double { 2 } else { 1 };
        let needs = Needs::at(click.x, click.y);
        self.named(&aim, self.press(turn, &aim, None, needs, clicks))
            .await
    }

    async fn drag_point(&self, turn: &mut Turn, drag: &DragXy) -> Result<Performed, CdpError> {
        let (aim, told) = self.begin(target_of(drag.target.as_ref())?).await?;
        self.drag_within(turn, &aim, &drag.points())
            .await
            .map(|()| told)
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
