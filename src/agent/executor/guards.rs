//! The guards of one run: the checks of its actions and pages.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use url::Url;

use crate::{
    action::{Action, BrowserAction, ErrorClass, Outcome},
    base::Site,
    event::EventKind,
    guard::{
        ActionKey, Blank, PageState, RepeatGuard, Scope, ScopeRefusal, StuckGuard, Verdict,
        WarnedTurns, Warning,
    },
    page::{Fingerprint, PageTemplate},
    verify::{KnownNumbers, PageNow, moves_the_caret},
    working::{Step, StopReason},
};

/// The sentence at the end of a guard's warning if the run may end with the next warning.
const ENDS: &str = " The next one may end the run: if nothing else is left to try, call finish with success false.";

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(in crate::agent) struct Guards {
    scope: Scope,
    repeat: RepeatGuard,
    stuck: StuckGuard,
    warned: BTreeMap<String, WarnedTurns>,
}

/// The turn to which an action belongs: a reply of the model, or a single step if no model is asked.
#[derive(Debug, Clone, Copy)]
pub(in crate::agent) struct TurnNow {
    pub(in crate::agent) number: u32,
    pub(in crate::agent) is_over: bool,
}

#[derive(Debug)]
pub(super) struct Verdicts {
    pub(in crate::agent) warnings: Vec<(&'static str, String)>,
    pub(in crate::agent) stop: Option<StopReason>,
}

impl Guards {
    pub(in crate::agent) fn new(start: Option<&Url>, allow: Vec<Site>, has_secrets: bool) -> Self {
        Self {
            scope: Scope::new(start, allow, has_secrets),
            repeat: RepeatGuard::default(),
            stuck: StuckGuard::default(),
            warned: BTreeMap::new(),
        }
    }

    /// Resets the guards against repetition and against standstill.
    pub(in crate::agent) fn forget_actions(&mut self) {
        (self.repeat, self.stuck) = (RepeatGuard::default(), StuckGuard::default());
        self.warned.clear();
    }

    /// Returns these guards with the scope of a task instead of the stored scope, because a stored state must not widen
    /// the scope. `start` and `allow` are the task's start address and allowed sites.
    pub(super) fn within(self, start: Option<&Url>, allow: Vec<Site>, has_secrets: bool) -> Self {
        let scope = Scope::new(start, allow, has_secrets);
        Self { scope, ..self }
    }

    /// Checks that the run may open an address, and returns the parsed address. Open the page by the parsed address
    /// only.
    pub(super) fn check_url(&self, url: &str) -> Result<Url, ScopeRefusal> {
        self.scope.check_url(url)
    }

    /// Returns true if the run may visit only its start site and the allowed sites.
    pub(super) const fn is_bounded(&self) -> bool {
        self.scope.is_bounded()
    }

    pub(super) fn may_show_frame(&self, url: &str) -> bool {
        self.scope.may_show_frame(url)
    }

    /// Checks that the page before the run's first action is in scope. A blank page is accepted.
    pub(super) fn check_first_page(&self, url: &str) -> Result<(), ScopeRefusal> {
        self.scope.check_page(url, Blank::Tolerated)
    }

    /// Checks that the page after an action is in scope. A blank page is accepted only after an action on tabs, or if
    /// the browser showed no web page before the action.
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

    pub(super) fn record(
        &mut self,
        step: &Step,
        (before, after): (Option<&PageNow>, Option<&PageNow>),
        numbers: &KnownNumbers,
        turn: TurnNow,
    ) -> Verdicts {
        let (action, targets, outcome) = (&step.action, &step.targets, &step.outcome);
        let template = before.and_then(|page| page.place.template());
        let key = ActionKey::of(action, targets, template.map_or("", PageTemplate::as_str));
        let mut verdicts = Verdicts {
            warnings: Vec::new(),
            stop: None,
        };
        if let Action::Browser(browser) = action
            && moves_the_caret(browser)
        {
            // The action only moves the caret. Only the model knows how many such keys it needs, and most of them
            // change nothing in the page's tree.
            return verdicts;
        }
        let (before, after) = (state(before, numbers), state(after, numbers));
        let repeats = self.repeat.record(key, before, after, turn.number);
        let repeats = self.patient("repeat", repeats, turn);
        verdicts.add("repeat", repeats, StopReason::RepeatedAction);
        if let Action::Browser(browser) = action
            && was_carried_out(outcome)
        {
            // The outcome `Done` may be due to something that the tree does not show, such as a drawing or a download.
            // For these actions `Done` says little: the page may have been in that state before, or the same dialog may
            // open again.
            let says_little = matches!(
                browser,
                BrowserAction::Goto(_)
                    | BrowserAction::Fill(_)
                    | BrowserAction::Check(_)
                    | BrowserAction::Uncheck(_)
                    | BrowserAction::Select(_)
                    | BrowserAction::DialogAccept(_)
                    | BrowserAction::DialogDismiss(_)
            );
            let should_change =
                browser.tool().should_change_page() && (says_little || !outcome.is_done());
            let verdict = self.stuck.record(should_change, before, after);
            if should_change {
                let verdict = self.patient("stuck", verdict, turn);
                verdicts.add("stuck", verdict, StopReason::Stuck);
            }
        }
        verdicts
    }

    /// Returns the verdict; a stop that comes too early becomes a warning. A stop comes too early if the guard did not
    /// warn in enough turns, or if the model's turn is not over. The flag is true if one more turn with a warning of
    /// this guard may end the run.
    fn patient(&mut self, guard: &'static str, verdict: Verdict, turn: TurnNow) -> (Verdict, bool) {
        let turns = self.warned.entry(guard.to_owned()).or_default();
        let counts = verdict.warning().is_some_and(Warning::may_end);
        let may_end = turns.record(turn.number, counts);
        let is_last = counts && turns.is_last();
        match verdict {
            Verdict::Stop(warning) if !may_end || !turn.is_over => {
                (Verdict::Warn(warning), is_last)
            }
            other => (other, is_last),
        }
    }
}

impl Verdicts {
    fn add(&mut self, guard: &'static str, (verdict, is_last): (Verdict, bool), stop: StopReason) {
        let said = verdict.warning().map(Warning::sentence);
        let ends = if is_last && !verdict.is_stop() {
            ENDS
        } else {
            ""
        };
        self.warnings
            .extend(said.map(|said| (guard, format!("{said}{ends}"))));
        if verdict.is_stop() {
            self.stop = self.stop.or(Some(stop));
        }
    }

    pub(super) fn events(&self) -> impl Iterator<Item = EventKind> {
        self.warnings.iter().map(|(guard, text)| EventKind::Warned {
            guard: (*guard).to_owned(),
            text: text.clone(),
        })
    }
}

/// Returns false if the class of a failure says that the action was refused or could not be tried. An action whose
/// target in words matches no single element counts as tried, even if it was not passed to the driver.
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

fn state(page: Option<&PageNow>, numbers: &KnownNumbers) -> PageState {
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
            let state = |tree| Fingerprint::state_with(tree, |slot| numbers.answers(slot));
            PageState::new(
                &page.head.url,
                &(state(page.tree()), dialog),
                &(state(&untyped), dialog),
            )
        }
        None => PageState::new("", &(), &()),
    }
}
