//! The next message reports the calls that were carried out.

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

#[tokio::test]
async fn an_element_without_a_name_is_told_by_what_a_person_sees_of_it() {
    let page = "main\n  button \"Go\" e2\n  textbox e1\n\
                heading \"Board\"\ngeneric e3 [pointer] [look=circle,blue]\n\
                row\n  cell \"Ada\"\n  cell\n    generic e4 [pointer]\nrow\n  cell \"Bob\"\n  cell\n    generic e5 [pointer]";
    let told = async |tool: &str, target: &str, text: Option<&str>| {
        let mut arguments = json!({ "target": target });
        if let Some(text) = text {
            arguments["text"] = json!(text);
        }
        let (_, messages) = run_on(page, vec![call(tool, arguments), give_up()]).await;
        section(&messages[1], "History")[1].to_owned()
    };
    assert_eq!(
        told("fill", "e1", Some("Kiwi")).await,
        r#"2. fill 1st textbox beside "Go" "Kiwi" -> no_effect"#
    );
    assert_eq!(
        told("click", "e3", None).await,
        r#"2. click generic look "circle,blue" -> no_effect"#
    );
    // Of two that look the same, the words of the row tell them apart.
    assert_eq!(
        told("click", "e5", None).await,
        r#"2. click 3rd generic in "Bob" -> no_effect"#
    );
}

#[tokio::test]
async fn of_a_text_that_is_cut_little_nothing_is_cut_and_else_the_call_for_the_rest_is_named() {
    let of = |start: &str, length: usize| format!("{start}{}", "x".repeat(length - start.len()));
    let field = |length| format!("textbox \"Story\" e1 = {}", of("It was ", length));
    for length in [411, 450] {
        let (_, messages) = run_on(&field(length), vec![give_up()]).await;
        let value = format!("value \"{}\"\n", of("It was ", length));
        assert!(messages[0].contains(&value), "{}", messages[0]);
    }
    let read = vec![call("read", json!({ "target": "e1" })), give_up()];
    let (_, messages) = run_on(&field(800), read).await;
    let mark = "(and 500 characters more: read(target=\"e1\"))\n";
    assert!(messages[0].contains(mark), "{}", messages[0]);
    let whole: usize = section(&messages[1], "Read")
        .iter()
        .map(|line| line.matches('x').count())
        .sum();
    assert_eq!(whole, 793);

    // A page that is too large as a whole, with a text that could be cut by a quarter.
    let mut page = format!("paragraph\n  \"{}\"\n", of("Short ", 400));
    page.push_str(&format!("paragraph\n  \"{}\"\n", of("Long ", 800)).repeat(12));
    let (_, messages) = run_on(&page, vec![give_up()]).await;
    let shown = section(&messages[0], "Page");
    assert!(
        shown.contains(&&*format!("\"{}\"", of("Short ", 400))),
        "{shown:?}"
    );
    assert!(
        shown
            .iter()
            .any(|line| line.ends_with("characters more: read(line=2))"))
    );
}

#[tokio::test]
async fn what_was_read_of_a_page_that_is_gone_names_no_call() {
    let page = format!(
        "paragraph\n  \"Paragraph 390 {}\"",
        "tells of boats ".repeat(60)
    );
    let browser = ScriptedBrowser::new()
        .with_page(URL, "Boats", &page)
        .with_page("https://shop.example/b", "B", "heading \"B\"");
    let replies = [
        call("read", json!({})),
        call("goto", json!({ "url": "https://shop.example/b" })),
        give_up(),
    ];
    let (_, messages) = run_in(browser, ScriptedModel::new(replies)).await;
    let known = section(&messages[2], "Read before").join("\n");
    assert!(known.contains("characters more)"), "{known}");
    assert!(!known.contains("read("), "{known}");
}

