//! Lessons from run logs: what is found, kept, counted, promoted and retired.

mod doubts;
mod life;
mod nameless;
mod recall;
mod recovery;

use chrono::TimeDelta;
use serde_json::json;

use super::*;
use crate::{
    action::{Action, BrowserTool, ErrorClass, Outcome, RawCall, Signature, ToolSet, parse_calls},
    memory::{Section, apply},
    page::{Node, Observation, PageTemplate, Role, TargetIdentity, Tree},
    working::{About, By, Place, Step},
};

fn at(day: i64) -> DateTime<Utc> {
    let start: DateTime<Utc> = "2026-01-02T03:04:05Z".parse().unwrap();
    start + TimeDelta::days(day)
}

struct Done {
    tool: &'static str,
    target: Option<(&'static str, &'static str)>,
    arguments: Value,
    outcome: Outcome,
    sees: Vec<AdviceId>,
}

fn did(tool: &'static str, target: Option<(&'static str, &'static str)>, outcome: Outcome) -> Done {
    Done {
        tool,
        target,
        arguments: json!({}),
        outcome,
        sees: Vec::new(),
    }
}

impl Done {
    fn with(mut self, name: &str, value: &str) -> Self {
        self.arguments[name] = json!(value);
        self
    }

    fn seeing(mut self, ids: &[AdviceId]) -> Self {
        self.sees.extend_from_slice(ids);
        self
    }
}

fn failed(class: ErrorClass) -> Outcome {
    Outcome::failed(class, "<div id=\"x\"> intercepts pointer events")
}

const GO: Option<(&str, &str)> = Some(("button", "Go"));
const COOKIES: Option<(&str, &str)> = Some(("button", "Accept all"));
const SEARCH: Option<(&str, &str)> = Some(("textbox", "Search"));

fn log_of(run: &str, url: &str, day: i64, steps: Vec<Done>) -> RunLog {
    let tools = ToolSet::new(&BrowserTool::ALL.iter().copied().collect(), false, []);
    let url: url::Url = url.parse().unwrap();
    let mut offered: Vec<AdviceId> = Vec::new();
    let logged = steps.into_iter().zip(1..).map(|(done, step)| {
        let mut arguments = done.arguments;
        if done.target.is_some() {
            // Each page load numbers the elements from the start.
            arguments["target"] = json!(format!("e{}", step * 7));
        }
        let call = RawCall::new(done.tool, arguments);
        let action: Action = parse_calls(&[call], "", &tools).unwrap().remove(0).unwrap();
        let targets: Vec<TargetIdentity> = done
            .target
            .into_iter()
            .map(|(role, name)| TargetIdentity::new(Role::parse(role), name))
            .collect();
        let signature = Signature::of(&action, &targets, url.as_str());
        let mut logged = Step::new(step, action, done.outcome, signature);
        logged.targets = targets;
        logged.before = Place::of(url.as_str());
        logged.after = logged.before.clone();
        for id in done.sees {
            let known = offered.iter().position(|known| *known == id);
            logged.offered.push(known.unwrap_or(offered.len()));
            if known.is_none() {
                offered.push(id);
            }
        }
        logged
    });
    let steps = logged.collect();
    RunLog::new(
        RunId::parse(run).unwrap(),
        About::new("a goal"),
        at(day),
        true,
        steps,
        offered,
    )
}

#[derive(Default)]
struct Memory(std::collections::BTreeMap<Shelf, Vec<Record>>);

impl Memory {
    fn learn(&mut self, log: &RunLog) -> Vec<Note> {
        let Some(said) = Lessons.distill(log) else {
            return Vec::new();
        };
        let mut notes = Vec::new();
        for ShelfEdit { shelf, edit } in Lessons.learn(&Namespace::default(), &said).unwrap() {
            let records = self.0.entry(shelf.clone()).or_default();
            let changes = edit.changes(records).unwrap();
            *records = apply(records, &changes);
            assert_eq!(
                edit.changes(records).unwrap(),
                [],
                "a run counts once however often its changes arrive"
            );
            let committed = Committed {
                generation: 1,
                durable: crate::memory::Durable::Yes,
                changes,
            };
            notes.extend(Lessons.notes(
                Occasion::Learning,
                &shelf,
                &log.run,
                &committed,
                records.len(),
            ));
        }
        notes
    }

