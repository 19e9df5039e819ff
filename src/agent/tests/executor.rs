//! Tests of the executor alone: every guard works without a model and without memory.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use serde_json::json;
use url::Url;

use crate::{
    BrowserDriver as _, GuardedBrowser, Task,
    action::{
        Action, BrowserAction, BrowserTool, Effect, ErrorClass, Outcome, RawCall, ToolSet,
        parse_calls,
    },
    agent::{Approval, Builder, Executor, Options, approver::MockApprover},
    base::{ErrorKind, Origin},
    browser::{BrowserCapabilities, Execution, Lease},
    guard::ApprovalMode,
    page::{Notice, Observation, Tab},
    secret::{Secret, SecretName, Vault},
    testing::{
        MockBrowserDriver, Recorder, ScriptedBrowser, ScriptedReply,
        faults::{FaultyBrowser, LookFault, When},
        tree,
    },
    working::{By, StopReason},
};

const URL: &str = "https://shop.example/";
const CART: &str = "https://shop.example/cart";
const SHOP: &str = "textbox \"Note\" e1\nbutton \"Place order\" e2\nlink \"Cart\" e3\nbutton \"More\" e4\nbutton \"More\" e5";

fn shop() -> ScriptedBrowser {
    ScriptedBrowser::new()
        .with_page(URL, "Shop", SHOP)
        .with_page(CART, "Cart", "heading \"Cart\"")
        .with_page("https://other.example/", "Other", "heading \"Other\"")
        .on(URL, r#"click {"target":"e3"}"#, [ScriptedReply::Show(CART)])
        .on(URL, r#"click {"target":"e2"}"#, [ScriptedReply::Show(CART)])
}

fn task() -> Task {
    Task::new("Order").unwrap().with_start_url(URL).unwrap()
}

fn guarded(builder: Builder<ScriptedBrowser, (), ()>) -> GuardedBrowser<ScriptedBrowser> {
    builder.build_guarded().unwrap()
}

fn action(tool: &str, arguments: serde_json::Value) -> BrowserAction {
    let tools = ToolSet::new(&BrowserTool::ALL.iter().copied().collect(), false, []);
    let call = RawCall::new(tool, arguments);
    match parse_calls(&[call], "", &tools).unwrap().remove(0) {
        Ok(Action::Browser(action)) => action,
        other => panic!("{other:?}"),
    }
}

async fn done(executor: &mut Executor, tool: &str, arguments: serde_json::Value) -> Outcome {
    let step = executor.carry_out(action(tool, arguments)).await.unwrap();
    assert_eq!(step.by, By::Caller);
    step.outcome.clone()
}

#[tokio::test(start_paused = true)]
async fn an_address_that_begins_with_a_slash_is_on_the_site_of_the_page() {
    let browser = shop();
    let guarded = guarded(GuardedBrowser::builder(browser.clone()));
    let mut executor = guarded.start(task()).await;
    executor.open_start_page().await.unwrap();
    let bare = done(&mut executor, "goto", json!({ "url": "other.example" })).await;
    assert_eq!(bare.class(), Some(ErrorClass::Blocked));
    let outcome = done(&mut executor, "goto", json!({ "url": "/cart" })).await;
    assert_eq!(outcome, Outcome::Done);
    assert_eq!(executor.page().unwrap().url, CART);
    assert_eq!(
        browser.executed().last().unwrap(),
        r#"goto {"url":"https://shop.example/cart"}"#
    );
}

#[tokio::test(start_paused = true)]
async fn a_step_keeps_what_its_action_gave_and_not_what_the_browser_noticed() {
    let mut browser = MockBrowserDriver::new();
    browser.expect_lease().return_const(Lease::new());
    browser
        .expect_capabilities()
        .returning(|| BrowserCapabilities::new("mock", BrowserTool::ALL.iter().copied()));
    browser.expect_execute().returning(|request| {
        let mut execution = Execution::from(Outcome::Done);
        let is_list = matches!(request.action, BrowserAction::TabList(_));
        execution.text = is_list.then(|| "0: Shop".to_owned());
        execution.notices = vec![Notice::TabOpened {
            url: CART.to_owned(),
        }];
        Ok(execution)
    });
    browser
        .expect_observe()
        .returning(|_| Ok(Observation::new(URL, "Shop", tree(SHOP))));
    let guarded = GuardedBrowser::builder(browser).build_guarded().unwrap();
    let mut executor = guarded.start(task()).await;
    executor.open_start_page().await.unwrap();
    let mut gave = Vec::new();
    for (tool, arguments) in [
        ("tab_list", json!({})),
        ("click", json!({ "target": "e4" })),
    ] {
        let step = executor.carry_out(action(tool, arguments)).await.unwrap();
        gave.push(step.gave.clone());
    }
    let listed = format!("0 (current): Shop {URL}");
    assert_eq!(gave, [Some(listed), None]);
}

#[tokio::test(start_paused = true)]
async fn a_tab_that_an_action_opened_is_followed_if_the_run_may_visit_it() {
    for (address, is_followed) in [(CART, true), ("http://10.0.0.1/", false)] {
        let mut browser = MockBrowserDriver::new();
        browser.expect_lease().return_const(Lease::new());
        browser
            .expect_capabilities()
            .returning(|| BrowserCapabilities::new("mock", BrowserTool::ALL.iter().copied()));
        let current = Arc::new(AtomicU32::new(0));
        let shown = Arc::clone(&current);
        browser.expect_execute().returning(move |request| {
            let mut execution = Execution::from(Outcome::Done);
            match &request.action {
                BrowserAction::TabSelect(tab) => current.store(tab.index, Ordering::Relaxed),
                BrowserAction::Click(_) => execution.notices.push(Notice::TabOpened {
                    url: address.to_owned(),
                }),
                _ => {}
            }
            Ok(execution)
        });
        browser.expect_observe().returning(move |_| {
            let at = shown.load(Ordering::Relaxed);
            let url = [URL, address][at as usize];
            let mut page = Observation::new(url, "Shop", tree(SHOP));
            page.tabs = vec![
                Tab::new(0, at == 0, "Shop", URL),
                Tab::new(1, at == 1, "Cart", address),
            ];
            Ok(page)
        });
        let guarded = GuardedBrowser::builder(browser).build_guarded().unwrap();
        let mut executor = guarded.start(task()).await;
        executor.open_start_page().await.unwrap();
        let step = executor
            .carry_out(action("click", json!({ "target": "e4" })))
            .await;
        assert_eq!(
            step.unwrap().after.url(),
            if is_followed { CART } else { URL }
        );
    }
}

#[tokio::test(start_paused = true)]
async fn what_a_caller_decides_is_carried_out_verified_and_kept() {
    let (recorder, browser) = (Recorder::new(), shop());
    let guarded = guarded(GuardedBrowser::builder(browser.clone()).with_sink(recorder.clone()));
    let mut executor = guarded.start(task()).await;
    executor.open_start_page().await.unwrap();
    assert_eq!(executor.page().unwrap().url, URL);
    let in_words = done(&mut executor, "click", json!({ "target": "link \"Cart\"" })).await;
    assert_eq!(in_words, Outcome::Done);
    assert_eq!(executor.page().unwrap().url, CART);
    let report = executor.finish();
    assert_eq!((report.summary.steps, report.summary.calls), (2, 0));
    assert_eq!(
        browser.executed(),
        [
            r#"goto {"url":"https://shop.example/"}"#,
            r#"click {"target":"e3"}"#
        ]
    );
    let names = recorder.names();
    assert_eq!(
        (names[0], names[names.len() - 1]),
        ("run_started", "run_ended")
    );
    assert!(names.contains(&"action_executed"), "{names:?}");
}

#[tokio::test(start_paused = true)]
async fn a_click_on_a_page_that_stays_as_it_is_had_no_effect() {
    let guarded = guarded(GuardedBrowser::builder(shop()));
    let mut executor = guarded.start(task()).await;
    executor.open_start_page().await.unwrap();
    let outcome = done(&mut executor, "click", json!({ "target": "e4" })).await;
    assert_eq!(outcome, Outcome::NoEffect);
}

#[tokio::test(start_paused = true)]
async fn each_guard_refuses_and_the_browser_is_not_asked() {
    let browser = shop();
    let guarded = guarded(GuardedBrowser::builder(browser.clone()));
    let origin = Origin::of(&Url::parse(URL).unwrap()).unwrap();
    let name = SecretName::parse("PIN").unwrap();
    let vault = Vault::new()
        .with(name, Secret::new("4711-4711"), vec![origin])
        .unwrap();
    // With a secret, only the start site may be visited.
    let mut executor = guarded.start(task().with_secrets(vault)).await;
    executor.open_start_page().await.unwrap();
    let cases = [
        (
            "goto",
            json!({ "url": "https://other.example/" }),
            ErrorClass::Blocked,
        ),
        (
            "click",
            json!({ "target": "Place order" }),
            ErrorClass::Rejected,
        ),
        ("click", json!({ "target": "e77" }), ErrorClass::RefNotFound),
        (
            "click",
            json!({ "target": "button \"More\"" }),
            ErrorClass::NotUnique,
        ),
        (
            "click_xy",
            json!({ "x": 3, "y": 4 }),
            ErrorClass::BadArguments,
        ),
        (
            "fill",
            json!({ "target": "e1", "text": "<secret:OTHER>" }),
            ErrorClass::BadArguments,
        ),
    ];
    for (tool, arguments, class) in cases {
        let said = arguments.to_string();
        let outcome = done(&mut executor, tool, arguments).await;
        assert_eq!(outcome.class(), Some(class), "{tool} {said}");
        assert!(executor.page().is_some(), "the run goes on");
        // Five errors in a row would end the run.
        done(&mut executor, "wait", json!({ "seconds": 1 })).await;
    }
    let asked = browser.executed();
    let acted = asked.iter().filter(|line| !line.starts_with("wait"));
    assert_eq!(
        acted.collect::<Vec<_>>(),
        [r#"goto {"url":"https://shop.example/"}"#]
    );
}

#[tokio::test(start_paused = true)]
async fn a_person_approves_what_cannot_be_undone_and_a_no_may_end_the_run() {
    for (answer, outcome) in [
        (Approval::Yes, Ok(None)),
        (Approval::No, Ok(Some(ErrorClass::Rejected))),
        (Approval::Stop, Err(StopReason::Rejected)),
    ] {
        let mut person = MockApprover::new();
        person
            .expect_approve()
            .withf(|request| request.effect == Effect::Irreversible)
            .times(1)
            .return_const(answer);
        let builder = GuardedBrowser::builder(shop()).with_approver(person);
        let guarded = guarded(builder.with_approval(ApprovalMode::Hybrid));
        let mut executor = guarded.start(task()).await;
        executor.open_start_page().await.unwrap();
        let step = executor
            .carry_out(action("click", json!({ "target": "e2" })))
            .await;
        assert_eq!(step.map(|step| step.outcome.class()), outcome);
    }
}

#[tokio::test(start_paused = true)]
async fn the_time_of_a_person_is_not_the_time_of_the_step() {
    let builder = GuardedBrowser::builder(shop()).with_approver(super::growth::Slow);
    let guarded = guarded(builder.with_approval(ApprovalMode::Hybrid));
    let mut executor = guarded.start(task()).await;
    executor.open_start_page().await.unwrap();
    let click = action("click", json!({ "target": "e2" }));
    let step = executor.carry_out(click).await.unwrap();
    assert_eq!(step.outcome, Outcome::Done);
    assert!(step.elapsed_ms < 3_000, "{} ms", step.elapsed_ms);
}

#[tokio::test(start_paused = true)]
async fn the_look_after_a_late_answer_is_the_time_of_the_step() {
    let took = async |person: Option<super::growth::Slow>| {
        let second = LookFault::Slow(Duration::from_secs(1));
        let browser = FaultyBrowser::new(shop()).with_look(When::from(1), second);
        let builder = GuardedBrowser::builder(browser);
        let guarded = match person {
            Some(person) => builder.with_approver(person),
            None => builder.with_approval(ApprovalMode::Auto),
        };
        let guarded = guarded.build_guarded().unwrap();
        let mut executor = guarded.start(task()).await;
        executor.open_start_page().await.unwrap();
        let click = action("click", json!({ "target": "e2" }));
        let step = executor.carry_out(click).await.unwrap();
        assert_eq!(step.outcome, Outcome::Done);
        step.elapsed_ms
    };
    let (alone, asked) = (took(None).await, took(Some(super::growth::Slow)).await);
    assert!(
        (alone + 1_000..alone + 3_000).contains(&asked),
        "{alone} and {asked} ms"
    );
}

#[tokio::test(start_paused = true)]
async fn an_action_that_the_caller_gave_up_is_in_the_report() {
    let browser = FaultyBrowser::new(shop())
        .with_look(When::from(2), LookFault::Slow(Duration::from_secs(9)));
    let guarded = GuardedBrowser::builder(browser).build_guarded().unwrap();
    let mut executor = guarded.start(task()).await;
    executor.open_start_page().await.unwrap();
    let click = executor.carry_out(action("click", json!({ "target": "e3" })));
    let click = tokio::time::timeout(Duration::from_secs(1), click).await;
    assert!(click.is_err());
    let report = executor.finish();
    let last = report.steps.last().unwrap();
    assert_eq!((last.action.tool_name(), last.unseen), ("click", true));
}

#[tokio::test(start_paused = true)]
async fn repetition_and_budgets_end_the_run_and_it_stays_over() {
    let mut options = Options::default();
    options.budget.max_steps = 30;
    let guarded = guarded(GuardedBrowser::builder(shop()).with_options(options));
    let mut executor = guarded.start(task()).await;
    executor.open_start_page().await.unwrap();
    let mut stop = None;
    for _ in 0..20 {
        let click = action("click", json!({ "target": "e4" }));
        stop = executor.carry_out(click).await.err();
        if stop.is_some() {
            break;
        }
    }
    assert_eq!(stop, Some(StopReason::Stuck));
    let again = executor.carry_out(action("reload", json!({}))).await;
    assert_eq!(again.err(), Some(StopReason::Stuck));
    let report = executor.finish();
    assert_eq!(
        report.summary.stop,
        StopReason::Stuck,
        "it stays what it was"
    );
}

#[tokio::test(start_paused = true)]
async fn a_browser_has_one_run_at_a_time() {
    let guarded = guarded(GuardedBrowser::builder(shop()));
    let first = guarded.start(task()).await;
    let mut second = guarded.start(task()).await;
    let goto = second.open_start_page().await;
    assert_eq!(goto, Err(StopReason::Busy));
    drop(second);
    drop(first);
    assert_eq!(guarded.start(task()).await.open_start_page().await, Ok(()));
}

#[tokio::test(start_paused = true)]
async fn a_browser_that_is_lost_ends_the_run() {
    let broken = [ScriptedReply::Break(ErrorKind::BrowserLost)];
    let browser = shop().on(URL, r#"click {"target":"e4"}"#, broken);
    let guarded = guarded(GuardedBrowser::builder(browser));
    let mut executor = guarded.start(task()).await;
    executor.open_start_page().await.unwrap();
    let step = executor
        .carry_out(action("click", json!({ "target": "e4" })))
        .await;
    assert_eq!(step.err(), Some(StopReason::BrowserLost));
}

/// A page that its scripts draw after it was opened.
#[tokio::test(start_paused = true)]
async fn a_page_that_shows_nothing_yet_is_waited_for() {
    let mut browser = MockBrowserDriver::new();
    browser.expect_lease().return_const(Lease::new());
    browser
        .expect_capabilities()
        .returning(|| shop().capabilities());
    let done = |_: &_| Ok(Execution::from(Outcome::Done));
    browser.expect_execute().returning(done);
    let mut looks = 0;
    browser.expect_observe().returning(move |_| {
        looks += 1;
        let shown = if looks < 4 { "" } else { SHOP };
        Ok(Observation::new(URL, "Shop", tree(shown)))
    });
    let guarded = GuardedBrowser::builder(browser).build_guarded().unwrap();
    let mut executor = guarded.start(task()).await;
    executor.open_start_page().await.unwrap();
    assert!(!executor.page().unwrap().elements.is_empty());
}
