//! A trajectory as a run with another goal reads it.

use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
};

use super::Trajectory;
use crate::{
    action::BrowserTool,
    base::text,
    goal::{self, ArgField, Literals, Recorded, Template, compose},
    memory::{StoredStep, StoredText, stored_step::half_is_in},
    page::PageTemplate,
};

/// Maximum length of a value that is shown. Unit: characters. Source: chosen; a longer one is read in the goal itself.
const MAX_VALUE: usize = 80;

/// Returns the trajectory without the names that say a value of its own goal: at least half of the words of such a name are in that
/// goal and not in the new one. A link "Confirmed" would mislead a run that looks for cancelled orders, and so would the address
/// `/orders/confirmed`. A group around a target may say no word of a value at all.
pub(super) fn adapted<'t>(trajectory: &'t Trajectory, goal: &str) -> Cow<'t, Trajectory> {
    let new: BTreeSet<String> = text::words(goal).into_iter().collect();
    let known = text::words(&trajectory.header.goal).into_iter();
    let gone: BTreeSet<String> = known.filter(|word| !new.contains(word)).collect();
    if gone.is_empty() {
        return Cow::Borrowed(trajectory);
    }
    let mut adapted = trajectory.clone();
    let said = |name: &str| text::words(name).iter().any(|word| gone.contains(word));
    for step in &mut adapted.steps {
        let is_value =
            |page: &PageTemplate| page.path().split('/').any(|part| half_is_in(part, &gone));
        step.leads_to = step.leads_to.take().filter(|page| !is_value(page));
    }
    for target in adapted
        .steps
        .iter_mut()
        .filter_map(|step| step.target.as_mut())
    {
        let Some(aim) = &mut target.aim else {
            continue;
        };
        aim.within = aim.within.take().filter(|group| !said(group));
        if half_is_in(&aim.name, &gone) {
            (target.aim, target.locator, target.is_of_goal) = (None, None, true);
        }
    }
    Cow::Owned(adapted)
}

/// Returns for each slot the value that a new goal has in its place. There is one only if the new goal is the recorded task with
/// other values, and if the value stands in the new goal word for word.
pub(super) fn values(trajectory: &Trajectory, goal: &str) -> Vec<Option<String>> {
    let header = &trajectory.header;
    let known = |slot: usize| {
        let (start, end) = header.slots.get(slot)?;
        header.goal.get(*start..*end).map(str::to_owned)
    };
    let of_text = |step: &StoredStep| match step.text {
        Some(StoredText::Slot(slot)) => Some(slot),
        _ => None,
    };
    let of_name = |step: &StoredStep| step.target.as_ref()?.slot;
    let literals = trajectory.steps.iter().map(|step| {
        let mut literals = Literals::default();
        step.tool.as_str().clone_into(&mut literals.action);
        let text = of_text(step).and_then(known);
        match step.tool {
            BrowserTool::Select => literals.option = text,
            _ => literals.text = text,
        }
        if let (Some(name), Some(target)) = (of_name(step).and_then(known), &step.target) {
            literals.name = Some(name);
            literals.role = Some(target.role.as_str().to_owned());
            literals.collection = target.collection.map(|collection| goal::Collection {
                size: collection.size as usize,
                index: collection.index as usize,
            });
        }
        literals
    });
    let template = Template::compile(&Recorded::new(&header.goal, literals.collect()));
    let verdict = template.matches(goal, &BTreeMap::new());
    let Some(accepted) = verdict.accepted() else {
        return Vec::new();
    };
    let new_goal = compose(goal);
    let value = |slot: usize| {
        let changed = accepted.args.iter().find(|arg| {
            let step = trajectory.steps.get(arg.step);
            let uses = |of: &dyn Fn(&StoredStep) -> Option<usize>| step.and_then(of) == Some(slot);
            match arg.field {
                ArgField::Name => uses(&of_name),
                _ => uses(&of_text),
            }
        });
        let value = changed.map(|arg| arg.new.clone()).or_else(|| known(slot))?;
        let is_short = value.chars().count() <= MAX_VALUE;
        (is_short && new_goal.contains(&value)).then_some(value)
    };
    (0..header.slots.len()).map(value).collect()
}
