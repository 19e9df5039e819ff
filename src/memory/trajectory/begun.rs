//! Reuses the first steps of a trajectory for a new goal that begins like the trajectory's own goal.

use super::{
    Header, Trajectory,
    deciding::quoted_after,
    same_task::{SameTask, matched},
};
use crate::{
    action::{BrowserTool, TextValue},
    goal::compose,
    memory::{StoredStep, StoredText},
    page::Role,
};

/// Returns the first steps of a trajectory as a task with the values of `goal`. `goal` and the recorded goal must begin
/// with the same sentences, apart from values. If the recorded goal goes on after them, the last of them must not end
/// with a value, because the value may go on after the dot, as in "St. Gallen". Returns `None` if the goals do not
/// begin like this, or if no step belongs to the shared sentences.
///
/// The steps end before the first one that selects an option or changes a checkbox, because the rest of the goal may ask for
/// another choice.
pub(super) fn begun_task(trajectory: &Trajectory, goal: &str) -> Option<SameTask> {
    let header = &trajectory.header;
    let new = compose(goal);
    let (known_ends, new_ends) = (sentence_ends(&header.goal), sentence_ends(&new));
    let ends = known_ends.into_iter().zip(new_ends);
    ends.rev().find_map(|(known_end, new_end)| {
        // A dot does not always end a sentence, as in "St.". A value that ends right before the dot may continue behind
        // it, so the goal is not cut here.
        let in_doubt = |(_, to): &(usize, usize)| header.goal[*to..known_end].chars().count() == 1;
        if known_end < header.goal.len()
            && header
                .slots
                .iter()
                .any(|slot| slot.1 < known_end && in_doubt(slot))
        {
            return None;
        }
        let count = begun(&trajectory.steps, header, known_end);
        let (steps, known) = (&trajectory.steps[..count], &header.goal[..known_end]);
        if steps.is_empty() {
            return None;
        }
        matched(known, &header.slots, steps, &new[..new_end])
    })
}

/// Returns the positions in a goal at which its sentences end. Unit: bytes.
fn sentence_ends(goal: &str) -> Vec<usize> {
    let mut ends = Vec::new();
    let mut is_quoted = false;
    let mut chars = goal.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let is_last = chars.peek().is_none_or(|(_, next)| next.is_whitespace());
        is_quoted = quoted_after(is_quoted, c);
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

/// Returns how many of the first steps belong to the sentences of the recorded goal up to `end`. Unit of `end`: bytes.
///
/// - The last of these steps is the last one that uses a value from these sentences. A step that uses a value from a later
///   sentence ends the search.
/// - If the last step types a secret, a following step on a button of the same page is counted too, as in a login.
/// - If one of these steps selects an option or changes a checkbox, only the steps before it are counted.
fn begun(steps: &[StoredStep], header: &Header, end: usize) -> usize {
    // A step belongs to the sentence that contains its value.
    let is_in_part = |step: &StoredStep| {
        let slots = step.slots();
        let slots = slots.map(|slot| header.slots.get(slot).is_some_and(|(_, to)| *to <= end));
        let named = match &step.text {
            Some(StoredText::Secret(name)) => Some(name.placeholder()),
            Some(StoredText::Parameter(name)) => {
                Some(TextValue::Parameter(name.clone()).to_string())
            }
            _ => None,
        };
        let named = named.and_then(|name| header.goal.find(&name));
        slots
            .chain(named.map(|at| at < end))
            .reduce(|one, other| one && other)
    };
    let mut count = 0;
    for (at, step) in steps.iter().enumerate() {
        match is_in_part(step) {
            Some(true) => count = at + 1,
            Some(false) => break,
            None => {}
        }
    }
    let gave_secret = |at: usize| matches!(steps[at].text, Some(StoredText::Secret(_)));
    if let Some(button) = steps.get(count)
        && count > 0
        && gave_secret(count - 1)
        && button.page == steps[count - 1].page
        && button
            .target
            .as_ref()
            .is_some_and(|target| target.role == Role::Button)
    {
        count += 1;
    }
    let chooses = |step: &StoredStep| {
        use BrowserTool as T;
        matches!(step.tool, T::Select | T::Check | T::Uncheck)
    };
    let chosen = steps[..count].iter().position(chooses);
    chosen.unwrap_or(count)
}
