//! A decision loop for tests, which needs no browser and no clock. It builds real prompts, gets replies from the
//! stand-in, and carries out the calls in these replies on the library site.

use std::sync::Arc;

use super::{super::StandIn, library::Library};
use crate::{
    action::{Action, AgentAction, BrowserTool, Outcome, Signature, ToolSet, parse_calls},
    base::{Nonce, Trust},
    chat::ChatRequest,
    memory::{Advice, AdviceId, Namespace, Section, Shelf},
    page::{Layout, PageHead, TargetIdentity, ViewOptions, interpret},
    prompt::{LastFailure, StepParts, SystemParts, step, system},
    secret::SecretName,
    working::{Place, Step, WorkingMemory},
};

const MAX_CALLS: usize = 30;

#[derive(Debug, Default)]
pub(super) struct Report {
    pub answer: Option<String>,
    pub evidence: String,
    pub success: bool,
    /// Number of replies of the model.
    pub calls: usize,
    /// Number of actions that failed or had no effect.
    pub failures: usize,
    /// One line for each action: `tool role "name" -> outcome`.
    pub log: Vec<String>,
}

pub(super) fn tip(section: Section, text: &str) -> Advice {
    let id = AdviceId {
        shelf: Shelf::global(&Namespace::default(), "lessons"),
        key: "k".to_owned(),
    };
    Advice::new(id, text, Trust::Code, section).unwrap()
}

pub(super) fn site_tip(text: &str) -> Advice {
    tip(Section::SiteTips, text)
}

fn tools() -> Arc<ToolSet> {
    Arc::new(ToolSet::new(
        &BrowserTool::ALL.iter().copied().collect(),
        false,
        [],
    ))
}

fn instruction(goal: &str, advice: &[Advice]) -> String {
    let secrets = [SecretName::parse("CARD_PIN").unwrap()];
    system(&SystemParts {
        goal,
        instructions: "",
        lessons: advice,
        parameters: &[].into(),
        secrets: &secrets,
        files: &[],
        answer: None,
        max_calls: 5,
        max_steps: 50,
        refused: None,
        tools: None,
    })
}

pub(super) fn goal_only(goal: &str) -> ChatRequest {
    ChatRequest::new(instruction(goal, &[]), "", tools())
}

pub(super) fn run(goal: &str, mut site: Library, advice: &[Advice]) -> Report {
    let mut report = Report::default();
    let mut history = WorkingMemory::default();
    let mut last_failure: Option<LastFailure> = None;
    let instruction = instruction(goal, advice);
    while report.calls < MAX_CALLS {
        let message = message(&site, &history, last_failure.take().as_ref(), advice);
        let request = ChatRequest::new(instruction.clone(), message, tools());
        let reply = StandIn::new().decide(&request);
        report.calls += 1;
        for call in parse_calls(&reply.calls, &reply.text, &request.tools).unwrap() {
            match call.unwrap() {
                Action::Agent(AgentAction::Finish(finish)) => {
                    report.success = finish.success;
                    report.evidence = finish.evidence;
                    report.answer = Some(finish.answer);
                    return report;
                }
                Action::Browser(action) => {
                    let tree = site.tree();
                    let refs = action
                        .targets()
                        .into_iter()
                        .filter_map(|target| tree.by_ref(target.as_ref()?.as_str()));
                    let ids: Vec<_> = refs.collect();
                    if ids.len() < action.targets().len() {
                        break; // the page changed, and the next target is not there as it was
                    }
                    let target = ids
                        .first()
                        .map(|id| (tree[*id].role.clone(), tree[*id].name.to_string()));
                    let outcome = site.act(&action, target.as_ref());
                    let place =
                        target.map_or_else(String::new, |(role, name)| format!(" {role} {name:?}"));
                    let tool = action.tool().as_str();
                    let line = Action::Browser(action.clone()).line();
                    let what = if place.is_empty() { &line } else { tool };
                    report
                        .log
                        .push(format!("{what}{place} -> {}", outcome.as_str()));
                    let targets: Vec<_> = ids
                        .iter()
                        .map(|id| TargetIdentity::of(&tree, *id))
                        .collect();
                    let action = Action::Browser(action);
                    let signature = Signature::of(&action, &targets, "");
                    let number = u32::try_from(report.log.len()).unwrap();
                    let mut step = Step::new(number, action, outcome.clone(), signature);
                    step.targets = targets;
                    step.before = Place::of(site.url());
                    history.record(step);
                    if outcome != Outcome::Done {
                        report.failures += 1;
                        last_failure = Some(LastFailure {
                            command: tool.to_owned(),
                            outcome,
                            before: None,
                        });
                        break;
                    }
                }
                other => report.log.push(other.line()),
            }
        }
    }
    report
}

fn message(
    site: &Library,
    history: &WorkingMemory,
    failure: Option<&LastFailure>,
    advice: &[Advice],
) -> String {
    let view = interpret(
        &PageHead::new(site.url(), "City Library"),
        &site.tree(),
        &ViewOptions::default(),
    );
    step(&StepParts {
        advice,
        history: history.history(),
        last_failure: failure,
        ..StepParts::new(
            [Nonce::new(6), Nonce::new(7)],
            &view,
            &Layout::of(&site.tree(), &view.elements),
        )
    })
}
