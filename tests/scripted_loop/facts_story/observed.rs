//! What the steps of a run prove of its host: each kind of fact by the rule that finds it, and how a fact ages.

use chrono::TimeDelta;

use super::*;

const FIELD: &str = "textbox \"City\" e1\nbutton \"Search\" e2";
const HOME_FILLED: &str = "https://desk.example/#filled";

/// A page with a field and a button, in three states, and the page with the result.
fn search() -> ScriptedBrowser {
    ScriptedBrowser::new()
        .with_page(HOME, "Desk", FIELD)
        .with_page(HOME_FILLED, "Desk", &format!("{FIELD}\n\"Bonn\""))
        .with_page(HOME_OPEN, "Desk", &format!("{FIELD}\n\"One moment\""))
        .with_page(DONE, "Done", "heading \"All done\" e8")
}

fn fill() -> ChatResponse {
    call("fill", json!({ "target": "e1", "text": "Bonn" }))
}

const FILL: &str = r#"fill {"target":"e1","text":"Bonn"}"#;

/// The search that does nothing until Enter.
fn entered() -> (ScriptedBrowser, ScriptedModel) {
    let browser = search().on(HOME, FILL, [Reply::Show(HOME_FILLED)]).on(
        HOME_FILLED,
        r#"press {"key":"Enter"}"#,
        [Reply::Show(DONE)],
    );
    let enter = call("press", json!({ "key": "Enter" }));
    (browser, ScriptedModel::new([fill(), enter, finish()]))
}

