//! Runs of the loop on pages that the prompt does not show completely.

use std::fmt::Write as _;

use serde_json::json;

use crate::{
    DecisionLoop, RunReport, Task,
    action::RawCall,
    base::TokenCount,
    chat::{ChatResponse, LlmCapabilities},
    store::InMemory,
    testing::{ScriptedBrowser, ScriptedModel, call},
    working::StopReason,
};

pub(super) const URL: &str = "https://shop.example/";

/// Runs the loop on a page of 400 paragraphs. Returns the report and the messages to the model.
async fn run(replies: Vec<ChatResponse>) -> (RunReport, Vec<String>) {
    let mut page = String::from("main\n");
    for n in 1..=400 {
        let _ = writeln!(
            page,
            "  paragraph\n    \"Paragraph {n} tells of boats and of water\""
        );
    }
    run_on(&page, replies).await
}

/// Runs the loop on a page with this content. Returns the report and the messages to the model.
pub(super) async fn run_on(page: &str, replies: Vec<ChatResponse>) -> (RunReport, Vec<String>) {
    run_model(page, ScriptedModel::new(replies)).await
}

async fn run_model(page: &str, model: ScriptedModel) -> (RunReport, Vec<String>) {
    run_in(ScriptedBrowser::new().with_page(URL, "Boats", page), model).await
}

/// Runs the loop in a browser that has a page at [`URL`]. Returns the report and the messages to the model.
pub(super) async fn run_in(
    browser: ScriptedBrowser,
    model: ScriptedModel,
) -> (RunReport, Vec<String>) {
    let agent = DecisionLoop::builder(browser, model.clone(), InMemory::new())
        .build()
        .unwrap();
    let task = Task::new("Tell what paragraph 390 tells of")
        .unwrap()
        .with_start_url(URL)
        .unwrap();
    let report = agent.run(task).await;
    let messages = model.requests().into_iter().map(|asked| asked.message);
    (report, messages.collect())
}

fn finish(answer: &str) -> ChatResponse {
    let evidence = "tells of boats";
    call("finish", json!({ "answer": answer, "evidence": evidence }))
}

#[tokio::test]
async fn lines_that_a_page_leaves_out_are_read_and_what_matters_of_them_is_kept() {
    let replies = vec![
        call("read", json!({ "line": 385 })),
        call("find", json!({ "query": "paragraph 7" })),
        finish("boats"),
    ];
    let (report, messages) = run(replies).await;
    assert_eq!(report.summary.stop, StopReason::Finished, "{report:?}");
    let line = "\"Paragraph 388 tells of boats and of water\"";
    assert!(
        messages[0].contains("read(line=") && !messages[0].contains(line),
        "{}",
        messages[0]
    );
    let read = messages[1].split_once("## Read\n").unwrap().1;
    assert!(
        read.starts_with("lines 385 to 400 of 400\n") && read.contains(line),
        "{read}"
    );
    // The line that the goal names is kept as a fact. While it is new, it is shown only once.
    assert!(!messages[1].contains("## Read before"));
    let before = messages[2].split_once("## Read before\n").unwrap().1;
    assert!(before.contains("\"Paragraph 390 tells"), "{before}");
    // A line with only one of the two words is not returned.
    let found = messages[2].split_once("## Found\n").unwrap().1;
    assert!(
        found.starts_with("find \"paragraph 7\": 11 lines of this page\n7: \"Paragraph 7 tells"),
        "{found}"
    );
    assert!(!found.contains("\"Paragraph 8 tells"), "{found}");
}

#[tokio::test]
async fn a_denial_is_unverified_until_the_whole_page_was_read() {
    let denial = || finish("the page does not mention boats of wood");
    let (report, _) = run(vec![denial()]).await;
    assert!(!report.unverified.is_empty(), "{report:?}");
    let mut replies: Vec<ChatResponse> = (0..8)
        .map(|part| call("read", json!({ "line": 1 + part * 50 })))
        .collect();
    replies.push(denial());
    let (report, _) = run(replies).await;
    assert!(report.unverified.is_empty(), "{report:?}");
}

