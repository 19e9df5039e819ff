//! The way of a run that may have been interrupted and resumed: the steps that led to its end, if the log proves all of
//! them.
//!
//! # Decisions
//!
//! - A resumed run opens its last page again. That opening only restores what the interruption lost. It is not part of the
//!   way, and it does not replace the steps that first led to the page.
//! - If the log cannot prove that the steps before and after the opening form one way, there is no way. A way with a hole,
//!   or with a step twice, would mislead every later run, and the next run of the task records a whole one.

use super::{
    RunLog,
    shortest::{is_same_field, looks_only, only_moves, only_sets, shortest, tool},
};
use crate::{
    action::{BrowserTool, Outcome},
    working::{By, Step},
};

/// Returns the steps with which the run opened its last page again after an interruption, as positions in `steps`. The
/// steps before the first step of another party open the start page.
pub(super) fn reopenings(steps: &[Step]) -> impl Iterator<Item = usize> + '_ {
    let is_opening = |step: &Step| step.by == By::Task;
    let start = steps.iter().take_while(|step| is_opening(step)).count();
    (start..steps.len()).filter(move |at| is_opening(&steps[*at]))
}

/// Returns the [shortest] sequence of the run's steps that leads to its end. Returns `None` if the log does not prove that
/// this sequence is whole:
///
/// - the first steps are missing from the log
/// - a resumed run did not get back to the page where it was
/// - nobody saw what came of a step, unless the run later repeated the step and it is certain that the first attempt left
///   nothing behind
/// - the run repeated a step after it had opened the page again, so that it is not known whether the first one counts,
///   unless repeating it does no harm
pub(super) fn whole_way(log: &RunLog) -> Option<Vec<&Step>> {
    let steps = &log.steps;
    let reopened: Vec<usize> = reopenings(steps).collect();
    let got_back = reopened.iter().all(|at| is_back(steps, *at));
    // Before runs recorded that their log was cut, only the first number told it.
    let is_cut = log.cut || steps.first().is_some_and(|step| step.number > 1);
    if is_cut || !got_back {
        return None;
    }
    let is_again = |at: &usize| reopened.contains(at);
    let mut way = Vec::new();
    for (at, step) in steps.iter().enumerate() {
        if is_again(&at) {
            continue;
        }
        let is_over = reopened.iter().any(|reopened| *reopened > at);
        if is_unseen(step) {
            let mut later = steps[at + 1..].iter().filter(|_| is_over);
            let again = later.find(|later| is_done(later) && is_repeated(step, later))?;
            if !(only_moves(again) || only_sets(again)) {
                return None;
            }
        } else {
            way.push(step);
        }
    }
    let is_twice = |at: &usize| repeats(steps, *at);
    (!reopened.iter().any(is_twice)).then(|| shortest(way))
}

/// Returns true if nobody saw what came of the step, and the step may have been a part of the way.
fn is_unseen(step: &Step) -> bool {
    step.unseen && step.by != By::Task && tool(step).is_some_and(|tool| !looks_only(tool))
}

/// Returns true if the opening at position `at` succeeded, and led to the page on which the run was before.
fn is_back(steps: &[Step], at: usize) -> bool {
    let mut places = steps[..at].iter().rev().map(|step| step.after.url());
    let last = places.find(|url| !url.is_empty());
    if steps[at].unseen {
        // If the opening was itself interrupted, the run was resumed once more.
        return steps[at + 1..].iter().any(|step| step.by == By::Task);
    }
    let is_open = !matches!(steps[at].outcome, Outcome::Failed(_));
    is_open && last == Some(steps[at].after.url())
}

/// Returns true if the run did something that may count twice, and did it again after it had opened the page at position
/// `at`.
fn repeats(steps: &[Step], at: usize) -> bool {
    let is_risky = |step: &&Step| {
        let is_harmless =
            |tool| looks_only(tool) || matches!(tool, BrowserTool::Hover | BrowserTool::HoverXy);
        let may_count = |tool| !is_harmless(tool) && !only_sets(step) && !only_moves(step);
        is_done(step) && tool(step).is_some_and(may_count)
    };
    let before = steps[..at].iter().filter(|step| step.by != By::Task);
    let mut risky = before.filter(|step| !is_unseen(step)).filter(is_risky);
    let after = &steps[at + 1..];
    risky.any(|step| after.iter().any(|later| is_repeated(step, later)))
}

const fn is_done(step: &Step) -> bool {
    matches!(step.outcome, Outcome::Done | Outcome::Unclear(_))
}

/// Returns true if `later` has the same tool and the same element, even with another text, or if it is the same action
/// without an element.
fn is_repeated(step: &Step, later: &Step) -> bool {
    step.signature == later.signature || (tool(step) == tool(later) && is_same_field(later, step))
}
