//! The loop's conclusions after an action: which changed numbers count as an effect, which outcomes are reported, and
//! when the other calls of a reply are dropped.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use async_trait::async_trait;
use serde_json::{Value, json};

use crate::{
    BrowserDriver, DecisionLoop, Result, RunReport, SessionId, Task,
    action::{Action, BrowserTool, Effect, ErrorClass, Outcome, RawCall},
    base::{Error, ErrorKind},
    browser::{
        BrowserCapabilities, ExecuteRequest, Execution, ObserveRequest, SceneRequest,
        ScreenshotRequest,
    },
    chat::ChatResponse,
    page::{Area, ERROR_PAGE, ElementRef, Observation, Scene, Trace, TraceKind},
    store::InMemory,
    testing::{Recorder, ScriptedBrowser, ScriptedModel, ScriptedReply, call, tree},
    working::StopReason,
};

const URL: &str = "https://shop.example/";

/// A page with a stepper whose plus button works, a button that does nothing, and a clock that advances with every
/// observation.
#[derive(Debug, Clone, Default)]
struct Stepper {
    ticks: Arc<AtomicUsize>,
    pieces: Arc<AtomicUsize>,
    executed: Arc<AtomicUsize>,
    /// True if the page replaces its buttons at each observation.
    redraws: bool,
    /// True if the page also replaces its buttons just before an action, so that no reference is valid.
    restless: bool,
    /// True if the driver reports that the page reacted to the click.
    traces: bool,
    lease: crate::browser::Lease,
}

#[async_trait]
impl BrowserDriver for Stepper {
    fn capabilities(&self) -> BrowserCapabilities {
        BrowserCapabilities::new("stepper", BrowserTool::ALL.iter().copied())
    }

    fn lease(&self) -> &crate::browser::Lease {
        &self.lease
    }

    async fn observe(&self, _: &ObserveRequest) -> Result<Observation> {
        let ticks = self.ticks.fetch_add(1, Ordering::Relaxed);
        let pieces = self.pieces.load(Ordering::Relaxed);
        let first = if self.redraws { ticks * 10 } else { 0 };
        let content = format!(
            "main\n  group \"Amount\"\n    button \"plus\" e{}\n    \"{pieces}\"\n  button \"dead\" e{}\n\
             contentinfo\n  \"{ticks} s left\"",
            first + 1,
            first + 2
        );
        Ok(Observation::new(URL, "Shop", tree(&content)))
    }

    async fn execute(&self, request: &ExecuteRequest) -> Result<Execution> {
        self.executed.fetch_add(1, Ordering::Relaxed);
        let line = Action::Browser(request.action.clone()).line();
        let names_reference = request
            .action
            .targets()
            .iter()
            .any(|t| t.as_ref().is_some());
        if self.restless && names_reference {
            return Ok(Outcome::failed(ErrorClass::RefNotFound, "").into());
        }
        let mut execution = Execution::from(Outcome::Done);
        execution.traces = self.traces.then(Vec::new);
        let is_plus = line.ends_with("1\"}") || line.contains("plus");
        if line.starts_with("click") && is_plus {
            self.pieces.fetch_add(1, Ordering::Relaxed);
            let written = Trace::new(TraceKind::Markup).near().within();
            execution
                .traces
                .iter_mut()
                .for_each(|all| all.push(written));
        }
        Ok(execution)
    }

    async fn screenshot(&self, _: &ScreenshotRequest) -> Result<Vec<u8>> {
        Ok(Vec::new())
    }

    async fn scene(&self, _: &SceneRequest) -> Result<Scene> {
        Ok(Scene::default())
    }

    async fn close(&self) -> Result<()> {
        Ok(())
    }
}

fn give_up() -> ChatResponse {
    call("finish", json!({ "answer": "no", "success": false }))
}

