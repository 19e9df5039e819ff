//! Tests that each fault does what its documentation says, that it happens at the selected calls, and that it is
//! counted.

use std::time::Duration;

use serde_json::json;
use tokio::time::{Instant, timeout};

use super::*;
use crate::{
    BrowserDriver, Error, ErrorKind, LlmClient,
    action::{
        BrowserAction, BrowserTool, Click, ErrorClass, Goto, NoArguments, Outcome, Target, ToolSet,
        parse_calls,
    },
    browser::{ExecuteRequest, Execution, ObserveRequest, SceneRequest, ScreenshotRequest},
    chat::{ChatRequest, ChatResponse},
    page::Scene,
    testing::{ScriptedBrowser, ScriptedModel, ScriptedReply, call},
};

const HOME: &str = "https://x.example/";
const NEXT: &str = "https://x.example/next";

fn tools() -> ToolSet {
    ToolSet::new(&BrowserTool::ALL.iter().copied().collect(), false, [])
}

fn request() -> ChatRequest {
    ChatRequest::new("s", "m", tools().into())
}

fn model(fault: ModelFault, when: When) -> FaultyModel<ScriptedModel> {
    let clicks = ScriptedModel::deciding(|_| Ok(call("click", json!({ "target": "e1" }))));
    FaultyModel::new(clicks).with(when, fault)
}

async fn asked(fault: ModelFault, when: When) -> Result<ChatResponse, Error> {
    model(fault, when).complete(&request()).await
}

fn calls(response: &ChatResponse) -> Vec<String> {
    let parsed = parse_calls(&response.calls, &response.text, &tools()).unwrap_or_default();
    parsed
        .into_iter()
        .filter_map(Result::ok)
        .map(|action| action.line())
        .collect()
}

#[test]
fn a_fault_strikes_the_calls_it_was_told_to() {
    let struck = |when: When| {
        (1..=6)
            .filter(|call| when.strikes(*call))
            .collect::<Vec<u32>>()
    };
    assert_eq!(struck(When::once(3)), [3]);
    assert_eq!(struck(When::from(4)), [4, 5, 6]);
    assert_eq!(struck(When::once(2).times(3)), [2, 3, 4]);
    assert!(When::from(1).strikes(u32::MAX));
}

#[tokio::test]
async fn a_fault_of_a_model_strikes_its_call_alone_and_is_counted() {
    let model = model(ModelFault::Empty, When::once(2));
    let mut said = Vec::new();
    for _ in 0..3 {
        said.push(calls(&model.complete(&request()).await.unwrap()).len());
    }
    assert_eq!(said, [1, 0, 1]);
    assert_eq!(
        (model.calls(), model.struck()),
        (3, vec![(2, ModelFault::Empty)])
    );
}

#[tokio::test]
async fn no_call_can_be_read_out_of_an_unusable_answer() {
    for fault in [
        ModelFault::Empty,
        ModelFault::MalformedJson,
        ModelFault::Refusal,
        ModelFault::CutOff,
        ModelFault::TextOnly,
        ModelFault::WrongTool,
    ] {
        let model = model(fault, When::from(1));
        for _ in 0..3 {
            let response = model.complete(&request()).await.unwrap();
            assert_eq!(calls(&response), [""; 0], "{fault:?}: {response:?}");
        }
    }
}

