//! The check whether a new goal describes the same task as a trajectory, with other values. It also finds these values for
//! each step.

use std::collections::{BTreeMap, BTreeSet};

use super::{Trajectory, adapt::gone, deciding::chooses};
use crate::{
    action::BrowserTool,
    base::text,
    goal::{self, ArgField, Field, Literals, Provenance, Recorded, Template, compose},
    memory::{StoredStep, StoredText, stored_step::half_is_in},
    page::PageTemplate,
};

/// Maximum length of the new goal's values that prompts show. Unit: characters. Source: chosen; the model can read a
/// longer value in the goal itself.
const MAX_VALUE: usize = 80;

/// The task of a trajectory, with the values of a new goal in place of the recorded ones. If only the beginnings of the
/// goals were compared, all fields are about these beginnings and not about the whole goals.
#[derive(Debug, Default)]
pub(super) struct SameTask {
    /// The new goal's value for each slot (value of the recorded goal), as prompts show it. `None` if the value is longer
    /// than [`MAX_VALUE`], or if the steps need it in a form that the new goal does not have.
    pub(super) values: Vec<Option<String>>,
    /// The text that each step types or chooses; `None` if it cannot be derived from the new goal.
    pub(super) texts: Vec<Option<String>>,
    /// The name of each step's target, if it is a value of the new goal; otherwise `None`.
    pub(super) names: Vec<Option<String>>,
    /// Number of recorded steps, from the first on, that the new goal needs too.
    pub(super) steps: usize,
    /// The words of the recorded goal that the new goal does not contain.
    pub(super) gone: BTreeSet<String>,
    /// The words of the new goal.
    pub(super) words: BTreeSet<String>,
    /// True if the new goal chooses an item by a property that only the page shows, such as the newest one.
    pub(super) chooses: bool,
}

impl SameTask {
    /// Returns true if a page matches the recorded template. See [`is_on`].
    pub(super) fn is_on(&self, recorded: &PageTemplate, page: &PageTemplate) -> bool {
        is_on(recorded, page, &self.gone)
    }
}

/// Returns true if a page matches a recorded template. All segments of the path must be equal, except segments that are
/// probably values of the recorded goal. `gone` has the words of the recorded goal that the new goal does not contain.
pub(super) fn is_on(recorded: &PageTemplate, page: &PageTemplate, gone: &BTreeSet<String>) -> bool {
    let parts = |page: &PageTemplate| -> Vec<String> {
        page.path().split('/').map(str::to_owned).collect()
    };
    let (own, now) = (parts(recorded), parts(page));
    let is_alike = |(own, now): (&String, &String)| own == now || half_is_in(own, gone);
    own.len() == now.len() && own.iter().zip(&now).all(is_alike)
}

/// Returns the task of a trajectory with the values of `goal`; `None` if `goal` describes another task.
pub(super) fn same_task(trajectory: &Trajectory, goal: &str) -> Option<SameTask> {
    let header = &trajectory.header;
    matched(&header.goal, &header.slots, &trajectory.steps, goal)
}

/// Returns the task of the earlier goal `recorded` with the values of the new `goal`; `None` if `goal` describes another
/// task. `steps` are the steps taken for `recorded`; `slots` are the ranges of the values in `recorded`, in bytes.
pub(super) fn matched(
    recorded: &str,
    slots: &[(usize, usize)],
    steps: &[StoredStep],
    goal: &str,
) -> Option<SameTask> {
    let known = |slot: usize| {
        let (start, end) = slots.get(slot)?;
        recorded.get(*start..*end).map(str::to_owned)
    };
    let literals = steps.iter().map(|step| {
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
            literals.collection = target.collection.map(|collection| goal::Collection {
                size: collection.size as usize,
                index: collection.index as usize,
            });
        }
        literals
    });
    let template = Template::compile(&Recorded::new(recorded, literals.collect()));
    let verdict = template.matches(goal, &BTreeMap::new());
    let accepted = verdict.accepted()?;
    let mut task = SameTask {
        values: vec![None; slots.len()],
        texts: vec![None; steps.len()],
        names: vec![None; steps.len()],
        steps: steps.len(),
        gone: gone(recorded, goal),
        words: text::words(goal).into_iter().collect(),
        chooses: chooses(goal),
    };
    // A recorded text is repeated only if it comes from a value of the goal.
    for traced in template.texts() {
        let is_name = traced.field == Field::Name;
        let of = if is_name {
            &mut task.names
        } else {
            &mut task.texts
        };
        if matches!(traced.from, Provenance::Slot(_)) {
            of[traced.step] = Some(traced.value);
        }
    }
    for arg in &accepted.args {
        let of = match arg.field {
            ArgField::Name => &mut task.names,
            _ => &mut task.texts,
        };
        of[arg.step] = Some(arg.new.clone());
    }
    let new_goal = compose(goal);
    for (step, (text, name)) in steps.iter().zip(task.texts.iter().zip(&task.names)) {
        for (slot, value) in [(text_slot(step), text), (name_slot(step), name)] {
            let (Some(slot), Some(value)) = (slot, value) else {
                continue;
            };
            let is_short = value.chars().count() <= MAX_VALUE;
            if is_short && new_goal.contains(value) && task.values[slot].is_none() {
                task.values[slot] = Some(value.clone());
            }
        }
    }
    Some(task)
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
