//! Questions to a person. The run's report says that a question was not answered, or that the person ended the run.

use std::time::Duration;

use async_trait::async_trait;
use serde_json::json;
use tokio::time::timeout;

use crate::{
    BrowserDriver, DecisionLoop, RunReport, Task,
    action::{ErrorClass, RawCall},
    agent::{Approval, ApprovalRequest, Approver, Options, StepEnd, approver::MockApprover},
    chat::ChatResponse,
    store::InMemory,
    testing::{
        Recorder, ScriptedBrowser, ScriptedModel, call,
        faults::{BrowserFault, FaultyBrowser, FaultyModel, ModelFault, When},
    },
    working::{BudgetKind, StopReason},
};

const URL: &str = "https://shop.example/";
/// The time limit of the runs. It is shorter than that of an action, so that the run's time ends first.
const LONG: Duration = Duration::from_secs(10);

/// A person who is at the terminal and answers nothing.
#[derive(Debug)]
struct Silent;

#[async_trait]
impl Approver for Silent {
    async fn approve(&self, _: &ApprovalRequest) -> Approval {
        std::future::pending().await
    }

    async fn answer(&self, _: &str) -> Option<String> {
        std::future::pending().await
    }
}

fn shop() -> ScriptedBrowser {
    ScriptedBrowser::new().with_page(URL, "Shop", "button \"Place order\" e1")
}

async fn run(approver: impl Approver, replies: Vec<ChatResponse>) -> RunReport {
    run_in(shop(), approver, replies).await
}

async fn run_in(
    browser: impl BrowserDriver,
    approver: impl Approver,
    replies: Vec<ChatResponse>,
) -> RunReport {
    let mut options = Options::default();
    options.budget.max_duration = Some(LONG);
    let agent = DecisionLoop::builder(browser, ScriptedModel::new(replies), InMemory::new())
        .with_options(options)
        .with_approver(approver)
        .build()
        .unwrap();
    let task = Task::new("Order").unwrap().with_start_url(URL).unwrap();
    agent.run(task).await
}

fn order() -> ChatResponse {
    call("click", json!({ "target": "e1" }))
}

fn gives_up() -> ChatResponse {
    let ends = json!({ "success": false, "answer": "no", "evidence": "" });
    call("finish", ends)
}

#[tokio::test(start_paused = true)]
async fn a_question_that_waits_for_an_answer_is_the_error_of_a_run_whose_time_is_over() {
    let asks = call("ask_human", json!({ "question": "Which size?" }));
    for (reply, question) in [
        (order(), "may the run click button \"Place order\"?"),
        (asks, "\"Which size?\""),
    ] {
        let report = run(Silent, vec![reply]).await;
        assert_eq!(report.summary.stop, StopReason::Budget(BudgetKind::Time));
        let error = format!("a question was waiting for an answer: {question}");
        assert_eq!(report.error, Some(error));
    }
}

#[tokio::test(start_paused = true)]
async fn an_answered_question_is_no_error_of_a_run_whose_time_ends_during_the_action() {
    let mut person = MockApprover::new();
    person.expect_approve().return_const(Approval::Yes);
    let slow = BrowserFault::Slow(LONG);
    let browser = FaultyBrowser::new(shop()).with(When::from(2), slow);
    let report = run_in(browser, person, vec![order()]).await;
    assert_eq!(report.summary.stop, StopReason::Budget(BudgetKind::Time));
    assert_eq!(report.error, None, "{report:?}");
}

#[tokio::test(start_paused = true)]
async fn a_person_who_ends_the_run_is_told_with_the_action() {
    let mut person = MockApprover::new();
    person.expect_approve().return_const(Approval::Stop);
    let report = run(person, vec![order()]).await;
    assert_eq!(report.summary.stop, StopReason::Rejected);
    let error = "the person refused the action click button \"Place order\" and ended the run";
    assert_eq!(report.error.as_deref(), Some(error));
}

#[tokio::test(start_paused = true)]
async fn where_nobody_can_be_asked_the_refusal_does_not_speak_of_a_person() {
    let mut person = MockApprover::new();
    person.expect_approve().return_const(Approval::Unavailable);
    let report = run(person, vec![order(), gives_up()]).await;
    let failure = report.steps[1].outcome.clone();
    assert_eq!(failure.class(), Some(ErrorClass::Rejected));
    let said = format!("{failure:?}");
    assert!(said.contains("nobody is there to approve it"), "{said}");
}

#[tokio::test(start_paused = true)]
async fn a_call_whose_question_the_caller_gave_up_is_told_and_no_later_call_is_carried_out() {
    let ask = RawCall::new("ask_human", json!({ "question": "Which size?" }));
    for first in [RawCall::new("click", json!({ "target": "e1" })), ask] {
        let page = "button \"Place order\" e1\nbutton \"Next\" e2";
        let browser = ScriptedBrowser::new().with_page(URL, "Shop", page);
        let next = RawCall::new("click", json!({ "target": "e2" }));
        let model = ScriptedModel::new([ChatResponse::with_calls([first, next]), gives_up()]);
        let agent = DecisionLoop::builder(browser.clone(), model.clone(), InMemory::new())
            .with_approver(Silent)
            .build()
            .unwrap();
        let task = Task::new("Order").unwrap().with_start_url(URL).unwrap();
        let mut run = agent.start(task).await;
        assert_eq!(run.step().await, StepEnd::Continue);
        timeout(LONG, run.step()).await.unwrap_err();
        assert!(run.state().unwrap().queue.is_empty());
        while run.step().await == StepEnd::Continue {}
        assert_eq!(browser.executed(), [format!("goto {{\"url\":\"{URL}\"}}")]);
        let told = "2 further calls were not carried out: the step before was given up";
        let message = &model.requests()[1].message;
        assert!(message.contains(told), "{message}");
    }
}

#[tokio::test(start_paused = true)]
async fn the_page_is_observed_again_if_the_caller_gave_up_the_step_while_the_model_thought() {
    let model = FaultyModel::new(ScriptedModel::new([gives_up()]));
    let model = model.with(When::once(1), ModelFault::Silent);
    let recorder = Recorder::new();
    let agent = DecisionLoop::builder(shop(), model, InMemory::new())
        .with_sink(recorder.clone())
        .build()
        .unwrap();
    let task = Task::new("Order").unwrap().with_start_url(URL).unwrap();
    let mut run = agent.start(task).await;
    assert_eq!(run.step().await, StepEnd::Continue);
    let looks = || {
        recorder
            .names()
            .iter()
            .filter(|name| **name == "observed")
            .count()
    };
    let before = looks();
    timeout(LONG, run.step()).await.unwrap_err();
    assert_eq!(looks(), before);
    run.step().await;
    assert_eq!(looks(), before + 1);
}
