//! What the figure rests on: the page tells right from wrong, and the two host names are two sites.

use std::sync::Arc;

use serde_json::json;
use webwise::{
    Task, action::RawCall, browser::BrowserDriver, chat::ChatResponse, testing::ScriptedModel,
};

use super::{
    agent,
    browsers::{Driver, Wishes},
    episode,
    policy::on,
    reading::Seen,
    site::Site,
};

async fn browser() -> Arc<dyn BrowserDriver> {
    Driver::Cdp
        .launch(&Wishes {
            scripts: true,
            ..Wishes::default()
        })
        .await
}

fn wrong_button(seen: &Seen) -> Vec<RawCall> {
    seen.named("button", "TWO")
        .map(|button| on("click", &button.reference))
        .into_iter()
        .collect()
}

fn nothing(_: &Seen) -> Vec<RawCall> {
    Vec::new()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_answer_and_none_bring_no_reward() {
    let (site, driver) = (Site::miniwob().await, browser().await);
    let url = site.url("a.localhost", "miniwob/click-test-2.html");
    episode::open(&driver, &url).await.expect("the page opens");
    let wrong = super::episode(&driver, &url, "s1", wrong_button)
        .await
        .expect("the episode ends");
    assert!(
        !wrong.succeeded() && wrong.reward.done && wrong.reward.raw < 0.0,
        "{:?}",
        wrong.reward
    );
    assert!(!wrong.report.is_success(), "{:?}", wrong.report);
    let none = super::episode(&driver, &url, "s1", nothing)
        .await
        .expect("the episode ends");
    assert!(!none.succeeded() && !none.reward.done, "{:?}", none.reward);
    driver.close().await.expect("the browser ends");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_was_started_on_one_host_of_this_machine_may_not_go_to_another() {
    let (site, driver) = (Site::miniwob().await, browser().await);
    let pages =
        ["a.localhost", "b.localhost"].map(|host| site.url(host, "miniwob/click-button.html"));
    let [start, other] = pages.clone();
    let model = ScriptedModel::new([
        ChatResponse::with_calls([RawCall::new("goto", json!({ "url": other }))]),
        ChatResponse::with_calls([RawCall::new(
            "finish",
            json!({ "answer": "no", "success": false }),
        )]),
    ]);
    let report = agent(&driver, &model)
        .run(
            Task::new("Go there")
                .unwrap()
                .with_start_url(&start)
                .unwrap(),
        )
        .await;
    let asked = model.requests();
    assert_eq!(asked.len(), 2, "{report:?}");
    assert!(
        asked.iter().all(|request| request.message.contains(&start)),
        "{asked:?}"
    );
    assert!(
        asked[1].message.contains("goto failed"),
        "{}",
        asked[1].message
    );
    assert_eq!(report.final_url.as_deref(), Some(start.as_str()));
    driver.close().await.expect("the browser ends");
}
