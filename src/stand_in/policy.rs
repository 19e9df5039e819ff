//! Decides which calls the stand-in makes next, from the prompt alone.

use serde_json::json;

use super::{
    advice::{aimed, clicked, is_for, is_warned_of, told},
    answer,
    finding::{
        asks_for_password, choice, clickable, field_or_only, item, list_field, named, only_button,
        tick_box,
    },
    goal::{Planned, Step, steps},
    progress::{Progress, progress},
    recipes, recover, seek,
    seen::{Element, Seen},
    tips::{self, Remedy, Tip},
    words::{content, equal, fit},
};
use crate::action::RawCall;

/// A tool call, and the name of its target element. For a `type` call after a click, the name is that of the clicked
/// field. For other calls without a target, the name is empty.
#[derive(Debug, Clone)]
pub(super) struct Act {
    pub call: RawCall,
    pub label: String,
}

impl Act {
    pub(super) fn new(tool: &str, arguments: serde_json::Value) -> Self {
        Self {
            call: RawCall::new(tool, arguments),
            label: String::new(),
        }
    }

    pub(super) fn on(tool: &str, element: &Element) -> Self {
        Self {
            label: element.label.clone(),
            ..Self::new(tool, json!({ "target": element.reference }))
        }
    }
}

#[derive(Debug)]
pub(super) struct Situation<'a> {
    pub seen: &'a Seen,
    pub plan: &'a [Planned],
    pub progress: &'a Progress,
    /// Tips from memory for this site.
    pub site: Vec<Tip>,
    /// Lessons from memory for the whole run.
    pub lessons: Vec<Tip>,
}

impl Situation<'_> {
    pub(super) fn has(&self, tool: &str) -> bool {
        self.seen.tools.iter().any(|name| name == tool)
    }
}

pub(super) fn decide(seen: &Seen) -> Vec<RawCall> {
    if seen.page.dialog {
        return vec![RawCall::new("dialog_accept", json!({}))];
    }
    if let Some(call) = recipes::call(seen) {
        return vec![call];
    }
    let plan = steps(&seen.goal);
    let progress = progress(&plan, seen);
    let read = |texts: &[String]| texts.iter().map(|text| tips::read(text)).collect();
    let now = Situation {
        seen,
        plan: &plan,
        progress: &progress,
        site: read(&seen.site_tips),
        lessons: read(&seen.lessons),
    };
    let acts = acts(&now);
    let acts = recover::instead(&now, &acts)
        .or_else(|| forewarned(&now, &acts))
        .unwrap_or(acts);
    acts.into_iter()
        .map(|act| act.call)
        .take(seen.max_calls.max(1))
        .collect()
}

/// Examples of instructions that the stand-in understands. They are shown if a goal contains none.
const PHRASES: &str = r#"such as: log in as "NAME", search for "WORDS", open "NAME", fill in NAME "VALUE", press "NAME", report the NAME"#;

/// Returns the acts for the next steps of the plan, up to the first act that may change the page.
fn acts(now: &Situation<'_>) -> Vec<Act> {
    let Some(next) = now.progress.next() else {
        return vec![finish_done(now)];
    };
    let mut acts: Vec<Act> = Vec::new();
    let mut typed = now.progress.typed && now.seen.history.len() == now.progress.since;
    for at in next..now.plan.len() {
        if now.progress.done[at] {
            continue;
        }
        let planned = &now.plan[at];
        if let Step::Report(_) = planned.step {
            if acts.is_empty() {
                acts = vec![report(now, at)];
            }
            break;
        }
        let Some(step) = attempt(now, planned, typed) else {
            if acts.is_empty() {
                acts = vec![seek::missing(now, at)];
            }
            break;
        };
        if !acts.is_empty() && step.first().is_some_and(|act| is_warned_of(now, act)) {
            // Advice warns about this act, so the acts before it are done first and the page is looked at again.
            break;
        }
        typed = matches!(planned.step, Step::Fill { .. });
        acts.extend(step);
        // The items of a list are visible only once the list is open.
        let is_field = |element: &Element| {
            matches!(element.role.as_str(), "textbox" | "combobox" | "searchbox")
        };
        let opens_a_list = acts
            .last()
            .is_some_and(|act| act.call.name == "click" && aimed(now, act).is_some_and(is_field));
        if opens_a_list || !planned.step.enters() {
            break;
        }
    }
    acts
}

/// Returns the acts for one step of the plan; `None` if the page lacks an element that the step needs. `typed` is true
/// if the act before these acts puts a text into a field.
fn attempt(now: &Situation<'_>, planned: &Planned, typed: bool) -> Option<Vec<Act>> {
    let page = &now.seen.page;
    match &planned.step {
        Step::Goto(url) => Some(vec![Act::new("goto", json!({ "url": url }))]),
        Step::Back => Some(vec![Act::new("go_back", json!({}))]),
        Step::Press(key) => Some(vec![Act::new("press", json!({ "key": key }))]),
        Step::Fill { field: name, value } => {
            let act = fill(field_or_only(page, name)?, value);
            Some(told(now, &act, value).unwrap_or_else(|| vec![act]))
        }
        Step::Choose { field, value } => {
            let (element, tool, value) = choice(page, field, value)?;
            let act = match tool {
                "select" => select(element, &value),
                "fill" => fill(element, &value),
                tool => Act::on(tool, element),
            };
            Some(told(now, &act, &value).unwrap_or_else(|| vec![act]))
        }
        Step::Pick { start, end } => {
            if let Some(item) = item(page, start, end) {
                return Some(vec![Act::on("click", item)]);
            }
            let last = now.seen.history.last().map(|past| past.tool.as_str());
            if last == Some("type") {
                // The list may still be loading.
                return Some(vec![Act::new("wait", json!({ "seconds": 1 }))]);
            }
            // Choose the item as from a select box, unless advice suggests another way.
            let act = select(list_field(page)?, start);
            Some(told(now, &act, start).unwrap_or_else(|| vec![act]))
        }
        Step::Tick { what, on } => {
            let tool = if *on { "check" } else { "uncheck" };
            Some(vec![Act::on(tool, tick_box(page, what)?)])
        }
        Step::Click { what, name, submit } => click(now, planned, what, name, *submit, typed),
        Step::Report(_) => None,
    }
}