#[tokio::test]
async fn a_denial_is_unverified_if_the_window_of_the_model_had_no_room_for_the_whole_page() {
    let mut page = String::from("main\n");
    for n in 1..=150 {
        let _ = writeln!(page, "  paragraph\n    \"Paragraph {n} tells of boats\"");
    }
    for (window, is_whole) in [(16_000, true), (4_000, false)] {
        let mut capabilities = LlmCapabilities::new("small");
        capabilities.context_window = Some(TokenCount(window));
        let model = ScriptedModel::new([finish("the page does not mention boats of wood")]);
        let (report, messages) = run_model(&page, model.with_capabilities(capabilities)).await;
        let shown = messages[0].matches("tells of boats").count();
        assert_eq!(shown == 150, is_whole, "{}", messages[0]);
        assert_eq!(report.unverified.is_empty(), is_whole, "{report:?}");
    }
}

#[tokio::test]
async fn each_search_of_a_reply_is_answered_with_its_query_and_its_count() {
    let both =
        ["paragraph 390", "zebra"].map(|query| RawCall::new("find", json!({ "query": query })));
    let replies = vec![ChatResponse::with_calls(both), finish("boats")];
    let (_, messages) = run(replies).await;
    let found = messages[1].split_once("## Found\n").unwrap().1;
    let answers = "find \"paragraph 390\": 1 line of this page\n390: \"Paragraph 390 tells of boats and of water\"\nfind \"zebra\": nothing";
    assert!(found.starts_with(answers), "{found}");
}

#[tokio::test]
async fn a_click_that_fails_keeps_what_a_search_of_the_same_reply_found() {
    let page = "list\n  listitem\n    text \"Ada\"\n    button \"Edit\" e1\n  listitem\n    text \"Bob\"\n    button \"Edit\" e2\n\
                paragraph\n  \"Press Save to keep it\"";
    let hit = "find \"keep\": 1 line of this page\n\"Press Save to keep it\"\n";
    let rows = " - \"Ada\" e1 button \"Edit\"\n - \"Bob\" e2 button \"Edit\"\n";
    for (words, matches) in [("Edit", rows), ("Save", "\"Press Save to keep it\"\n")] {
        let search = RawCall::new("find", json!({ "query": "keep" }));
        let click = RawCall::new("click", json!({ "target": words }));
        let alone = ChatResponse::with_calls([click.clone()]);
        let both = ChatResponse::with_calls([search, click]);
        let (_, messages) = run_on(page, vec![both, alone, finish("Ada")]).await;
        let found = |message: &str| message.split_once("## Found\n").unwrap().1.to_owned();
        let wanted = format!("{hit}these match the target of the call that failed:\n{matches}");
        assert!(found(&messages[1]).starts_with(&wanted), "{}", messages[1]);
        assert!(found(&messages[2]).starts_with(matches), "{}", messages[2]);
    }
}

#[tokio::test]
async fn a_query_and_a_title_are_repeated_without_characters_that_nobody_sees() {
    let model = ScriptedModel::new([
        ChatResponse::with_calls([
            RawCall::new("find", json!({ "query": "boat\u{202e}s" })),
            RawCall::new("read", json!({})),
        ]),
        call("note", json!({ "text": "read" })),
        finish("boats"),
    ]);
    let browser = ScriptedBrowser::new().with_page(
        URL,
        "The \u{202e}boats",
        "paragraph\n  \"It tells of boats\"",
    );
    let agent = DecisionLoop::builder(browser, model.clone(), InMemory::new());
    let task = Task::new("Tell of boats").unwrap();
    let task = task.with_start_url(URL).unwrap();
    agent.build().unwrap().run(task).await;
    let messages: Vec<String> = model.requests().into_iter().map(|r| r.message).collect();
    assert!(
        messages[1].contains("\nfind \"boats\": "),
        "{}",
        messages[1]
    );
    assert!(
        messages[2].contains(" of page \"The boats\""),
        "{}",
        messages[2]
    );
}

#[tokio::test]
async fn a_hit_stands_with_its_own_item_and_not_with_the_one_before() {
    let mut page = String::from("list\n");
    for n in 1..=60 {
        let _ = writeln!(
            page,
            "  listitem\n    heading \"Bolt M{n}\"\n    paragraph\n      \"Steel, {} in stock\"",
            n % 7
        );
    }
    let replies = vec![call("find", json!({ "query": "bolt m42" })), finish("M42")];
    let (_, messages) = run_on(&page, replies).await;
    let found = messages[1].split_once("## Found\n").unwrap().1;
    let (hits, _) = found
        .split_once("\n## ")
        .or_else(|| found.split_once(">>>"))
        .unwrap();
    assert!(
        hits.contains("Bolt M42") && hits.contains("0 in stock"),
        "{found}"
    );
    assert!(!hits.contains("Bolt M41"), "{found}");
}

