//! Observations of a run about its hosts: facts that the run's steps prove or contradict, and facts that the model
//! proposed.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::{About, Claim, Fact, FactKind, Source, recheck::checked};
use crate::{
    action::{
        Action, AgentAction, BrowserAction, BrowserTool, ErrorClass, Outcome, Remember, TextValue,
    },
    base::{Host, RunId},
    memory::{Aim, RunLog, aim::is_choice, typed::Typed},
    working::Step,
};

/// Number of actions after a failed action that are searched for its repetition. An element that was clicked in between
/// can count as an obstacle. Source: chosen; lessons use the same number.
const WINDOW: usize = 10;
/// Maximum number of actions from a fill to an action that types the same text key by key, and so shows that the field
/// needs keys. Source: chosen; enough for a click into the field and the typing.
const BEFORE_KEYS: usize = 2;
/// Maximum number of proposals by the model that are kept from one run. Source: chosen.
const MAX_PROPOSALS: usize = 5;
/// Number of a run's latest steps that are searched for facts during the run. Source: chosen; it limits the work at
/// each page.
const RECENT: usize = 100;

/// Observations of a run about its hosts, from which the memory kind `knowledge` learns.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Learned {
    pub(super) run: RunId,
    pub(super) at: DateTime<Utc>,
    pub(super) seen: Vec<Observed>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Observed {
    pub(super) host: Host,
    pub(super) key: String,
    /// The kind and subject of the fact, if the fact may be new; `None` if the observation only updates a stored fact.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) new: Option<(FactKind, About)>,
    /// The observed value; `None` if the run only acted on a stored fact.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) claim: Option<Claim>,
}

impl Learned {
    /// Returns the observations of a run, at most one for each fact: preferably one with a value that is worth showing
    /// ([`Claim::tells`]), else one with another value, else one without a value. Among equals, the last one counts.
    pub(super) fn of(log: &RunLog) -> Self {
        let typed = Typed::of(&log.steps);
        let mut seen: BTreeMap<(Host, String), Observed> = BTreeMap::new();
        let of_stretches = stretches(&log.steps).into_iter().flat_map(|stretch| {
            let proven = proven(&stretch);
            proven.into_iter().chain(checked(&stretch, log))
        });
        for one in of_stretches.chain(proposals(log)) {
            if matches!(&one.new, Some((_, About::Element(aim))) if typed.is_in(&aim.name)) {
                continue;
            }
            let rank =
                |claim: &Option<Claim>| claim.as_ref().map_or(0, |c| 1 + u8::from(c.tells()));
            let key = (one.host.clone(), one.key.clone());
            match seen.get_mut(&key) {
                Some(known) if rank(&known.claim) > rank(&one.claim) => {}
                _ => _ = seen.insert(key, one),
            }
        }
        Self {
            run: log.run.clone(),
            at: log.ended_at,
            seen: seen.into_values().collect(),
        }
    }
}

/// Returns the facts about a host that a run has proven so far, by key. These observations are not stored yet, but the
/// facts may be known from earlier runs.
pub(super) fn so_far(
    steps: &[Step],
    host: &Host,
    run: &RunId,
    now: DateTime<Utc>,
) -> BTreeMap<String, Fact> {
    let recent = &steps[steps.len().saturating_sub(RECENT)..];
    let typed = Typed::of(recent);
    let stretches = stretches(recent).into_iter();
    let seen = stretches.flat_map(|stretch| proven(&stretch));
    let facts = seen.filter_map(|one| {
        let (kind, about) = one.new.filter(|_| one.host == *host)?;
        let is_own_text = matches!(&about, About::Element(aim) if typed.is_in(&aim.name));
        let claim = one.claim.filter(|claim| claim.tells() && !is_own_text)?;
        let source = Source {
            run: run.clone(),
            at: now,
            claim: Some(claim),
        };
        Some((one.key, Fact::new(kind, about, source)))
    });
    facts.collect()
}

#[derive(Debug)]
pub(super) struct Act<'a> {
    pub(super) step: &'a Step,
    pub(super) action: &'a BrowserAction,
    pub(super) host: &'a Host,
    /// The target of the action; `None` if there is no target, or if it is probably one of several choices in a list.
    pub(super) aim: Option<Aim>,
}

