//! Comparison of runs to find patterns: sequences of steps that runs with different goals have in common.

use std::collections::BTreeSet;

use super::{MAX_STEPS, MIN_STEPS};
use crate::{
    action::{BrowserTool, Effect},
    base::{canonical, short_hash},
    memory::{Aim, StoredStep, StoredTarget, StoredText, stored_step::ForGoal},
    page::Collection,
};

/// Returns the part of a step that can be the same in runs with different goals: the step without typed texts, groups
/// around the target, locators and results. The position in a list and the size of the list are kept, although they may
/// differ; [`plain`] replaces them. Returns `None` if the step cannot be part of a pattern.
pub(super) fn common(step: &StoredStep) -> Option<StoredStep> {
    use BrowserTool as T;
    let is_usual = matches!(
        step.tool,
        T::Goto
            | T::Click
            | T::Dblclick
            | T::Hover
            | T::Fill
            | T::Type
            | T::Press
            | T::Select
            | T::Check
            | T::Uncheck
    );
    if !is_usual || step.effect == Effect::Irreversible {
        return None;
    }
    let target = match &step.target {
        Some(target) => Some(common_target(target)?),
        None => None,
    };
    let text = step.text.as_ref().map(|text| match text {
        StoredText::Slot(_) | StoredText::Other { .. } => StoredText::Slot(0),
        named => named.clone(),
    });
    Some(StoredStep {
        page: step.page.clone(),
        leads_to: step.leads_to.clone().filter(|_| step.tool == T::Goto),
        target,
        text,
        key: step.key.clone(),
        submit: step.submit,
        ..StoredStep::new(step.tool)
    })
}

/// Returns the form in which a step of a given or imported pattern is stored: its [`common`] part, but with the step's
/// own [`StoredText::Slot`]. Returns `None` if the step is too large or cannot be part of a pattern.
pub(super) fn kept(step: &StoredStep) -> Option<StoredStep> {
    let mut kept = common(step)?;
    if let Some(StoredText::Slot(_)) = step.text {
        kept.text.clone_from(&step.text);
    }
    kept.is_small().then_some(kept)
}

/// Returns the part of a target that runs with different goals can share. Returns `None` if the target's [`Aim`] is
/// missing or cannot be shared, and the target is not an item of a list.
fn common_target(target: &StoredTarget) -> Option<StoredTarget> {
    let aim = target.aim.as_ref().filter(|_| !target.is_choice());
    let aim = aim.map(|aim| Aim {
        within: None,
        ..aim.clone()
    });
    if aim.is_none() && target.collection.is_none() {
        return None;
    }
    Some(StoredTarget {
        role: target.role.clone(),
        collection: target.collection.filter(|_| aim.is_none()),
        aim,
        slot: None,
        landmark: target.landmark.clone(),
        locator: None,
        for_goal: ForGoal::Same,
    })
}

/// Returns the form of a step used for comparison: two steps count as the same if their forms are equal. The form contains
/// no list size, no position in a list, and no typed value other than parameters and secrets. Returns `None` if the step
/// cannot be part of a pattern.
pub(super) fn plain(step: &StoredStep) -> Option<StoredStep> {
    let mut plain = common(step)?;
    if let Some(target) = &mut plain.target
        && target.collection.is_some()
    {
        target.collection = Some(Collection { index: 0, size: 2 });
    }
    Some(plain)
}

/// A step of a run, in the two forms in which a pattern may contain it.
#[derive(Debug)]
pub(super) struct Taken {
    /// The step with the name of its target; `None` if the step cannot be part of a pattern in this form.
    named: Option<StoredStep>,
    /// The step without the name of its target: the form for a target that is chosen from a list. `None` if the step cannot
    /// be part of a pattern in this form.
    chosen: Option<StoredStep>,
}

impl Taken {
    /// Creates both forms of a step. The step must still have the name of its target.
    pub(super) fn of(step: &StoredStep) -> Self {
        let mut chosen = step.clone();
        if let Some(target) = &mut chosen.target {
            target.aim = None;
        }
        Self {
            named: plain(step),
            chosen: plain(&chosen),
        }
    }

    /// Returns true if this step of a run is the step `own` of a pattern. `own` must be in the [`plain`] form. If `own`
    /// names no page, the page does not matter.
    pub(super) fn is(&self, own: &StoredStep) -> bool {
        let is_choice = |target: &StoredTarget| target.aim.is_none();
        let form = match &own.target {
            Some(target) if is_choice(target) => &self.chosen,
            _ => &self.named,
        };
        form.as_ref().is_some_and(|form| {
            let anywhere = || StoredStep {
                page: None,
                ..form.clone()
            };
            form == own || (own.page.is_none() && anywhere() == *own)
        })
    }
}

/// Returns a hash of the step's [`plain`] form; `None` if the step cannot be part of a pattern.
pub(super) fn signature(step: &StoredStep) -> Option<String> {
    let body = serde_json::to_value(plain(step)?).ok()?;
    Some(short_hash(canonical(&body)))
}

/// Returns true if a pattern can begin with this step: the name or position of its target is kept, or it opens a known
/// kind of page. For other steps, the page does not show whether they can be taken.
pub(super) fn can_begin(step: &StoredStep) -> bool {
    let is_named = |target: &StoredTarget| target.aim.is_some();
    match &step.target {
        Some(target) => is_named(target),
        None => step.tool == BrowserTool::Goto && step.leads_to.is_some(),
    }
}

/// Returns the maximal sequences of at least [`MIN_STEPS`] signatures (hashes of steps) that both lists contain, as ranges
/// of `one`. No range includes a step without a signature.
pub(super) fn stretches(
    one: &[Option<String>],
    other: &[Option<String>],
) -> BTreeSet<(usize, usize)> {
    let is_same = |a: usize, b: usize| match (one.get(a), other.get(b)) {
        (Some(Some(a)), Some(Some(b))) => a == b,
        _ => false,
    };
    let mut found = BTreeSet::new();
    for a in 0..one.len() {
        for b in 0..other.len() {
            let is_longest = a == 0 || b == 0 || !is_same(a - 1, b - 1);
            let steps = 0..one.len() - a;
            let len = steps.take_while(|n| is_same(a + n, b + n)).count();
            if is_longest && len >= MIN_STEPS {
                found.insert((a, a + len));
            }
        }
    }
    found
}

/// Cuts the steps from `start` to `end` into ranges that can be patterns. Each begins with a step for which `can_begin`
/// returns true, and has at most [`MAX_STEPS`] steps, at least two of them different.
pub(super) fn pieces(
    (start, end): (usize, usize),
    can_begin: impl Fn(usize) -> bool,
    signatures: &[Option<String>],
) -> Vec<(usize, usize)> {
    let (mut at, mut found) = (start, Vec::new());
    while at + MIN_STEPS <= end {
        if !can_begin(at) {
            at += 1;
            continue;
        }
        let to = end.min(at + MAX_STEPS);
        let is_varied = signatures[at..to]
            .iter()
            .any(|step| *step != signatures[at]);
        if is_varied {
            found.push((at, to));
        }
        at = to;
    }
    found
}

/// Returns true if `part` occurs in `steps` without a gap; false if `part` is empty.
pub(super) fn contains<T: PartialEq>(steps: &[T], part: &[T]) -> bool {
    !part.is_empty() && steps.windows(part.len()).any(|window| window == part)
}
