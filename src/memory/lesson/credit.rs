//! The credit of a lesson in a run. It says whether the run carried out the lesson's recovery (the advised actions), whether
//! the lesson had been shown before that, and whether the recovery had the effect that the failed action should have had.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    Aim, AimedMove, Credit, FailureKind, Lesson, LessonText, Move, Recovery, SiteRecovery,
    Template,
    recover::has_typed,
    trace::{Found, Trace, TraceStep},
};
use crate::{
    action::BrowserTool,
    base::{Host, Site},
    memory::AdviceId,
};

/// Maximum number of steps from a failure to the first advised step, or from one advised step to the next. Source:
/// chosen; the model reads the advice when it decides the first step after the failure.
const NEAR: usize = 4;

#[derive(Debug, Default)]
pub(super) struct OnSite {
    pub(super) credit: Credit,
    /// The hosts on which the credit was earned. All of them belong to one site.
    pub(super) hosts: BTreeSet<Host>,
}

/// Returns the credit of a lesson on each site of a run, computed from the run's trace. `host` is the host to whose shelf
/// the lesson belongs; `None` if the lesson is on the global shelf.
pub(super) fn credits(
    lesson: &Lesson,
    id: &AdviceId,
    host: Option<&Host>,
    trace: &Trace,
) -> BTreeMap<Site, OnSite> {
    let mut credits = BTreeMap::new();
    match &lesson.text {
        LessonText::Template(template) if template.trouble == FailureKind::Any => {
            any_time(template, id, trace, &mut credits);
        }
        LessonText::Template(template) => general(template, id, trace, &mut credits),
        LessonText::Site(recovery) => {
            let here = |step: &TraceStep| host.is_none_or(|host| step.host == *host);
            on_site(recovery, id, trace, &here, &mut credits);
        }
        LessonText::Words(_) => words(lesson, id, trace, &mut credits),
    }
    // An interrupted run may have ended in the middle of a recovery, so only its successes count.
    credits.retain(|_, on_site: &mut OnSite| on_site.credit.helped || !trace.interrupted);
    credits
}

type Credits = BTreeMap<Site, OnSite>;

/// One case in which the lesson was used or followed, and the result of that case.
#[derive(Debug, Clone, Copy)]
struct LessonResult {
    /// True if the lesson's failure happened before the run began the recovery, or if the lesson names no failure.
    /// Advice that is followed before its failure happens does not count as used. If it did, a lesson that is no longer
    /// needed would never be removed as unused.
    used: bool,
    followed: bool,
    helped: bool,
}

/// Adds a result to the lesson's credit on the site of the step. Once the lesson has helped there in the run, cases in
/// which it did not help do not count as harm.
fn note(credits: &mut Credits, step: &TraceStep, result: LessonResult) {
    let credit = &mut on(credits, step).credit;
    credit.used |= result.used;
    credit.followed |= result.followed;
    credit.helped |= result.helped;
    credit.harmed = !credit.helped;
}

/// Returns the credit that belongs to the step's site, after adding the step's host to it.
fn on<'a>(credits: &'a mut Credits, step: &TraceStep) -> &'a mut OnSite {
    let on_site = credits.entry(step.site.clone()).or_default();
    on_site.hosts.insert(step.host.clone());
    on_site
}

const fn failed(followed: bool, helped: bool) -> LessonResult {
    LessonResult {
        used: true,
        followed,
        helped,
    }
}

const fn forewarned(helped: bool) -> LessonResult {
    LessonResult {
        used: false,
        followed: true,
        helped,
    }
}

/// Adds the credits of a lesson that applies to all sites. Two kinds of cases count: the run recovered from a failure
/// in the way that the lesson describes, or the model began to follow the lesson after a failure, and no recovery from
/// this failure was found.
fn general(template: &Template, id: &AdviceId, trace: &Trace, credits: &mut Credits) {
    for (found, step) in trace
        .recovered()
        .filter(|(found, _)| found.what.general().as_ref() == Some(template))
    {
        note(credits, step, failed(has_seen(trace, found, id), true));
    }
    for (at, step) in trace.steps.iter().enumerate() {
        let is_its = step.tool == template.command && step.trouble == Some(template.trouble);
        let takes = |then: &TraceStep| begins(&template.recovery, step, then);
        // Advice for all sites is a first attempt. If the run recovered in another way, that says something about this page and
        // nothing about others, and three such pages would retire a seed.
        if is_its && !is_recovered(trace, at) && in_vain(trace, at, id, takes) {
            note(credits, step, failed(true, false));
        }
    }
}