impl Act<'_> {
    pub(super) const fn only_looks(&self) -> bool {
        matches!(
            self.action.tool(),
            BrowserTool::Snapshot
                | BrowserTool::Screenshot
                | BrowserTool::Wait
                | BrowserTool::Scroll
                | BrowserTool::TabList
                | BrowserTool::StateSave
        )
    }

    pub(super) const fn is_done(&self) -> bool {
        self.step.outcome.is_done()
    }

    fn is_same(&self, other: &Self) -> bool {
        let is_aimed = self.aim.is_some() && self.aim == other.aim;
        self.step.signature == other.step.signature
            || (is_aimed && self.action.tool() == other.action.tool())
    }

    fn changed(&self) -> bool {
        let changes = self.step.changes.as_ref();
        self.step.before.url() != self.step.after.url()
            || changes.is_some_and(|changes| !changes.is_empty())
    }

    /// Returns the field that the action fills, and the text; `None` if it fills no field or also presses Enter.
    pub(super) fn fills(&self) -> Option<(&Aim, &TextValue)> {
        match self.action {
            BrowserAction::Fill(fill) if !fill.submit => Some((self.aim.as_ref()?, &fill.text)),
            _ => None,
        }
    }

    pub(super) fn presses_enter(&self, field: &Aim) -> bool {
        matches!(self.action, BrowserAction::Press(press) if press.key.as_str() == "Enter")
            && self.aim.as_ref().is_none_or(|aim| aim == field)
    }

    pub(super) fn types(&self, text: &TextValue) -> bool {
        matches!(self.action, BrowserAction::Type(typed) if typed.text == *text)
    }

    /// Returns true if the action should make the page respond: a click, a choice, or Enter.
    pub(super) fn asks(&self) -> bool {
        match self.action {
            BrowserAction::Click(_) | BrowserAction::Select(_) => true,
            BrowserAction::Press(press) => press.key.as_str() == "Enter",
            BrowserAction::Fill(fill) => fill.submit,
            _ => false,
        }
    }

    /// Returns the observation that `claim` is true of this element; `None` if `claim` is free text.
    fn saw(&self, element: &Aim, claim: Claim) -> Option<Observed> {
        let (kind, about) = (claim.kind()?, About::Element(element.clone()));
        Some(Observed {
            host: self.host.clone(),
            key: about.key(kind),
            new: Some((kind, about)),
            claim: Some(claim),
        })
    }
}

/// Returns the browser actions of a run, grouped into stretches: sequences of actions on one host. An action is left
/// out, and ends a stretch, if its target is in a frame, if its outcome is unclear, or if it leads to another host or
/// site.
fn stretches(steps: &[Step]) -> Vec<Vec<Act<'_>>> {
    let mut all: Vec<Vec<Act<'_>>> = vec![Vec::new()];
    for step in steps {
        let Action::Browser(action) = &step.action else {
            continue;
        };
        let is_framed = step.targets.iter().any(|target| !target.frames.is_empty());
        let is_certain = !is_framed
            && !step.left_site()
            && !step.unseen
            && !matches!(step.outcome, Outcome::Unclear(_))
            && step.after.host() == step.before.host();
        let act = step.before.host().filter(|_| is_certain).map(|host| Act {
            step,
            action,
            host,
            aim: step
                .targets
                .first()
                .filter(|of| !is_choice(&of.role, of.landmark.as_ref(), of.collection))
                .map(Aim::of),
        });
        let is_next = |last: &Act<'_>| act.as_ref().is_some_and(|act| act.host == last.host);
        if all
            .last()
            .and_then(|now| now.last())
            .is_some_and(|last| !is_next(last))
        {
            all.push(Vec::new());
        }
        if let Some(now) = all.last_mut() {
            now.extend(act);
        }
    }
    all
}