/// The search whose field reacts to keys alone.
fn typed() -> (ScriptedBrowser, ScriptedModel) {
    let browser = search()
        .on(HOME, FILL, [Reply::Show(HOME_FILLED)])
        .on(
            HOME_FILLED,
            r#"click {"target":"e1"}"#,
            [Reply::Show(HOME_OPEN)],
        )
        .on(HOME_OPEN, r#"type {"text":"Bonn"}"#, [Reply::Show(DONE)]);
    let types = call("type", json!({ "text": "Bonn" }));
    let model = ScriptedModel::new([fill(), click("e1"), types, finish()]);
    (browser, model)
}

/// The search that is answered after a while.
fn waited() -> (ScriptedBrowser, ScriptedModel) {
    let browser = search()
        .on(HOME, r#"click {"target":"e2"}"#, [Reply::Show(HOME_OPEN)])
        .on(HOME_OPEN, r#"wait {"seconds":1}"#, [Reply::Show(DONE)]);
    let waits = call("wait", json!({ "seconds": 1 }));
    (browser, ScriptedModel::new([click("e2"), waits, finish()]))
}

#[tokio::test(start_paused = true)]
async fn what_a_field_or_a_button_needed_stands_in_the_message_of_the_next_run() {
    type Search = fn() -> (ScriptedBrowser, ScriptedModel);
    let searches: [(Search, &str, &str); 3] = [
        (
            entered,
            "pattern",
            "e1 does nothing until Enter: fill it with submit.",
        ),
        (
            typed,
            "quirk",
            "e1 does not react to fill: click it and type.",
        ),
        (
            waited,
            "timing",
            "e2 is answered late: wait for the result in the same reply.",
        ),
    ];
    for (search, kind, sentence) in searches {
        let store = InMemory::new();
        let (browser, model) = search();
        let first = run(&store, kinds(), "run_1", HOME, browser, model).await;
        let recorded = (
            "fact_recorded".to_owned(),
            json!({ "kind": kind, "confidence": 0.6 }),
        );
        assert!(first.changes.contains(&recorded), "{:?}", first.changes);
        let (browser, model) = search();
        let second = run(&store, kinds(), "run_2", HOME, browser, model).await;
        let message = &second.messages[0];
        let fact = format!("\n## Facts about this site\n- {sentence}\n");
        assert!(message.contains(&fact), "{message}");
        let is_surer = |(what, data): &(String, Value)| {
            let confidence = data["confidence"].as_f64().unwrap_or_default();
            what == "fact_confirmed" && data["kind"] == kind && (confidence - 0.68).abs() < 1e-9
        };
        assert!(second.changes.iter().any(is_surer), "{:?}", second.changes);
    }
}

#[tokio::test(start_paused = true)]
async fn a_fact_that_nobody_sees_again_is_removed_when_its_confidence_is_gone() {
    // After 230 days a confidence of 0.6 has fallen to 0.102, after 240 days to 0.095.
    for (days, is_gone) in [(230, false), (240, true)] {
        let store = InMemory::new();
        let (browser, model) = entered();
        run(&store, kinds(), "run_1", HOME, browser, model).await;
        let clock = FixedClock::at(FIRST_DAY);
        clock.advance(TimeDelta::days(days));
        let options = Options::default();
        let looks = ScriptedModel::new([finish()]);
        let page = ScriptedBrowser::new().with_page(HOME, "Desk", "heading \"All done\" e8");
        let later = run_at(clock, options, &store, kinds(), "run_2", HOME, page, looks).await;
        let expired = later.changes.iter().any(|(what, _)| what == "fact_expired");
        assert_eq!(expired, is_gone, "{days}: {:?}", later.changes);
        let keeper = Memory::new(&store, Namespace::default());
        let items = keeper.items().await.unwrap().items;
        let is_kept = items
            .iter()
            .any(|item| item.shelf.collection == "knowledge");
        assert_eq!(is_kept, !is_gone, "{days}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_proposal_about_a_selector_is_kept_as_one_and_shown_after_two_runs() {
    let store = InMemory::new();
    let fact = json!({ "key": "selector search box", "value": "It is the field with the glass." });
    let page = || ScriptedBrowser::new().with_page(DONE, "Done", "heading \"All done\" e8");
    for id in ["run_1", "run_2"] {
        let proposes = ScriptedModel::new([call("remember", fact.clone()), finish()]);
        run(&store, kinds(), id, DONE, page(), proposes).await;
    }
    let looks = ScriptedModel::new([finish()]);
    let third = run(&store, kinds(), "run_3", DONE, page(), looks).await;
    let data =
        "\n## Facts about this site\n- \"selector search box: It is the field with the glass.\"\n";
    assert!(third.messages[0].contains(data), "{}", third.messages[0]);
    let keeper = Memory::new(&store, Namespace::default());
    let items = keeper.items().await.unwrap().items;
    let kind = items
        .iter()
        .find(|item| item.shelf.collection == "knowledge");
    assert_eq!(kind.unwrap().described.is, "fact, selector");
}

#[tokio::test(start_paused = true)]
async fn the_note_about_a_proposal_says_what_memory_will_keep() {
    const OTHER: &str = "https://other.example/";
    let store = InMemory::new();
    let keeps = "- the fact is kept if the run stays on this host; ";
    let sixth = "- only the first 5 facts that the run proposes are kept\n";
    let left = "- no fact that the run proposes is kept, because it did not stay on one host\n";
    let propose = |n: usize| {
        call(
            "remember",
            json!({ "key": format!("Fact {n}"), "value": "words" }),
        )
    };
    let page = || {
        ScriptedBrowser::new()
            .with_page(DONE, "Done", "heading \"All done\" e8")
            .with_page(OTHER, "Done", "heading \"All done\" e8")
    };
    let six = ScriptedModel::new((1..=6).map(propose).chain([finish()]));
    let ran = run(&store, kinds(), "run_1", DONE, page(), six).await;
    let told = |at: usize, note: &str| ran.messages[at].contains(note);
    assert!(
        (1..=5).all(|at| told(at, keeps) && !told(at, sixth)),
        "{:?}",
        ran.messages
    );
    assert!(told(6, sixth) && !told(6, keeps), "{}", ran.messages[6]);
    let keeper = Memory::new(&store, Namespace::default());
    let facts = async || {
        let items = keeper.items().await.unwrap().items;
        let facts = items.iter();
        facts
            .filter(|item| item.shelf.collection == "knowledge")
            .count()
    };
    assert_eq!(facts().await, 5);

    let leaves = call("goto", json!({ "url": OTHER }));
    let two = ScriptedModel::new([leaves, propose(7), finish()]);
    let ran = run(&store, kinds(), "run_2", DONE, page(), two).await;
    assert!(ran.messages[2].contains(left), "{}", ran.messages[2]);
    assert_eq!(facts().await, 5);

    // Without memory, nothing is promised: there is no such tool.
    let mut options = Options::default();
    options.memory = false;
    let looks = ScriptedModel::new([finish()]);
    run_with(
        options,
        &store,
        kinds(),
        "run_3",
        DONE,
        page(),
        looks.clone(),
    )
    .await;
    assert!(!looks.requests()[0].tools.contains("remember"));
}