fn calls(calls: impl IntoIterator<Item = (&'static str, Value)>) -> ChatResponse {
    ChatResponse::with_calls(
        calls
            .into_iter()
            .map(|(tool, arguments)| RawCall::new(tool, arguments)),
    )
}

fn click(reference: &str) -> (&'static str, Value) {
    ("click", json!({ "target": reference }))
}

async fn run(browser: Stepper, replies: Vec<ChatResponse>) -> (RunReport, Vec<String>) {
    let model = ScriptedModel::new(replies);
    let agent = DecisionLoop::builder(browser, model.clone(), InMemory::new())
        .build()
        .unwrap();
    let task = Task::new("Take seven")
        .unwrap()
        .with_start_url(URL)
        .unwrap();
    let report = agent.run(task).await;
    let messages = model.requests().into_iter().map(|r| r.message).collect();
    (report, messages)
}

#[tokio::test(start_paused = true)]
async fn a_stepper_that_works_is_done_beside_a_clock_and_a_dead_button_is_not() {
    let browser = Stepper::default();
    let mut replies: Vec<ChatResponse> = (0..7).map(|_| calls([click("e1")])).collect();
    replies.push(calls([click("e2")]));
    replies.push(give_up());
    let (report, messages) = run(browser.clone(), replies).await;
    assert_eq!(report.summary.stop, StopReason::GaveUp, "{report:?}");
    assert_eq!(browser.pieces.load(Ordering::Relaxed), 7);
    // Seven clicks are done; the click on the dead button is not.
    assert_eq!(report.summary.errors, 1);
    assert!(
        messages[7].contains("## Changed\n~ text: \"6\" -> \"7\"\n"),
        "{}",
        messages[7]
    );
    assert!(
        messages[8].contains("click had no effect"),
        "{}",
        messages[8]
    );
    assert!(!messages[8].contains("## Changed"), "{}", messages[8]);
}

#[tokio::test(start_paused = true)]
async fn a_batch_on_a_stepper_is_carried_out_whole_and_told_call_by_call() {
    let browser = Stepper::default();
    let batch = calls([
        click("e1"),
        click("e1"),
        click("e1"),
        click("e1"),
        click("e1"),
    ]);
    let (report, messages) = run(browser, vec![batch, give_up()]).await;
    assert_eq!((report.summary.errors, report.summary.calls), (0, 2));
    let told = messages[1].split_once("## Changed\n").unwrap().1;
    for (n, line) in (1..=5).zip(told.lines()) {
        let expected = format!("{}. click: ~ text: \"{}\" -> \"{n}\"", n + 1, n - 1);
        assert_eq!(line, expected, "{told}");
    }
}

#[tokio::test(start_paused = true)]
async fn keys_of_the_caret_and_turns_of_the_wheel_are_no_errors_in_a_row() {
    let browser = Stepper {
        traces: true,
        ..Stepper::default()
    };
    let key = |name: &str| call("press", json!({ "key": name }));
    let mut replies: Vec<ChatResponse> = ["ArrowDown", "Backspace", "Delete", "Shift+Tab"]
        .iter()
        .flat_map(|name| (0..6).map(|_| key(name)))
        .collect();
    let scroll = |n| call("scroll", json!({ "direction": "down", "pixels": 100 * n }));
    replies.extend((1..=6).map(scroll));
    replies.push(give_up());
    let (report, messages) = run(browser.clone(), replies).await;
    assert_eq!(report.summary.stop, StopReason::GaveUp, "{report:?}");
    assert_eq!(browser.executed.load(Ordering::Relaxed), 31);
    let last = messages.last().unwrap();
    assert!(last.contains("scroll had no effect"), "{last}");
}

#[tokio::test(start_paused = true)]
async fn a_failure_counts_also_behind_a_turn_of_the_wheel_that_had_no_effect() {
    let browser = Stepper {
        traces: true,
        ..Stepper::default()
    };
    let reply = |n| {
        let scroll = json!({ "direction": "down", "pixels": 100 + n });
        calls([("scroll", scroll), click(&format!("e9{n}"))])
    };
    let (report, _) = run(browser, (0..9).map(reply).collect()).await;
    assert_eq!(report.summary.stop, StopReason::TooManyErrors, "{report:?}");
}

#[tokio::test(start_paused = true)]
async fn evidence_that_was_found_nowhere_supports_no_claim() {
    let claim = json!({ "answer": "It costs 999 EUR", "evidence": "999 EUR" });
    let replies = vec![call("finish", claim.clone()), call("finish", claim)];
    let (report, _) = run(Stepper::default(), replies).await;
    assert_eq!(report.summary.stop, StopReason::FinishedUnverified);
    assert_eq!(report.unverified, ["999"]);
}

#[tokio::test(start_paused = true)]
async fn a_find_that_fails_does_not_take_the_rest_of_the_batch_with_it() {
    let browser = Stepper::default();
    let find = |query: &str| ("find", json!({ "query": query }));
    let batch = calls([find("zebra"), click("e1"), find("giraffe"), click("e1")]);
    let (report, messages) = run(browser.clone(), vec![batch, give_up()]).await;
    assert_eq!(browser.pieces.load(Ordering::Relaxed), 2, "{report:?}");
    assert!(
        messages[1].contains("3. click: ~ text: \"0\" -> \"1\"\n5. click: ~ text"),
        "{}",
        messages[1]
    );
}

#[tokio::test(start_paused = true)]
async fn what_a_page_draws_anew_before_each_action_is_acted_on_by_its_name() {
    let browser = Stepper {
        redraws: true,
        restless: true,
        ..Stepper::default()
    };
    let by_words = calls([("click", json!({ "target": "plus" }))]);
    let (report, messages) = run(browser.clone(), vec![by_words, give_up()]).await;
    assert_eq!(browser.pieces.load(Ordering::Relaxed), 1, "{report:?}");
    // The actions are: the start page, the reference from the last observation, then the words.
    assert_eq!(browser.executed.load(Ordering::Relaxed), 3);
    assert_eq!(report.summary.errors, 0);
    assert!(
        messages[1].contains("~ text: \"0\" -> \"1\""),
        "{}",
        messages[1]
    );
}

#[tokio::test(start_paused = true)]
async fn what_a_page_draws_anew_is_found_again_by_its_name() {
    let browser = Stepper {
        redraws: true,
        ..Stepper::default()
    };
    // The model sees the page of the second observation. The first was made after the address was opened, the second
    // after the click.
    let batch = ChatResponse::with_calls([
        RawCall::new("hover", json!({ "target": "e1" })),
        RawCall::new("click", json!({ "target": "e1" })),
    ]);
    let replies = move |request: &crate::chat::ChatRequest| {
        let mut batch = batch.clone();
        let reference = request
            .message
            .split_once(" button \"plus\"")
            .and_then(|(before, _)| before.rsplit([' ', '\n']).next())
            .map(str::to_owned);
        let Some(reference) = reference.filter(|_| !request.message.contains("hover")) else {
            return Ok(give_up());
        };
        for call in &mut batch.calls {
            call.arguments = json!({ "target": reference });
        }
        Ok(batch)
    };
    let model = ScriptedModel::deciding(replies);
    let agent = DecisionLoop::builder(browser.clone(), model, InMemory::new())
        .build()
        .unwrap();
    let task = Task::new("Take one").unwrap().with_start_url(URL).unwrap();
    let report = agent.run(task).await;
    assert_eq!(browser.pieces.load(Ordering::Relaxed), 1, "{report:?}");
}

#[tokio::test]
async fn a_start_page_that_never_opened_is_the_error_of_the_run() {
    let error_of = |page: Option<&'static str>| async move {
        let mut browser = ScriptedBrowser::new().with_page("about:blank", "", "");
        if let Some(page) = page {
            browser = browser.with_page(page, "Shop", "button \"Buy\" e1");
        }
        let goto = |url| call("goto", json!({ "url": url }));
        let give_up = call("finish", json!({ "answer": "no", "success": false }));
        let model = ScriptedModel::new([goto(format!("{URL}help")), give_up]);
        let agent = DecisionLoop::builder(browser, model, InMemory::new())
            .build()
            .unwrap();
        let task = Task::new("Buy a racket")
            .unwrap()
            .with_start_url(URL)
            .unwrap();
        agent.run(task).await.error
    };
    let told = error_of(None).await.unwrap();
    assert!(
        told.starts_with("the start page could not be opened: "),
        "{told}"
    );
    assert_eq!(error_of(Some(URL)).await, None);
    assert_eq!(
        error_of(Some("https://shop.example/help")).await,
        None,
        "another page"
    );
}

