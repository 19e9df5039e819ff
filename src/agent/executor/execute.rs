//! Carries out an action: passes it to the driver, observes the page, judges the outcome, and leads the browser back if
//! it left the run's scope.

use std::time::Duration;

use tokio::time::{Instant, timeout, timeout_at};

use super::{
    Executor,
    aim::{has_target, is_in_words, judged, known_by},
    patience::Patience,
};
use crate::{
    BrowserDriver,
    action::{BrowserAction, Drag, DragBy, DragXy, Effect, ErrorClass, Outcome, Seconds},
    agent::{Images, emit::elapsed_ms, state::Queued},
    base::{Error, ErrorKind, Result as CrateResult},
    browser::{ExecuteRequest, Execution, SceneRequest},
    event::EventKind,
    page::{Area, ElementRef, Notice, PageDiff, Tab, TargetIdentity, diff},
    verify::{
        Attempt, Numbers, PageNow, Redrawn, aimed_at, beside_a_clock, in_words, judge,
        led_to_error_page, may_have_acted, may_show_late, redrawn,
    },
    working::StopReason,
};

/// Time for which the executor watches a number that changed on the page after an action. A number that changes again
/// may be a clock with seconds, so its change is not an effect of the action. Source: chosen.
const TICK: Duration = Duration::from_millis(1_100);
/// Longest time for the driver to tell the place of a dragged element. Source: chosen; it takes some 100 ms, and the report
/// of the drag can do without it.
const PLACE: Duration = Duration::from_secs(2);
const NO_ANSWER: &str = "the page that it led to gives no answer";

