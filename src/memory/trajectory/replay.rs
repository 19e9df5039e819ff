//! The next step of a known task, for a run that takes the step without asking its model.
//!
//! # Decisions
//!
//! - A step is taken only for the recorded goal, word for word, because any other word may take the task back. The task's
//!   parameters may have other values, if steps type all of them: a parameter that no step types may say what to do.
//! - A step is taken only if nothing is left to decide. The page must be of the recorded kind. In the recorded landmark
//!   (region of the page), exactly one element must have the recorded role and name. A text to type must come from the
//!   goal, or be a parameter or a secret of the task. Steps of all other kinds are left to the model: it chooses an
//!   element from a list, takes a text from the page, opens an address, or points at a place on the page.
//! - A step is taken only if the page gives the recorded reason for it (see [`purpose`]): an address that asked for a
//!   password to log in may ask for it to delete the account. A step without this record is left to the model.
//! - No form is submitted and no button is pressed, except for a login or a search. So the model reads the whole goal and
//!   sees the filled form before it submits the form. The goal may require something that the record does not show, such as
//!   a condition that was true at the time of the recording.
//! - A link is followed only if the goal names it, or if it belongs to the site's menu. Any other link may have been chosen
//!   because of information on the page.
//! - If a goal contains a condition, all steps for it are left to the model.
//! - The model may take the next recorded step itself, look at the page, or move to any other page. The next recorded
//!   step can still be taken after that. Actions that failed or had no effect are ignored, except that a key without a
//!   target is not pressed right after them, because they may have moved the focus. If the model does anything else, such as taking a later recorded step, it has a reason that the record does not contain, so the remaining
//!   steps are left to the model.
//! - A dialog such as a cookie notice may be closed earlier than recorded, for example because a remembered fact says that
//!   the dialog covers the page. The recorded step that closes the dialog then counts as taken.
//! - If a step taken from memory does not have its recorded result, no more steps are taken from memory in that run.

use std::collections::BTreeSet;

use super::{Header, Trajectory, deciding::chooses, progress::is_in};
use crate::{
    action::{
        Action, BrowserAction, BrowserTool, Click, Fill, OnTarget, Outcome, ParameterName, Press,
        Select, Target, TextValue, without_values,
    },
    base::text::{self, Folded},
    memory::{
        Aim, Moment, StoredStep, StoredTarget, StoredText,
        aim::is_menu,
        aim::is_of_search,
        shortest::{looks_only, only_moves},
        stored_step::half_is_in,
    },
    page::{
        Change, NodeId, Observation, PageTemplate, Role, TargetIdentity, Tree, purpose,
        sketch_nodes,
    },
    working::{By, Step},
};

/// Maximum number of elements with the recorded name whose landmarks (regions of the page) are compared. If more elements
/// have the name, none is chosen. Source: chosen; the page is searched once for each element.
const MAX_ALIKE: usize = 8;

/// Returns the position in the trajectory of the next step, and its action on this page. The run must have the goal of the
/// trajectory. Returns `None` if the model has to decide.
pub(super) fn next(
    trajectory: &Trajectory,
    moment: &Moment<'_>,
    page: &PageTemplate,
    seen: &Observation,
) -> Option<(usize, BrowserAction)> {
    let Trajectory { header, steps: way } = trajectory;
    let is_typed = moment.parameters.keys().eq(typed_parameters(way));
    let (at, is_direct) = position(trajectory, moment.steps).filter(|_| is_typed)?;
    let step = way.get(at)?;
    let is_here = step.page.as_ref() == Some(page);
    if !is_here || !step.verified || step.partial || !may_be_taken(trajectory, at) {
        return None;
    }
    let target = match &step.target {
        Some(target) => Some(element(step, target, header, &seen.tree)?),
        // A key without a target goes to the field that the previous step filled, which still has the focus.
        None if step.tool == BrowserTool::Press && is_direct => None,
        None => return None,
    };
    let now = purpose(seen, target, |words| {
        without_values(words, moment.parameters)
    });
    if step.purpose.is_none() || step.purpose != now {
        return None;
    }
    let text = match &step.text {
        Some(text) => Some(given(step, text, header)?),
        None => None,
    };
    let target = match target {
        Some(id) => Some(Target::Ref(seen.tree[id].reference.clone()?)),
        None => None,
    };
    Some((at, action(step, target, text)?))
}

