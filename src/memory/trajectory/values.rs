//! The values of a new goal in the places of the recorded goal's values, if the new goal is the recorded task with other
//! values.

use std::collections::BTreeMap;

use super::Trajectory;
use crate::{
    action::BrowserTool,
    goal::{ArgField, Field, Literals, Provenance, Recorded, Template, compose},
    memory::{StoredStep, StoredText},
};

/// Maximum length of the new goal's values that prompts show. Unit: characters. Source: chosen; the model can read a
/// longer value in the goal itself.
const MAX_VALUE: usize = 80;

/// Returns the value in `goal` for each value of the recorded goal; `None` if `goal` describes another task. A single value is
/// `None` if it is longer than [`MAX_VALUE`], or if the steps need it in a form that the new goal does not have.
pub(super) fn values(trajectory: &Trajectory, goal: &str) -> Option<Vec<Option<String>>> {
    let (header, steps) = (&trajectory.header, &trajectory.steps);
    let literals = steps.iter().map(|step| literals(trajectory, step));
    let template = Template::compile(&Recorded::new(&header.goal, literals.collect()));
    let verdict = template.matches(goal, &BTreeMap::new());
    let accepted = verdict.accepted()?;
    let recorded = template.texts().into_iter();
    let recorded = recorded.filter(|traced| matches!(traced.from, Provenance::Slot(_)));
    let recorded = recorded.map(|text| ((text.step, text.field == Field::Name), text.value));
    let new = accepted.args.iter();
    let new = new.map(|arg| ((arg.step, arg.field == ArgField::Name), arg.new.clone()));
    let given: BTreeMap<(usize, bool), String> = recorded.chain(new).collect();
    let new_goal = compose(goal);
    let mut values = vec![None; header.slots.len()];
    for ((step, is_name), value) in given {
        let slot = if is_name {
            name_slot(&steps[step])
        } else {
            text_slot(&steps[step])
        };
        let is_shown = value.chars().count() <= MAX_VALUE && new_goal.contains(&value);
        if let Some(slot) = slot.filter(|slot| is_shown && values[*slot].is_none()) {
            values[slot] = Some(value);
        }
    }
    Some(values)
}

/// Returns the values of the recorded goal in a step, in the form in which templates are compiled.
fn literals(trajectory: &Trajectory, step: &StoredStep) -> Literals {
    let known = |slot: usize| trajectory.header.value(slot).map(str::to_owned);
    let mut literals = Literals::default();
    step.tool.as_str().clone_into(&mut literals.action);
    let text = text_slot(step).and_then(|slot| step.form.clone().or_else(|| known(slot)));
    match step.tool {
        BrowserTool::Select => literals.option = text,
        _ => literals.text = text,
    }
    if let (Some(name), Some(target)) = (name_slot(step).and_then(known), &step.target) {
        literals.name = Some(name);
        literals.role = Some(target.role.as_str().to_owned());
        literals.is_picked = target.collection.is_some_and(|list| list.size > 1);
    }
    literals
}

/// Returns the slot (position among the goal's values) of the text that a step types or chooses; `None` if it has none.
const fn text_slot(step: &StoredStep) -> Option<usize> {
    match step.text {
        Some(StoredText::Slot(slot)) => Some(slot),
        _ => None,
    }
}

/// Returns the slot (position among the goal's values) of the value that names a step's target; `None` if none does.
fn name_slot(step: &StoredStep) -> Option<usize> {
    step.target.as_ref()?.slot
}