#[tokio::test]
async fn a_click_that_ends_on_the_browsers_error_page_failed_and_proves_and_teaches_nothing() {
    let words = "This site can't be reached";
    let browser = ScriptedBrowser::new()
        .with_page(URL, "Shop", "link \"Status page\" e1")
        .with_page(
            ERROR_PAGE,
            "a.example",
            "heading \"This site can't be reached\" e2\ngeneric = ERR_CONNECTION_REFUSED",
        )
        .on(
            URL,
            r#"click {"target":"e1"}"#,
            [ScriptedReply::Show(ERROR_PAGE)],
        );
    let claim = || call("finish", json!({ "answer": words, "evidence": words }));
    let model = ScriptedModel::new([
        call("click", json!({ "target": "e1" })),
        claim(),
        claim(),
        call("finish", json!({ "answer": "no", "success": false })),
    ]);
    let (memory, recorder) = (InMemory::new(), Recorder::new());
    let agent = DecisionLoop::builder(browser, model.clone(), memory.clone())
        .with_sink(recorder.clone())
        .build()
        .unwrap();
    let task = |goal| {
        let task = Task::new(goal).unwrap().with_start_url(URL).unwrap();
        task.with_session(SessionId::parse("s").unwrap())
    };
    let report = agent
        .run(task("Open \"Status page\" and report the site"))
        .await;
    let why =
        "this is the browser's own error page, not a page of the site: ERR_CONNECTION_REFUSED";
    assert_eq!(
        report.steps[1].outcome,
        Outcome::failed(ErrorClass::NavigationFailed, why)
    );
    assert_eq!(report.summary.stop, StopReason::FinishedUnverified);
    let kept = recorder.names();
    assert!(!kept.contains(&"trajectory_recorded"), "{kept:?}");
    agent
        .run(task("Open \"Status page\" and report the site"))
        .await;
    let requests = model.requests();
    let [_, after_click, after_claim, next, ..] = &*requests else {
        panic!("four requests");
    };
    let (shown, refused) = (&after_click.message, &after_claim.message);
    for part in [
        &*format!("note {why}. "),
        "type error_page",
        "navigation_failed",
    ] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    assert!(
        refused.contains(&format!("\"finish\" \"{why}. ")),
        "{refused}"
    );
    assert!(next.message.contains("not done"), "{}", next.message);
    assert!(!next.message.contains(words), "{}", next.message);
}

