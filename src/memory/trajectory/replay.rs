//! The next step of a known task, for a run that takes it without its model.
//!
//! # Decisions
//!
//! - A step is taken only where nothing is left to decide: on the kind of page on which it was taken, on the one element of that role
//!   and name, with a text that the new goal gives. Everything else is left to the model: an element chosen from a list, a text from the page,
//!   an address, a point.
//! - If a goal only begins like the recorded one, no form is sent, except one that logs in or searches: what follows may say that
//!   something else is to be sent.
//! - The model may take such a step, or one that only moves, and the way goes on after it. If it does anything else, it has
//!   a reason that the record does not know, so the rest of the way is left to it.
//! - After a step of the way that did not do what it did before, nothing more is taken from memory in that run.

use super::{progress::is_in, same_task::SameTask};
use crate::{
    action::{
        Action, BrowserAction, BrowserTool, Click, Fill, OnTarget, Outcome, Press, Select, Target,
        TextValue,
    },
    base::text,
    memory::{Aim, StoredStep, StoredTarget, StoredText, aim::is_menu, shortest::looks_only},
    page::{ElementRef, NodeId, PageTemplate, TargetIdentity, Tree, sketch_nodes},
    working::{By, Step},
};

/// Maximum number of elements of one name whose surroundings are compared. Source: chosen; each costs a walk over the page.
const MAX_ALIKE: usize = 8;

/// Returns the next step of a way with its action on this page; `None` if the model has to decide.
pub(super) fn next(
    way: &[StoredStep],
    task: &SameTask,
    taken: &[Step],
    page: Option<&PageTemplate>,
    seen: &Tree,
) -> Option<(usize, BrowserAction)> {
    let at = position(way, task, taken)?;
    let step = way.get(at)?;
    if !task.is_on(step.page.as_ref()?, page?) || !step.verified || step.partial {
        return None;
    }
    let gives = matches!(step.tool, BrowserTool::Fill | BrowserTool::Select);
    let target = match &step.target {
        Some(target) if !gives && is_chosen(target) => return None,
        Some(target) => Some(element(target, task.names[at].as_deref(), seen)?),
        // The field that was filled just before has the focus.
        None if step.tool == BrowserTool::Press && at > 0 && way[at - 1].writes() => None,
        None => return None,
    };
    let text = match &step.text {
        Some(text) => Some(given(text, task.texts[at].as_deref())?),
        None => None,
    };
    Some((at, action(step, target.map(Target::Ref), text)?))
}

/// Returns true if the target is one of several alike, and the goal does not name it. Its name may be the reason why it was chosen: "Reply to
/// Ann", for the newest message.
fn is_chosen(target: &StoredTarget) -> bool {
    target.slot.is_none() && target.collection.is_some() && !is_menu(target.landmark.as_ref())
}

/// Returns the number of steps of a way that a run has taken; `None` if the run has left the way.
fn position(way: &[StoredStep], task: &SameTask, taken: &[Step]) -> Option<usize> {
    let mut at = 0;
    // The task opens its start page. If it opens a page later, the run was interrupted.
    let own = taken.iter().skip_while(|step| step.by == By::Task);
    for step in own {
        let Action::Browser(action) = &step.action else {
            continue;
        };
        if step.by == By::Task {
            return None;
        }
        let is_from_memory = step.by == By::Memory;
        match &step.outcome {
            Outcome::Done => {}
            Outcome::Unclear(_) => return None,
            _ if is_from_memory => return None,
            _ => continue,
        }
        let stored = StoredStep::of(step)?;
        let is_next = |n: usize, own: &StoredStep| {
            let moved = own.leads_to.as_ref().is_none_or(|page| {
                let there = stored.leads_to.as_ref();
                there.is_some_and(|there| task.is_on(page, there))
            });
            let name = task.names[n].as_deref();
            moved && own.is_same(&stored) && name.is_none_or(|name| is_called(step, name))
        };
        let rest = way.iter().enumerate().skip(at);
        match rest
            .filter(|(n, own)| is_next(*n, own))
            .map(|(n, _)| n)
            .next()
        {
            Some(n) if n == at => at += 1,
            _ if is_from_memory => return None,
            None if looks_only(action.tool()) || moves(&stored) => {}
            Some(_) if looks_only(action.tool()) => {}
            _ => return None,
        }
    }
    Some(at)
}