/// Returns the names of the parameters that the steps type.
fn typed_parameters(way: &[StoredStep]) -> BTreeSet<&ParameterName> {
    let names = way.iter().filter_map(|step| match &step.text {
        Some(StoredText::Parameter(name)) => Some(name),
        _ => None,
    });
    names.collect()
}

/// Returns true if the step at `at` leaves nothing to decide and submits nothing except a login or a search.
fn may_be_taken(trajectory: &Trajectory, at: usize) -> bool {
    use BrowserTool as T;
    let (goal, way) = (&trajectory.header.goal, &trajectory.steps);
    let step = &way[at];
    let target = step.target.as_ref();
    let words: BTreeSet<String> = text::words(goal).into_iter().collect();
    let is_named = target.is_some_and(|target| {
        let says = |aim: &Aim| half_is_in(&aim.name, &words);
        target.slot.is_some() || target.aim.as_ref().is_some_and(says)
    });
    let is_of_menu = target.is_some_and(|target| is_menu(target.landmark.as_ref()));
    match step.tool {
        T::Fill => !step.submit || is_search(step) || gives_secret(step),
        T::Select => true,
        T::Check | T::Uncheck => is_named,
        T::Hover => is_named || is_of_menu,
        T::Press => before(way, at)
            .next()
            .is_some_and(|field| field.writes() && (is_search(field) || gives_secret(field))),
        T::Click => match target.map(|target| &target.role) {
            Some(Role::Button) => is_search(step) || is_login(way, at),
            Some(Role::Link | Role::MenuItem) => {
                step.leads_to.is_some() && (is_named || (is_of_menu && !chooses(goal)))
            }
            Some(Role::Radio | Role::Option | Role::Tab) => is_named,
            _ => false,
        },
        _ => false,
    }
}

/// Returns the steps right before `at` that were taken on the same kind of page, the latest first.
fn before(way: &[StoredStep], at: usize) -> impl Iterator<Item = &StoredStep> {
    let page = &way[at].page;
    let earlier = way[..at].iter().rev();
    earlier.take_while(move |step| step.page == *page)
}

fn is_search(step: &StoredStep) -> bool {
    let target = step.target.as_ref();
    target.is_some_and(|target| is_of_search(&target.role, target.landmark.as_ref()))
}

const fn gives_secret(step: &StoredStep) -> bool {
    matches!(step.text, Some(StoredText::Secret(_)))
}

/// Returns true if the step at `at` presses the button of a login: an earlier step typed a secret on the same page, and all
/// steps in between write to fields.
fn is_login(way: &[StoredStep], at: usize) -> bool {
    let mut fields = before(way, at).take_while(|step| step.writes());
    fields.any(gives_secret)
}

/// Returns the number of steps of the trajectory that the run has taken, and true if its last action was the last of these
/// steps. Actions that only look at the page are not counted as actions here. Returns `None` if the run has left the
/// trajectory, so that the model has to decide.
fn position(trajectory: &Trajectory, taken: &[Step]) -> Option<(usize, bool)> {
    let Trajectory { header, steps: way } = trajectory;
    let (mut at, mut is_direct) = (0, false);
    let mut closed = Vec::new();
    // The first steps with `By::Task` open the start page. A later one means that the run was interrupted and resumed.
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
            _ => {
                // The action may have moved the focus.
                is_direct &= looks_only(action.tool());
                continue;
            }
        }
        let stored = StoredStep::of(step)?;
        let mut rest = way.iter().enumerate().skip(at);
        match rest.find(|(_, own)| is_taken(own, header, step, &stored)) {
            Some((n, _)) if n == at => (at, is_direct) = (at + 1, true),
            _ if is_from_memory => return None,
            Some((n, _)) if closes_dialog(step) => {
                closed.push(n);
                is_direct = false;
            }
            _ if looks_only(action.tool()) => {}
            None if only_moves(step) => is_direct = false,
            _ => return None,
        }
        while closed.contains(&at) {
            (at, is_direct) = (at + 1, false);
        }
    }
    Some((at, is_direct))
}

