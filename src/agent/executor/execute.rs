//! Carries out an action: passes it to the driver, looks at the page as long as the [`Window`] of the action asks for
//! it, and leads the browser back if it left the run's scope.

use std::{sync::Arc, time::Duration};

use super::{
    Executor,
    aim::{has_target, is_in_words, judged},
    deadline::Deadline,
};
use crate::{
    action::{BrowserAction, BrowserTool, ErrorClass, Outcome, Seconds, TabAt, Target},
    agent::{Images, state::Queued},
    base::{ErrorKind, Result as CrateResult},
    browser::{ExecuteRequest, Execution, SceneRequest},
    event::EventKind,
    page::{Area, ElementRef, Notice, PageAddress, PageDiff, Tab, TargetIdentity},
    verify::{Before, Next, PageNow, Window, WindowVerdict},
    working::StopReason,
};

/// Longest time for the driver to tell the place of a dragged element. It takes some 100 ms, and the report of the drag
/// can do without it.
const PLACE: Duration = Duration::from_secs(2);
/// Maximum number of looks at a new tab that shows nothing yet.
const TAB_LOOKS: usize = 5;

impl Executor {
    /// Carries out an action, and keeps the page that it led to. Returns the driver's report with the outcome that the page
    /// shows, and the differences from the page before, as in [`WindowVerdict::differences`].
    ///
    /// # Errors
    /// Returns the reason why the run is over.
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
        // From here on the observed page may be out of date, even if this future is dropped.
        self.state.page.touch();
        let deadline = self.deadline_for(&resolved);
        let (window, first) = Window::open(Before {
            action: resolved,
            targets: targets.to_vec(),
            page: self.state.page.now().cloned(),
            numbers: self.state.page.numbers().clone(),
            elements: self.state.offered.elements().to_vec(),
            judged,
            settle: self.options.settle,
        });
        let mut verdict = self.watch(window, first, deadline).await?;
        self.settle_scope(action, &mut verdict).await?;
        self.follow_tab(&mut verdict, deadline).await?;
        Ok(self.store_facts(action, verdict))
    }

    /// Does what the window asks for until it gives its verdict.
    async fn watch(
        &mut self,
        mut window: Window,
        mut next: Next,
        deadline: Deadline,
    ) -> Result<WindowVerdict, StopReason> {
        loop {
            let action = match next {
                Next::Verdict(verdict) => return Ok(*verdict),
                Next::Place(element) => {
                    let place = self.place_of(element, deadline).await;
                    next = window.placed(place, deadline.moment());
                    continue;
                }
                Next::LookAgain { after } => {
                    tokio::time::sleep(after).await;
                    let page = self.look(deadline).await?;
                    next = window.looked(page, deadline.moment());
                    continue;
                }
                Next::TryAgain {
                    action,
                    in_words,
                    is_healed,
                } => {
                    if is_healed {
                        self.state.healed = true;
                        self.state.remarks.healed(&action);
                    }
                    self.note_secrets(&action);
                    in_words
                }
                Next::Send(action) => action,
            };
            let execution = self.attempt(action, deadline).await?;
            let page = self.look(deadline).await?;
            next = window.sent(execution, page, deadline.moment());
        }
    }

    /// Leads the browser back if the action led out of the run's scope; the action counts as blocked then. Reports the
    /// driver's notices.
    async fn settle_scope(
        &mut self,
        action: &BrowserAction,
        verdict: &mut WindowVerdict,
    ) -> Result<(), StopReason> {
        let before = self.state.page.now().cloned();
        let left = self
            .back_in_scope(Some(action), before.as_ref(), &mut verdict.page)
            .await;
        self.tell_notices(&verdict.execution.notices, !matches!(left, Ok(None)));
        if let Some(outcome) = left? {
            // Drop the rest of the driver's reply too, because it may come from the page out of scope.
            verdict.undo(outcome);
        } else if verdict.page.observation.unresponsive {
            self.drop_queue("the page gives no answer");
        }
        Ok(())
    }

    /// Shows the tab that an action has opened, if this is all that it did and the run may visit it.
    async fn follow_tab(
        &mut self,
        verdict: &mut WindowVerdict,
        deadline: Deadline,
    ) -> Result<(), StopReason> {
        let seen = &verdict.page.observation;
        let is_blocked = seen.dialog.is_some() || seen.unresponsive;
        let may_select = self
            .parts
            .browser
            .capabilities()
            .tools
            .contains(&BrowserTool::TabSelect);
        // A page that reacts beside it has opened a window of its own, such as an advertisement.
        let differs = |found: &PageDiff| !found.is_empty() && !found.is_focus_alone();
        let reacts = verdict.differences.as_ref().is_none_or(differs);
        if !verdict.execution.outcome.is_done() || is_blocked || reacts || !may_select {
            return Ok(());
        }
        let opened = verdict.execution.notices.iter();
        let opened = opened.filter_map(|notice| match notice {
            Notice::TabOpened { url } => Some(url),
            _ => None,
        });
        let opened: Vec<&String> = opened.collect();
        let [opened] = opened[..] else {
            return Ok(());
        };
        if self.state.guards.check_url(opened).is_err() {
            return Ok(());
        }
        let is_it = |tab: &&Tab| !tab.current && tab.url == *opened;
        let tab = seen.tabs.iter().rev().find(is_it).map(|tab| tab.index);
        let here = seen.tabs.iter().find(|tab| tab.current);
        let (Some(index), Some(here)) = (tab, here.map(|tab| tab.index)) else {
            return Ok(());
        };
        let select = BrowserAction::TabSelect(TabAt { index });
        let selected = self.send(select.clone(), None, deadline).await;
        if !selected.is_ok_and(|done| done.outcome.is_done()) {
            return Ok(());
        }
        let before = verdict.page.clone();
        // A new tab is often empty at first.
        let mut page = self.look(deadline).await?;
        for _ in 0..TAB_LOOKS {
            if !page.is_bare() {
                break;
            }
            tokio::time::sleep(self.options.settle).await;
            page = self.look(deadline).await?;
        }
        let left = self
            .back_in_scope(Some(&select), Some(&before), &mut page)
            .await?;
        verdict.go_to(page);
        if left.is_none() {
            self.state.remarks.followed_tab(here);
        }
        Ok(())
    }

    /// Keeps what the action has returned and the page after it.
    fn store_facts(
        &mut self,
        action: &BrowserAction,
        verdict: WindowVerdict,
    ) -> (Execution, Option<PageDiff>) {
        let (after, mut execution) = (verdict.page, verdict.execution);
        self.state.page.set_numbers(verdict.numbers);
        if verdict.is_other_page {
            self.leave_page(&after, matches!(action, BrowserAction::Goto(_)));
        } else if !PageAddress::new(self.state.page.url())
            .is_same_page(&PageAddress::new(&after.head.url))
        {
            self.state.page.unsee();
        }
        if let Some(text) = told(action, execution.text.take(), &after) {
            self.keep_result(action.tool().as_str(), &text);
        }
        if let Some(png) = execution.image.take() {
            self.keep_picture(png, action, &after);
        }
        self.state.page.set(after);
        (execution, verdict.differences)
    }

    /// Forgets what holds only for the page that the run has left for this page. `by_goto` is true if the model chose its address.
    fn leave_page(&mut self, after: &PageNow, by_goto: bool) {
        let before = self.state.page.now();
        let title = before.map_or("", |page| page.head.title.as_str());
        self.state.remarks.leave(title);
        // On another page, the numbering of elements starts again, so the same reference may mean a different element.
        // A name in words may be one that the model knows from memory. It is looked for on pages of the same host only,
        // because the model did not mean an element of another site, unless it opened that site itself.
        let host = |page: &PageNow| page.place.host().cloned();
        let is_same_host = by_goto || before.and_then(host) == host(after);
        let is_of_the_page_before = |next: &Queued| {
            let is_void = !is_same_host || !is_in_words(&next.action);
            next.restores.is_none() && has_target(&next.action) && is_void
        };
        let first = self.state.queue.iter().position(is_of_the_page_before);
        self.state.page.leave();
        let dropped = first.map_or(0, |first| self.state.queue.cut(first));
        if dropped > 0 {
            self.tell_dropped(dropped, "another page is shown");
        }
    }

    /// Returns the place of an element in the document, which does not change when a driver scrolls; `None` if the element
    /// cannot be seen, or if the driver does not know its place or does not tell it soon.
    async fn place_of(&self, element: ElementRef, deadline: Deadline) -> Option<Area> {
        let request = SceneRequest::new(vec![element]);
        let scene = self.browser.scene(&request);
        let soon = Deadline::after(deadline.limit().min(PLACE));
        let scene = soon.wait("agent.place", scene).await.ok()?;
        let Area { x, y, .. } = scene.page;
        let (_, area) = scene.boxes.first()?;
        Some(Area::new(area.x - x, area.y - y, area.width, area.height))
    }

    /// Returns the time limit for an action. For a `wait`, its seconds are added to the limit.
    fn deadline_for(&self, action: &BrowserAction) -> Deadline {
        let waits = match action {
            BrowserAction::Wait(wait) => wait.seconds.map_or(Duration::ZERO, Seconds::duration),
            _ => Duration::ZERO,
        };
        Deadline::after(self.options.command_timeout.saturating_add(waits))
    }

    /// Passes an action to the driver and returns the result. An error that leaves the browser usable becomes a failed
    /// outcome; any other error becomes a stop reason.
    async fn attempt(
        &mut self,
        action: BrowserAction,
        deadline: Deadline,
    ) -> Result<Execution, StopReason> {
        let seen = self.state.page.now().map(|page| page.head.url.as_str());
        match self.send(action, seen, deadline).await {
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
        deadline: Deadline,
    ) -> CrateResult<Execution> {
        let mut request = ExecuteRequest::new(action)
            .with_secrets(self.secrets.clone())
            .with_files(Arc::clone(&self.task.files))
            .with_timeout(deadline.limit());
        request.page = seen.map(str::to_owned);
        let execution = self.browser.execute(&request);
        deadline.call("agent.execute", execution).await
    }

    /// Records that a secret was typed, and into which elements. Does nothing if the action types no secret.
    fn note_secrets(&mut self, action: &BrowserAction) {
        if action.texts().iter().any(|text| text.secret().is_some()) {
            let is_first = !std::mem::replace(&mut self.state.secret_seen, true);
            if is_first && self.options.images != Images::Never {
                self.state.remarks.secret_used();
            }
            let fields = action.targets().into_iter().filter_map(Target::as_ref);
            self.state.page.type_secret_into(fields.cloned());
        }
    }

    /// Reports the driver's notices to the sinks and to the model.
    ///
    /// The model is not told the name of a downloaded file if the run has limited scope, or if the action led out of
    /// the scope (`left` is true). In these cases any server may have chosen the name.
    fn tell_notices(&mut self, notices: &[Notice], left: bool) {
        for notice in notices {
            let may_name = match notice {
                Notice::TabOpened { url } => self.state.guards.check_url(url).is_ok(),
                _ => !left && !self.state.guards.is_bounded(),
            };
            self.state.remarks.notice(notice, may_name);
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