#[tokio::test]
async fn a_list_of_which_several_can_be_chosen_says_so() {
    let page = "listbox \"Fruits\" e1 [multiple=true]\n  option \"Kiwi\" e2\n  option \"Plum\" e3\n\
                listbox \"Size\" e4\n  option \"L\" e5";
    let (_, messages) = run_on(page, vec![give_up()]).await;
    assert_eq!(
        section(&messages[0], "Page")[2..],
        [
            "e1 listbox \"Fruits\" [multiple] e2 option \"Kiwi\" e3 option \"Plum\"",
            "e4 listbox \"Size\" e5 option \"L\""
        ]
    );
}

#[tokio::test]
async fn nothing_is_typed_after_the_field_of_the_reply_is_gone() {
    let (filled, later) = (
        "https://shop.example/#filled",
        "https://shop.example/#later",
    );
    let (fill, click) = (
        r#"fill {"target":"e1","text":"Ada"}"#,
        r#"click {"target":"e2"}"#,
    );
    let typed = async |after: &str| {
        let browser = ScriptedBrowser::new()
            .with_page(URL, "Boats", "textbox \"Name\" e1\nbutton \"Go\" e2")
            .with_page(
                filled,
                "Boats",
                "textbox \"Name\" e1 = Ada\nbutton \"Go\" e2",
            )
            .with_page(later, "Boats", after)
            .on(URL, fill, [ScriptedReply::Show(filled)])
            .on(filled, click, [ScriptedReply::Show(later)]);
        let calls = [
            RawCall::new("fill", json!({ "target": "e1", "text": "Ada" })),
            RawCall::new("click", json!({ "target": "e2" })),
            RawCall::new("type", json!({ "text": "Bob" })),
        ];
        let model = ScriptedModel::new([ChatResponse::with_calls(calls), give_up()]);
        let (_, messages) = run_in(browser.clone(), model).await;
        let is_typed = browser
            .executed()
            .iter()
            .any(|line| line.starts_with("type "));
        (is_typed, section(&messages[1], "Note").join(" "))
    };
    let (is_typed, note) = typed("heading \"Thanks\"").await;
    assert!(
        !is_typed && note.contains("is gone, and none has the focus"),
        "{note}"
    );
    // The button may have become the place for the text.
    for after in [
        "button \"Go\" e2",
        "textbox \"Name\" e1",
        "textbox \"Search\" e7 [focused]",
    ] {
        let (is_typed, note) = typed(after).await;
        assert!(is_typed, "{after}: {note}");
    }
}

#[tokio::test]
async fn a_list_tells_how_many_options_are_left_out_and_how_to_read_them() {
    let options: Vec<String> = (1..=40).map(|n| format!("  option \"Zone {n}\"")).collect();
    let page = format!("combobox \"Zone\" e1\n{}", options.join("\n"));
    let read = vec![call("read", json!({ "target": "e1" })), give_up()];
    let (_, messages) = run_on(&page, read).await;
    let mark = "\"Zone 25\" (and 15 more: read(target=\"e1\"))\n";
    assert!(messages[0].contains(mark), "{}", messages[0]);
    let whole = section(&messages[1], "Read").join("\n");
    assert!(whole.contains("Zone 40"), "{whole}");
}

#[tokio::test]
async fn a_table_is_extracted_although_the_calls_before_sorted_it() {
    let page = |name: &str| format!("button \"Sort\" e1\ntable \"{name}\" e2\n  cell \"2021\"");
    let sorted = "https://shop.example/#sorted";
    let browser = ScriptedBrowser::new()
        .with_page(URL, "Boats", &page("Boats, unsorted"))
        .with_page(sorted, "Boats", &page("Boats by year"))
        .on(
            URL,
            r#"click {"target":"e1"}"#,
            [ScriptedReply::Show(sorted)],
        );
    let batch = ChatResponse::with_calls([
        RawCall::new("click", json!({ "target": "e1" })),
        RawCall::new("extract", json!({ "name": "years", "target": "e2" })),
    ]);
    let (_, messages) = run_in(browser, ScriptedModel::new([batch, give_up()])).await;
    assert!(messages[1].contains("\"years\""), "{}", messages[1]);
    assert!(
        !messages[1].contains("not there as it was"),
        "{}",
        messages[1]
    );
}
