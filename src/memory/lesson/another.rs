//! Recoveries by a click on another element. This element differs only in its icon or its place from the element whose
//! click failed.

use super::{
    Aim, AimedMove, FailureKind, Recovery,
    recover::{Traced, Way},
    trace::TraceStep,
};
use crate::{
    action::{BrowserTool, ErrorClass},
    page::TargetIdentity,
};

/// Maximum distance at which two nameless elements count as neighbours. Unit: positions among all nameless elements
/// with the same role. Source: chosen; a row of icons has up to five.
const MAX_APART: u32 = 4;

/// Returns the recovery from the click `failed` by the later click `after[at]` on another element. All of these
/// conditions must hold:
///
/// - The failed click had no effect, or its element was disabled.
/// - The two elements have the same name in different groups, or they are neighbours without names.
/// - The run did not afterwards click a third element that is related to both elements in this way.
pub(super) fn another(failed: &Traced<'_>, at: usize, after: &[Traced<'_>]) -> Option<Way> {
    let is_idle = matches!(
        failed.1.trouble,
        Some(FailureKind::NoEffect | FailureKind::Failed(ErrorClass::Disabled))
    );
    let click = after.get(at).filter(|_| is_idle)?;
    let (group, within) = told_apart(failed, click)?;
    let (aim, step) = (click.1.aim.clone()?, click.1.step?);
    // If several such elements were clicked, it is unknown which of them was meant.
    let is_third = |then: &Traced<'_>| {
        let is_click = then.1.is_done() && then.1.tool == BrowserTool::Click;
        is_click && told_apart(failed, then).is_some() && told_apart(click, then).is_some()
    };
    if after[at + 1..].iter().any(is_third) {
        return None;
    }
    let aim = Some(Aim { within, ..aim });
    let way = Way::new(at, Recovery::Another(step), vec![AimedMove { step, aim }]);
    Some(way.in_group(group))
}

/// Returns, for each of two elements with the same name, the name of a group that contains it but not the other.
/// Returns `(None, None)` if the elements are neighbours without names of their own, and `None` in all other cases.
fn told_apart(
    (a, a_step): &Traced<'_>,
    (b, b_step): &Traced<'_>,
) -> Option<(Option<String>, Option<String>)> {
    let (a_target, b_target) = (a.targets.first()?, b.targets.first()?);
    let (a_aim, b_aim) = (a_step.aim.as_ref()?, b_step.aim.as_ref()?);
    let is_alike = a_aim.role == b_aim.role && a.before.template() == b.before.template();
    if !is_alike || a_aim.name.is_empty() || b_aim.name.is_empty() {
        return None;
    }
    if a_aim == b_aim {
        let own = |own: &TraceStep, other: &TraceStep| {
            let mut groups = own.groups.iter();
            groups.find(|group| !other.groups.contains(group)).cloned()
        };
        let (a, b) = (own(a_step, b_step)?, own(b_step, a_step)?);
        return Some((Some(a), Some(b)));
    }
    let is_mute = |target: &TargetIdentity| target.name.is_empty() && target.label.is_none();
    let is_beside = a_target.ancestors == b_target.ancestors
        && a_target.landmark == b_target.landmark
        && a_target.ordinal.abs_diff(b_target.ordinal) <= MAX_APART;
    (is_mute(a_target) && is_mute(b_target) && is_beside).then_some((None, None))
}
