//! Decides whether an action worked: asks for looks at the page until the effect can be told, and gives the verdict.
//!
//! A [`Window`] is open from before the action is sent until the verdict. It does no I/O: its owner does what [`Next`]
//! says, and passes in the result with the time. The first look comes right after the action. More follow if
//!
//! 1. a page that was just opened shows nothing yet, because its scripts draw it later,
//! 2. the page has replaced the target, so that nothing was done yet: the action is sent once more,
//! 3. nothing has changed, because some pages react late, and menus open some time after the pointer arrives,
//! 4. only numbers have changed, because a number that then stays the same is an answer and not a clock.
//!
//! No look is asked for that would take more than half of the time left.
//!
//! The place of a dragged element is asked for before and after, because the page's tree does not show it.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{
    PageNow,
    again::{Redrawn, in_words, redrawn},
    error_page::{led_to_error_page, navigates},
    judge::{aimed_at, judge, may_have_acted, may_show_late},
    numbers::Numbers,
    traces::beside_a_clock,
};
use crate::{
    action::{
        BrowserAction, Drag, DragBy, DragXy, Effect, ErrorClass, Outcome, execution::Execution,
    },
    page::{Area, Counted, ElementRef, KnownElement, PageDiff, Role, TargetIdentity, Tree, diff},
};

/// Time for which a number that changed on the page after an action is watched. A number that changes again may be a
/// clock with seconds, so its change is not an effect of the action.
const TICK: Duration = Duration::from_millis(1_100);
/// Maximum time for which a page that shows nothing yet is waited for. A notebook application drew its page 1 to 2 s
/// after the browser had loaded it.
const DRAWING: Duration = Duration::from_secs(3);
/// The same for a page of pictures without words.
const PICTURED: Duration = Duration::from_secs(1);
/// Shortest pause between two looks at a page that shows nothing yet.
const PAUSE: Duration = Duration::from_millis(100);
const NO_ANSWER: &str = "the page that it led to gives no answer";

/// What is known before an action is sent.
#[derive(Debug)]
pub(crate) struct Before {
    pub(crate) action: BrowserAction,
    /// The identities of the action's targets.
    pub(crate) targets: Vec<TargetIdentity>,
    /// The page on which the action was decided; `None` if there is none.
    pub(crate) page: Option<PageNow>,
    pub(crate) numbers: KnownNumbers,
    /// Elements of the page's host that earlier runs used.
    pub(crate) elements: Vec<KnownElement>,
    /// Judges the worst effect that an action can have on a page.
    pub(crate) judged: fn(&BrowserAction, Option<&PageNow>) -> Effect,
    /// Time after which a page that has not changed is looked at once more.
    pub(crate) settle: Duration,
}

/// Knowledge about the numbers of a page that a run keeps from one action to the next.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct KnownNumbers {
    numbers: Numbers,
    /// The page before the last action, and the duration of the action in milliseconds; `None` if the action led to
    /// another page.
    earlier: Option<(PageNow, u64)>,
}

impl KnownNumbers {
    /// Returns true if the number is known to respond to actions.
    pub(crate) fn answers(&self, slot: u64) -> bool {
        self.numbers.answers(slot)
    }
}

/// The time of an event of the window.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Timing {
    /// Time since the action began.
    pub(crate) at: Duration,
    /// Time that the next call of the browser may take.
    pub(crate) limit: Duration,
}

/// Minimum share of a page's elements that live on if the page stays the same under another address. Unit: percent.
const ALIVE: usize = 90;
/// Minimum number of elements for this comparison.
const FEW: usize = 3;

/// The next thing that the owner of a window must do.
#[derive(Debug)]
pub(crate) enum Next {
    /// Ask the browser for the place of this element in the document, and pass it to [`Window::placed`].
    Place(ElementRef),
    /// Send this action, look at the page, and pass both to [`Window::sent`].
    Send(BrowserAction),
    /// The page has replaced the targets, so the action has other targets now. Send it as `in_words`, because the page may
    /// replace them again; the rest is the same as for `Send`. `is_healed` is true if a target has another name and was
    /// found only by what earlier runs recorded.
    TryAgain {
        action: BrowserAction,
        in_words: BrowserAction,
        is_healed: bool,
    },
    /// Look at the page after this time, and pass it to [`Window::looked`].
    LookAgain { after: Duration },
    /// Nothing: the window is closed.
    Verdict(Box<WindowVerdict>),
}