/// Returns the observations that a stretch of actions on one host proves.
fn proven(acts: &[Act<'_>]) -> Vec<Observed> {
    let each = (0..acts.len()).flat_map(|at| {
        let (act, after) = (&acts[at], &acts[at + 1..]);
        [
            covers(act, after),
            needs_enter(act, after),
            needs_keys(act, after),
            answers_late(act, after),
        ]
    });
    each.flatten().collect()
}

/// Observes that an element covers others: an action failed because its target was covered, and succeeded after a click
/// on this element. All other successful actions in between did not act on the page (such as a snapshot or a wait).
fn covers(act: &Act<'_>, after: &[Act<'_>]) -> Option<Observed> {
    if act.step.outcome.class() != Some(ErrorClass::Intercepted) {
        return None;
    }
    let again = after
        .iter()
        .take(WINDOW)
        .position(|later| act.is_same(later))?;
    if !after[again].is_done() {
        return None;
    }
    let between = after[..again].iter();
    let mut moves = between.filter(|act| act.is_done() && !act.only_looks());
    let (first, more) = (moves.next()?, moves.next());
    let is_click = matches!(first.action, BrowserAction::Click(_));
    let way = first.aim.as_ref().filter(|_| is_click && more.is_none())?;
    first.saw(way, Claim::Covers)
}

/// Observes that a field needs Enter: after the field was filled, a later reply of the model pressed Enter in it, and
/// that changed the page.
fn needs_enter(act: &Act<'_>, after: &[Act<'_>]) -> Option<Observed> {
    let (field, _) = act.fills().filter(|_| act.is_done())?;
    let next = after
        .iter()
        .find(|next| next.is_done() && !next.only_looks())?;
    let is_late = next.step.turn > act.step.turn && next.presses_enter(field) && next.changed();
    is_late.then(|| act.saw(field, Claim::NeedsEnter)).flatten()
}

/// Observes that a field needs keys: a text was put into it as a whole, and soon afterwards typed key by key.
fn needs_keys(act: &Act<'_>, after: &[Act<'_>]) -> Option<Observed> {
    let (field, text) = act.fills().filter(|_| act.is_done())?;
    let done = after
        .iter()
        .filter(|next| next.is_done() && !next.only_looks());
    let types = |next: &Act<'_>| next.types(text);
    let stays = |next: &&Act<'_>| types(next) || next.aim.as_ref() == Some(field);
    let mut near = done.take(BEFORE_KEYS).take_while(stays);
    near.any(types)
        .then(|| act.saw(field, Claim::NeedsKeys))
        .flatten()
}

/// Observes that the page responds late: it changed during a wait that directly followed the action.
fn answers_late(act: &Act<'_>, after: &[Act<'_>]) -> Option<Observed> {
    let aim = act.aim.as_ref().filter(|_| act.is_done() && act.asks())?;
    let wait = after.first()?;
    let is_late = matches!(wait.action, BrowserAction::Wait(_)) && wait.is_done() && wait.changed();
    is_late.then(|| act.saw(aim, Claim::AnswersLate)).flatten()
}

/// Returns the host that the model's proposals are about; `None` if the run saw no host, several hosts, or a page out of its
/// scope.
fn host_of_proposals(log: &RunLog) -> Option<&Host> {
    let places = log
        .steps
        .iter()
        .flat_map(|step| [&step.before, &step.after]);
    let mut hosts = places.filter_map(|place| place.host());
    let host = hosts.next()?;
    let is_left = hosts.any(|other| other != host) || log.steps.iter().any(|step| step.left_scope);
    (!is_left).then_some(host)
}

fn proposed(log: &RunLog) -> impl Iterator<Item = &Remember> {
    log.steps.iter().filter_map(|step| match &step.action {
        Action::Agent(AgentAction::Remember(fact)) if step.outcome.is_done() => Some(fact),
        _ => None,
    })
}

/// Returns which of the facts that the model proposed are not kept, and why; `None` if all of them are kept.
pub(super) fn unlearned(log: &RunLog) -> Option<String> {
    let count = proposed(log).count();
    if count > 0 && host_of_proposals(log).is_none() {
        return Some(
            "no fact that the run proposes is kept, because it did not stay on one host".to_owned(),
        );
    }
    (count > MAX_PROPOSALS)
        .then(|| format!("only the first {MAX_PROPOSALS} facts that the run proposes are kept"))
}

/// Returns the facts that the model proposed with `remember`, as far as they are kept.
fn proposals(log: &RunLog) -> Vec<Observed> {
    let Some(host) = host_of_proposals(log) else {
        return Vec::new();
    };
    let observed = proposed(log).map(|fact| {
        let (kind, about) = (FactKind::of_name(&fact.key), About::name(&fact.key));
        Observed {
            host: host.clone(),
            key: about.key(kind),
            new: Some((kind, about)),
            claim: Some(Claim::words(&fact.value)),
        }
    });
    observed.take(MAX_PROPOSALS).collect()
}
