//! What a browser tells sites of itself: window, language, time zone, name, and headers. And the proxy that it asks.

use crate::{browsers, web};

use serde_json::json;
use webwise::{
    action::BrowserAction,
    browser::{ExecuteRequest, ObserveRequest},
};

use browsers::{Driver, Wishes};
use web::{Answer, Web};

const PAGE: &str = "<!doctype html><title>You</title><p></p><script>
    const at = new Date(Date.UTC(2027, 0, 31, 20, 0));
    document.querySelector('p').textContent = [
        innerWidth + 'x' + innerHeight, navigator.userAgent, navigator.language, at.getDate() + ' at ' + at.getHours(),
        (1234.5).toLocaleString(), Intl.DateTimeFormat().resolvedOptions().timeZone,
    ].join('; ');
    </script>";

async fn tells_sites_what_the_options_say(by: Driver) {
    let web = Web::start(|_| Answer::page(PAGE));
    let wishes = Wishes {
        foreign: true,
        proxy: Some(web.url("127.0.0.1", "")),
        ..Wishes::default()
    };
    let browser = by.launch(&wishes).await;
    // The proxy answers for a site that is nowhere.
    for url in [
        "http://shop.example/far".to_owned(),
        web.url("localhost", "/"),
    ] {
        let goto = json!({ "tool": "goto", "arguments": { "url": url } });
        let goto: BrowserAction = serde_json::from_value(goto).unwrap();
        let gone = browser.execute(&ExecuteRequest::new(goto)).await.unwrap();
        assert!(gone.outcome.is_done(), "{url}: {gone:?}");
    }
    let page = browser.observe(&ObserveRequest::default()).await.unwrap();
    let text: String = page
        .tree
        .roots()
        .map(|root| page.tree.text_of(root))
        .collect();
    let wanted = "801x602; Foreign/1.0; de-DE; 1 at 5; 1.234,5; Asia/Tokyo";
    assert!(text.contains(wanted), "{text}");
    let asked = web.asked();
    assert_eq!(asked[0].path, "http://shop.example/far", "{asked:?}");
    let near = asked.iter().any(|asked| asked.path == "/");
    assert!(near, "{asked:?}");
    for wanted in [
        "x-stage: test",
        "user-agent: Foreign/1.0",
        "accept-language: de-DE",
    ] {
        let has = |line: &String| line.starts_with(wanted);
        assert!(
            asked[0].headers.iter().any(has),
            "{wanted}: {:?}",
            asked[0].headers
        );
    }
    browser.close().await.unwrap();
}

on_each_driver!(tells_sites_what_the_options_say);
