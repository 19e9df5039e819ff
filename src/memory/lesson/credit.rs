//! What a run says about a lesson: was its way out taken, had it been shown before, and did it restore the effect?

use std::collections::BTreeMap;

use super::{
    Aim, AimedMove, Credit, Lesson, LessonText, Move, Recovery, SiteRecovery, Template, Trouble,
    trace::{Trace, TraceStep},
};
use crate::{
    action::BrowserTool,
    base::{Host, Site},
    memory::AdviceId,
};

/// Steps after a failure in which its advice counts as followed. Source: chosen; the model was shown it for the next step.
const NEAR: usize = 4;

/// What the trace says of a lesson, by site.
pub(super) fn credits(lesson: &Lesson, id: &AdviceId, host: Option<&Host>, trace: &Trace) -> BTreeMap<Site, Credit> {
    let mut credits = BTreeMap::new();
    match &lesson.text {
        LessonText::Template(template) if template.trouble == Trouble::Any => {
            any_time(template, id, trace, &mut credits);
        }
        LessonText::Template(template) => general(template, id, trace, &mut credits),
        LessonText::Site(recovery) => {
            let here = |step: &TraceStep| host.is_none_or(|host| step.host == *host);
            on_site(recovery, id, trace, &here, &mut credits);
        }
        LessonText::Words(_) => words(lesson, id, trace, &mut credits),
    }
    credits
}

type Credits = BTreeMap<Site, Credit>;

/// One credit a site: that it helped anywhere there outweighs that it did not elsewhere.
fn note(credits: &mut Credits, site: &Site, followed: bool, helped: bool) {
    let credit = credits.entry(site.clone()).or_default();
    credit.used = true;
    credit.followed |= followed;
    credit.helped |= helped;
    credit.harmed = !credit.helped;
}

/// A way out of a failure: recovered failures of its kind, and those after which it was followed in vain.
fn general(template: &Template, id: &AdviceId, trace: &Trace, credits: &mut Credits) {
    for (found, failed) in trace.recovered().filter(|(found, _)| found.what.general() == *template) {
        let followed = trace.steps[found.first].saw(id);
        note(credits, &failed.site, followed, true);
    }
    for (at, failed) in trace.steps.iter().enumerate() {
        let is_its = failed.tool == template.command && failed.trouble == Some(template.trouble);
        if is_its && !is_recovered(trace, at) && in_vain(trace, at, id, |step| begins(&template.recovery, step)) {
            note(credits, &failed.site, true, false);
        }
    }
}

fn is_recovered(trace: &Trace, at: usize) -> bool {
    trace.found.iter().any(|found| found.failed == at)
}

/// Whether the advice was followed after this failure, as far as its first move, without restoring the effect.
fn in_vain(trace: &Trace, failed: usize, id: &AdviceId, begins: impl Fn(&TraceStep) -> bool) -> bool {
    let near = trace.steps[failed + 1..].iter().take(NEAR).take_while(|step| step.host == trace.steps[failed].host);
    let saw: Vec<&TraceStep> = near.filter(|step| step.saw(id)).collect();
    saw.iter().any(|step| begins(step))
}

/// Whether a step is the first move of a way out.
fn begins(recovery: &Recovery, step: &TraceStep) -> bool {
    match recovery {
        Recovery::ClickThenType | Recovery::ClickThenChoose | Recovery::TypeThenChoose => {
            step.tool == BrowserTool::Click
        }
        Recovery::First(moves) => moves.first().is_some_and(|first| step.step == Some(*first)),
        Recovery::Instead(only) => step.step == Some(*only),
        Recovery::WriteAs(form) => step.form == Some(*form),
    }
}

/// Advice for every time, such as Enter after filling: every time it is done after typing.
fn any_time(template: &Template, id: &AdviceId, trace: &Trace, credits: &mut Credits) {
    let Recovery::Instead(only) = &template.recovery else { return };
    for pair in trace.steps.windows(2) {
        let typed = matches!(pair[0].tool, BrowserTool::Fill | BrowserTool::Type) && pair[0].is_done();
        if typed && pair[1].step == Some(*only) && pair[1].saw(id) {
            note(credits, &pair[1].site, true, pair[1].is_done());
        }
    }
}

