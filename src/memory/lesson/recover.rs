//! Finds recoveries. A recovery is what a run did between a failure and the moment at which the effect of the failed
//! action was restored.
//!
//! The effect is restored if the same action later succeeds on the same target with the same values, or if another
//! action succeeds that is known to have the same effect.

use super::{
    Aim, AimedMove, FailureKind, Form, MAX_MOVES, Recovery, SiteRecovery, another,
    trace::{Found, TraceStep},
};
use crate::{
    action::{
        Action, BrowserAction, BrowserTool, ErrorClass, Fill, Select, Target, TextValue, Type,
    },
    base::text::Folded,
    page::{LocatorStep, Role, TargetIdentity},
    working::Step,
};

/// Number of steps after a failure within which the recovery must be complete. Source: chosen; a recovery follows soon or
/// not at all.
const WINDOW: usize = 10;

pub(super) type Traced<'a> = (&'a Step, TraceStep);

/// Returns every failure from which the run recovered, with the recovery, in the order of the run. `reopened` are the
/// numbers of the steps with which a resumed run opened its page again. No recovery reaches across them, because the new
/// page alone may explain the success.
pub(super) fn found(steps: &[Traced<'_>], reopened: &[u32]) -> Vec<Found> {
    (0..steps.len())
        .filter_map(|at| recovered(steps, at, reopened))
        .collect()
}

fn recovered(steps: &[Traced<'_>], failed: usize, reopened: &[u32]) -> Option<Found> {
    let (logged, step) = &steps[failed];
    let trouble = step.trouble.filter(|trouble| trouble.teaches())?;
    let end = steps.len().min(failed + 1 + WINDOW);
    let mut new_pages = reopened.iter().filter(|number| **number > logged.number);
    let next_page = new_pages.next().copied().unwrap_or(u32::MAX);
    // The recovery must happen on the same host as the failure.
    let here = steps[failed + 1..end]
        .iter()
        .take_while(|(again, later)| later.host == step.host && again.number < next_page)
        .count();
    let after = &steps[failed + 1..failed + 1 + here];
    // If one action failed several times, only its last failure before the success counts as recovered.
    let again = after.iter().position(|(later, _)| is_same(logged, later));
    if again.is_some_and(|at| !after[at].1.is_done()) {
        return None;
    }
    let until = again.unwrap_or(after.len());
    // A success of the same action is better evidence than another action that may have had the same effect.
    let before = failed.checked_sub(1).map(|at| &steps[at].1);
    let Way {
        first,
        recovery,
        moves,
        group,
    } = match again {
        Some(at) => retried(&after[..at])?,
        None => replaced(&steps[failed], before, &after[..until])?,
    };
    // A target in words has no identity while its element is missing, so take the identity from the later success.
    let seen = again.filter(|_| step.aim.is_none());
    let aim = step.aim.clone().or_else(|| after[seen?].1.aim.clone());
    let what = SiteRecovery {
        command: step.tool,
        trouble,
        aim: aim.map(|aim| Aim {
            within: group,
            ..aim
        }),
        recovery,
        moves,
    };
    Some(Found {
        failed,
        first: failed + 1 + first,
        page: logged.before.template().cloned(),
        what,
    })
}

/// A recovery that was found in a run.
pub(super) struct Way {
    /// Index of the recovery's first step. The step after the failure has the index 0.
    first: usize,
    recovery: Recovery,
    moves: Vec<AimedMove>,
    /// The name of a group that contains the target of the failed action but not the element used instead. `None` if no
    /// group is needed to tell the two elements apart.
    group: Option<String>,
}

impl Way {
    pub(super) const fn new(first: usize, recovery: Recovery, moves: Vec<AimedMove>) -> Self {
        Self {
            first,
            recovery,
            moves,
            group: None,
        }
    }

    pub(super) fn in_group(self, group: Option<String>) -> Self {
        Self { group, ..self }
    }
}

/// Returns the recovery if the failed action itself succeeded later. `before` are the steps between the failure and
/// this success; the successful ones are the moves of the recovery. Returns `None` if there are no moves, or more than
/// [`MAX_MOVES`]. Also returns `None` if a move discards filled-in values or cannot be part of a recovery.
fn retried(before: &[Traced<'_>]) -> Option<Way> {
    let done: Vec<(usize, &TraceStep)> = before
        .iter()
        .enumerate()
        .filter(|(_, (_, step))| step.is_done())
        .map(|(at, (_, step))| (at, step))
        .collect();
    if done.is_empty() || done.len() > MAX_MOVES {
        return None;
    }
    // If a recovery discards filled-in values, it takes the run further from its goal than the failure did.
    if done.iter().any(|(at, _)| before[*at].0.empties) {
        return None;
    }
    let aimed = |step: &TraceStep| {
        Some(AimedMove {
            step: step.step?,
            aim: step.aim.clone(),
        })
    };
    // An action that cannot be part of a recovery, such as opening another address, does not explain the success.
    let moves: Vec<AimedMove> = done
        .iter()
        .map(|(_, step)| aimed(step))
        .collect::<Option<_>>()?;
    let general = moves.iter().map(|aimed| aimed.step).collect();
    Some(Way::new(done[0].0, Recovery::First(general), moves))
}

/// Returns the recovery in which another action with the same effect replaced the failed action.
fn replaced(
    traced @ (failed, step): &Traced<'_>,
    before: Option<&TraceStep>,
    after: &[Traced<'_>],
) -> Option<Way> {
    let Action::Browser(action) = &failed.action else {
        return None;
    };
    let done: Vec<(usize, &Step, &BrowserAction)> = after
        .iter()
        .enumerate()
        .filter(|(_, (_, step))| step.is_done())
        .filter_map(|(at, (logged, _))| match &logged.action {
            Action::Browser(action) => Some((at, *logged, action)),
            _ => None,
        })
        .take(3)
        .collect();
    let on_it = |logged: &Step| is_on_same(failed, logged);
    let (at, logged, first) = *done.first()?;
    let then = |at: usize| done.get(at).map(|(_, logged, action)| (*logged, *action));
    let (second, third) = (then(1), then(2));
    let recovery = match (action, first) {
        (BrowserAction::Fill(_), BrowserAction::Click(_))
            if !on_it(logged) && clicks(second, |then| then.restores.contains(&failed.number)) =>
        {
            let opening = &after[at].1;
            let (step, aim) = (opening.step?, Some(opening.aim.clone()?));
            let moves = vec![AimedMove { step, aim }];
            return Some(Way::new(at, Recovery::OpenThenChoose(step), moves));
        }
        (BrowserAction::Click(_), BrowserAction::Click(_)) if !on_it_exactly(failed, logged) => {
            return another::another(traced, at, after);
        }
        (BrowserAction::Fill(_) | BrowserAction::Select(_), BrowserAction::Click(_))
            if on_it(logged) =>
        {
            clicked_first(failed, action, second, third)?
        }
        // The form of a value can be the cause of the failure only if the field did not accept the value.
        (
            BrowserAction::Fill(Fill { text: old, .. }),
            BrowserAction::Fill(Fill { text: new, .. }),
        ) if on_it(logged)
            && matches!(
                step.trouble,
                Some(FailureKind::NoEffect | FailureKind::Failed(ErrorClass::BadValue))
            ) =>
        {
            Recovery::WriteAs(rewritten(old, new)?)
        }
        // The control is not a list, but it takes the value when it is filled.
        (BrowserAction::Select(Select { values, .. }), BrowserAction::Fill(Fill { text, .. }))
            if on_it(logged) && values.as_slice() == std::slice::from_ref(text) =>
        {
            Recovery::Instead(after[at].1.step?)
        }
        (BrowserAction::Check(_) | BrowserAction::Uncheck(_), BrowserAction::Click(_))
        | (BrowserAction::Click(_), BrowserAction::Dblclick(_) | BrowserAction::Check(_))
            if on_it(logged) =>
        {
            Recovery::Instead(after[at].1.step?)
        }
        // Enter in a field submits the form, like the form's button. `done` contains only actions that had an effect.
        (BrowserAction::Click(_), BrowserAction::Press(press))
            if press.key.as_str() == "Enter"
                && at == 0
                && is_button(failed)
                && before.is_some_and(has_typed) =>
        {
            Recovery::Instead(after[at].1.step?)
        }
        _ => return None,
    };
    Some(Way::new(at, recovery, Vec::new()))
}

/// A step of the run and its action; `None` if the run had no further step.
type Next<'a> = Option<(&'a Step, &'a BrowserAction)>;

fn clicks(next: Next<'_>, is_it: impl Fn(&Step) -> bool) -> bool {
    next.is_some_and(|(logged, then)| matches!(then, BrowserAction::Click(_)) && is_it(logged))
}

/// Returns the recovery if the run clicked the target of the failed `action`, and then entered or chose the value.
/// `second` and `third` are the steps after the click.
fn clicked_first(
    failed: &Step,
    action: &BrowserAction,
    second: Next<'_>,
    third: Next<'_>,
) -> Option<Recovery> {
    let types_it = |text: &TextValue| second.is_some_and(|(_, then)| types(then, text));
    match action {
        BrowserAction::Fill(Fill { text, .. }) if types_it(text) => Some(Recovery::ClickThenType),
        // A choice is often named differently from the value, like a day in a calendar. It counts all the same, because
        // the field then showed the value.
        BrowserAction::Fill(_) if clicks(second, |then| then.restores.contains(&failed.number)) => {
            Some(Recovery::ClickThenChoose)
        }
        BrowserAction::Select(Select { values, .. })
            if clicks(second, |then| is_called(then, values)) =>
        {
            Some(Recovery::ClickThenChoose)
        }
        // Typed text narrows the list, so a choice that begins with that text is the requested one.
        BrowserAction::Select(Select { values, .. })
            if values.len() == 1
                && types_it(&values[0])
                && clicks(third, |then| is_begun(then, &values[0])) =>
        {
            Some(Recovery::TypeThenChoose)
        }
        _ => None,
    }
}

fn is_button(logged: &Step) -> bool {
    logged
        .targets
        .first()
        .is_some_and(|target| target.role == Role::Button)
}

pub(super) const fn has_typed(step: &TraceStep) -> bool {
    matches!(step.tool, BrowserTool::Fill | BrowserTool::Type) && step.is_done()
}

fn types(action: &BrowserAction, text: &TextValue) -> bool {
    matches!(action, BrowserAction::Type(Type { text: typed, .. }) if typed == text)
}

/// Returns the form (such as a date format) of `new`, a value that a field accepted after it had refused the value `old`.
/// Returns `None` if `new` has no known form, if `old` has the same form, or if `old` contains no digit.
fn rewritten(old: &TextValue, new: &TextValue) -> Option<Form> {
    let (TextValue::Literal(old), TextValue::Literal(new)) = (old, new) else {
        return None;
    };
    let form = Form::of(new)?;
    let digits = |text: &str| text.chars().any(|c| c.is_ascii_digit());
    (Form::of(old) != Some(form) && digits(old)).then_some(form)
}

/// Returns true if the name or the label of a step's target is one of these values.
fn is_called(logged: &Step, values: &[TextValue]) -> bool {
    let named = |target: &TargetIdentity, value: &str| {
        target.name.trim() == value
            || target
                .label
                .as_deref()
                .is_some_and(|label| label.trim() == value)
    };
    logged.targets.first().is_some_and(|target| {
        values
            .iter()
            .any(|value| matches!(value, TextValue::Literal(value) if named(target, value.trim())))
    })
}

/// Returns true if the name of a step's target is this value or begins with it. If the target has no name, its label counts.
fn is_begun(logged: &Step, value: &TextValue) -> bool {
    let TextValue::Literal(value) = value else {
        return false;
    };
    let begins =
        |target: &TargetIdentity| Folded::of(target.best_name()).starts_with(&Folded::of(value));
    !value.trim().is_empty() && logged.targets.first().is_some_and(begins)
}

/// Returns true if both steps do the same to the same element. Elements are compared by data such as role, name and
/// position.
fn is_same(a: &Step, b: &Step) -> bool {
    // The same words on another page, or at another position in a list, refer to another element.
    let is_same_place = |a: &TargetIdentity, b: &TargetIdentity| a.ordinal == b.ordinal;
    a.signature == b.signature
        || is_meant(a, b)
        || (a.before.template() == b.before.template()
            && a.targets
                .iter()
                .zip(&b.targets)
                .all(|(a, b)| is_same_place(a, b))
            && !a.targets.is_empty()
            && a.action.tool_name() == b.action.tool_name()
            && is_on_same(a, b)
            && without_targets(&a.action) == without_targets(&b.action))
}

/// Returns true if step `b` did what the failed step `a` was meant to do. Step `a` named its target by words that matched no
/// element. Step `b` took the same action on an element whose name consists of these words.
fn is_meant(a: &Step, b: &Step) -> bool {
    let Action::Browser(action) = &a.action else {
        return false;
    };
    let targets = action.targets();
    let [Target::Locator(locator)] = targets.as_slice() else {
        return false;
    };
    let is_same_name =
        |target: &TargetIdentity, words: &str| Folded::of(target.best_name()) == Folded::of(words);
    let is_named = |target: &TargetIdentity| {
        let is_it = match locator.steps() {
            [LocatorStep::Text(words)] => is_same_name(target, words),
            [LocatorStep::ExactText(words)] => target.best_name().trim() == words.trim(),
            [
                LocatorStep::Role {
                    role,
                    name: Some(words),
                    ..
                },
            ] => target.role == *role && is_same_name(target, words),
            _ => false,
        };
        is_it && target.frames.is_empty()
    };
    a.targets.is_empty()
        && !a.outcome.is_done()
        && a.before.template() == b.before.template()
        && a.action.tool_name() == b.action.tool_name()
        && b.targets.len() == 1
        && b.targets.iter().all(is_named)
        && without_targets(&a.action) == without_targets(&b.action)
}

/// Returns true if both steps acted on the very same element. Another element with the same role and name does not count.
fn on_it_exactly(a: &Step, b: &Step) -> bool {
    let mut pairs = a.targets.iter().zip(&b.targets);
    is_on_same(a, b) && pairs.all(|(a, b)| a.ordinal == b.ordinal)
}

fn is_on_same(a: &Step, b: &Step) -> bool {
    a.targets.len() == b.targets.len()
        && !a.targets.is_empty()
        && a.targets
            .iter()
            .zip(&b.targets)
            .all(|(a, b)| super::Aim::of(a) == super::Aim::of(b) && a.frames == b.frames)
}

fn without_targets(action: &Action) -> serde_json::Value {
    let mut arguments = action.arguments();
    if let Some(map) = arguments.as_object_mut() {
        for key in ["target", "from", "to"] {
            map.remove(key);
        }
    }
    arguments
}