/// The result of an action.
#[derive(Debug)]
pub(crate) struct WindowVerdict {
    /// The driver's report, with the outcome that the page shows.
    pub(crate) execution: Execution,
    /// The differences between the pages before and after the action; `None` if another page is shown, or if one of the
    /// pages gives no answer.
    pub(crate) differences: Option<PageDiff>,
    /// True if another page is shown, or if there was no page before.
    pub(crate) is_other_page: bool,
    /// The page after the action.
    pub(crate) page: PageNow,
    pub(crate) numbers: KnownNumbers,
}

impl WindowVerdict {
    /// Changes the verdict on an action after another page was opened because of it.
    pub(crate) fn undo(&mut self, outcome: Outcome) {
        self.execution = outcome.into();
        self.leave();
    }

    /// Changes the page after the action to that of another tab.
    pub(crate) fn go_to(&mut self, page: PageNow) {
        self.page = page;
        self.leave();
    }

    fn leave(&mut self) {
        self.differences = None;
        self.is_other_page = true;
        self.numbers = KnownNumbers::default();
    }
}

/// A look at the page, and its differences from the page before the action; `None` if there was no page before.
#[derive(Debug, Clone)]
struct Look {
    page: PageNow,
    changes: Option<PageDiff>,
}

impl Look {
    fn is_other_page(&self) -> bool {
        self.changes.as_ref().is_none_or(|found| found.navigated)
    }
}

/// How far the window is. It only moves forwards.
#[derive(Debug, Clone, Copy)]
enum Stage {
    Sent,
    /// The action was sent with new targets.
    SentAgain,
    /// The page had time to show a late effect.
    Settled,
    /// A clock with seconds had time to tick.
    Ticked,
    TickedTwice,
}

/// The time from before an action is sent until the verdict on it.
#[derive(Debug)]
pub(crate) struct Window {
    before: Before,
    execution: Execution,
    stage: Stage,
    /// Time at which a page that shows nothing yet is taken as it is, and the pause between two looks at it.
    content: Option<(Duration, Duration)>,
    /// The look after which the numbers were watched, or the last look before the dragged element was placed.
    look: Option<Look>,
    /// The place of the dragged element before the action, if it is known.
    from: Option<Area>,
    /// True if the dragged element has another place than before.
    moved: bool,
}

impl Window {
    /// Opens the window of an action, and returns it with the first thing to do.
    pub(crate) fn open(before: Before) -> (Self, Next) {
        let next = match dragged(&before.action).cloned() {
            Some(element) => Next::Place(element),
            None => Next::Send(before.action.clone()),
        };
        let window = Self {
            before,
            // This holds until the action was sent.
            execution: Execution::new(Outcome::NoEffect),
            stage: Stage::Sent,
            content: None,
            look: None,
            from: None,
            moved: false,
        };
        (window, next)
    }

    /// Takes the place of the dragged element; `None` if it is not known.
    pub(crate) fn placed(&mut self, place: Option<Area>, now: Timing) -> Next {
        let Some(mut look) = self.look.take() else {
            self.from = place;
            return Next::Send(self.before.action.clone());
        };
        if let (Some(changes), Some(element), Some(from), Some(to)) = (
            &mut look.changes,
            dragged(&self.before.action),
            self.from,
            place,
        ) {
            self.moved = changes.add_move(look.page.tree(), element, (from, to));
        }
        self.verdict(look, now)
    }

    /// Takes the driver's report about the action, and the first look at the page after it.
    pub(crate) fn sent(&mut self, execution: Execution, page: PageNow, now: Timing) -> Next {
        self.execution = execution;
        self.looked(page, now)
    }

    /// Takes a look at the page.
    pub(crate) fn looked(&mut self, page: PageNow, now: Timing) -> Next {
        let before = self.before.page.as_ref();
        let changes = before.map(|before| difference(before, &page));
        let look = Look { page, changes };
        let next = match self.stage {
            Stage::Sent => self
                .expect_content(&look.page, look.is_other_page(), now)
                .or_else(|| self.try_again(&look))
                .or_else(|| self.expect_late_effect(&look)),
            Stage::SentAgain => self.expect_late_effect(&look),
            Stage::Settled => self.expect_tick(&look),
            Stage::Ticked | Stage::TickedTwice => self.learn(&look.page),
        };
        let has_time = |next: &Next| match next {
            Next::LookAgain { after } => *after <= now.limit / 2,
            _ => true,
        };
        next.filter(has_time)
            .unwrap_or_else(|| self.conclude(look, now))
    }

