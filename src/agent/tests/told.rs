//! What the next message says about the calls that were carried out.

use serde_json::json;

use super::reading::{URL, run_in, run_on};
use crate::{
    action::RawCall,
    chat::ChatResponse,
    testing::{ScriptedBrowser, ScriptedModel, ScriptedReply, call},
};

fn give_up() -> ChatResponse {
    call("finish", json!({ "answer": "no", "success": false }))
}

/// Returns the lines of a section of a message.
fn section<'m>(message: &'m str, heading: &str) -> Vec<&'m str> {
    let heading = format!("## {heading}\n");
    let found = message.split_once(&heading);
    let lines = found.into_iter().flat_map(|(_, rest)| rest.lines());
    lines
        .take_while(|line| !line.starts_with("## ") && !line.ends_with(">>>"))
        .collect()
}

#[tokio::test]
async fn a_wait_for_a_text_that_was_there_already_says_so() {
    let page = "paragraph\n  \"Wait until it says  Ready, then press\"\nbutton \"Go\" e1";
    let told = async |waits: &[(&str, &str)]| {
        let waits = waits
            .iter()
            .map(|(how, text)| RawCall::new("wait", json!({ *how: text })));
        let replies = vec![ChatResponse::with_calls(waits), give_up()];
        let (_, messages) = run_on(page, replies).await;
        section(&messages[1], "Changed").join("\n")
    };
    assert_eq!(
        told(&[("text", "says ready")]).await,
        "the text was there already when the wait began"
    );
    assert_eq!(told(&[("text", "Done")]).await, "");
    assert_eq!(told(&[("gone", "Ready")]).await, "");
    assert_eq!(
        told(&[("gone", "Loading"), ("text", "Ready")]).await,
        "2. wait: the text was not there when the wait began\n3. wait: the text was there already when the wait began"
    );
}

#[tokio::test]
async fn another_position_of_the_address_is_not_told_as_another_page() {
    let at = |place: &str| format!("button \"One\" e1\nbutton \"Two\" e2\nheading \"{place}\"");
    let (one, two) = ("https://shop.example/#one", "https://shop.example/#two");
    let mut browser = ScriptedBrowser::new().with_page(URL, "Boats", &at("Start"));
    for (from, button, to) in [(URL, "e1", one), (one, "e2", two)] {
        let action = format!(r#"click {{"target":"{button}"}}"#);
        browser = browser.with_page(to, "Boats", &at(&to[21..])).on(
            from,
            &action,
            [ScriptedReply::Show(to)],
        );
    }
    let click = |target: &str| RawCall::new("click", json!({ "target": target }));
    let replies = [
        ChatResponse::with_calls([click("e1"), click("e2")]),
        give_up(),
    ];
    let (_, messages) = run_in(browser, ScriptedModel::new(replies)).await;
    assert_eq!(
        section(&messages[1], "Changed"),
        [
            r##"2. click: the same page, now at "#one"; + heading "#one"; - heading "Start""##,
            r##"3. click: the same page, now at "#two"; + heading "#two"; - heading "#one""##,
        ]
    );
}