/// Returns true if the prompt that led to the recovery `found` contained the advice `id`.
fn has_seen(trace: &Trace, found: &Found, id: &AdviceId) -> bool {
    trace
        .steps
        .get(found.first)
        .is_some_and(|first| first.saw(id))
}

fn is_recovered(trace: &Trace, at: usize) -> bool {
    trace.found.iter().any(|found| found.failed == at)
}

/// Returns true if the model began to follow the advice `id` soon after the step `failed`, and the advice did not help.
///
/// If the run recovered, the model must have begun before the first step of the recovery, and the recovery must not
/// contain the advised step.
fn in_vain(
    trace: &Trace,
    failed: usize,
    id: &AdviceId,
    begins: impl Fn(&TraceStep) -> bool,
) -> bool {
    let found = trace.found.iter().find(|found| found.failed == failed);
    if found.is_some_and(|found| moves(trace, found).any(&begins)) {
        return false;
    }
    let end = found.map_or(trace.steps.len(), |found| found.first);
    let near = trace.steps[failed + 1..end]
        .iter()
        .take(NEAR)
        .take_while(|step| step.host == trace.steps[failed].host);
    let saw: Vec<&TraceStep> = near.filter(|step| step.saw(id)).collect();
    saw.iter().any(|step| begins(step))
}

/// Returns the steps of the recovery `found`: one for each move (action) in its list, or only the first step if the
/// recovery was stored without such a list.
fn moves<'a>(trace: &'a Trace, found: &Found) -> impl Iterator<Item = &'a TraceStep> {
    let steps = trace.steps[found.first..].iter();
    let done = steps.filter(|step| step.is_done());
    done.take(found.what.moves.len().max(1))
}

/// Returns true if `step`, taken after the failed step `failed`, is the first move (action) of `recovery`.
fn begins(recovery: &Recovery, failed: &TraceStep, step: &TraceStep) -> bool {
    match recovery {
        Recovery::ClickThenType | Recovery::ClickThenChoose | Recovery::TypeThenChoose => {
            step.tool == BrowserTool::Click && step.aim == failed.aim
        }
        Recovery::First(moves) => moves.first().is_some_and(|first| step.step == Some(*first)),
        Recovery::Instead(only) => step.step == Some(*only),
        Recovery::WriteAs(form) => step.form == Some(*form),
        Recovery::Another(only) | Recovery::OpenThenChoose(only) => {
            // Elements with the same name may differ only in the groups around them.
            let is_it = (&step.aim, &step.groups) == (&failed.aim, &failed.groups);
            step.step == Some(*only) && !is_it
        }
    }
}

/// Adds the credits of advice that names no failure, such as "press Enter after filling a search box". The advice counts
/// each time that a run types into a search box and then follows the advice. Fields of other kinds do not count, because
/// Enter does something else in them.
fn any_time(template: &Template, id: &AdviceId, trace: &Trace, credits: &mut Credits) {
    let Recovery::Instead(only) = &template.recovery else {
        return;
    };
    for pair in trace.steps.windows(2) {
        let [typed, then] = pair else {
            continue;
        };
        let in_search = then.searches || (typed.searches && then.aim.is_none());
        if in_search && has_typed(typed) && then.step == Some(*only) && then.saw(id) {
            note(credits, then, failed(true, then.is_done()));
        }
    }
}

/// Adds the results of a lesson that applies to one host to its credits. Each use of the lesson's recovery, after the
/// failure or in advance, gives a result.
fn on_site(
    recovery: &SiteRecovery,
    id: &AdviceId,
    trace: &Trace,
    here: &dyn Fn(&TraceStep) -> bool,
    credits: &mut Credits,
) {
    let is_its = |step: &TraceStep| recovery.is_command(step);
    // The comparison includes the names of elements, so a click on another button does not count.
    for (found, step) in trace
        .recovered()
        .filter(|(found, step)| found.what == *recovery && here(step))
    {
        note(credits, step, failed(has_seen(trace, found, id), true));
    }
    for (at, step) in trace
        .steps
        .iter()
        .enumerate()
        .filter(|(_, step)| here(step) && is_its(step))
    {
        let takes = |then: &TraceStep| match recovery.moves.first() {
            Some(first) => is_move(first, then),
            None => begins(&recovery.recovery, step, then),
        };
        let fails = step.trouble == Some(recovery.trouble);
        if fails && in_vain(trace, at, id, takes) {
            note(credits, step, failed(true, false));
        }
    }
    for (at, step) in trace
        .steps
        .iter()
        .enumerate()
        .filter(|(_, step)| here(step) && step.saw(id))
    {
        let before = &trace.steps[..at];
        let after_failure = before
            .iter()
            .rev()
            .take(NEAR)
            .any(|past| is_its(past) && !past.is_done());
        if after_failure {
            continue;
        }
        let after: Vec<&TraceStep> = trace.steps[at + 1..]
            .iter()
            .take_while(|then| here(then))
            .collect();
        if let Some(helped) = forestalled(recovery, before.last(), step, &after) {
            note(credits, step, forewarned(helped));
        }
    }
}

