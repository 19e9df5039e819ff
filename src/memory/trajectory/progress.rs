//! How far a run has come on the way of a trajectory.

use std::collections::HashSet;

use super::{Target, TrajectoryStep};
use crate::{
    action::BrowserTool,
    memory::Aim,
    page::{Role, Tree, sketch},
    working::Step,
};

/// Maximum number of steps of a trajectory that a run may leave out at once. Source: chosen; a run that leaves out more
/// is probably on another way.
const MAX_LEFT_OUT: usize = 2;

/// How far a run has come on the way of a trajectory.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Behind {
    /// Number of steps up to the last one that the run took.
    at: usize,
    /// Positions of the steps before that which the run did not take.
    left_out: Vec<usize>,
}

/// Returns how far a run has come.
pub(super) fn behind(way: &[TrajectoryStep], taken: &[Step]) -> Behind {
    let mut behind = Behind::default();
    let done = taken.iter().filter(|step| step.outcome.is_done());
    for step in done.filter_map(TrajectoryStep::of) {
        let on = advance(&way[behind.at..], &step);
        if on > 0 {
            behind.left_out.extend(behind.at..behind.at + on - 1);
            behind.at += on;
        } else if let Some(late) = behind
            .left_out
            .iter()
            .position(|at| is_same(&way[*at], &step))
        {
            behind.left_out.remove(late);
        }
    }
    behind
}

/// Returns the number of a trajectory's steps that a run took.
pub(super) fn followed_steps(way: &[TrajectoryStep], taken: &[TrajectoryStep]) -> usize {
    let (mut at, mut count) = (0, 0);
    for step in taken.iter().filter(|step| step.verified) {
        let on = advance(&way[at..], step);
        at += on;
        count += usize::from(on > 0);
    }
    count
}

/// Returns how many steps of the rest of a trajectory are behind after this step; 0 if it is none of the next ones.
fn advance(rest: &[TrajectoryStep], taken: &TrajectoryStep) -> usize {
    let mut near = rest.iter().take(MAX_LEFT_OUT + 1);
    let next = near.position(|step| is_same(step, taken));
    next.map_or(0, |at| at + 1)
}

/// Returns true if a run took this step of a trajectory.
fn is_same(step: &TrajectoryStep, taken: &TrajectoryStep) -> bool {
    is_alike(step.tool, taken.tool)
        && match (&step.target, &taken.target) {
            (Some(of), Some(target)) => match (&of.aim, &target.aim) {
                (Some(of), Some(aim)) => of.is_called(aim),
                _ => of.role == target.role,
            },
            (None, None) => step.leads_to == taken.leads_to && step.key == taken.key,
            _ => false,
        }
}

/// Returns true if both tools do the same to a target.
fn is_alike(one: BrowserTool, other: BrowserTool) -> bool {
    use BrowserTool as T;
    let writes = |tool| matches!(tool, T::Fill | T::Type);
    one == other || (writes(one) && writes(other))
}

/// Returns the positions of the steps that are left, the one to take next first; empty if none of the next steps can be taken on this
/// page. A step that was left out comes before all others if it can be taken here: the run may have taken two steps in another order, and
/// the last one may send what the first one should have filled in.
pub(super) fn left(way: &[TrajectoryStep], behind: &Behind, page: &Tree) -> Vec<usize> {
    let ahead = behind.at..way.len().min(behind.at + MAX_LEFT_OUT + 1);
    let near = behind.left_out.iter().copied().chain(ahead.clone());
    let roles: HashSet<&Role> = near
        .filter_map(|at| Some(&way[at].target.as_ref()?.role))
        .collect();
    let here: Vec<Aim> = sketch(page, |role| roles.contains(role))
        .iter()
        .map(Aim::of)
        .collect();
    let is_here = |target: &Target| {
        here.iter().any(|aim| match &target.aim {
            Some(own) => own.is_called(aim),
            None => aim.role == target.role,
        })
    };
    let left_out = behind.left_out.iter().copied();
    let mut left: Vec<usize> = left_out
        .filter(|at| way[*at].target.as_ref().is_some_and(is_here))
        .collect();
    let mut ahead = ahead;
    let next = ahead.find(|at| way[*at].target.as_ref().is_none_or(is_here));
    match next {
        Some(next) => left.extend(next..way.len()),
        None => left.extend(
            if left.is_empty() {
                way.len()
            } else {
                behind.at
            }..way.len(),
        ),
    }
    left
}
