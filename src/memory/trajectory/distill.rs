//! The trajectory of a run's log, without the run's values.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::{
    Given, Header, MAX_STEP_BYTES, Target, Trajectory, TrajectoryStep, adapt::half_is_in,
    shortest::shortest, trace::trace,
};
use crate::{
    action::{Action, BrowserAction, TextValue},
    base::{Host, text},
    goal::compose,
    memory::{Aim, PageName, Record, RunLog, aim::is_choice, typed::Typed},
    page::TargetIdentity,
    working::{By, Step},
};

/// Maximum number of steps of a trajectory. Source: chosen; the default budget of a run.
pub const MAX_STEPS: usize = 50;
/// Maximum length of a goal. A run with a longer one is not recorded. Unit: bytes. Source: chosen; it fits into a record.
const MAX_GOAL: usize = 900;
/// Maximum length of a step's key. Unit: bytes.
const MAX_KEY: usize = 24;
/// Maximum length of a stored locator. Unit: bytes. Source: chosen; half a step's record is left for the rest.
const MAX_LOCATOR: usize = 100;

/// What trajectories learn from a run. It may wait in the store until the next run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Learned {
    /// The host on which the whole run took place.
    pub(super) host: Host,
    /// True if the goal was reached.
    pub(super) success: bool,
    /// The header of the run's own trajectory.
    pub(super) header: Header,
    /// The steps that the run took: the shortest way if it reached its goal, else all.
    pub(super) steps: Vec<TrajectoryStep>,
    /// The keys of the trajectories that the run was shown.
    pub(super) offered: Vec<String>,
}

impl Learned {
    /// Extracts the part of a log that trajectories learn from; `None` if the run was not on one host alone, took no
    /// steps, or took too many.
    pub(super) fn of(log: &RunLog) -> Option<Self> {
        let places = log
            .steps
            .iter()
            .flat_map(|step| [&step.before, &step.after]);
        let mut hosts = places.filter_map(|place| place.host());
        let host = hosts.next()?.clone();
        if hosts.any(|other| *other != host) || log.steps.iter().any(|step| step.left_scope) {
            return None;
        }
        // Slots are places in the goal in this form.
        let goal: String = compose(&log.about.goal);
        if goal.len() > MAX_GOAL || goal.chars().any(text::is_deceptive) {
            return None;
        }
        let way = if log.success {
            shortest(&log.steps)
        } else {
            log.steps.iter().collect()
        };
        // The task opens its start address by itself.
        let way = way.into_iter().filter(|step| step.by != By::Task);
        let offered = offered(log);
        let typed = Typed::of(&log.steps);
        let (kept, mut steps): (Vec<&Step>, Vec<TrajectoryStep>) = way
            .filter_map(|step| Some((step, TrajectoryStep::of(step)?)))
            .unzip();
        if steps.is_empty() || steps.len() > MAX_STEPS {
            return None;
        }
        let slots = trace(&goal, &kept, &mut steps);
        for step in &mut steps {
            step.hide(&typed, &goal);
            step.fit();
        }
        Some(Self {
            host,
            success: log.success,
            header: Header {
                goal,
                slots,
                run: log.run.clone(),
                runs: vec![log.run.clone()],
                timestamp: log.ended_at,
                steps: steps.len(),
                turns: log.steps.iter().map(|step| step.turn).max().unwrap_or(0),
                duration_ms: log.duration_ms(),
                imported: false,
                results: Vec::new(),
            },
            steps,
            offered,
        })
    }

    /// Returns the trajectory of the run.
    pub(super) fn trajectory(&self) -> Trajectory {
        Trajectory {
            header: self.header.clone(),
            steps: self.steps.clone(),
        }
    }
}

/// Returns the keys of the trajectories that the run was shown.
fn offered(log: &RunLog) -> Vec<String> {
    let own = log
        .offered
        .iter()
        .filter(|id| id.shelf.collection == super::COLLECTION);
    own.map(|id| id.key.clone()).collect()
}