/// Returns true if `step` began the recovery before the failure could happen, and the recovery worked. Returns false if the
/// recovery did not work. Returns `None` if the step does not begin the recovery, or if the result of the recovery is not
/// known yet.
fn forestalled(
    recovery: &SiteRecovery,
    before: Option<&TraceStep>,
    step: &TraceStep,
    after: &[&TraceStep],
) -> Option<bool> {
    let on_it = |step: &TraceStep| recovery.is_on(step);
    let clicks_it = step.tool == BrowserTool::Click && on_it(step);
    let then = |at: usize, tool: BrowserTool| after.get(at).filter(|then| then.tool == tool);
    let chosen = |at: usize| {
        then(at, BrowserTool::Click)
            .filter(|then| !on_it(then))
            .map(|then| then.is_done())
    };
    match &recovery.recovery {
        Recovery::First(_) => {
            let (first, rest) = recovery.moves.split_first()?;
            if !is_move(first, step) {
                return None;
            }
            // If the first move succeeds, the recovery counts only if all of its moves were carried out.
            let mut near = after.iter();
            let all = rest.iter().all(|aimed| {
                near.by_ref()
                    .take(NEAR)
                    .any(|then| is_move(aimed, then) && then.is_done())
            });
            let then = near.find(|then| then.tool == recovery.command && on_it(then));
            match then {
                _ if !step.is_done() => Some(false),
                Some(then) if all => Some(then.trouble != Some(recovery.trouble)),
                _ => None,
            }
        }
        Recovery::Another(_) | Recovery::OpenThenChoose(_) => {
            recovery
                .moves
                .first()
                .filter(|first| is_move(first, step))?;
            if matches!(recovery.recovery, Recovery::OpenThenChoose(_)) {
                chosen(0)
            } else {
                Some(step.is_done())
            }
        }
        Recovery::ClickThenType if clicks_it => {
            then(0, BrowserTool::Type).map(|typed| typed.is_done())
        }
        Recovery::ClickThenChoose if clicks_it => chosen(0),
        Recovery::TypeThenChoose if clicks_it => then(0, BrowserTool::Type).and_then(|_| chosen(1)),
        Recovery::ClickThenType | Recovery::ClickThenChoose | Recovery::TypeThenChoose => None,
        // A key has no target. So it counts only directly after typing, where it replaces the click on a button.
        Recovery::Instead(only) => {
            let in_place = if only.on.is_none() {
                before.is_some_and(has_typed)
            } else {
                on_it(step)
            };
            (step.step == Some(*only) && in_place).then(|| step.is_done())
        }
        Recovery::WriteAs(form) => {
            (step.tool == recovery.command && on_it(step) && step.form == Some(*form))
                .then(|| step.is_done())
        }
    }
}

fn is_move(aimed: &AimedMove, step: &TraceStep) -> bool {
    let same_aim = |aim: &Option<Aim>| aim.as_ref().is_none_or(|aim| aim.is_of(step));
    let same_move = |own: Move| {
        step.step
            .is_some_and(|step| step.tool == own.tool && step.key == own.key)
    };
    same_move(aimed.step) && same_aim(&aimed.aim)
}

/// Adds the credits of a lesson that is free text. A program cannot tell whether the model followed this text, so only
/// the failures after which the text was shown are counted.
fn words(lesson: &Lesson, id: &AdviceId, trace: &Trace, credits: &mut Credits) {
    let fails =
        |step: &TraceStep| step.trouble.is_some() && lesson.command() == Some(step.tool.as_str());
    for pair in trace.steps.windows(2) {
        if fails(&pair[0]) && pair[1].saw(id) {
            on(credits, &pair[0]).credit.used = true;
        }
    }
}