/// A way out with the names of a host: taken after its failure, or before it could happen.
fn on_site(
    recovery: &SiteRecovery,
    id: &AdviceId,
    trace: &Trace,
    here: &dyn Fn(&TraceStep) -> bool,
    credits: &mut Credits,
) {
    let is_its = |step: &TraceStep| step.tool == recovery.command && step.aim == recovery.aim;
    // Clicking some button is not clicking the one that is named.
    let takes = |step: &TraceStep| match recovery.moves.first() {
        Some(first) => is_move(first, step),
        None => begins(&recovery.recovery, step),
    };
    for (found, failed) in trace.recovered().filter(|(found, failed)| found.what == *recovery && here(failed)) {
        note(credits, &failed.site, trace.steps[found.first].saw(id), true);
    }
    for (at, failed) in trace.steps.iter().enumerate().filter(|(_, step)| here(step) && is_its(step)) {
        let fails = failed.trouble == Some(recovery.trouble);
        if fails && !is_recovered(trace, at) && in_vain(trace, at, id, takes) {
            note(credits, &failed.site, true, false);
        }
    }
    for (at, step) in trace.steps.iter().enumerate().filter(|(_, step)| here(step) && step.saw(id)) {
        let after_failure = trace.steps[..at].iter().rev().take(NEAR).any(|past| is_its(past) && !past.is_done());
        if after_failure {
            continue;
        }
        if let Some(helped) = forestalled(recovery, step, &trace.steps[at + 1..]) {
            note(credits, &step.site, true, helped);
        }
    }
}

/// Whether taking the way out before the failure worked; `None` if this step does not take it, or nothing came of it yet.
fn forestalled(recovery: &SiteRecovery, step: &TraceStep, after: &[TraceStep]) -> Option<bool> {
    let on_it = |step: &TraceStep| step.aim == recovery.aim;
    let next = after.first().filter(|next| next.host == step.host);
    match &recovery.recovery {
        Recovery::First(_) => {
            let first = recovery.moves.first()?;
            if !is_move(first, step) {
                return None;
            }
            if !step.is_done() {
                return Some(false);
            }
            let then = after.iter().find(|then| then.tool == recovery.command && on_it(then))?;
            (then.trouble != Some(recovery.trouble)).then_some(true).or(Some(false))
        }
        Recovery::ClickThenType => {
            let takes = step.tool == BrowserTool::Click && on_it(step);
            let typed = next.filter(|next| next.tool == BrowserTool::Type);
            if takes { typed.map(TraceStep::is_done) } else { None }
        }
        Recovery::ClickThenChoose => {
            let takes = step.tool == BrowserTool::Click && on_it(step);
            let chosen = next.filter(|next| next.tool == BrowserTool::Click && !on_it(next));
            if takes { chosen.map(TraceStep::is_done) } else { None }
        }
        Recovery::TypeThenChoose => {
            let takes = step.tool == BrowserTool::Click && on_it(step);
            let typed = next.is_some_and(|next| next.tool == BrowserTool::Type);
            let chosen = after.get(1).filter(|then| then.host == step.host && then.tool == BrowserTool::Click);
            if takes && typed { chosen.filter(|then| !on_it(then)).map(TraceStep::is_done) } else { None }
        }
        Recovery::Instead(only) => {
            let on_target = only.on.is_none() || on_it(step);
            (step.step == Some(*only) && on_target).then(|| step.is_done())
        }
        Recovery::WriteAs(form) => {
            (step.tool == recovery.command && on_it(step) && step.form == Some(*form)).then(|| step.is_done())
        }
    }
}

fn is_move(aimed: &AimedMove, step: &TraceStep) -> bool {
    let same_aim = |aim: &Option<Aim>| aim.is_none() || *aim == step.aim;
    let same_move = |own: Move| step.step.is_some_and(|step| step.tool == own.tool && step.key == own.key);
    same_move(aimed.step) && same_aim(&aimed.aim)
}

/// A person's words say no machine what they ask for: counted is that their failure happened and they were shown for it.
fn words(lesson: &Lesson, id: &AdviceId, trace: &Trace, credits: &mut Credits) {
    let fails = |step: &TraceStep| step.trouble.is_some() && lesson.command() == Some(step.tool.as_str());
    for pair in trace.steps.windows(2) {
        if fails(&pair[0]) && pair[1].saw(id) {
            credits.entry(pair[0].site.clone()).or_default().used = true;
        }
    }
}
