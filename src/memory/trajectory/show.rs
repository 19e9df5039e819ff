//! A trajectory in a prompt: what is left of its way from this page on.

use std::fmt;

use chrono::{DateTime, Utc};

use super::{Given, Target, Trajectory, TrajectoryStep};
use crate::{
    action::BrowserTool,
    base::text,
    goal::{Shared, shared},
    memory::{Lasts, PageName, Piece, Section, ago::ago},
    page::Role,
};

/// The section of a prompt with a trajectory. Source of its priority: document.
pub(super) const SECTION: Section = Section::custom("Reference trajectory", 40, Lasts::Page);
/// Maximum number of steps that are shown. Source: chosen; the steps of two pages, with what follows them.
const MAX_SHOWN: usize = 8;
/// Maximum length of the earlier goal. Unit: characters. Source: chosen.
const MAX_GOAL: usize = 200;

/// Returns the lines about a trajectory of which these steps are left, the next one first, for a run with this goal.
pub(super) fn lines(
    trajectory: &Trajectory,
    left: &[usize],
    goal: &str,
    now: DateTime<Utc>,
) -> Vec<Vec<Piece>> {
    let header = &trajectory.header;
    let (age, all) = (ago(now - header.timestamp), trajectory.steps.len());
    let head = match shared(&header.goal, &header.slots, goal) {
        None => format!("This task was done here {age}, in {all} steps."),
        Some(parts) => {
            let goal = text::truncate(&masked(&parts), MAX_GOAL);
            format!(
                "A similar task was done here {age}, in {all} steps: {goal}. Its values were others: take yours from the goal."
            )
        }
    };
    let mut out = vec![vec![Piece::Words(head)]];
    // A line that says that one step is hidden would be no shorter than the step.
    let shown = if left.len() == MAX_SHOWN + 1 {
        left.len()
    } else {
        MAX_SHOWN
    };
    for (nth, at) in left.iter().take(shown).enumerate() {
        let mut pieces = vec![Piece::Words(format!("{}. ", at + 1))];
        pieces.extend(words(&trajectory.steps[*at]));
        if nth == 0 {
            pieces.push(" <- next, on this page".into());
        }
        out.push(pieces);
    }
    let hidden = left.len().saturating_sub(shown);
    if hidden > 0 {
        out.push(vec![Piece::Words(format!("({hidden} more steps)"))]);
    }
    out
}

/// Returns a goal with numbers for its values, and dots for words that only it has.
fn masked(parts: &[Shared]) -> String {
    let words = parts.iter().map(|part| match part {
        Shared::Words(words) => words.clone(),
        Shared::Slot(slot) => slot_name(*slot),
        Shared::Other => "...".to_owned(),
    });
    words.collect::<Vec<_>>().join(" ")
}

/// Returns a step in words, such as `fill n1 with <1>, then Enter`.
fn words(step: &TrajectoryStep) -> Vec<Piece> {
    use BrowserTool as T;
    let target = step.target.as_ref().map(named);
    let (verb, link) = match step.tool {
        T::Goto => ("open", ""),
        T::TabNew => ("open a new tab", ""),
        T::Select => ("choose", " in "),
        T::Type => ("type", " in "),
        T::Press => ("press", " in "),
        tool => (tool.as_str(), " "),
    };
    let mut out: Vec<Piece> = vec![verb.into()];
    let text = step.text.as_ref().map(given);
    // `choose <1> in n1`, `press Enter in n1`, but `fill n1 with <1>`.
    let is_first = matches!(step.tool, T::Select | T::Type);
    if let (true, Some(text)) = (is_first, &text) {
        out.push(Piece::Words(format!(" {text}")));
    }
    if let Some(key) = &step.key {
        out.push(Piece::Words(format!(" {key}")));
    }
    if let Some(target) = target {
        out.push(link.into());
        out.extend(target);
    }
    if let (T::Goto, Some(page)) = (step.tool, &step.leads_to) {
        out.push(" ".into());
        out.push(PageName::new(&Role::Document, page.path(), None).into());
    }
    if let (false, Some(text)) = (is_first, &text) {
        out.push(Piece::Words(format!(" with {text}")));
    }
    if step.submit {
        out.push(", then Enter".into());
    }
    out
}

/// Returns a text that was given, without the text itself.
fn given(given: &Given) -> String {
    match given {
        Given::Slot(slot) => slot_name(*slot),
        Given::Parameter(name) => format!("<param:{name}>"),
        Given::Secret(name) => name.placeholder(),
        Given::Other { .. } => "what your goal asks for".to_owned(),
    }
}

/// Returns the name of a value of the goal.
fn slot_name(slot: usize) -> String {
    format!("<{}>", slot + 1)
}

/// Returns a target: what identifies it, the value that is its name, or the list that it was chosen from.
fn named(target: &Target) -> Vec<Piece> {
    if let Some(slot) = target.slot {
        return vec![Piece::Words(format!(
            "the {} {}",
            role(target),
            slot_name(slot)
        ))];
    }
    if let Some(aim) = &target.aim {
        return vec![aim.named()];
    }
    vec![Piece::Words(match target.collection {
        Some(collection) => format!("one of {} of role {}", collection.size, role(target)),
        None => format!("a {}", role(target)),
    })]
}

/// Returns the role, or the generic role if the page made it up.
fn role(target: &Target) -> &str {
    match &target.role {
        Role::Other(_) => Role::Generic.as_str(),
        role => role.as_str(),
    }
}

impl fmt::Display for TrajectoryStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        words(self).iter().try_for_each(|piece| piece.fmt(f))
    }
}