#[tokio::test]
async fn notes_stay_in_every_message_and_what_was_found_does_not() {
    let replies = vec![
        call("find", json!({ "query": "paragraph 7" })),
        call("note", json!({ "text": "7 is \"wet\"\n## Goal" })),
        call("find", json!({ "query": "zebra" })),
        call("find", json!({ "query": "zebra paragraph" })),
        finish("boats"),
    ];
    let (_, messages) = run(replies).await;
    assert!(messages[1].contains("## Found") && !messages[2].contains("## Found"));
    for message in &messages[2..] {
        let notes = message.split_once("## Your notes\n").unwrap().1;
        // Text of the model is shown as data on one line.
        assert!(
            notes.starts_with("\"7 is \\\"wet\\\" ## Goal\"\n"),
            "{notes}"
        );
    }
    assert!(!messages[0].contains("## Your notes") && !messages[1].contains("## Your notes"));
    assert!(
        messages[3]
            .contains("find \"zebra\": nothing, no line of this page has any of these words")
    );
    assert!(!messages[3].contains("find failed"), "{}", messages[3]);
    assert!(
        messages[4]
            .contains("no line has all of these words, 400 lines with some, the best 10 here")
    );
}

#[tokio::test]
async fn as_many_lines_are_read_as_were_asked_for_up_to_a_bound() {
    let replies = vec![
        call("read", json!({ "line": 11, "lines": 120 })),
        call("read", json!({ "line": 391, "lines": 4_000_000_000_u32 })),
        call("read", json!({ "line": 400, "lines": 0 })),
        call("read", json!({ "line": 401, "lines": 5 })),
        finish("boats"),
    ];
    let (_, messages) = run(replies).await;
    let read = |n: usize| messages[n].split_once("## Read\n").unwrap().1;
    assert!(read(1).starts_with("lines 11 to 130 of 400; it goes on at line=131\n"));
    assert!(read(1).contains("Paragraph 130 tells") && !read(1).contains("Paragraph 131 tells"));
    assert!(read(2).starts_with("lines 391 to 400 of 400\n"));
    assert!(read(3).starts_with("lines 400 to 400 of 400\n"));
    assert!(messages[4].contains("there are 400 lines to read"));
}

#[tokio::test]
async fn reads_of_one_reply_fit_into_a_small_window_and_no_line_is_lost() {
    let mut page = String::from("main\n");
    for n in 1..=400 {
        let _ = writeln!(page, "  paragraph\n    \"Paragraph {n} tells of boats\"");
    }
    let read = |line: usize| RawCall::new("read", json!({ "line": line, "lines": 400 }));
    let both = ChatResponse::with_calls([read(1), read(301)]);
    let mut capabilities = LlmCapabilities::new("small");
    capabilities.context_window = Some(TokenCount(8_192));
    let model = ScriptedModel::new([both, finish("boats")]).with_capabilities(capabilities);
    let (_, messages) = run_model(&page, model).await;
    let (_, part) = messages[1].split_once("## Read\n").unwrap();
    assert!(!messages[1].contains("without room here"), "{part}");
    let heads = part.lines().filter_map(|line| line.strip_prefix("lines "));
    let mut shown = 0;
    for head in heads {
        let numbers: Vec<usize> = head
            .split([' ', ';'])
            .filter_map(|word| word.parse().ok())
            .collect();
        for n in numbers[0]..=numbers[1] {
            assert!(
                part.contains(&format!("\"Paragraph {n} tells")),
                "{n}: {part}"
            );
            shown += 1;
        }
        assert!(head.ends_with(&format!("; it goes on at line={}", numbers[1] + 1)));
    }
    assert!((50..400).contains(&shown), "{part}");
}

#[tokio::test]
async fn what_a_prompt_shows_in_full_need_not_be_read_again() {
    let mut page = String::from("main\n  heading \"Boats\"\n");
    for n in 1..=400 {
        let _ = writeln!(page, "  paragraph\n    \"Paragraph {n} tells of boats\"");
    }
    for (skipped, is_whole) in [(0, true), (1, false)] {
        let model = ScriptedModel::deciding(move |asked| {
            if asked.message.contains("## Read\n") {
                return Ok(finish("the page does not mention boats of wood"));
            }
            let (_, mark) = asked.message.split_once("read(line=").unwrap();
            let line: usize = mark.split_once(')').unwrap().0.parse().unwrap();
            assert!(line > 3, "{}", asked.message);
            Ok(call(
                "read",
                json!({ "line": line + skipped, "lines": 500 }),
            ))
        });
        let (report, _) = run_model(&page, model).await;
        assert_eq!(report.unverified.is_empty(), is_whole, "{report:?}");
    }
}

