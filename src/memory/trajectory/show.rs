//! A trajectory in a prompt: what is left of its way from this page on.

use std::fmt;

use chrono::{DateTime, Utc};

use super::{Given, Target, Trajectory, TrajectoryStep};
use crate::{
    action::BrowserTool,
    base::text::{self, counted},
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

/// Returns the lines about a trajectory of which these steps are left, the next one first, for a run with this goal, in which the slots have
/// these values.
pub(super) fn lines(
    trajectory: &Trajectory,
    left: &[usize],
    goal: &str,
    values: &[Option<String>],
    now: DateTime<Utc>,
) -> Vec<Vec<Piece>> {
    let header = &trajectory.header;
    let (age, all) = (
        ago(now - header.timestamp),
        counted(trajectory.steps.len(), "step"),
    );
    let head = match shared(&header.goal, &header.slots, goal) {
        None => format!("This task was done here {age}, in {all}."),
        Some(parts) => {
            let goal = text::truncate(&masked(&parts), MAX_GOAL);
            format!(
                "A similar task was done here {age}, in {all}. Its values were others: take yours from the goal. It was: {goal}"
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
        pieces.extend(words(&trajectory.steps[*at], values));
        if nth == 0 {
            pieces.push(" <- next, on this page".into());
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
fn words(step: &TrajectoryStep, values: &[Option<String>]) -> Vec<Piece> {
    use BrowserTool as T;
    let target = step.target.as_ref().map(|target| named(target, values));
    let (verb, link) = match step.tool {
        T::Goto => ("open", ""),
        T::TabNew => ("open a new tab", ""),
        T::Select => ("choose", " in "),
        T::Type => ("type", " in "),
        T::Press => ("press", " in "),
        tool => (tool.as_str(), " "),
    };
    let mut out: Vec<Piece> = vec![verb.into()];
    let text = step.text.as_ref().map(|text| given(text, values));
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
fn given(given: &Given, values: &[Option<String>]) -> String {
    match given {
        Given::Slot(slot) => slot_with_value(*slot, values),
        Given::Parameter(name) => format!("<param:{name}>"),
        Given::Secret(name) => name.placeholder(),
        Given::Other { .. } => "what the task needs there".to_owned(),
    }
}

/// Returns the name of a value of the goal.
fn slot_name(slot: usize) -> String {
    format!("<{}>", slot + 1)
}

/// Returns the name of a slot, followed by the new goal's value for the slot if that value is proven.
fn slot_with_value(slot: usize, values: &[Option<String>]) -> String {
    let name = slot_name(slot);
    match values.get(slot).and_then(Option::as_deref) {
        Some(value) => format!("{name} (here {})", serde_json::Value::from(value)),
        None => name,
    }
}

/// Returns a target: the value that is its name, what identifies it, or where it stands.
fn named(target: &Target, values: &[Option<String>]) -> Vec<Piece> {
    let (role, place) = (role(target), place(target));
    if let Some(slot) = target.slot {
        return vec![Piece::Words(format!(
            "the {role} {}",
            slot_with_value(slot, values)
        ))];
    }
    match (&target.aim, target.collection) {
        (Some(aim), _) if !aim.name.is_empty() => vec![aim.named()],
        (Some(aim), _) => vec![
            aim.named(),
            Piece::Words(format!(" (it has no name{place})")),
        ],
        (None, _) if target.is_of_goal => vec![Piece::Words(format!(
            "the {role}{place} that fits your goal"
        ))],
        // Its name is not kept, because this run may have to choose another one.
        (None, Some(list)) => vec![Piece::Words(format!(
            "the {role} that fits your goal, one of {} alike{place}",
            list.size
        ))],
        (None, None) => vec![Piece::Words(format!(
            "a {role}{place}, whose name was not kept"
        ))],
    }
}

/// Returns the part of the page that the target is in; empty if it is not known.
fn place(target: &Target) -> String {
    let part = match &target.landmark {
        None | Some(Role::Other(_) | Role::Generic) => return String::new(),
        Some(Role::Banner) => "header",
        Some(Role::ContentInfo) => "footer",
        Some(Role::Main) => "main part",
        Some(role) => role.as_str(),
    };
    format!(" in the {part}")
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
        words(self, &[]).iter().try_for_each(|piece| piece.fmt(f))
    }
}
