//! A person's hand on a browser: each act must be done, or the test says which was not and why.

use webwise::{
    action::{BrowserAction, Click, Fill, Goto, OnTarget, Select, Target, TextValue},
    browser::{BrowserDriver, ExecuteRequest, ObserveRequest},
    page::Observation,
};

fn target(locator: &str) -> Target {
    Target::parse(locator).expect("a locator of the test is in the grammar")
}

async fn act(browser: &dyn BrowserDriver, action: BrowserAction) {
    let done = browser
        .execute(&ExecuteRequest::new(action.clone()))
        .await
        .expect("the browser answers");
    assert!(done.outcome.is_done(), "{action:?}: {:?}", done.outcome);
}

pub(crate) async fn open(browser: &dyn BrowserDriver, url: String) {
    act(browser, BrowserAction::Goto(Goto { url })).await;
}

pub(crate) async fn click(browser: &dyn BrowserDriver, locator: &str) {
    act(
        browser,
        BrowserAction::Click(Click {
            target: target(locator),
            button: None,
        }),
    )
    .await;
}

pub(crate) async fn fill(browser: &dyn BrowserDriver, locator: &str, text: &str) {
    let text = TextValue::Literal(text.to_owned());
    act(
        browser,
        BrowserAction::Fill(Fill {
            target: target(locator),
            text,
            submit: false,
        }),
    )
    .await;
}

pub(crate) async fn select(browser: &dyn BrowserDriver, locator: &str, label: &str) {
    let values = vec![TextValue::Literal(label.to_owned())];
    act(
        browser,
        BrowserAction::Select(Select {
            target: target(locator),
            values,
        }),
    )
    .await;
}

pub(crate) async fn check(browser: &dyn BrowserDriver, locator: &str) {
    act(
        browser,
        BrowserAction::Check(OnTarget {
            target: target(locator),
        }),
    )
    .await;
}

pub(crate) async fn see(browser: &dyn BrowserDriver) -> Observation {
    browser
        .observe(&ObserveRequest::default())
        .await
        .expect("the page can be seen")
}

/// All text of a page in one line.
pub(crate) fn text(page: &Observation) -> String {
    page.tree
        .roots()
        .map(|root| page.tree.text_of(root))
        .collect::<Vec<_>>()
        .join(" ")
}