#[tokio::test]
async fn a_run_that_never_opened_its_start_page_says_so_also_if_the_model_claims_success() {
    let unopened = ScriptedReply::FailOn("about:blank", ErrorClass::NavigationFailed);
    let browser = ScriptedBrowser::new()
        .with_page("about:blank", "", "heading \"Nothing here\"")
        .on(
            "about:blank",
            &format!("goto {}", json!({ "url": URL })),
            [unopened],
        );
    let claim = json!({ "answer": "Nothing here", "evidence": "Nothing here" });
    let model = ScriptedModel::new([call("finish", claim)]);
    let agent = DecisionLoop::builder(browser, model, InMemory::new())
        .build()
        .unwrap();
    let task = Task::new("Buy a racket").unwrap();
    let report = agent.run(task.with_start_url(URL).unwrap()).await;
    assert!(report.summary.success, "{report:?}");
    assert!(
        report
            .error
            .as_ref()
            .is_some_and(|error| error.starts_with("the start page")),
        "{report:?}"
    );
}

#[tokio::test]
async fn a_reply_that_cannot_be_read_is_the_error_of_the_run_only_if_the_last_one_was_such() {
    let error_of = |unreadable: [bool; 3]| async move {
        let mut replies = unreadable.into_iter();
        let model = ScriptedModel::deciding(move |_| {
            if replies.next() == Some(true) {
                let error = Error::new(ErrorKind::MalformedReply, "llm.ask");
                return Err(error.with("cause", "expected value at line 1"));
            }
            Ok(ChatResponse::default())
        });
        let browser = ScriptedBrowser::new().with_page(URL, "Shop", "button \"Buy\" e1");
        let agent = DecisionLoop::builder(browser, model, InMemory::new())
            .build()
            .unwrap();
        let task = Task::new("Buy").unwrap().with_start_url(URL).unwrap();
        agent.run(task).await.error.unwrap_or_default()
    };
    let told = error_of([false, false, true]).await;
    assert!(told.contains("expected value at line 1"), "{told}");
    let told = error_of([true, true, false]).await;
    assert_eq!(told, "the reply was empty; give calls");
}

/// A page with buttons. A click on a button only draws something, so nothing in the tree changes.
#[derive(Debug, Default)]
struct Drawing(crate::browser::Lease);

