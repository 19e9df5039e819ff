//! A goal that begins like the one of a trajectory: the steps that both have in common.

use super::{
    Header, Trajectory,
    adapt::gone,
    same_task::{SameTask, matched},
};
use crate::{
    action::{BrowserTool, TextValue},
    goal::compose,
    memory::{StoredStep, StoredTarget, StoredText},
    page::Role,
};

/// Returns the first steps of a trajectory with the values of a goal that begins with the same sentences; `None` if it does not, or if no
/// step belongs to these sentences.
///
/// What follows in the goal may change what the form of a sentence is to contain, or whether it is to be sent. So no form is
/// sent, except one that logs in or searches.
pub(super) fn begun_task(trajectory: &Trajectory, goal: &str) -> Option<SameTask> {
    let header = &trajectory.header;
    let new = compose(goal);
    let (known_ends, new_ends) = (sentence_ends(&header.goal), sentence_ends(&new));
    let ends = known_ends.into_iter().zip(new_ends);
    ends.rev().find_map(|(known_end, new_end)| {
        let count = begun(&trajectory.steps, header, known_end);
        let (steps, known) = (&trajectory.steps[..count], &header.goal[..known_end]);
        if steps.is_empty() {
            return None;
        }
        let task = matched(known, &header.slots, steps, &new[..new_end])?;
        let gone = gone(trajectory, goal);
        Some(SameTask { gone, ..task })
    })
}

/// Returns where the sentences of a goal end, as positions in bytes.
fn sentence_ends(goal: &str) -> Vec<usize> {
    let mut ends = Vec::new();
    let mut is_quoted = false;
    let mut chars = goal.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let is_last = chars.peek().is_none_or(|(_, next)| next.is_whitespace());
        match c {
            '"' => is_quoted = !is_quoted,
            '“' | '„' | '«' | '「' | '『' => is_quoted = true,
            '”' | '»' | '」' | '』' => is_quoted = false,
            _ => {}
        }
        let ends_here =
            matches!(c, '。' | '！' | '？') || (is_last && matches!(c, '.' | '!' | '?'));
        if ends_here && !is_quoted {
            ends.push(at + c.len_utf8());
        }
    }
    if ends.last() != Some(&goal.len()) && !goal.is_empty() {
        ends.push(goal.len());
    }
    ends
}

/// Returns the number of steps that surely belong to the sentences of a goal up to this position.
fn begun(steps: &[StoredStep], header: &Header, end: usize) -> usize {
    // A step belongs to the sentence that has its value.
    let is_in_part = |step: &StoredStep| {
        let slots = step
            .slots()
            .map(|slot| header.slots.get(slot).is_some_and(|(_, to)| *to <= end));
        let named = match &step.text {
            Some(StoredText::Secret(name)) => Some(name.placeholder()),
            Some(StoredText::Parameter(name)) => {
                Some(TextValue::Parameter(name.clone()).to_string())
            }
            _ => None,
        };
        let named = named
            .and_then(|name| header.goal.find(&name))
            .map(|at| at < end);
        slots.chain(named).reduce(|one, other| one && other)
    };
    let mut count = 0;
    for (at, step) in steps.iter().enumerate() {
        match is_in_part(step) {
            Some(true) => count = at + 1,
            Some(false) => break,
            None => {}
        }
    }
    // The button of a login has no value.
    if let Some(last) = count.checked_sub(1).map(|at| &steps[at])
        && matches!(last.text, Some(StoredText::Secret(_)))
    {
        let rest = steps[count..].iter();
        let belongs = |step: &&StoredStep| step.page == last.page && is_in_part(step).is_none();
        count += rest.take_while(belongs).count();
    }
    let sends = (0..count).find(|at| sends(steps, *at));
    sends.unwrap_or(count)
}

/// Returns true if a step may send what the steps before it on its page gave, unless that is a login or a search.
fn sends(steps: &[StoredStep], at: usize) -> bool {
    let step = &steps[at];
    let before = steps[..at]
        .iter()
        .rev()
        .take_while(|before| before.page == step.page);
    let (mut gave, mut logs_in) = (step.submit, false);
    for before in before {
        gave |= before.writes();
        logs_in |= matches!(before.text, Some(StoredText::Secret(_)));
    }
    let presses =
        |target: &StoredTarget| matches!(target.role, Role::Button | Role::Link | Role::MenuItem);
    let searches = |target: &StoredTarget| {
        target.role == Role::SearchBox || target.landmark == Some(Role::Search)
    };
    // A key without a target goes to the field that was filled before.
    let is_key = step.tool == BrowserTool::Press;
    let field = at
        .checked_sub(1)
        .and_then(|before| steps[before].target.as_ref());
    let target = step.target.as_ref().or(field.filter(|_| is_key));
    let may_send = step.submit || is_key || (!step.writes() && target.is_some_and(presses));
    may_send && gave && !logs_in && !target.is_some_and(searches)
}