impl<B: BrowserDriver> Executor<'_, B> {
    pub(in crate::agent) async fn execute(
        &mut self,
        action: &BrowserAction,
        targets: &[TargetIdentity],
    ) -> Result<(Execution, Option<PageDiff>), StopReason> {
        let resolved = match action.with_parameters(&self.task.parameters) {
            Ok(resolved) => resolved,
            Err(error) => {
                let why = self.describe(error);
                return Ok((Outcome::failed(ErrorClass::BadArguments, &why).into(), None));
            }
        };
        self.note_secrets(action);
        let began = Instant::now();
        // From here on the observed page may be out of date, even if this future is dropped.
        self.state.stale = true;
        let before = self.state.page.clone();
        let seen = before.as_ref().map(|page| page.head.url.as_str());
        let patience = self.patience_for(&resolved);
        let dragged = dragged(&resolved);
        let from = self.place_of(dragged, patience).await;
        let mut execution = self.attempt(resolved.clone(), seen, patience).await?;
        let mut after = self.look(patience).await?;
        let mut changes = before.as_ref().map(|before| difference(before, &after));
        if execution.outcome.is_done()
            && changes.as_ref().is_none_or(|changes| changes.navigated)
            && let Some(drawn) = self.drawn(&after, patience).await?
        {
            after = drawn;
            changes = before.as_ref().map(|before| difference(before, &after));
        }
        if execution.outcome.class() == Some(ErrorClass::RefNotFound)
            && changes.as_ref().is_some_and(|changes| !changes.navigated)
            && let Some(Redrawn { action: again, is_known: is_healed }) =
                redrawn(&resolved, targets, &after, self.state.offered.elements())
            && let effect = judged(&again, Some(&after))
            && effect <= judged(&resolved, before.as_ref())
            // A person who approved the action saw the other name.
            && !(is_healed && effect == Effect::Irreversible)
        {
            if is_healed {
                self.state.healed = true;
                self.state.remarks.notes.push(known_by(&again));
            }
            // After the last observation, the page replaced the element by a new one with the same identity. Nothing
            // was done yet, so try again with the new element.
            self.note_secrets(&again);
            let again = in_words(&again, &after);
            execution = self.attempt(again, seen, patience).await?;
            after = self.look(patience).await?;
            changes = before.as_ref().map(|before| difference(before, &after));
        }
        let may_show = execution.outcome.is_done()
            && may_show_late(action, execution.traces.as_deref())
            && after.observation.dialog.is_none()
            && !after.observation.unresponsive;
        // If another page is shown, or if anything but a number changed, changed numbers are not needed as a sign of
        // success.
        let quiet = |changes: &Option<PageDiff>| {
            may_show && changes.as_ref().is_some_and(PageDiff::is_empty)
        };
        if quiet(&changes) && !self.is_answered_in_numbers(changes.as_ref()) {
            // Some pages react late, and menus open some time after the pointer arrives. A second observation costs
            // only this wait.
            tokio::time::sleep(self.parts.options.settle).await;
            after = self.look(patience).await?;
            changes = before.as_ref().map(|before| difference(before, &after));
        }
        // This is also done if the driver's traces prove an effect. Otherwise a changed number that the traces do not
        // explain would be reported to the model, even if it is a clock.
        if quiet(&changes)
            && let (Some(before), Some(found)) = (&before, &changes)
            && self.state.numbers.is_open(found)
        {
            tokio::time::sleep(TICK).await;
            let mut later = self.look(patience).await?;
            if Numbers::may_be_late(found, &difference(&after, &later)) {
                tokio::time::sleep(TICK).await;
                later = self.look(patience).await?;
            }
            // A number that did not change during an earlier action is no clock, provided that the action took at least
            // a tick. In a shorter time, a clock may not change either.
            let long = self
                .state
                .earlier
                .as_ref()
                .filter(|(_, time)| u128::from(*time) >= TICK.as_millis());
            let earlier = long.map(|(page, _)| difference(page, before));
            self.state
                .numbers
                .watched(found, &difference(&after, &later), earlier.as_ref());
            changes = Some(difference(before, &later));
            after = later;
        }
        if let (Some(before), Some(changes)) = (&before, &mut changes) {
            let tree = before.tree();
            let target = aimed_at(&resolved, tree);
            let is_clock = self.state.numbers.explain(changes, tree, target);
            if let Some(traces) = execution.traces.as_mut().filter(|_| is_clock) {
                *traces = beside_a_clock(traces);
            }
            self.state.numbers.credit(changes, tree, target);
        }
        let left = self
            .back_in_scope(Some(action), before.as_ref(), &mut after)
            .await;
        let notices = execution.notices.clone();
        self.tell_notices(&notices, !matches!(left, Ok(None)));
        if let Some(outcome) = left? {
            // Drop the rest of the driver's reply too, because it may come from the page out of scope.
            execution = outcome.into();
            changes = None;
        } else if after.observation.unresponsive {
            // A page that does not answer cannot show whether the action worked.
            execution.outcome = match execution.outcome {
                Outcome::Done if leads_to_a_page(&resolved) => {
                    Outcome::failed(ErrorClass::Timeout, NO_ANSWER)
                }
                Outcome::Failed(failure) if may_have_acted(&resolved, failure.class) => {
                    Outcome::Unclear(failure)
                }
                other => other,
            };
            self.drop_queue("the page gives no answer");
        } else if let Some(failed) = led_to_error_page(
            &resolved,
            &execution.outcome,
            before.as_ref().map(|page| &*page.observation),
            &after.observation,
        ) {
            execution.outcome = failed;
        } else if let (Some(changes), Some(before)) = (&mut changes, &before) {
            // The tree does not say where elements are, so the way of a dragged one is not among the differences.
            let to = match from {
                Some(_) if !changes.navigated => self.place_of(dragged, patience).await,
                _ => None,
            };
            let moved = match (dragged, from, to) {
                (Some(element), Some(from), Some(to)) => {
                    changes.add_move(after.tree(), element, (from, to))
                }
                _ => false,
            };
            execution.outcome = judge(
                &resolved,
                Attempt {
                    outcome: &execution.outcome,
                    dialog: execution.dialog.as_ref(),
                    notices: &execution.notices,
                    traces: execution.traces.as_deref(),
                    moved,
                },
                changes,
                &before.observation,
                &after.observation,
            );
        }
        let navigated = changes.as_ref().is_none_or(|changes| changes.navigated);
        let page = before.clone().filter(|_| !navigated);
        self.state.earlier = page.map(|page| (page, elapsed_ms(began)));
        if navigated {
            self.state.unseen = true;
            let title = before.as_ref().map_or("", |page| page.head.title.as_str());
            self.state.remarks.leave(title);
            self.state.numbers.clear();
            self.state.typed_into.clear();
            // On another page, the numbering of elements starts again, so the same reference may mean a different element.
            // A name in words may be one that the model knows from memory. It is looked for on pages of the same host only,
            // because the model did not mean an element of another site.
            let host = |page: &PageNow| page.place.host().cloned();
            let is_same_host = before.as_ref().and_then(host) == host(&after);
            let is_of_the_page_before = |next: &Queued| {
                let is_void = !is_same_host || !is_in_words(&next.action);
                next.restores.is_none() && has_target(&next.action) && is_void
            };
            if self.state.queue.iter().any(is_of_the_page_before) {
                self.drop_queue("another page is shown");
            }
        }
        if let Some(text) = told(action, execution.text.take(), &after) {
            self.keep_result(action.tool().as_str(), &text);
        }
        if let Some(png) = execution.image.take() {
            self.keep_picture(png, action, &after);
        }
        self.state.page = Some(after);
        // If another page is shown, the model sees it as a whole, so no differences are reported. Differences from or
        // to a page that does not answer are unknown.
        let is_seen = |page: &Option<PageNow>| {
            page.as_ref()
                .is_some_and(|page| !page.observation.unresponsive)
        };
        let here = changes
            .filter(|changes| !changes.navigated && is_seen(&before) && is_seen(&self.state.page));
        Ok((execution, here))
    }

    /// Returns the place of an element in the document, which does not change when a driver scrolls; `None` if the element
    /// cannot be seen, or if the driver does not know its place or does not tell it soon.
    async fn place_of(&self, element: Option<&ElementRef>, patience: Patience) -> Option<Area> {
        let request = SceneRequest::new(vec![element?.clone()]);
        let scene = self.parts.browser.scene(&request);
        let scene = timeout(patience.limit().min(PLACE), scene).await;
        let scene = scene.ok()?.ok()?;
        let Area { x, y, .. } = scene.page;
        let (_, area) = scene.boxes.first()?;
        Some(Area::new(area.x - x, area.y - y, area.width, area.height))
    }

    /// Returns true if one of the numbers that changed on the page is known to respond to actions.
    fn is_answered_in_numbers(&self, changes: Option<&PageDiff>) -> bool {
        changes.is_some_and(|changes| {
            let mut counted = changes.counted.iter();
            counted.any(|c| self.state.numbers.answers(c.slot))
        })
    }

    /// Returns the time limit for an action. For a `wait`, its seconds are added to the limit.
    fn patience_for(&self, action: &BrowserAction) -> Patience {
        let waits = match action {
            BrowserAction::Wait(wait) => wait.seconds.map_or(Duration::ZERO, Seconds::duration),
            _ => Duration::ZERO,
        };
        Patience::new(self.parts.options.command_timeout.saturating_add(waits))
    }

    /// Passes an action to the driver and returns the result. An error that leaves the browser usable becomes a failed
    /// outcome; any other error becomes a stop reason.
    async fn attempt(
        &mut self,
        action: BrowserAction,
        seen: Option<&str>,
        patience: Patience,
    ) -> Result<Execution, StopReason> {
        match self.send(action, seen, patience).await {
            Ok(execution) => Ok(self.redacted_execution(execution)),
            Err(error) if error.kind() == ErrorKind::BrowserLost => Err(self.lost(error)),
            Err(error) => {
                let class = if error.kind() == ErrorKind::Timeout {
                    ErrorClass::Timeout
                } else {
                    ErrorClass::Other
                };
                let why = self.describe(error);
                Ok(Outcome::failed(class, &why).into())
            }
        }
    }

    /// Passes an action to the driver and returns the driver's result, or an error if the time runs out.
    pub(super) async fn send(
        &self,
        action: BrowserAction,
        seen: Option<&str>,
        patience: Patience,
    ) -> CrateResult<Execution> {
        let limit = patience.limit();
        let mut request = ExecuteRequest::new(action)
            .with_secrets(self.secrets.clone())
            .with_timeout(limit);
        request.page = seen.map(str::to_owned);
        match timeout_at(patience.last(), self.parts.browser.execute(&request)).await {
            Ok(result) => result,
            Err(_) => Err(Error::new(ErrorKind::Timeout, "agent.execute")
                .with("waited", format!("{limit:?}"))),
        }
    }

    /// Records that a secret was typed, and into which elements. Does nothing if the action types no secret.
    fn note_secrets(&mut self, action: &BrowserAction) {
        if action.texts().iter().any(|text| text.secret().is_some()) {
            let is_first = !std::mem::replace(&mut self.state.secret_seen, true);
            if is_first && self.parts.options.images != Images::Never {
                let note = "a secret was used, so no pictures are taken from here on";
                self.state.remarks.notes.push(note.to_owned());
            }
            self.state.typed_into.extend(
                action
                    .targets()
                    .into_iter()
                    .filter_map(|target| target.as_ref())
                    .cloned(),
            );
        }
    }

    /// Reports the driver's notices to the sinks and to the model.
    ///
    /// The model is not told the name of a downloaded file if the run has limited scope, or if the action led out of
    /// the scope (`left` is true). In these cases any server may have chosen the name.
    fn tell_notices(&mut self, notices: &[Notice], left: bool) {
        for notice in notices {
            let line = match notice {
                Notice::TabOpened { url } if self.state.guards.check_url(url).is_ok() => {
                    Some(("a new tab opened", url.clone()))
                }
                Notice::TabOpened { .. } => Some((
                    "a new tab opened",
                    "at an address that this run may not visit".to_owned(),
                )),
                Notice::DialogBehind { tab } => {
                    Some(("a dialog opened in another tab", format!("tab {tab}")))
                }
                Notice::Download { kept, .. } if left || self.state.guards.is_bounded() => {
                    Some((offered(*kept), "its name is not shown".to_owned()))
                }
                Notice::Download {
                    suggested_name,
                    kept,
                } => Some((offered(*kept), suggested_name.clone())),
                Notice::TransportChanged { .. } => None,
            };
            self.state
                .remarks
                .results
                .extend(line.map(|(label, text)| (label.to_owned(), text)));
            self.emitter.emit(EventKind::BrowserNoticed {
                notice: notice.clone(),
            });
        }
    }

    fn redacted_execution(&self, mut execution: Execution) -> Execution {
        self.hide_foreign_words_of(&mut execution);
        if !self.redactor.is_empty() {
            if let Outcome::Failed(failure) = &mut execution.outcome {
                failure.detail = self.redactor.text(&failure.detail);
            }
            let clean = |text: String| self.redactor.text(&text);
            execution.text = execution.text.map(clean);
            execution.page = execution
                .page
                .map(|(url, title)| (clean(url), clean(title)));
            if let Some(dialog) = &mut execution.dialog {
                dialog.message = self.redactor.text(&dialog.message);
            }
            for notice in &mut execution.notices {
                match notice {
                    Notice::TabOpened { url } => *url = self.redactor.text(url),
                    Notice::Download { suggested_name, .. } => {
                        *suggested_name = self.redactor.text(suggested_name);
                    }
                    Notice::DialogBehind { .. } | Notice::TransportChanged { .. } => {}
                }
            }
            // A locator may quote an element's name that contains the secret. A locator cannot be rewritten, so it is
            // dropped.
            execution.locator = execution
                .locator
                .filter(|locator| !self.redactor.contains(&locator.to_string()));
        }
        execution
    }
}