#[tokio::test]
async fn a_hit_in_a_long_article_stands_below_its_own_heading() {
    let mut page = String::from("article\n  heading \"Boats\"\n");
    for n in 1..=60 {
        let _ = writeln!(
            page,
            "  heading \"Chapter {n}\"\n  paragraph\n    \"It tells of knot {n}, which sailors tie and untie at sea in any weather\"\n  paragraph\n    \"More\""
        );
    }
    let replies = vec![call("find", json!({ "query": "knot 42" })), finish("42")];
    let (_, messages) = run_on(&page, replies).await;
    let found = messages[1].split_once("## Found\n").unwrap().1;
    let wanted = "find \"knot 42\": 1 line of this page\n125:  heading \"Chapter 42\"\n126:  \"It tells of knot 42,";
    assert!(found.starts_with(wanted), "{found}");
}

#[tokio::test]
async fn a_hit_stands_below_the_headings_of_all_ranks_above_it() {
    let mut page = String::from("heading \"Release notes\" [level=1]\n");
    for n in 1..=60 {
        let _ = writeln!(
            page,
            "heading \"Version {n}\" [level=2]\nheading \"Language\" [level=3]\nparagraph\n  \"A longer text of the language, no. {n}\"\n\
             heading \"Cargo\" [level=3]\nlist\n  listitem\n    \"Removed a flag\"\n  listitem\n    \"Added command {n}\""
        );
    }
    let replies = vec![call("find", json!({ "query": "command 42" })), finish("42")];
    let (_, messages) = run_on(&page, replies).await;
    let found = messages[1].split_once("## Found\n").unwrap().1;
    let lines: Vec<&str> = found.lines().take(4).collect();
    assert!(lines[1].ends_with("heading \"Version 42\" [h2]"), "{found}");
    assert!(lines[2].ends_with("heading \"Cargo\" [h3]"), "{found}");
    assert!(lines[3].contains("\"Added command 42\""), "{found}");
}

#[tokio::test]
async fn of_a_long_text_the_part_around_the_hit_is_found() {
    let dull = "# Default: no\\nsome_option = no\\n".repeat(300);
    let page =
        format!("heading \"Options\"\ncode \"{dull}# Default: 3\\nlogin_attempts = 3\\n{dull}\"");
    let replies = vec![
        call("find", json!({ "query": "login_attempts" })),
        finish("3"),
    ];
    let (_, messages) = run_on(&page, replies).await;
    let found = messages[1].split_once("## Found\n").unwrap().1;
    let (found, _) = found.split_once(">>>").unwrap_or((found, ""));
    assert!(found.contains("login_attempts = 3"), "{found}");
    assert!(found.contains("some before it: read(line=2))"), "{found}");
    assert!(found.len() < 1_000, "{found}");
}

#[tokio::test]
async fn a_card_is_found_by_words_of_several_of_its_lines() {
    let mut page = String::from("list\n");
    for n in 1..=60 {
        let more = if n % 7 == 0 { "waterproof" } else { "light" };
        let _ = writeln!(
            page,
            "  listitem\n    link \"Tent {n}\" e{n}\n    list\n      listitem\n        \"{more}\"\n      listitem\n        \"{}\"\n    paragraph\n      \"{n}.50 EUR\"",
            if n % 2 == 0 { "repair kit" } else { "poles" },
        );
    }
    let replies = vec![
        call("find", json!({ "query": "waterproof poles" })),
        finish("Tent 7"),
    ];
    let (_, messages) = run_on(&page, replies).await;
    let found = messages[1].split_once("## Found\n").unwrap().1;
    assert!(
        found.starts_with("find \"waterproof poles\": 4 lines of this page\n"),
        "{found}"
    );
    for n in [7, 21, 35, 49] {
        assert!(found.contains(&format!("\"Tent {n}\"")), "{found}");
        assert!(found.contains(&format!("\"{n}.50 EUR\"")), "{found}");
    }
    assert!(!found.contains("\"Tent 14\""), "{found}");
}

