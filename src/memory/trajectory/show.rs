//! The lines by which a prompt shows the remaining steps of a trajectory.

use chrono::{DateTime, Utc};

use super::{Trajectory, here::Here};
use crate::{
    base::text::{self, counted},
    goal::{Shared, shared},
    memory::{
        Lasts, Piece, Section, StoredStep,
        ago::ago,
        step_words::{slot_name, words},
    },
};

/// The prompt section for a trajectory. Source of its priority: chosen.
pub(super) const SECTION: Section = Section::custom("Reference trajectory", 40, Lasts::Page);
/// Maximum number of steps of a trajectory that a prompt shows. A single step above this number is shown too. Source:
/// chosen; enough for the steps on two pages.
const MAX_SHOWN: usize = 8;
/// Maximum length of the recorded goal in a prompt. Longer goals are cut. In a long line, [`Advice`](crate::memory::Advice)
/// may cut the goal even earlier. Unit: characters. Source: chosen.
const MAX_GOAL: usize = 200;

/// Returns the lines that show a trajectory to a run with the goal `new`. `left` has the positions of the remaining steps,
/// the next step first. `values` has the new goal's value for each value of the recorded goal, if it is known.
pub(super) fn lines(
    trajectory: &Trajectory,
    left: &[usize],
    new: &str,
    values: &[Option<String>],
    now: DateTime<Utc>,
) -> Vec<Vec<Piece>> {
    let header = &trajectory.header;
    let (age, all) = (
        ago(now - header.timestamp),
        counted(trajectory.steps.len(), "step"),
    );
    let head = match shared(&header.goal, &header.slots, new) {
        None => format!("This task was done here {age}, in {all}."),
        Some(parts) => {
            let goal = text::truncate(&masked(&parts), MAX_GOAL);
            let others = if has_other_values(trajectory, &parts, new, values) {
                " Its values were others: take yours from the goal."
            } else {
                ""
            };
            format!(
                "A similar task was done here {age}, in {all}.{others} In words of your goal, it was: {goal}"
            )
        }
    };
    let mut out = vec![vec![Piece::Words(head)]];
    let shown = shown(left);
    for at in shown {
        let mut pieces = vec![Piece::Words(format!("{}. ", at + 1))];
        pieces.extend(words(&trajectory.steps[*at], values));
        out.push(pieces);
    }
    let hidden = left.len() - shown.len();
    if hidden > 0 {
        out.push(vec![Piece::Words(format!(
            "({})",
            counted(hidden, "more step")
        ))]);
    }
    out
}

/// Returns those of the remaining steps that a prompt shows.
fn shown(left: &[usize]) -> &[usize] {
    // If only one step exceeds the limit, it is shown, because a line about one hidden step would not be shorter.
    if left.len() == MAX_SHOWN + 1 {
        left
    } else {
        &left[..left.len().min(MAX_SHOWN)]
    }
}

/// Marks the steps in `lines` whose target belongs to this page but is missing from it at the moment. The first step is
/// never marked. `lines` is the result of [`lines`]. `way` has all steps of the trajectory, adapted to the new goal.
/// `recorded` has the same steps as recorded, with all addresses that they led to. `left` has the positions of the
/// remaining steps in `way` and `recorded`.
pub(super) fn mark(
    lines: &mut [Vec<Piece>],
    [way, recorded]: [&[StoredStep]; 2],
    left: &[usize],
    here: &Here<'_>,
) {
    let mut is_elsewhere = false;
    for (nth, (line, at)) in lines.iter_mut().skip(1).zip(shown(left)).enumerate() {
        let step = &way[*at];
        is_elsewhere |= !here.may_be_page_of(step);
        let names_target = step.target.as_ref().is_some_and(|of| of.aim.is_some());
        if nth > 0 && !is_elsewhere && names_target && !here.can_take(step) {
            line.push(" if it appears".into());
        }
        is_elsewhere |= recorded[*at].opens_page();
    }
}

/// Returns true if a value of the recorded goal has another value in its place or is missing in the new goal, or if the
/// new goal has other words in place of words that are no value. If one goal only has more words than the other, apart
/// from values, the result is false. `parts` are the parts of the recorded goal.
fn has_other_values(
    trajectory: &Trajectory,
    parts: &[Shared],
    new: &str,
    values: &[Option<String>],
) -> bool {
    let header = &trajectory.header;
    let wanted = text::words(new);
    let slots = header.slots.iter().enumerate();
    let mut known: Vec<String> = Vec::new();
    for (nth, (start, end)) in slots {
        let old = text::words(header.goal.get(*start..*end).unwrap_or_default());
        let is_same = match values.get(nth) {
            Some(Some(value)) => text::words(value) == old,
            _ => wanted.windows(old.len().max(1)).any(|some| some == old),
        };
        if !is_same {
            return true;
        }
        known.extend(old);
    }
    for part in parts {
        if let Shared::Words(shared) = part {
            known.extend(text::words(shared));
        }
    }
    parts.contains(&Shared::Other) && wanted.iter().any(|word| !known.contains(word))
}

/// Returns the recorded goal with a name such as `<1>` for each value, and dots for words that the new goal does not
/// contain.
fn masked(parts: &[Shared]) -> String {
    let words = parts.iter().map(|part| match part {
        Shared::Words(words) => words.clone(),
        Shared::Slot(slot) => slot_name(*slot),
        Shared::Other => "...".to_owned(),
    });
    words.collect::<Vec<_>>().join(" ")
}
