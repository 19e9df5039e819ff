//! Tests of the exploration of a site.

use crate::{
    GuardedBrowser,
    action::ErrorClass,
    agent::explore,
    base::ErrorKind,
    explore::Limits,
    testing::{ScriptedBrowser, ScriptedReply},
};

const HOME: &str = "https://shop.example/";
const WHY: &str = "net::ERR_CONNECTION_REFUSED";

#[tokio::test]
async fn a_start_page_that_cannot_be_opened_is_an_error_with_the_reason() {
    let goto = format!(r#"goto {{"url":"{HOME}"}}"#);
    let browser = ScriptedBrowser::new().on(
        "about:blank",
        &goto,
        [ScriptedReply::Fail(ErrorClass::NavigationFailed, WHY)],
    );
    let guarded = GuardedBrowser::builder(browser).build_guarded().unwrap();
    let found = explore(&guarded, HOME, Limits::default(), |_| {}).await;
    let error = found.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable);
    assert_eq!(
        (error.said("url"), error.said("why")),
        (Some(HOME), Some(WHY))
    );
}