impl TrajectoryStep {
    /// Returns the step of a trajectory for a step of a run, with all names; `None` if the step is no action on a page.
    pub(super) fn of(step: &Step) -> Option<Self> {
        let Action::Browser(action) = &step.action else {
            return None;
        };
        let (before, after) = (step.before.template(), step.after.template());
        let moved = before != after || step.before.url() != step.after.url();
        let chars = |text: &str| Given::Other {
            chars: text.chars().count(),
        };
        let given = |text: &TextValue| match text {
            TextValue::Literal(text) => chars(text),
            TextValue::Parameter(name) => Given::Parameter(name.clone()),
            TextValue::Secret(name) => Given::Secret(name.clone()),
        };
        let (key, submit) = match action {
            BrowserAction::Press(press) => (Some(press.key.clone()), false),
            BrowserAction::Fill(fill) => (None, fill.submit),
            BrowserAction::Type(typed) => (None, typed.submit),
            _ => (None, false),
        };
        Some(Self {
            tool: action.tool(),
            page: before.cloned(),
            leads_to: after.filter(|_| moved).cloned(),
            target: step
                .targets
                .first()
                .map(|target| Target::of(target).in_group(step.within.as_deref())),
            text: action.texts().first().map(|text| given(text)),
            key,
            submit,
            effect: step.effect,
            verified: step.outcome.is_done(),
        })
    }

    /// Removes names that are values of the run: names chosen from a list, and names that repeat typed text. A group's name is
    /// removed if half of its words are in the goal, because it may be a value too.
    fn hide(&mut self, typed: &Typed, goal: &str) {
        let Some(target) = &mut self.target else {
            return;
        };
        let says = |aim: &Aim| typed.is_in(&aim.name);
        if target.slot.is_some() || target.is_choice() || target.aim.as_ref().is_some_and(says) {
            target.aim = None;
            target.locator = None;
        }
        if let Some(aim) = &mut target.aim {
            let goal: BTreeSet<String> = text::words(goal).into_iter().collect();
            let of_run = |group: &String| typed.is_in(group) || half_is_in(group, &goal);
            aim.within = aim.within.take().filter(|group| !of_run(group));
        }
        let locator = target.locator.take();
        target.locator = locator.filter(|locator| !typed.is_in(&locator.to_string()));
    }

    /// Drops what is least needed until the step's record is small enough.
    fn fit(&mut self) {
        let is_small = |step: &Self| {
            serde_json::to_value(step)
                .is_ok_and(|body| Record::new("", &body).size() <= MAX_STEP_BYTES - MAX_KEY)
        };
        if !is_small(self)
            && let Some(target) = &mut self.target
        {
            target.locator = None;
        }
        if !is_small(self) {
            self.leads_to = None;
        }
        if !is_small(self) {
            self.page = None;
        }
    }
}

/// Returns what identifies a target. One without a name is known by the nearest group around it.
fn aim(identity: &TargetIdentity) -> Aim {
    let aim = Aim::of(identity);
    let is_nameless = aim.name.is_empty();
    let within = Aim::groups(identity).into_iter().next();
    Aim {
        within: within.filter(|_| is_nameless),
        ..aim
    }
}

impl Target {
    fn of(identity: &TargetIdentity) -> Self {
        let is_framed = !identity.frames.is_empty();
        let locator = identity.locator.clone();
        Self {
            role: identity.role.clone(),
            // A frame may belong to another site, so its names are not kept.
            aim: (!is_framed).then(|| aim(identity)),
            slot: None,
            landmark: identity.landmark.clone(),
            collection: identity.collection,
            locator: locator
                .filter(|locator| !is_framed && locator.to_string().len() <= MAX_LOCATOR),
            is_of_goal: false,
        }
    }

    /// Returns the target as one in a group, whose name distinguishes it from others with its name. A target without a name is known
    /// by its group already.
    fn in_group(mut self, group: Option<&str>) -> Self {
        if let (Some(aim), Some(group)) = (&mut self.aim, group) {
            let group = PageName::plain(group);
            aim.within = aim
                .within
                .take()
                .or(Some(group).filter(|group| !group.is_empty()));
        }
        self
    }

    /// Returns true if the target was probably chosen from the list that it is in, so that another run may have to choose
    /// another one.
    pub(super) fn is_choice(&self) -> bool {
        is_choice(&self.role, self.landmark.as_ref(), self.collection)
    }
}
