//! The lines by which a prompt shows a trajectory. They show the steps that are left from the current page on.

use chrono::{DateTime, Utc};

use super::Trajectory;
use crate::{
    base::text::{self, counted},
    goal::{Shared, shared},
    memory::{
        Lasts, Piece, Section,
        ago::ago,
        step_words::{NEXT, slot_name, words},
    },
};

/// The prompt section that shows a trajectory. Source of the section's priority: chosen.
pub(super) const SECTION: Section = Section::custom("Reference trajectory", 40, Lasts::Page);
/// Maximum number of steps of a trajectory that a prompt shows. Source: chosen; enough for the steps on two pages.
const MAX_SHOWN: usize = 8;
/// Maximum length of the recorded goal in a prompt; a longer goal is cut. Unit: characters. Source: chosen.
const MAX_GOAL: usize = 200;

/// Returns the lines that show a trajectory to a run with the goal `new`. `left` has the positions of the steps that are
/// left, and the next step comes first. For each value of the recorded goal, `values` has the value that the new goal has in
/// its place.
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
    // If only one step exceeds the limit, it is shown, because a line about one hidden step would not be shorter.
    let shown = if left.len() == MAX_SHOWN + 1 {
        left.len()
    } else {
        MAX_SHOWN
    };
    for (nth, at) in left.iter().take(shown).enumerate() {
        let mut pieces = vec![Piece::Words(format!("{}. ", at + 1))];
        pieces.extend(words(&trajectory.steps[*at], values));
        if nth == 0 {
            pieces.push(NEXT.into());
        }
        out.push(pieces);
    }
    let hidden = left.len().saturating_sub(shown);
    if hidden > 0 {
        out.push(vec![Piece::Words(format!(
            "({})",
            counted(hidden, "more step")
        ))]);
    }
    out
}

/// Returns true if the new goal has something else in place of a part of the recorded goal: another value, or other words.
/// Words that only one of the two goals has, in addition to the shared words, do not count. `parts` are the parts of the
/// recorded goal.
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

/// Returns the recorded goal in a masked form: each value is replaced by a name such as `<1>`, and words that the new goal
/// does not contain are replaced by dots.
fn masked(parts: &[Shared]) -> String {
    let words = parts.iter().map(|part| match part {
        Shared::Words(words) => words.clone(),
        Shared::Slot(slot) => slot_name(*slot),
        Shared::Other => "...".to_owned(),
    });
    words.collect::<Vec<_>>().join(" ")
}