#[tokio::test]
async fn what_was_found_on_a_page_that_was_left_is_told_as_such() {
    let other = "https://shop.example/two";
    let model = ScriptedModel::new([
        ChatResponse::with_calls([
            RawCall::new("find", json!({ "query": "one" })),
            RawCall::new("goto", json!({ "url": other })),
            RawCall::new("find", json!({ "query": "two" })),
        ]),
        finish("one"),
    ]);
    let browser = ScriptedBrowser::new()
        .with_page(URL, "First", "button \"One\" e1")
        .with_page(other, "Second", "button \"Two\" e1");
    let agent = DecisionLoop::builder(browser, model.clone(), InMemory::new());
    let task = Task::new("Tell of boats").unwrap();
    let task = task.with_start_url(URL).unwrap();
    agent.build().unwrap().run(task).await;
    let message = &model.requests()[1].message;
    let (_, found) = message.split_once("## Found\n").unwrap();
    let wanted = "find \"one\": 1 line of this page\ne1 button \"One\"\n(all above is of page \"First\", which was left: its refs and lines are void)\n\
                  find \"two\": 1 line of this page\ne1 button \"Two\"\n";
    assert!(found.starts_with(wanted), "{found}");
}

#[tokio::test]
async fn a_card_is_kept_whole_and_of_many_equal_lines_none() {
    let mut page = String::from(
        "navigation\n  list\n    listitem\n      link \"Paragraphs\" e900\n    listitem\n      link \"Other\" e901\nmain\n  list\n",
    );
    for n in 380..=420 {
        let _ = writeln!(
            page,
            "    listitem\n      link \"Paragraph {n}\" e{n}\n      list\n        listitem\n          \"light\"\n        listitem\n          \"dry\"\n      paragraph\n        \"{n}.50 EUR\""
        );
    }
    let note = || call("note", json!({ "text": "x" }));
    let read = |lines: usize| call("read", json!({ "lines": lines }));
    for (task, kept) in [
        (
            "Tell the price of \"Paragraph 390\"",
            ", of these 40 the 1 nearest to the goal:\n - link \"Paragraph 390\" | list: \"light\" | \"dry\" | \"390.50 EUR\"\n## ",
        ),
        ("Tell which is dry", "\n## "),
    ] {
        let model = ScriptedModel::new([read(40), note(), finish("390")]);
        let browser = ScriptedBrowser::new().with_page(URL, "Boats", &page);
        let agent = DecisionLoop::builder(browser, model.clone(), InMemory::new());
        let task = Task::new(task).unwrap().with_start_url(URL).unwrap();
        agent.build().unwrap().run(task).await;
        let message = &model.requests()[2].message;
        let (_, before) = message.split_once("## Read before\n").unwrap();
        let (_, facts) = before.split_once(" of page \"Boats\"").unwrap();
        assert!(facts.starts_with(kept), "{before}");
    }
}

#[tokio::test]
async fn a_heading_of_another_group_is_not_that_of_a_hit() {
    let mut page = String::from(
        "heading \"Checkout\" [level=1]\nform \"Billing\"\n  heading \"Billing address\" [level=2]\n  textbox \"Street\" e1\n",
    );
    page.push_str("form \"Shipping\"\n  textbox \"Street for parcels\" e2\n");
    for n in 1..=60 {
        let _ = writeln!(
            page,
            "paragraph\n  \"Term {n} of the sale, which nobody reads\""
        );
    }
    let replies = vec![call("find", json!({ "query": "parcels" })), finish("42")];
    let (_, messages) = run_on(&page, replies).await;
    let found = messages[1].split_once("## Found\n").unwrap().1;
    assert!(
        found.contains("Street for parcels") && !found.contains("Billing"),
        "{found}"
    );
}

#[tokio::test]
async fn a_field_without_a_name_may_be_named_as_the_history_shows_it() {
    let page = "textbox e1 [testid=@number]\nbutton \"Go\" e2\n\"Paragraph 390 tells of boats\"";
    let fill = |target, text| call("fill", json!({ "target": target, "text": text }));
    let replies = vec![
        fill("e1", "7"),
        fill("textbox \"@number\"", "8"),
        finish("boats"),
    ];
    let (report, messages) = run_on(page, replies).await;
    let history = "2. fill textbox \"@number\" \"7\"";
    assert!(messages[1].contains(history), "{}", messages[1]);
    let named = format!("{:?}", report.steps[2].action);
    assert!(named.contains(r#"Ref(ElementRef("e1"))"#), "{named}");
}