/// Returns true if the step led to another page, and gave no value to a field.
fn moves(step: &StoredStep) -> bool {
    step.leads_to.is_some() && !step.writes()
}

/// Returns true if the first target of a step has this name.
fn is_called(step: &Step, name: &str) -> bool {
    let target = step.targets.first();
    target.is_some_and(|target| is_in(name, &target.name))
}

/// Returns the reference of the only element on the page that the target can mean. `name` is the value that is its name.
fn element(target: &StoredTarget, name: Option<&str>, tree: &Tree) -> Option<ElementRef> {
    let here = sketch_nodes(tree, |role| *role == target.role);
    let among = |is_it: &dyn Fn(&TargetIdentity) -> bool| {
        let found = here.iter().filter(|(_, identity)| is_it(identity));
        only(&found.map(|(id, _)| *id).collect::<Vec<_>>(), target, tree)
    };
    let id = match (&target.aim, target.slot, name) {
        (Some(aim), None, _) if !aim.name.is_empty() => among(&|identity| {
            let is_within = |group| Aim::groups(identity).contains(group);
            aim.is_called(&Aim::of(identity)) && aim.within.as_ref().is_none_or(is_within)
        }),
        (None, Some(_), Some(name)) => {
            let whole = text::fold(&TargetIdentity::cap(name));
            among(&|identity| text::fold(&identity.name) == whole)
                .or_else(|| among(&|identity| is_in(name, &identity.name)))
        }
        _ => None,
    }?;
    tree[id].reference.clone()
}

/// Returns the only one of these nodes. If there are several, returns the only one in the landmark of the target.
fn only(found: &[NodeId], target: &StoredTarget, tree: &Tree) -> Option<NodeId> {
    match found {
        [one] => Some(*one),
        several if several.len() <= MAX_ALIKE => {
            let is_there =
                |id: &&NodeId| TargetIdentity::of(tree, **id).landmark == target.landmark;
            let mut there = several.iter().filter(is_there);
            let one = there.next()?;
            there.next().is_none().then_some(*one)
        }
        _ => None,
    }
}

/// Returns the text to give in place of the recorded one.
fn given(recorded: &StoredText, value: Option<&str>) -> Option<TextValue> {
    match recorded {
        StoredText::Slot(_) => value.map(|value| TextValue::Literal(value.to_owned())),
        StoredText::Parameter(name) => Some(TextValue::Parameter(name.clone())),
        StoredText::Secret(name) => Some(TextValue::Secret(name.clone())),
        StoredText::Other { .. } => None,
    }
}

/// Returns the action of a step; `None` if memory does not keep all of its arguments.
fn action(
    step: &StoredStep,
    target: Option<Target>,
    text: Option<TextValue>,
) -> Option<BrowserAction> {
    use BrowserTool as T;
    Some(match (step.tool, target, text) {
        (T::Click, Some(target), None) => BrowserAction::Click(Click {
            target,
            button: None,
        }),
        (T::Fill, Some(target), Some(text)) => BrowserAction::Fill(Fill {
            target,
            text,
            submit: step.submit,
        }),
        (T::Select, Some(target), Some(text)) => BrowserAction::Select(Select {
            target,
            values: vec![text],
        }),
        (T::Check, Some(target), None) => BrowserAction::Check(OnTarget { target }),
        (T::Uncheck, Some(target), None) => BrowserAction::Uncheck(OnTarget { target }),
        (T::Hover, Some(target), None) => BrowserAction::Hover(OnTarget { target }),
        (T::Press, target, None) => BrowserAction::Press(Press {
            key: step.key.clone()?,
            target,
            times: None,
        }),
        _ => return None,
    })
}
