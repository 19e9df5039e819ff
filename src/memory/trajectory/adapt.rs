//! The form of a trajectory for a run whose goal differs from the recorded goal.

use std::{borrow::Cow, collections::BTreeSet};

use super::Trajectory;
use crate::{
    base::text,
    memory::stored_step::{ForGoal, Share, half_is_in, share_in},
    page::PageTemplate,
};

/// Returns the words of a recorded goal that a new goal does not contain.
pub(super) fn gone(recorded: &str, goal: &str) -> BTreeSet<String> {
    let new: BTreeSet<String> = text::words(goal).into_iter().collect();
    let known = text::words(recorded).into_iter();
    known.filter(|word| !new.contains(word)).collect()
}

/// Returns the trajectory for a run with the goal `goal`. Names that are probably values of the recorded goal, but not of
/// `goal`, are removed.
///
/// - A name is removed if at least half of its words are in the recorded goal but not in the new goal. A link "Confirmed"
///   would mislead a run that looks for cancelled orders, and so would the address `/orders/confirmed`.
/// - The name of a group around a target is removed if any of its words is in the recorded goal but not in the new goal.
/// - A link that chose a view of its own page, such as a filter, keeps its name, but is marked so that another link of the
///   same list may be chosen. In a filter by payment, for example, a goal for paid orders chooses "Yes", and a goal for
///   unpaid orders chooses "No".
pub(super) fn adapted<'t>(trajectory: &'t Trajectory, goal: &str) -> Cow<'t, Trajectory> {
    if text::words(&trajectory.header.goal) == text::words(goal) {
        return Cow::Borrowed(trajectory);
    }
    let gone = gone(&trajectory.header.goal, goal);
    let mut adapted = trajectory.clone();
    let said = |name: &str| text::words(name).iter().any(|word| gone.contains(word));
    let is_value = |page: &PageTemplate| page.path().split('/').any(|part| half_is_in(part, &gone));
    for step in &mut adapted.steps {
        let chooses_view = step.chooses_view();
        step.leads_to = step.leads_to.take().filter(|page| !is_value(page));
        let Some(target) = &mut step.target else {
            continue;
        };
        let Some(aim) = &mut target.aim else {
            continue;
        };
        aim.within = aim.within.take().filter(|group| !said(group));
        if share_in(&aim.name, &gone) >= Share::Half {
            (target.aim, target.locator, target.for_goal) = (None, None, ForGoal::Other);
        } else if chooses_view {
            target.for_goal = ForGoal::SameOrOther;
        }
    }
    Cow::Owned(adapted)
}