#[async_trait]
impl BrowserDriver for Drawing {
    fn capabilities(&self) -> BrowserCapabilities {
        BrowserCapabilities::new("drawing", [BrowserTool::Goto, BrowserTool::Click])
    }

    fn lease(&self) -> &crate::browser::Lease {
        &self.0
    }

    async fn observe(&self, _: &ObserveRequest) -> Result<Observation> {
        let page = tree("button \"Up\" e1\nbutton \"Left\" e2\nbutton \"Down\" e3");
        Ok(Observation::new(URL, "Board", page))
    }

    async fn execute(&self, _: &ExecuteRequest) -> Result<Execution> {
        let mut execution = Execution::from(Outcome::Done);
        execution.traces = Some(vec![Trace::new(TraceKind::Drawing).near().within()]);
        Ok(execution)
    }

    async fn screenshot(&self, _: &ScreenshotRequest) -> Result<Vec<u8>> {
        Ok(Vec::new())
    }

    async fn scene(&self, _: &SceneRequest) -> Result<Scene> {
        Ok(Scene::default())
    }

    async fn close(&self) -> Result<()> {
        Ok(())
    }
}

#[tokio::test(start_paused = true)]
async fn clicks_that_only_draw_are_no_standstill() {
    let keys = ["e1", "e2", "e3", "e1", "e3", "e2"];
    let mut replies: Vec<ChatResponse> = keys.map(|key| calls([click(key)])).into();
    replies.push(give_up());
    let model = ScriptedModel::new(replies);
    let agent = DecisionLoop::builder(Drawing::default(), model.clone(), InMemory::new());
    let task = Task::new("Draw").unwrap().with_start_url(URL).unwrap();
    let report = agent.build().unwrap().run(task).await;
    assert_eq!(report.summary.stop, StopReason::GaveUp, "{report:?}");
    assert_eq!(report.summary.errors, 0);
    for asked in model.requests() {
        assert!(
            !asked.message.contains("did not change"),
            "{}",
            asked.message
        );
    }
}

