//! Tests of the exploration of a site.

use crate::{
    GuardedBrowser,
    action::ErrorClass,
    agent::explore,
    base::ErrorKind,
    explore::Limits,
    testing::{Recorder, ScriptedBrowser, ScriptedReply},
};

const HOME: &str = "https://shop.example/";
const WHY: &str = "net::ERR_CONNECTION_REFUSED";

#[tokio::test]
async fn of_a_large_site_twenty_pages_are_opened() {
    let kinds = "abcdefghijklmnopqrstuvwxy".chars();
    let links = kinds.clone().zip(1..);
    let links = links.map(|(kind, n)| format!("link \"Part {kind}\" e{n} -> /{kind}\n"));
    let mut site = ScriptedBrowser::new().with_page(HOME, "Shop", &links.collect::<String>());
    for kind in kinds {
        let url = Box::leak(format!("{HOME}{kind}").into_boxed_str());
        site = site.with_page(url, "Part", &format!("heading \"Part {kind}\""));
    }
    let seen = Recorder::new();
    let guarded = GuardedBrowser::builder(site).with_sink(seen.clone());
    let guarded = guarded.build_guarded().unwrap();
    let map = explore(&guarded, HOME, Limits::default(), |_| {}).await;
    let map = map.unwrap();
    assert_eq!((map.pages.len(), map.is_complete()), (20, false));
    let names = seen.names();
    let count = |name: &str| names.iter().filter(|known| **known == name).count();
    assert_eq!(count("run_started"), count("run_ended"));
    assert!(count("run_ended") >= 20, "{names:?}");
}

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
