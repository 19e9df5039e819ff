//! The progress of a run along a trajectory: the steps taken and the steps left.

use super::here::Here;
use crate::{base::text, memory::StoredStep, working::Step};

/// Maximum number of consecutive steps of a trajectory that a run may skip. Source: chosen; a run that skips more is
/// probably not following the trajectory.
const MAX_LEFT_OUT: usize = 2;

/// The progress of a run along the steps of a trajectory.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Behind {
    /// Number of steps of the trajectory up to and including the last one that the run took.
    at: usize,
    /// Positions of skipped steps before `at` that give a value to a field. Other skipped steps are not listed, because
    /// the run may not have needed them.
    left_out: Vec<usize>,
}

/// Compares the steps `taken` by a run with `way`, the steps of a trajectory, and returns how far the run has come.
pub(super) fn behind(way: &[StoredStep], taken: &[Step], goal: &str) -> Behind {
    let mut behind = Behind::default();
    let done = taken.iter().filter(|step| step.outcome.is_done());
    for step in done.filter_map(StoredStep::of) {
        let on = advance(&way[behind.at..], &step, Some(goal));
        if on > 0 {
            let passed = behind.at..behind.at + on - 1;
            behind
                .left_out
                .extend(passed.filter(|at| way[*at].writes()));
            behind.at += on;
        } else if let Some(late) = behind
            .left_out
            .iter()
            .position(|at| way[*at].is_same(&step))
        {
            behind.left_out.remove(late);
        }
    }
    behind
}

/// Returns how many steps of the trajectory `way` a run took, in this order, in its steps `taken`. The run may skip at
/// most [`MAX_LEFT_OUT`] steps of `way` at a time; steps after a larger gap do not count. Steps in `taken` whose effect
/// was not verified do not count either.
pub(super) fn followed_steps(way: &[StoredStep], taken: &[StoredStep]) -> usize {
    let (mut at, mut count) = (0, 0);
    for step in taken.iter().filter(|step| step.verified) {
        let on = advance(&way[at..], step, None);
        at += on;
        count += usize::from(on > 0);
    }
    count
}

/// Returns how many steps of `rest`, the remaining steps of a trajectory, are done or skipped after the step `taken`.
/// Returns 0 if `taken` is none of the next steps.
///
/// - If several of the next steps are the same as `taken`, the first of them counts. But if the goal contains the name of
///   the target of `taken`, the first of them whose target's name is a value of the recorded goal counts, if there is one.
/// - If the run made another choice in place of the first step of `rest`, this first step counts as done.
fn advance(rest: &[StoredStep], taken: &StoredStep, goal: Option<&str>) -> usize {
    let near = &rest[..rest.len().min(MAX_LEFT_OUT + 1)];
    let is_of_goal = goal.is_some_and(|goal| {
        let name = taken.target.as_ref().and_then(|target| target.aim.as_ref());
        name.is_some_and(|aim| is_in(&aim.name, goal))
    });
    let has_slot = |step: &StoredStep| step.target.as_ref().is_some_and(|of| of.slot.is_some());
    let named = near
        .iter()
        .position(|step| is_of_goal && has_slot(step) && step.is_same(taken));
    let same = || near.iter().position(|step| step.is_same(taken));
    let other = || {
        let first = near.first()?;
        first.is_other_choice(taken).then_some(0)
    };
    let next = named.or_else(same).or_else(other);
    next.map_or(0, |at| at + 1)
}

/// Returns true if `words` contains the words of `name` without a gap. Returns false if `name` has no words.
pub(super) fn is_in(name: &str, words: &str) -> bool {
    let spaced = |text: &str| format!(" {} ", text::words(text).join(" "));
    let name = spaced(name);
    name.len() > 2 && spaced(words).contains(&name)
}

/// Returns the positions of the remaining steps of the trajectory `way`: first the skipped steps that can be taken on
/// the current page, then the next step and all later ones. Empty if neither a skipped step nor one of the next steps
/// can be taken on the current page.
///
/// Skipped steps come first, because a later step may submit a form with a field that a skipped step should fill in.
pub(super) fn left(way: &[StoredStep], behind: &Behind, here: &Here<'_>) -> Vec<usize> {
    let mut ahead = behind.at..way.len().min(behind.at + MAX_LEFT_OUT + 1);
    let has_target = |at: &usize| way[*at].target.is_some();
    let left_out = behind.left_out.iter().copied();
    let mut left: Vec<usize> = left_out
        .filter(|at| has_target(at) && here.can_take(&way[*at]))
        .collect();
    // Many pages have a button such as "Save", so a step after the first one must be on its own page.
    let can_take = |at: &usize| {
        let step = &way[*at];
        (*at == behind.at || here.may_be_page_of(step)) && here.can_take(step)
    };
    let next = ahead.find(can_take).map(|first| {
        // The target of such a step may be any element of its role, so a later step that names an element of this very
        // page is more certain.
        let is_certain = |at: &usize| here.is_named_here(&way[*at]) && here.can_take(&way[*at]);
        let certain = || ahead.find(is_certain);
        let better = here.is_vague(&way[first]).then(certain).flatten();
        better.unwrap_or(first)
    });
    match next {
        Some(next) => left.extend(next..way.len()),
        None => left.extend(
            if left.is_empty() {
                way.len()
            } else {
                behind.at
            }..way.len(),
        ),
    }
    left
}
