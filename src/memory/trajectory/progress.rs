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

/// Returns the number of a trajectory's steps that a run has behind it: the steps up to the last one that it took.
pub(super) fn behind(way: &[TrajectoryStep], taken: &[Step]) -> usize {
    let done = taken.iter().filter(|step| step.outcome.is_done());
    done.filter_map(TrajectoryStep::of)
        .fold(0, |at, step| at + advance(&way[at..], &step))
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
    let is_this = |step: &TrajectoryStep| {
        is_alike(step.tool, taken.tool)
            && match (&step.target, &taken.target) {
                (Some(of), Some(target)) => match (&of.aim, &target.aim) {
                    (Some(of), Some(aim)) => of.is_called(aim),
                    _ => of.role == target.role,
                },
                (None, None) => step.leads_to == taken.leads_to && step.key == taken.key,
                _ => false,
            }
    };
    let next = rest.iter().take(MAX_LEFT_OUT + 1).position(is_this);
    next.map_or(0, |at| at + 1)
}

/// Returns true if both tools do the same to a target.
fn is_alike(one: BrowserTool, other: BrowserTool) -> bool {
    use BrowserTool as T;
    let writes = |tool| matches!(tool, T::Fill | T::Type);
    one == other || (writes(one) && writes(other))
}

/// Returns the position of the next step of a trajectory: the first one that can be taken on this page, after those that are
/// behind. Returns `None` if none of the next steps can be taken here.
pub(super) fn next(way: &[TrajectoryStep], behind: usize, page: &Tree) -> Option<usize> {
    let near = way.get(behind..)?.iter().take(MAX_LEFT_OUT + 1);
    let roles: HashSet<&Role> = near
        .clone()
        .filter_map(|step| Some(&step.target.as_ref()?.role))
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
    let mut near = near.zip(behind..);
    near.find(|(step, _)| step.target.as_ref().is_none_or(is_here))
        .map(|(_, at)| at)
}
