//! The values of a goal, such as a name or a date, in the steps of a run.

use crate::{
    action::{Action, BrowserAction, TextValue},
    base::text::Folded,
    goal::{Field, Literals, Provenance, Recorded, Template, inside_quotes},
    page::TargetIdentity,
    working::Step,
};

use super::{StoredStep, StoredText, aim::without_remark};

/// Finds the values of the goal in the steps of a run. Returns them as ranges of the goal, in bytes. In `steps`, replaces
/// each typed or chosen value by its index in the returned list, and removes names of targets that contain a value. `taken`
/// holds the same steps, in the form in which the run logged them.
pub(super) fn trace(goal: &str, taken: &[&Step], steps: &mut [StoredStep]) -> Vec<(usize, usize)> {
    place(
        goal,
        taken.iter().map(|step| literals(step, goal)).collect(),
        steps,
    )
}

/// Does the same as [`trace`], but takes the texts of the steps from `literals`, which has one entry for each step.
pub(super) fn place(
    goal: &str,
    literals: Vec<Literals>,
    steps: &mut [StoredStep],
) -> Vec<(usize, usize)> {
    let template = Template::compile(&Recorded::new(goal, literals));
    let slots = template.slots();
    let places = slots.iter().map(|slot| (slot.start, slot.end));
    let places: Vec<(usize, usize)> = places.map(|place| inside_quotes(goal, place)).collect();
    for traced in template.texts() {
        let step = &mut steps[traced.step];
        let slot = match &traced.from {
            Provenance::Slot(uses) => uses
                .first()
                .and_then(|of| slots.iter().position(|slot| slot.id == of.slot)),
            Provenance::Composed(_) => None,
            _ => continue,
        };
        match (traced.field, &mut step.target) {
            (Field::Text | Field::Option, _) => {
                if let Some(slot) = slot {
                    let (start, end) = places[slot];
                    let is_other = goal.get(start..end) != Some(&traced.value);
                    step.form = is_other.then_some(traced.value);
                    step.text = Some(StoredText::Slot(slot));
                }
            }
            (Field::Name, Some(target)) => {
                (target.slot, target.aim, target.locator) = (slot, None, None);
            }
            _ => {}
        }
    }
    places
}

/// Returns the texts of a step that may contain values of the goal, without secrets and parameters.
fn literals(step: &Step, goal: &str) -> Literals {
    let mut literals = Literals::default();
    let Action::Browser(action) = &step.action else {
        return literals;
    };
    action.tool().as_str().clone_into(&mut literals.action);
    if let Some(target) = step.targets.first() {
        literals.role = Some(target.role.as_str().to_owned());
        literals.name = Some(said(target, goal).to_owned());
        literals.label.clone_from(&target.label);
        literals.landmark = target
            .landmark
            .as_ref()
            .map(|role| role.as_str().to_owned());
        literals.is_picked = target.collection.is_some_and(|list| list.size > 1);
    }
    let text = action.texts().into_iter().find_map(|text| match text {
        TextValue::Literal(text) => Some(text.clone()),
        _ => None,
    });
    match action {
        BrowserAction::Select(_) => literals.option = text,
        _ => literals.text = text,
    }
    literals.url = action.url().map(str::to_owned);
    literals
}

/// Returns the name of a target as the goal writes it. If the goal does not contain the whole name, and the target is a
/// radio button, a checkbox or an option, a final remark in brackets is left out if it contains a number.
fn said<'a>(target: &'a TargetIdentity, goal: &str) -> &'a str {
    let name = target.name.as_str();
    if Folded::of(goal).contains(&Folded::of(name)) {
        name
    } else {
        without_remark(&target.role, name)
    }
}
