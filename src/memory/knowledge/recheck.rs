//! Checks the facts that a run was shown: finds out whether the run acted on a fact, or whether its steps contradict
//! the fact.

use std::collections::BTreeSet;

use super::{
    About, COLLECTION, Claim, FactKind,
    observe::{Act, Observed},
};
use crate::{
    action::{Action, BrowserAction, BrowserTool},
    base::Host,
    memory::{RunLog, Scope},
    working::{By, Step},
};

/// Returns observations about the facts that the run was shown. `acts` is a sequence of the run's actions on one host.
pub(super) fn checked(acts: &[Act<'_>], log: &RunLog) -> Vec<Observed> {
    let mut out = Vec::new();
    if !log
        .offered
        .iter()
        .any(|id| id.shelf.collection == COLLECTION)
    {
        return out;
    }
    // What is missing after an interruption was not left out by the run.
    let proves = log.success && !is_interrupted(acts, log);
    for (at, act) in acts.iter().enumerate() {
        let Some(aim) = act.aim.as_ref().filter(|_| act.is_done()) else {
            continue;
        };
        let offered = offered(log, act.step, act.host);
        for kind in FactKind::ALL {
            let key = About::Element(aim.clone()).key(kind);
            if offered.contains(&*key) {
                match about(kind, act, &acts[at + 1..], proves) {
                    Tells::Nothing => {}
                    Tells::Acted => out.push(on(act, &key, None)),
                    Tells::Untrue(claim) => out.push(on(act, &key, Some(claim))),
                }
            }
        }
    }
    out.extend(uncovered(acts, log));
    out
}

/// Returns true if the actions were followed by one whose outcome nobody saw, or if the run was interrupted and opened
/// its page again after them.
fn is_interrupted(acts: &[Act<'_>], log: &RunLog) -> bool {
    let last = acts.last().map_or(0, |act| act.step.number);
    let mut later = log.steps.iter().filter(|step| step.number > last);
    let next = later.find(|step| matches!(step.action, Action::Browser(_)));
    next.is_some_and(|step| step.unseen || step.by == By::Task)
}

/// The conclusion about a fact, drawn from an action on the fact's element and from the run's later actions.
enum Tells {
    Nothing,
    Acted,
    /// The fact is not true; this value is true instead.
    Untrue(Claim),
}

impl Tells {
    const fn acted(did: bool) -> Self {
        if did { Self::Acted } else { Self::Nothing }
    }
}

/// Returns the conclusion about a fact of this kind. `act` is an action on the fact's element, and `after` are the
/// later actions of the same sequence on one host. Only if `proves` is true can they show that the fact is not true.
fn about(kind: FactKind, act: &Act<'_>, after: &[Act<'_>], proves: bool) -> Tells {
    let next = after
        .iter()
        .find(|next| next.is_done() && !next.only_looks());
    let enters = |field| next.is_some_and(|next: &Act<'_>| next.presses_enter(field));
    let untrue = |claim, is_shown: bool| {
        if is_shown && proves {
            Tells::Untrue(claim)
        } else {
            Tells::Nothing
        }
    };
    match (kind, act.action) {
        (FactKind::Obstacle, BrowserAction::Click(_)) => Tells::Acted,
        (FactKind::Pattern, BrowserAction::Fill(_)) => match act.fills() {
            Some((field, _)) if !enters(field) => untrue(Claim::NeedsNoEnter, true),
            _ => Tells::Acted,
        },
        (FactKind::Quirk, BrowserAction::Fill(fill)) => {
            let typed = after.iter().any(|next| next.types(&fill.text));
            untrue(Claim::TakesText, !typed)
        }
        (FactKind::Quirk, BrowserAction::Click(_)) => {
            Tells::acted(next.is_some_and(|next| next.action.tool() == BrowserTool::Type))
        }
        (FactKind::Timing, _) if act.asks() => match after.first() {
            Some(wait) if wait.action.tool() == BrowserTool::Wait => Tells::Acted,
            _ => untrue(Claim::AnswersAtOnce, next.is_some()),
        },
        _ => Tells::Nothing,
    }
}

/// Returns an observation for each obstacle that covered nothing: it was on the page before and after the run clicked,
/// ticked or unticked another element, and the run had not clicked it before.
fn uncovered(acts: &[Act<'_>], log: &RunLog) -> Vec<Observed> {
    let prefix = FactKind::Obstacle.as_str();
    let mut clicked = BTreeSet::new();
    let mut out = Vec::new();
    for act in acts.iter().filter(|act| act.is_done()) {
        let own = act
            .aim
            .clone()
            .map(|aim| About::Element(aim).key(FactKind::Obstacle));
        clicked.extend(own.clone());
        let is_pointer = matches!(
            act.action.tool(),
            BrowserTool::Click | BrowserTool::Dblclick | BrowserTool::Check | BrowserTool::Uncheck
        );
        let later = log
            .steps
            .iter()
            .filter(|step| step.turn > act.step.turn && step.before.host() == Some(act.host));
        let there_later: BTreeSet<&str> = later
            .flat_map(|step| offered(log, step, act.host))
            .collect();
        let ignored = offered(log, act.step, act.host).into_iter().filter(|key| {
            let is_other = key.starts_with(prefix) && Some(*key) != own.as_deref();
            is_other && !clicked.contains(*key) && there_later.contains(key)
        });
        if is_pointer {
            out.extend(ignored.map(|key| on(act, key, Some(Claim::CoversNothing))));
        }
    }
    out
}

/// Returns the keys of those facts about this host that were shown in the prompt that led to the step.
fn offered<'a>(log: &'a RunLog, step: &'a Step, host: &Host) -> BTreeSet<&'a str> {
    let own = log.offered_at(step).filter(|id| {
        let is_here = matches!(&id.shelf.scope, Scope::Host(own) if own == host);
        is_here && id.shelf.collection == COLLECTION
    });
    own.map(|id| &*id.key).collect()
}

fn on(act: &Act<'_>, key: &str, claim: Option<Claim>) -> Observed {
    Observed {
        host: act.host.clone(),
        key: key.to_owned(),
        new: None,
        claim,
    }
}