/// Returns the element that an action drags; `None` for any other action.
fn dragged(action: &BrowserAction) -> Option<&ElementRef> {
    match action {
        BrowserAction::Drag(Drag { from: target, .. })
        | BrowserAction::DragBy(DragBy { target, .. })
        | BrowserAction::DragXy(DragXy {
            target: Some(target),
            ..
        }) => target.as_ref(),
        _ => None,
    }
}

const fn leads_to_a_page(action: &BrowserAction) -> bool {
    use BrowserAction as A;
    matches!(
        action,
        A::Goto(_)
            | A::GoBack(_)
            | A::GoForward(_)
            | A::Reload(_)
            | A::TabNew(_)
            | A::TabSelect(_)
            | A::Snapshot(_)
    )
}

const fn offered(kept: bool) -> &'static str {
    if kept {
        "the page offered a file, and it was kept"
    } else {
        "the page offered a file, and this run refused it"
    }
}

/// Returns the text that the model gets as the result of an action; `None` if the driver returned no text. After an
/// action on tabs, this is a list of the tabs that the model may see.
fn told(action: &BrowserAction, text: Option<String>, after: &PageNow) -> Option<String> {
    let of_tabs = matches!(
        action,
        BrowserAction::TabList(_)
            | BrowserAction::TabNew(_)
            | BrowserAction::TabSelect(_)
            | BrowserAction::TabClose(_)
    );
    let text = text?;
    if !of_tabs {
        return Some(text);
    }
    let line = |tab: &Tab| {
        let current = if tab.current { " (current)" } else { "" };
        format!("{}{current}: {} {}", tab.index, tab.title, tab.url)
    };
    let tabs = &after.observation.tabs;
    if tabs.is_empty() {
        return Some(line(&Tab::new(
            0,
            true,
            &after.head.title,
            after.head.url.clone(),
        )));
    }
    Some(tabs.iter().map(line).collect::<Vec<_>>().join("\n"))
}

fn difference(before: &PageNow, after: &PageNow) -> PageDiff {
    diff(
        (&before.head, &before.observation.tree),
        (&after.head, &after.observation.tree),
    )
}