/// Returns true if the step closed a dialog: the element that it acted on disappeared together with a dialog, and the
/// address stayed the same.
fn closes_dialog(step: &Step) -> bool {
    let removed = step.changes.iter().flat_map(|changes| &changes.removed);
    let has_gone = |is_it: &dyn Fn(&Change) -> bool| removed.clone().any(is_it);
    let is_dialog = |one: &Change| one.role.is_dialog();
    let is_target = |one: &Change| {
        let mut targets = step.targets.iter();
        targets.any(|target| one.role == target.role && one.label == target.name)
    };
    step.before.url() == step.after.url() && has_gone(&is_dialog) && has_gone(&is_target)
}

/// Returns true if the run repeated the recorded step `own` in its step `step`. `stored` is `step` in the form that memory
/// stores.
fn is_taken(own: &StoredStep, header: &Header, step: &Step, stored: &StoredStep) -> bool {
    let is_name = |name: &str| {
        let target = step.targets.first();
        target.is_some_and(|target| is_in(name, &target.name))
    };
    let Action::Browser(action) = &step.action else {
        return false;
    };
    let is_given = match &own.text {
        None | Some(StoredText::Other { .. }) => true,
        Some(text) => given(own, text, header).as_ref() == action.texts().first().copied(),
    };
    is_given
        && own.leads_to == stored.leads_to
        && own.is_same(stored)
        && (own.key == stored.key && own.submit == stored.submit && own.partial == stored.partial)
        && name(own.target.as_ref(), header).is_none_or(is_name)
}

/// Returns the value of the goal that names the target; `None` if none does.
fn name<'h>(target: Option<&StoredTarget>, header: &'h Header) -> Option<&'h str> {
    header.value(target?.slot?)
}

/// Returns the only element that matches the recorded target and is in the same landmark (region of the page).
fn element(
    step: &StoredStep,
    target: &StoredTarget,
    header: &Header,
    tree: &Tree,
) -> Option<NodeId> {
    let here = sketch_nodes(tree, |role| *role == target.role);
    let among = |is_it: &dyn Fn(&TargetIdentity) -> bool| {
        let found = here.iter().filter(|(_, identity)| is_it(identity));
        only(&found.map(|(id, _)| *id).collect::<Vec<_>>(), target, tree)
    };
    match (&target.aim, name(Some(target), header)) {
        (Some(aim), None) if !aim.name.is_empty() => among(&|identity| {
            let is_within = |group| Aim::groups(identity).contains(group);
            // The group of a field is not compared, because it may be the text of a table row, which is not among the
            // named groups of an element.
            let is_there = step.writes() || aim.within.as_ref().is_none_or(is_within);
            aim.is_called(&Aim::of(identity)) && is_there
        }),
        (None, Some(name)) => {
            let whole = Folded::of(&TargetIdentity::cap(name));
            // The name of a choice may be longer than the value: "Oak (first floor)".
            let is_choice = matches!(target.role, Role::Radio | Role::Checkbox | Role::Option);
            let begins = |identity: &TargetIdentity| {
                Folded::of(&identity.name).starts_with(&whole) && is_in(name, &identity.name)
            };
            among(&|identity| Folded::of(&identity.name) == whole)
                .or_else(|| is_choice.then(|| among(&begins)).flatten())
        }
        _ => None,
    }
}

/// Returns the only one of these nodes that is in the same landmark (region of the page) as the target was.
fn only(found: &[NodeId], target: &StoredTarget, tree: &Tree) -> Option<NodeId> {
    if found.len() > MAX_ALIKE {
        return None;
    }
    let is_there = |id: &&NodeId| TargetIdentity::of(tree, **id).landmark == target.landmark;
    let mut there = found.iter().filter(is_there);
    let one = there.next()?;
    there.next().is_none().then_some(*one)
}

/// Returns the text that the step types or chooses; `None` if the goal does not give it.
fn given(step: &StoredStep, recorded: &StoredText, header: &Header) -> Option<TextValue> {
    match recorded {
        StoredText::Slot(slot) => {
            let value = step.form.as_deref().or_else(|| header.value(*slot));
            value.map(|value| TextValue::Literal(value.to_owned()))
        }
        StoredText::Parameter(name) => Some(TextValue::Parameter(name.clone())),
        StoredText::Secret(name) => Some(TextValue::Secret(name.clone())),
        StoredText::Other { .. } => None,
    }
}

/// Returns the action of a step; `None` if memory does not keep all arguments of this action.
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