    /// Looks again at a page that was just opened or emptied and shows nothing yet, because scripts draw many pages after the
    /// browser has loaded them.
    fn expect_content(&mut self, page: &PageNow, is_other: bool, now: Timing) -> Option<Next> {
        let was_bare = self.before.page.as_ref().is_none_or(PageNow::is_bare);
        let is_begun = self.execution.outcome.is_done() && (is_other || !was_bare);
        let is_opened = is_begun || self.content.is_some();
        if !is_opened || !page.is_bare() {
            return None;
        }
        let settle = self.before.settle;
        let (end, after) = *self.content.get_or_insert_with(|| {
            // A picture may be all that there is to come, or stand there while the page loads.
            let is_pictured = page.is_pictured();
            let most = if is_pictured { PICTURED } else { DRAWING };
            // Most of the time is left for what follows.
            let most = most.min(now.limit / 2);
            (now.at + most, settle.min(most / 3).max(PAUSE))
        });
        (now.at + after < end).then_some(Next::LookAgain { after })
    }

    /// Sends the action again if its targets were replaced after the last observation, because nothing was done yet. Does
    /// not if the action could do more harm than the one that was asked for.
    fn try_again(&mut self, look: &Look) -> Option<Next> {
        let is_gone = self.execution.outcome.class() == Some(ErrorClass::RefNotFound);
        if !is_gone || look.is_other_page() {
            return None;
        }
        let asked = &self.before;
        let Redrawn {
            action,
            is_known: is_healed,
        } = redrawn(&asked.action, &asked.targets, &look.page, &asked.elements)?;
        let effect = (asked.judged)(&action, Some(&look.page));
        // A person who approved the action saw the other name.
        let is_grave = is_healed && effect == Effect::Irreversible;
        if is_grave || effect > (asked.judged)(&asked.action, asked.page.as_ref()) {
            return None;
        }
        self.stage = Stage::SentAgain;
        Some(Next::TryAgain {
            in_words: in_words(&action, &look.page),
            action,
            is_healed,
        })
    }

    /// Looks again if the action seems to have had no effect. Changed numbers are an effect only if they are known to
    /// respond to actions.
    fn expect_late_effect(&mut self, look: &Look) -> Option<Next> {
        let seen = &look.page.observation;
        let may_show = self.execution.outcome.is_done()
            && may_show_late(&self.before.action, self.execution.traces.as_deref())
            && seen.dialog.is_none()
            && !seen.unresponsive;
        let found = look.changes.as_ref().filter(|found| found.is_empty())?;
        let is_answer = |number: &Counted| self.before.numbers.answers(number.slot);
        if !may_show || found.counted.iter().any(is_answer) {
            return None;
        }
        self.stage = Stage::Settled;
        let after = self.before.settle;
        Some(Next::LookAgain { after })
    }

    /// Looks again if it is not known whether the action changed the numbers. This is also done if traces prove an
    /// effect. Otherwise a changed number that the traces do not explain would be reported, even if it is a clock.
    fn expect_tick(&mut self, look: &Look) -> Option<Next> {
        let found = look.changes.as_ref()?;
        if !self.before.numbers.numbers.is_open(found) {
            return None;
        }
        self.look = Some(look.clone());
        self.stage = Stage::Ticked;
        Some(Next::LookAgain { after: TICK })
    }

    /// Learns from the look after a tick which numbers belong to a clock. Looks once more if a clock may be late.
    fn learn(&mut self, later: &PageNow) -> Option<Next> {
        let first = self.look.take()?;
        let (before, found) = (self.before.page.as_ref()?, first.changes.as_ref()?);
        let since = difference(&first.page, later);
        if matches!(self.stage, Stage::Ticked) && Numbers::may_be_late(found, &since) {
            self.look = Some(first);
            self.stage = Stage::TickedTwice;
            return Some(Next::LookAgain { after: TICK });
        }
        let KnownNumbers { numbers, earlier } = &mut self.before.numbers;
        // A number that did not change during an earlier action is no clock, provided that the action took at least a
        // tick. In a shorter time, a clock may not change either.
        let long = earlier
            .as_ref()
            .filter(|(_, time)| u128::from(*time) >= TICK.as_millis());
        let earlier = long.map(|(page, _)| difference(page, before));
        numbers.watched(found, &since, earlier.as_ref());
        None
    }