#[tokio::test]
async fn an_action_that_failed_before_is_told_with_the_step_that_failed() {
    let blocked = || ScriptedReply::Fail(ErrorClass::Intercepted, "<div> covers it");
    let browser = ScriptedBrowser::new()
        .with_page(URL, "Shop", "button \"More\" e1\nbutton \"Less\" e2")
        .on(URL, r#"click {"target":"e1"}"#, [blocked()])
        .on(URL, r#"click {"target":"e2"}"#, [blocked()]);
    let model = ScriptedModel::new([
        calls([click("e1")]),
        calls([click("e2")]),
        calls([click("e1")]),
        give_up(),
    ]);
    let agent = DecisionLoop::builder(browser, model.clone(), InMemory::new());
    let task = Task::new("Show more").unwrap().with_start_url(URL).unwrap();
    agent.build().unwrap().run(task).await;
    let messages: Vec<String> = model.requests().into_iter().map(|r| r.message).collect();
    let told = "(intercepted)\nstep 2 was the same and failed too\n";
    assert!(messages[3].contains(told), "{}", messages[3]);
    assert!(!messages[1].contains("was the same") && !messages[2].contains("was the same"));
}

#[tokio::test]
async fn a_drag_by_a_distance_that_ends_on_a_bin_needs_approval() {
    let at = |reference: &str, x: f64| {
        let area = Area::new(x, 40.0, 60.0, 20.0);
        (ElementRef::parse(reference).unwrap(), area)
    };
    let mut scene = Scene::new(URL, 800, 600);
    scene.boxes = vec![at("e1", 10.0), at("e2", 300.0)];
    let page = "generic \"Card\" e1 [pointer]\nbutton \"Delete account\" e2";
    let browser = ScriptedBrowser::new()
        .with_page(URL, "Board", page)
        .with_scene(scene);
    let drag = |x: i32| calls([("drag_by", json!({ "target": "e1", "x": x }))]);
    let model = ScriptedModel::new([drag(100), drag(290), drag(400), give_up()]);
    let agent = DecisionLoop::builder(browser.clone(), model, InMemory::new());
    let task = Task::new("Sort").unwrap().with_start_url(URL).unwrap();
    let report = agent.build().unwrap().run(task).await;
    let effects: Vec<Effect> = report.steps[1..4].iter().map(|step| step.effect).collect();
    let (free, grave) = (Effect::Reversible, Effect::Irreversible);
    assert_eq!(effects, [free, grave, free]);
    let dragged = browser.executed();
    let dragged = dragged.iter().filter(|line| line.starts_with("drag_by"));
    assert_eq!(dragged.count(), 2, "without a person the second is refused");
}

#[tokio::test]
async fn finish_may_be_the_last_call_if_the_calls_before_it_bring_its_evidence() {
    let finish = |evidence: &str| {
        let words = json!({ "answer": "It is set", "evidence": evidence });
        ("finish", words)
    };
    let replies = vec![calls([click("e1"), finish("1")])];
    let (report, requests) = run(Stepper::default(), replies).await;
    assert_eq!(report.summary.stop, StopReason::Finished);
    assert_eq!(requests.len(), 1);
    // Words that were there before prove nothing about the click, and are not refused for good.
    let replies = vec![
        calls([click("e1"), finish("plus")]),
        calls([finish("plus")]),
    ];
    let (report, requests) = run(Stepper::default(), replies).await;
    assert_eq!(report.summary.stop, StopReason::Finished);
    assert!(
        requests[1].contains("finish again if it shows that the goal is met"),
        "{}",
        requests[1]
    );
    assert!(!requests[1].contains("finish was refused"));
    // A look does not change what the page says.
    let find = ("find", json!({ "query": "plus" }));
    let (report, _) = run(Stepper::default(), vec![calls([find, finish("plus")])]).await;
    assert_eq!(report.summary.stop, StopReason::Finished);
}

#[tokio::test(start_paused = true)]
async fn a_message_that_comes_back_after_it_was_gone_proves_what_the_calls_did() {
    let form = "https://shop.example/form";
    let saved = "alert \"Updated the watch\"\nlink \"Edit\" e1";
    let browser = ScriptedBrowser::new()
        .with_page(URL, "Watches", saved)
        .with_page(form, "Edit", "button \"Save\" e2")
        .on(URL, r#"click {"target":"e1"}"#, [ScriptedReply::Show(form)])
        .on(form, r#"click {"target":"e2"}"#, [ScriptedReply::Show(URL)]);
    let finish = json!({ "answer": "It is saved", "evidence": "Updated the watch" });
    let save = ("click", json!({ "target": "button \"Save\"" }));
    let model = ScriptedModel::new([
        calls([click("e1"), save.clone()]),
        calls([click("e1"), save, ("finish", finish)]),
    ]);
    let agent = DecisionLoop::builder(browser, model.clone(), InMemory::new());
    let task = Task::new("Save it").unwrap().with_start_url(URL).unwrap();
    let report = agent.build().unwrap().run(task).await;
    assert_eq!(report.summary.stop, StopReason::Finished);
    let second = &model.requests()[1].message;
    let told = "click: another page is shown; + alert \"Updated the watch\"";
    assert!(second.contains(told), "{second}");
}

#[tokio::test(start_paused = true)]
async fn nothing_irreversible_is_done_on_a_record_that_only_the_address_tells_from_the_one_before()
{
    let next = "https://shop.example/?record=2";
    let record =
        "heading \"Record\"\nbutton \"Next\" e1\nbutton \"Delete account\" e2\nlink \"Help\" e3";
    let browser = ScriptedBrowser::new()
        .with_page(URL, "Record", record)
        .with_page(next, "Record", record)
        .on(URL, r#"click {"target":"e1"}"#, [ScriptedReply::Show(next)]);
    let model = ScriptedModel::new([calls([click("e1"), click("e2")]), give_up()]);
    let options = crate::agent::Options {
        approval: crate::guard::ApprovalMode::Auto,
        ..Default::default()
    };
    let agent = DecisionLoop::builder(browser.clone(), model.clone(), InMemory::new());
    let task = Task::new("Go on").unwrap().with_start_url(URL).unwrap();
    agent.with_options(options).build().unwrap().run(task).await;
    assert_eq!(
        browser.executed().last().unwrap(),
        r#"click {"target":"e1"}"#
    );
    let told = &model.requests()[1].message;
    assert!(told.contains("its page was not shown before"), "{told}");
}