    fn upkeep(&mut self, shelf: &Shelf, day: i64) -> usize {
        let records = self.0.entry(shelf.clone()).or_default();
        let changes = Lessons
            .upkeep(shelf, records, at(day))
            .map(|edit| edit.changes(records).unwrap());
        let changes = changes.unwrap_or_default();
        *records = apply(records, &changes);
        changes.len()
    }

    fn edit(&mut self, shelf: &Shelf, edit: &Edit) {
        let records = self.0.entry(shelf.clone()).or_default();
        *records = apply(records, &edit.changes(records).unwrap());
    }

    fn lessons(&self, shelf: &Shelf) -> Vec<(String, Lesson)> {
        let records = self.0.get(shelf).map(Vec::as_slice).unwrap_or_default();
        records
            .iter()
            .map(|record| (record.key.clone(), Lesson::from_record(record).unwrap()))
            .collect()
    }

    fn advise(&self, cue: &Cue) -> Vec<Advice> {
        let mut said = Vec::new();
        let about = About::default();
        let moment = &Moment::new(cue, &about, &[], at(0));
        for shelf in Lessons.wants(&Namespace::default(), moment) {
            let records = self.0.get(&shelf).map(Vec::as_slice).unwrap_or_default();
            let above = moment.is_above(&shelf);
            said.extend(Lessons.index(&shelf, records).advise(moment, above));
        }
        said.truncate(Lessons.limit(moment));
        said
    }

    fn said(&self, cue: &Cue) -> Vec<String> {
        self.advise(cue)
            .into_iter()
            .map(|advice| advice.text().to_owned())
            .collect()
    }
}

use crate::memory::Advice;

fn host(url: &str) -> Host {
    Host::of(&url.parse().unwrap()).unwrap()
}

fn global() -> Shelf {
    Shelf::global(&Namespace::default(), COLLECTION)
}

fn of(url: &str) -> Shelf {
    Shelf::host(&Namespace::default(), COLLECTION, &host(url))
}

fn page(elements: &[(&str, &str)]) -> Arc<Observation> {
    let mut tree = Tree::builder();
    for (role, name) in elements {
        tree.leaf(Node::new(Role::parse(role), *name));
    }
    Arc::new(Observation::new("", "", tree.finish()))
}

/// Returns a page with all elements that these tests use.
fn usual() -> Arc<Observation> {
    page(&[
        ("button", "Go"),
        ("button", "Accept all"),
        ("textbox", "Search"),
    ])
}

fn shown(url: &str) -> Cue {
    shown_as(url, usual())
}

fn shown_as(url: &str, seen: Arc<Observation>) -> Cue {
    Cue::PageShown {
        host: host(url),
        page: PageTemplate::parse(url).ok(),
        seen,
    }
}

fn fails(command: &str, trouble: FailureKind, url: &str) -> Cue {
    Cue::CommandFailed {
        command: command.to_owned(),
        failure: trouble,
        targets: Vec::new(),
        detail: "covered".to_owned(),
        host: Some(host(url)),
        seen: Some(usual()),
    }
}

/// Returns the request for advice after a failed click on this button of this page.
fn click_fails(name: &str, url: &str, seen: Option<Arc<Observation>>) -> Cue {
    Cue::CommandFailed {
        command: "click".to_owned(),
        failure: COVERED,
        targets: vec![TargetIdentity::new(Role::Button, name)],
        detail: "covered".to_owned(),
        host: Some(host(url)),
        seen,
    }
}

const COVERED: FailureKind = FailureKind::Failed(ErrorClass::Intercepted);

/// Returns the log of a run in which a banner covers a button and the run closes the banner.
fn banner_run(run: &str, url: &str, day: i64, sees: &[AdviceId]) -> RunLog {
    log_of(
        run,
        url,
        day,
        vec![
            did("click", GO, failed(ErrorClass::Intercepted)),
            did("press", None, Outcome::NoEffect)
                .with("key", "Escape")
                .seeing(sees),
            did("click", COOKIES, Outcome::Done).seeing(sees),
            did("click", GO, Outcome::Done).seeing(sees),
        ],
    )
}
