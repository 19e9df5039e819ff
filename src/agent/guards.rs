//! The guards of one run: what they are fed, and what follows from their verdicts.

use url::Url;

use super::page_now::PageNow;
use crate::{
    action::{Action, BrowserAction, ErrorClass, Outcome, Signature},
    base::Site,
    event::EventKind,
    guard::{ActionKey, Blank, PageState, RepeatGuard, Scope, ScopeRefusal, StuckGuard, Verdict},
    page::{Fingerprint, PageTemplate, TargetIdentity},
    working::StopReason,
};

/// Scope, repetition and standstill.
#[derive(Debug)]
pub(super) struct Guards {
    scope: Scope,
    repeat: RepeatGuard,
    stuck: StuckGuard,
}

/// What the guards say after an action.
#[derive(Debug)]
pub(super) struct Verdicts {
    pub(super) signature: Signature,
    pub(super) warnings: Vec<(&'static str, String)>,
    pub(super) stop: Option<StopReason>,
}

impl Guards {
    pub(super) fn new(start: Option<&Url>, allow: Vec<Site>, has_secrets: bool) -> Self {
        Self {
            scope: Scope::new(start, allow, has_secrets),
            repeat: RepeatGuard::default(),
            stuck: StuckGuard::default(),
        }
    }

    /// Checks an address before it is opened, and gives it as it must be opened.
    pub(super) fn check_url(&self, url: &str) -> Result<Url, ScopeRefusal> {
        self.scope.check_url(url)
    }

    /// Whether only the sites named may be visited.
    pub(super) const fn is_bounded(&self) -> bool {
        self.scope.is_bounded()
    }

    /// Whether what is in a frame may be shown.
    pub(super) fn may_show_frame(&self, url: &str) -> bool {
        self.scope.may_show_frame(url)
    }

    /// Checks a page that the run came to by no action of its own.
    pub(super) fn check_first_page(&self, url: &str) -> Result<(), ScopeRefusal> {
        self.scope.check_page(url, Blank::Tolerated)
    }

    /// Checks where an action led; a blank page is fine only where there was none before, and in another tab.
    pub(super) fn check_page(
        &self,
        action: Option<&BrowserAction>,
        before: Option<&PageNow>,
        url: &str,
    ) -> Result<(), ScopeRefusal> {
        let changes_tab = matches!(
            action,
            Some(
                BrowserAction::TabNew(_) | BrowserAction::TabSelect(_) | BrowserAction::TabClose(_)
            )
        );
        let was_somewhere = before.is_some_and(|page| page.head.url.starts_with("http"));
        self.scope.check_page(
            url,
            if was_somewhere && !changes_tab {
                Blank::Refused
            } else {
                Blank::Tolerated
            },
        )
    }

    /// Feeds an action that was tried, with the page before and after it.
    pub(super) fn record(
        &mut self,
        action: &Action,
        targets: &[TargetIdentity],
        outcome: &Outcome,
        before: Option<&PageNow>,
        after: Option<&PageNow>,
    ) -> Verdicts {
        let url = before
            .map(|page| page.head.url.as_str())
            .unwrap_or_default();
        let template = Url::parse(url)
            .ok()
            .and_then(|url| PageTemplate::of(&url).ok());
        let key = ActionKey::of(
            action,
            targets,
            template.as_ref().map_or("", PageTemplate::as_str),
        );
        let mut verdicts = Verdicts {
            signature: key.signature().clone(),
            warnings: Vec::new(),
            stop: None,
        };
        let (before, after) = (state(before), state(after));
        verdicts.add(
            "repeat",
            self.repeat.record(key, before, after),
            StopReason::RepeatedAction,
        );
        if let Action::Browser(browser) = action
            && was_carried_out(outcome)
        {
            let verdict = self
                .stuck
                .record(browser.tool().should_change_page(), before, after);
            verdicts.add("stuck", verdict, StopReason::Stuck);
        }
        verdicts
    }
}

impl Verdicts {
    fn add(&mut self, guard: &'static str, verdict: Verdict, stop: StopReason) {
        self.warnings
            .extend(verdict.warning().map(|warning| (guard, warning.sentence())));
        if verdict.is_stop() {
            self.stop = self.stop.or(Some(stop));
        }
    }

    /// The warnings as events.
    pub(super) fn events(&self) -> impl Iterator<Item = EventKind> {
        self.warnings.iter().map(|(guard, text)| EventKind::Warned {
            guard: (*guard).to_owned(),
            text: text.clone(),
        })
    }
}

/// Whether the driver was asked at all: what a guard refused says nothing about the page.
fn was_carried_out(outcome: &Outcome) -> bool {
    !matches!(
        outcome.class(),
        Some(
            ErrorClass::RefNotFound
                | ErrorClass::Blocked
                | ErrorClass::Rejected
                | ErrorClass::NotRecorded
                | ErrorClass::BadArguments
                | ErrorClass::Unsupported
        )
    )
}

fn state(page: Option<&PageNow>) -> PageState {
    match page {
        Some(page) => {
            let dialog = page
                .observation
                .dialog
                .as_ref()
                .map(|dialog| &dialog.message);
            let untyped = page
                .observation
                .tree
                .clone()
                .mask_values(|node| node.role.is_editable(), "");
            PageState::new(
                &page.head.url,
                &(page.view.state, dialog),
                &(Fingerprint::state(&untyped), dialog),
            )
        }
        None => PageState::new("", &(), &()),
    }
}