    /// Adds the numbers that answer the action to its changes, and drops the other numbers and the traces of clocks. Then
    /// asks for the place of the dragged element if the verdict needs it, or gives the verdict.
    fn conclude(&mut self, mut look: Look, now: Timing) -> Next {
        let Before { action, page, .. } = &self.before;
        if let (Some(page), Some(changes)) = (page, &mut look.changes) {
            let (tree, numbers) = (page.tree(), &self.before.numbers.numbers);
            let target = aimed_at(action, tree);
            let is_clock = numbers.explain(changes, tree, target);
            if let Some(traces) = self.execution.traces.as_mut().filter(|_| is_clock) {
                *traces = beside_a_clock(traces);
            }
            numbers.credit(changes, tree, target);
        }
        let is_here = !look.is_other_page() && self.unseen(&look.page).is_none();
        match dragged(action).filter(|_| is_here && self.from.is_some()) {
            Some(element) => {
                self.look = Some(look);
                Next::Place(element.clone())
            }
            None => self.verdict(look, now),
        }
    }

    /// Returns the outcome of an action that led to a page which cannot show whether the action worked: one that gives
    /// no answer, or the browser's own error page. Returns `None` for any other page.
    fn unseen(&self, page: &PageNow) -> Option<Outcome> {
        let (action, outcome) = (&self.before.action, &self.execution.outcome);
        if !page.observation.unresponsive {
            let before = self.before.page.as_ref().map(|page| &*page.observation);
            return led_to_error_page(action, outcome, before, &page.observation);
        }
        let shows = matches!(
            action,
            BrowserAction::TabSelect(_) | BrowserAction::Snapshot(_)
        );
        Some(match outcome {
            Outcome::Done if shows || navigates(action) => {
                Outcome::failed(ErrorClass::Timeout, NO_ANSWER)
            }
            Outcome::Failed(failure) if may_have_acted(action, failure.class) => {
                Outcome::Unclear(failure.clone())
            }
            other => other.clone(),
        })
    }

    fn verdict(&mut self, look: Look, now: Timing) -> Next {
        let Before { action, page, .. } = &self.before;
        let outcome = match (self.unseen(&look.page), page, &look.changes) {
            (None, Some(before), Some(changes)) => {
                let (before, after) = (&before.observation, &look.page.observation);
                judge(
                    action,
                    (&self.execution, self.moved),
                    changes,
                    before,
                    after,
                )
            }
            (unseen, ..) => unseen.unwrap_or_else(|| self.execution.outcome.clone()),
        };
        let is_other_page = look.is_other_page();
        let elapsed_ms = u64::try_from(now.at.as_millis()).unwrap_or(u64::MAX);
        let earlier = self.before.page.take().filter(|_| !is_other_page);
        let seen = |page: &PageNow| !page.observation.unresponsive;
        let is_comparable = seen(&look.page) && earlier.as_ref().is_some_and(seen);
        let mut numbers = std::mem::take(&mut self.before.numbers);
        if is_other_page {
            numbers = KnownNumbers::default();
        }
        numbers.earlier = earlier.map(|page| (page, elapsed_ms));
        let report = Execution::new(Outcome::NoEffect);
        let mut execution = std::mem::replace(&mut self.execution, report);
        execution.outcome = outcome;
        Next::Verdict(Box::new(WindowVerdict {
            execution,
            differences: look.changes.filter(|_| is_comparable),
            is_other_page,
            page: look.page,
            numbers,
        }))
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

fn difference(before: &PageNow, after: &PageNow) -> PageDiff {
    let (old, new) = (before.tree(), after.tree());
    let mut found = diff((&before.head, old), (&after.head, new));
    found.navigated = found.navigated && !lives_on(old, new);
    found
}

/// Returns true if the page is still the same although it has another address, as after an editor has saved a new text: its
/// headings are the same, and at least [`ALIVE`] of its elements have kept their references, roles and names.
fn lives_on(before: &Tree, after: &Tree) -> bool {
    fn headings(tree: &Tree) -> Vec<&str> {
        let nodes = tree.nodes().iter();
        let headings = nodes.filter(|node| node.role == Role::Heading);
        headings.map(|node| &*node.name).collect()
    }
    let (mut all, mut alive) = (0, 0);
    for node in before.nodes() {
        let Some(reference) = &node.reference else {
            continue;
        };
        let now = after.by_ref(reference.as_str()).map(|id| &after[id]);
        all += 1;
        alive +=
            usize::from(now.is_some_and(|now| (&now.role, &now.name) == (&node.role, &node.name)));
    }
    all >= FEW && alive * 100 >= all * ALIVE && headings(before) == headings(after)
}

#[cfg(test)]
mod tests;