/// Returns the acts for a step that clicks an element: usually a click. Returns `None` if the page lacks the element,
/// unless Enter can submit the text that was just typed.
///
/// `typed` is true if the act before these acts puts a text into a field. Only then may Enter be pressed instead of the
/// click.
fn click(
    now: &Situation<'_>,
    planned: &Planned,
    what: &[String],
    name: &str,
    submit: bool,
    typed: bool,
) -> Option<Vec<Act>> {
    let searching = submit && planned.form == Some("search");
    let element =
        clickable(&now.seen.page, what, name, submit).or_else(|| only_button(&now.seen.page, what));
    let label = element.map_or("", |element| &element.label);
    let is_told = |tip: &Tip| {
        tip.remedies.contains(&Remedy::Press("Enter".to_owned()))
            && (for_this(tip, "click", label) || (searching && tip.search))
    };
    let told = now.site.iter().chain(&now.lessons).any(is_told);
    if typed && (told || (submit && element.is_none())) {
        return Some(vec![Act::new("press", json!({ "key": "Enter" }))]);
    }
    Some(vec![Act::on("click", element?)])
}

pub(super) fn fill(field: &Element, value: &str) -> Act {
    let mut act = Act::on("fill", field);
    act.call.arguments["text"] = json!(value);
    act
}

fn select(list: &Element, value: &str) -> Act {
    let mut act = Act::on("select", list);
    act.call.arguments["values"] = json!([value]);
    act
}

pub(super) fn click_then_type(field: &Element, value: &str) -> Vec<Act> {
    let typing = Act {
        label: field.label.clone(),
        ..Act::new("type", json!({ "text": value }))
    };
    vec![Act::on("click", field), typing]
}

/// Returns true if the tip is about this tool on an element with the name `label`. A tip that names no tool is about
/// all of them.
pub(super) fn for_this(tip: &Tip, command: &str, label: &str) -> bool {
    let commanded = tip.command.as_deref().is_none_or(|own| own == command);
    let named = tip
        .target
        .as_deref()
        .is_some_and(|target| equal(target, label) || fit(&content(target), label) > 0.6);
    commanded && named
}

/// Returns the click that must come before these acts according to a tip for this site; `None` if no tip requires one. An
/// element that one of the last three calls clicked is not clicked again: if it is still there, another click will not
/// remove it.
fn forewarned(now: &Situation<'_>, acts: &[Act]) -> Option<Vec<Act>> {
    let first = acts.first()?;
    let page = &now.seen.page;
    let mut recent = now.seen.history.iter().rev().take(3);
    let relevant = now
        .site
        .iter()
        .filter(|tip| page.kind.contains("dialog") || is_for(now, tip, first));
    let names = relevant.flat_map(|tip| &tip.remedies).filter_map(clicked);
    let mut elements = names.filter_map(|name| named(page, name));
    let element = elements.find(|element| element.label != first.label)?;
    let again = recent.any(|past| past.tool == "click" && past.target_name() == element.label);
    (!again).then(|| vec![Act::on("click", element)])
}

/// Returns the act that ends the task and reports the values that step `at` of the plan and the later steps ask for. If
/// the page lacks one of these values, waits once before that.
fn report(now: &Situation<'_>, at: usize) -> Act {
    let wanted = now.plan[at..]
        .iter()
        .filter_map(|planned| match &planned.step {
            Step::Report(what) => Some(what),
            _ => None,
        });
    let found: Vec<_> = wanted
        .clone()
        .filter_map(|what| Some((what, answer::find(&now.seen.page.text, what)?)))
        .collect();
    let is_whole = found.len() == wanted.count();
    if let Some(wait) = seek::waits(now).filter(|_| !is_whole) {
        return wait;
    }
    let Some((_, first)) = found.first() else {
        return give_up("the page does not say it");
    };
    let parts: Vec<String> = found
        .iter()
        .map(|(what, found)| format!("{}: {}", what.join(" "), found.value))
        .collect();
    finish(&parts.join("; "), &first.evidence, is_whole)
}

fn finish_done(now: &Situation<'_>) -> Act {
    let page = &now.seen.page;
    let evidence = if page.text.is_empty() {
        page.title.clone()
    } else {
        answer::opening(&page.opening, 60)
    };
    let is_login = |planned: &Planned| planned.form == Some("login");
    if now.plan.is_empty() {
        give_up(&format!(
            "the goal has no instruction that the stand-in knows ({PHRASES}); any other goal needs a language model"
        ))
    } else if now.plan.last().is_some_and(is_login) && asks_for_password(page) {
        // No later step shows whether the site accepted the login.
        give_up("the page still asks for a password")
    } else {
        finish(&format!("Done: {}", page.title), &evidence, true)
    }
}

fn finish(answer: &str, evidence: &str, success: bool) -> Act {
    Act::new(
        "finish",
        json!({ "answer": answer, "evidence": evidence, "success": success }),
    )
}

pub(super) fn give_up(why: &str) -> Act {
    finish(&format!("I could not do it: {why}."), "", false)
}