#[tokio::test]
async fn answers_that_can_run_are_wrong_as_they_should_be() {
    let said = async |fault| calls(&asked(fault, When::from(1)).await.unwrap());
    assert_eq!(
        said(ModelFault::InventedRef).await,
        [r#"click {"target":"e9001"}"#]
    );
    assert_eq!(
        said(ModelFault::TwoCalls).await,
        [r#"click {"target":"e1"}"#; 2]
    );
    assert_eq!(said(ModelFault::Misplaced).await, ["dialog_accept"]);
}

#[tokio::test]
async fn errors_of_a_model_have_their_kind_and_their_wait() {
    let wait = Some(Duration::from_secs(7));
    for (fault, kind) in [
        (ModelFault::ContentFilter, ErrorKind::Refused),
        (ModelFault::RateLimited(wait), ErrorKind::RateLimited),
        (ModelFault::RateLimited(None), ErrorKind::RateLimited),
        (ModelFault::ServerError, ErrorKind::Unavailable),
        (ModelFault::Garbled, ErrorKind::MalformedReply),
    ] {
        let error = asked(fault, When::once(1)).await.unwrap_err();
        assert_eq!(error.kind(), kind);
        assert_eq!(
            error.retry_after(),
            wait.filter(|_| fault == ModelFault::RateLimited(wait))
        );
    }
}

#[tokio::test(start_paused = true)]
async fn what_is_silent_never_answers() {
    let day = Duration::from_hours(24);
    assert!(
        timeout(day, asked(ModelFault::Silent, When::once(1)))
            .await
            .is_err()
    );
    let browser = browser(BrowserFault::Silent { done: true });
    assert!(timeout(day, act(&browser, click())).await.is_err());
    assert_eq!(
        browser.get_ref().executed().len(),
        1,
        "it was carried out all the same"
    );
    let blind =
        FaultyBrowser::new(ScriptedBrowser::new()).with_look(When::once(1), LookFault::Silent);
    assert!(
        timeout(day, blind.observe(&ObserveRequest::default()))
            .await
            .is_err()
    );
    assert_eq!(blind.looks_struck(), [(1, LookFault::Silent)]);
}

#[tokio::test(start_paused = true)]
async fn a_slow_model_answers_as_ever_after_the_delay() {
    let begin = Instant::now();
    let slow = Duration::from_secs(9);
    let response = asked(ModelFault::Slow(slow), When::once(1)).await.unwrap();
    assert_eq!(calls(&response), [r#"click {"target":"e1"}"#]);
    assert_eq!(begin.elapsed(), slow);
}

fn browser(fault: BrowserFault) -> FaultyBrowser<ScriptedBrowser> {
    let pages = ScriptedBrowser::new()
        .with_page(HOME, "Home", "button \"Go\" e1")
        .with_page(NEXT, "Next", "heading \"Next\"")
        .with_scene(Scene::new("about:blank", 9, 9))
        .with_scene(Scene::new(NEXT, 9, 9))
        .on(
            "about:blank",
            r#"click {"target":"e1"}"#,
            [ScriptedReply::Show(NEXT)],
        );
    FaultyBrowser::new(pages).with(When::once(1), fault)
}

fn click() -> BrowserAction {
    BrowserAction::Click(Click {
        target: Target::parse("e1").unwrap(),
        button: None,
    })
}

fn goto(url: &str) -> BrowserAction {
    BrowserAction::Goto(Goto {
        url: url.to_owned(),
    })
}

async fn act(
    browser: &FaultyBrowser<ScriptedBrowser>,
    action: BrowserAction,
) -> Result<Execution, Error> {
    browser.execute(&ExecuteRequest::new(action)).await
}

async fn url(browser: &FaultyBrowser<ScriptedBrowser>) -> String {
    browser
        .observe(&ObserveRequest::default())
        .await
        .unwrap()
        .url
}

#[tokio::test(start_paused = true)]
async fn a_fault_of_a_browser_does_what_it_says_and_nothing_else() {
    let other = || Err(ErrorKind::MalformedReply);
    for (fault, expected, done) in [
        (BrowserFault::StaleRef, Ok("ref_not_found"), false),
        (BrowserFault::Intercepted, Ok("intercepted"), false),
        (BrowserFault::TimeOut { done: false }, Ok("timeout"), false),
        (BrowserFault::TimeOut { done: true }, Ok("timeout"), true),
        (BrowserFault::Garbled { done: false }, other(), false),
        (BrowserFault::Garbled { done: true }, other(), true),
        (BrowserFault::NoEffect, Ok("done"), false),
        (
            BrowserFault::Slow(Duration::from_secs(30)),
            Ok("done"),
            true,
        ),
    ] {
        let browser = browser(fault);
        let begin = Instant::now();
        let said = act(&browser, click()).await;
        assert_eq!(
            said.as_ref()
                .map(|e| e.outcome.as_str())
                .map_err(Error::kind),
            expected,
            "{fault:?}"
        );
        assert_eq!(url(&browser).await == NEXT, done, "{fault:?}");
        let waited = if let BrowserFault::Slow(time) = fault {
            time
        } else {
            Duration::ZERO
        };
        assert_eq!(begin.elapsed(), waited);
        assert_eq!(
            (browser.struck(), browser.sent().len()),
            (vec![(1, fault)], 1)
        );
    }
}

#[tokio::test]
async fn a_dialog_covers_the_page_until_it_is_answered() {
    let browser = browser(BrowserFault::Dialog);
    assert!(act(&browser, click()).await.unwrap().dialog.is_some());
    assert!(
        browser
            .observe(&ObserveRequest::default())
            .await
            .unwrap()
            .dialog
            .is_some()
    );
    let refused = act(&browser, click()).await.unwrap().outcome;
    assert_eq!(refused, Outcome::failed(ErrorClass::DialogOpen, ""));
    act(
        &browser,
        BrowserAction::DialogAccept(crate::action::DialogAccept { text: None }),
    )
    .await
    .unwrap();
    assert!(
        browser
            .observe(&ObserveRequest::default())
            .await
            .unwrap()
            .dialog
            .is_none()
    );
    assert!(act(&browser, click()).await.unwrap().outcome.is_done());
    assert_eq!(
        (
            browser.get_ref().executed().len(),
            url(&browser).await.as_str()
        ),
        (1, NEXT)
    );
}

#[tokio::test]
async fn a_lost_page_is_blank_until_another_address_is_opened() {
    let browser = browser(BrowserFault::PageLost);
    act(&browser, click()).await.unwrap();
    assert_eq!(url(&browser).await, "about:blank");
    let back = act(&browser, BrowserAction::GoBack(NoArguments {}))
        .await
        .unwrap()
        .outcome;
    assert_eq!(back.as_str(), "ref_not_found");
    act(&browser, goto(HOME)).await.unwrap();
    assert_eq!(url(&browser).await, HOME);
}

#[tokio::test]
async fn of_a_page_behind_a_dialog_or_a_blank_page_there_is_no_picture() {
    for fault in [BrowserFault::Dialog, BrowserFault::PageLost] {
        let browser = browser(fault);
        let look = ObserveRequest {
            screenshot: true,
            ..ObserveRequest::default()
        };
        let pictures = async || {
            let seen = browser.observe(&look).await.unwrap().screenshot.is_some();
            let taken = browser
                .screenshot(&ScreenshotRequest::default())
                .await
                .is_ok();
            let scene = browser.scene(&SceneRequest::default()).await.unwrap();
            [seen, taken, scene != Scene::default()]
        };
        assert_eq!(pictures().await, [true; 3], "{fault:?}");
        act(&browser, click()).await.unwrap();
        assert_eq!(pictures().await, [false; 3], "{fault:?}");
    }
}

#[tokio::test]
async fn a_dead_browser_stays_dead() {
    let browser = browser(BrowserFault::Dead);
    for _ in 0..2 {
        assert_eq!(
            act(&browser, click()).await.unwrap_err().kind(),
            ErrorKind::BrowserLost
        );
        assert_eq!(
            browser
                .observe(&ObserveRequest::default())
                .await
                .unwrap_err()
                .kind(),
            ErrorKind::BrowserLost
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_look_can_be_garbled_or_slow() {
    let slow = LookFault::Slow(Duration::from_secs(9));
    let browser = FaultyBrowser::new(ScriptedBrowser::new())
        .with_look(When::once(1), LookFault::Garbled)
        .with_look(When::once(2), slow);
    let begin = Instant::now();
    let look = async || {
        browser
            .observe(&ObserveRequest::default())
            .await
            .map(|seen| seen.url)
            .map_err(|e| e.kind())
    };
    assert_eq!(look().await, Err(ErrorKind::MalformedReply));
    assert_eq!(look().await.as_deref(), Ok("about:blank"));
    assert_eq!(
        (begin.elapsed(), browser.looks_struck()),
        (
            Duration::from_secs(9),
            vec![(1, LookFault::Garbled), (2, slow)]
        )
    );
}
