//! Typed answers, and typed causes of failure.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    DecisionLoop, ErrorKind, RunReport, Task,
    action::ErrorClass,
    agent::{Cause, Options, StartPage},
    chat::ChatResponse,
    guard::ApprovalMode,
    store::InMemory,
    testing::{ScriptedBrowser, ScriptedModel, ScriptedReply, call},
    working::{BudgetKind, StopReason},
};

const URL: &str = "https://shop.example/";

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
struct Offer {
    title: String,
    items: Vec<Item>,
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
struct Item {
    /// As the page writes it.
    name: String,
    price: f64,
    sold_out: Option<bool>,
}

fn shop() -> ScriptedBrowser {
    ScriptedBrowser::new().with_page(
        URL,
        "Shop",
        "heading \"Mugs of May\"\nrow\n  cell \"Blue mug\"\n  cell \"1,299.50\"\nrow\n  cell \"Red mug\"\n  cell \"12\"\n\
         button \"Order now\" e1",
    )
}

fn task() -> Task {
    Task::new("What is on offer?")
        .unwrap()
        .with_start_url(URL)
        .unwrap()
}

fn finish(answer: &Value) -> ChatResponse {
    call(
        "finish",
        json!({ "answer": answer, "evidence": "Mugs of May" }),
    )
}

async fn run(task: Task, replies: Vec<ChatResponse>) -> (RunReport, ScriptedModel) {
    let model = ScriptedModel::new(replies);
    let agent = DecisionLoop::builder(shop(), model.clone(), InMemory::new());
    (agent.build().unwrap().run(task).await, model)
}

#[tokio::test(start_paused = true)]
async fn an_answer_of_another_form_is_refused_and_fields_without_support_are_listed() {
    let wrong = json!({ "title": "Mugs of May", "items": [{ "name": "Blue mug" }] });
    let right = json!({
        "title": "Mugs of May",
        "items": [
            { "name": "Blue mug", "price": 1299.5, "sold_out": null },
            { "name": "Red mug", "price": 12, "sold_out": false },
            // Both stand on the page, but not together.
            { "name": "Blue mug", "price": 12, "sold_out": null },
            { "name": "Green mug", "price": 8, "sold_out": null },
        ],
    });
    let replies = vec![finish(&wrong), finish(&right)];
    let (report, model) = run(task().returning::<Offer>(), replies).await;
    let request = &model.requests()[0];
    let declared = request.tools.declared().iter();
    let declared = declared.into_iter().find(|tool| tool.name == "finish");
    let schema = &declared.unwrap().parameters["properties"]["answer"]["properties"];
    assert_eq!(
        schema["items"]["items"]["properties"]["name"]["description"],
        "As the page writes it."
    );
    let told = &model.requests()[1].message;
    assert!(told.contains("missing field `price`"), "{told}");
    let answer = report.into_result::<Offer>().unwrap();
    let blue = Item {
        name: "Blue mug".to_owned(),
        price: 1299.5,
        sold_out: None,
    };
    assert_eq!(answer.value.items[0], blue);
    assert_eq!(answer.evidence, "Mugs of May");
    let untied = [
        "items[1].sold_out: false",
        "items[2].name: \"Blue mug\"",
        "items[2].price: 12",
        "items[3].name: \"Green mug\"",
        "items[3].price: 8",
    ];
    assert_eq!(answer.unverified, untied);
}

#[tokio::test(start_paused = true)]
async fn a_text_is_a_result_too_and_json_of_another_type_is_none() {
    let (report, _) = run(task(), vec![finish(&json!("Mugs of May"))]).await;
    let text = report.clone().into_result::<String>().unwrap();
    assert_eq!(text.value, "Mugs of May");
    let error = report.into_result::<Offer>().unwrap_err();
    assert_eq!(error.cause, Cause::Answer);
    assert!(error.report.is_success());
}

/// Each cause, made on purpose.
#[tokio::test(start_paused = true)]
async fn each_cause_of_failure_has_its_type() {
    let give_up = || call("finish", json!({ "answer": "no", "success": false }));
    let lies = || {
        call(
            "finish",
            json!({ "answer": "yes", "evidence": "Green teapots" }),
        )
    };
    let order = || call("click", json!({ "target": "e1" }));
    let cause = async |task: Task, replies: Vec<ChatResponse>| run(task, replies).await.0.cause;

    assert_eq!(cause(task(), vec![give_up()]).await, Some(Cause::GaveUp));
    assert_eq!(
        cause(task(), vec![lies(), lies()]).await,
        Some(Cause::Unproven)
    );
    let unreachable = Cause::Model(ErrorKind::Unavailable);
    assert_eq!(cause(task(), vec![]).await, Some(unreachable));
    let silent = vec![ChatResponse::default(); 3];
    let malformed = Cause::Model(ErrorKind::MalformedReply);
    assert_eq!(cause(task(), silent).await, Some(malformed));
    // Nobody is there to approve the order.
    let refused = cause(task(), vec![order(), give_up()]).await;
    assert_eq!(refused, Some(Cause::Approval));
    let options = Options {
        approval: ApprovalMode::Auto,
        ..Options::default()
    };
    let own = task().with_options(options.clone()).unwrap();
    let repeated = cause(own, vec![order(); 20]).await;
    assert_eq!(repeated, Some(Cause::Guard));
    let mut few = options;
    few.budget.max_steps = 2;
    let own = task().with_options(few.clone()).unwrap();
    let spent = cause(own, vec![call("reload", json!({})); 5]).await;
    assert_eq!(spent, Some(Cause::Budget(BudgetKind::Steps)));
    few.temperature = 3.0;
    assert!(task().with_options(few).is_err());
    let cancelled = task();
    cancelled.cancel.cancel();
    assert_eq!(cause(cancelled, vec![]).await, Some(Cause::Cancelled));
    assert_eq!(cause(task(), vec![finish(&json!("May"))]).await, None);
}

#[tokio::test(start_paused = true)]
async fn a_start_page_that_does_not_come_and_a_lost_browser_are_causes() {
    let give_up = call("finish", json!({ "answer": "no", "success": false }));
    let missing = ScriptedBrowser::new().with_page(URL, "Not found", "heading \"Not found\"");
    let missing = missing.with_status(URL, 404);
    let agent = DecisionLoop::builder(
        missing,
        ScriptedModel::new([give_up.clone()]),
        InMemory::new(),
    );
    let report = agent.build().unwrap().run(task()).await;
    assert_eq!(report.cause, Some(Cause::StartPage(StartPage::Status(404))));

    let opening = r#"goto {"url":"https://shop.example/"}"#;
    let unknown = ScriptedReply::Fail(ErrorClass::NavigationFailed, "net::ERR_NAME_NOT_RESOLVED");
    let dead = shop().on("about:blank", opening, [unknown]);
    let agent = DecisionLoop::builder(dead, ScriptedModel::new([give_up]), InMemory::new());
    let report = agent.build().unwrap().run(task()).await;
    let Some(Cause::StartPage(StartPage::Network(why))) = &report.cause else {
        panic!("{:?}", report.cause);
    };
    assert!(why.contains("ERR_NAME_NOT_RESOLVED"), "{why}");
    assert!(
        report
            .into_result::<String>()
            .unwrap_err()
            .to_string()
            .contains("start_page")
    );

    let lost = ScriptedReply::Break(ErrorKind::BrowserLost);
    let lost = shop().on("about:blank", opening, [lost]);
    let agent = DecisionLoop::builder(lost, ScriptedModel::new([]), InMemory::new());
    let report = agent.build().unwrap().run(task()).await;
    assert_eq!(report.cause, Some(Cause::Browser(ErrorKind::BrowserLost)));
    assert_eq!(report.summary.stop, StopReason::BrowserLost);
}

/// A list of orders on two pages, and answers about it: right ones, and ones with a field of another order, another number or
/// date, or made up.
#[tokio::test(start_paused = true)]
async fn of_24_answers_over_two_pages_each_wrong_field_is_told_and_no_right_one() {
    #[derive(Debug, Clone, Deserialize, serde::Serialize, JsonSchema)]
    struct Order {
        number: String,
        customer: String,
        total: f64,
        date: Option<String>,
    }
    const NEXT: &str = "https://shop.example/?page=2";
    let orders: Vec<Order> = (0..12_u32)
        .map(|n| Order {
            number: format!("PX-{}", 4_000 + n * 7),
            customer: ["Ada Byron", "Ada Brown", "Bob Stone"][n as usize % 3].to_owned(),
            total: f64::from(n) * 110.25 + 99.5,
            date: (n % 4 != 0).then(|| format!("2027-03-{:02}", n + 10)),
        })
        .collect();
    let page = |orders: &[Order]| {
        let rows = orders.iter().map(|order| {
            let date = order.date.as_deref().unwrap_or_default();
            let Order { number, customer, total, .. } = order;
            format!(
                "row\n  cell \"{number}\"\n  cell \"{customer}\"\n  cell \"{total:.2} EUR\"\n  cell \"{date}\"\n"
            )
        });
        format!(
            "heading \"Orders\"\n{}link \"Next\" e1",
            rows.collect::<String>()
        )
    };
    let mut answers = vec![(orders.clone(), Vec::new())];
    let mut wrong = |change: &dyn Fn(&mut [Order]), paths: &[&str]| {
        let mut changed = orders.clone();
        change(&mut changed);
        answers.push((
            changed,
            paths.iter().map(|path| (*path).to_owned()).collect(),
        ));
    };
    for at in 0..6 {
        let other = (at + 4) % 12;
        let here = format!("[{at}]");
        wrong(
            &|all| all[at].customer = all[other].customer.clone(),
            &[&here],
        );
        wrong(&|all| all[at].total = all[other].total, &[&here]);
        wrong(&|all| all[at].number = format!("PX-9{at}"), &[&here]);
        wrong(
            &|all| all[at].date = Some("2027-04-01".to_owned()),
            &[&here],
        );
    }
    answers.truncate(24);
    for (answer, wrong) in answers {
        let browser = ScriptedBrowser::new()
            .with_page(URL, "Orders", &page(&orders[..6]))
            .with_page(NEXT, "Orders", &page(&orders[6..]))
            .on(URL, r#"click {"target":"e1"}"#, [ScriptedReply::Show(NEXT)]);
        let told = serde_json::to_value(&answer).unwrap();
        let last = format!("{} | {}", orders[11].number, orders[11].customer);
        let model = ScriptedModel::new([
            call("click", json!({ "target": "e1" })),
            call("finish", json!({ "answer": told, "evidence": last })),
        ]);
        let agent = DecisionLoop::builder(browser, model, InMemory::new());
        let task = task().returning::<Vec<Order>>();
        let report = agent.build().unwrap().run(task).await;
        let got = report.into_result::<Vec<Order>>().unwrap();
        assert_eq!(got.value.len(), 12);
        let items: std::collections::BTreeSet<&str> = got
            .unverified
            .iter()
            .filter_map(|line| line.split('.').next())
            .collect();
        assert_eq!(
            items.into_iter().collect::<Vec<_>>(),
            wrong,
            "{:?}",
            got.unverified
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_field_is_supported_by_its_own_record_in_a_list_or_on_its_own_page() {
    const HOUSE: &str = "https://shop.example/house";
    let list = "heading \"Events\" [level=1]
row
  cell \"Opera\"
  cell \"3 April 2027\"
  cell \"Castle Yard\"
  cell \"12.00\"
row
  cell \"Piano Talks\"
  cell \"May 7th, 2027\"
  cell \"Harbour Hall\"
  cell \"19.90\"
row
  cell \"Castle Yard\"
  cell \"Meersburg\"
row
  cell \"Harbour Hall\"
  cell \"Lindau\"
link \"Open\" e1";
    let page = "heading \"Opera\" [level=1]
\"Doors open at half past six.\"
\"Seats: 90\"
\"Tags: stage | night\"
list \"See also\"
  listitem
    link \"Piano Talks\" e5
    \"450 seats\"";
    let answer = json!({ "count": 2, "events": [
        { "name": "Opera", "date": "2027-04-03", "price": 12, "seats": 90, "tags": ["stage", "night"],
          "venue": { "name": "Castle Yard", "city": "Meersburg" } },
        { "name": "Piano Talks", "date": "2027-05-07", "price": 19.9,
          "venue": { "name": "Harbour Hall", "city": "Lindau" } },
    ]});
    let unverified = async |answer: &Value| {
        let browser = ScriptedBrowser::new()
            .with_page(URL, "Events", list)
            .with_page(HOUSE, "Opera", page)
            .on(
                URL,
                r#"click {"target":"e1"}"#,
                [ScriptedReply::Show(HOUSE)],
            );
        let finish = json!({ "answer": answer, "evidence": "Doors open at half past six." });
        let model = ScriptedModel::new([
            call("click", json!({ "target": "e1" })),
            call("finish", finish),
        ]);
        let agent = DecisionLoop::builder(browser, model, InMemory::new());
        let task = task().returning_json(json!({ "type": "object" }), |_| Ok(()));
        let report = agent.build().unwrap().run(task).await;
        report.into_result::<Value>().unwrap().unverified
    };
    // The count is the model's own.
    assert_eq!(unverified(&answer).await, ["count: 2"]);
    for (pointer, other, path) in [
        ("/events/0/name", json!("Opera Gala"), "events[0].name"),
        ("/events/0/date", json!("2027-05-07"), "events[0].date"),
        ("/events/0/price", json!(19.9), "events[0].price"),
        ("/events/0/seats", json!(450), "events[0].seats"),
        ("/events/0/tags/1", json!("stairs"), "events[0].tags[1]"),
        (
            "/events/0/venue/city",
            json!("Lindau"),
            "events[0].venue.city",
        ),
        (
            "/events/1/venue/name",
            json!("Castle Yard"),
            "events[1].venue.name",
        ),
        ("/events/1/date", json!("2027-05-08"), "events[1].date"),
    ] {
        let mut wrong = answer.clone();
        *wrong.pointer_mut(pointer).unwrap() = other;
        let told = unverified(&wrong).await;
        let is_told = told
            .iter()
            .any(|line| line.starts_with(&format!("{path}: ")));
        assert!(is_told, "{path}: {told:?}");
    }
}

/// The fields of an answer that the run reports as unproven, after it has seen these pages, each with its title.
async fn unproven(pages: &[(&'static str, &str)], evidence: &str, answer: &Value) -> Vec<String> {
    const PAGES: [&str; 2] = [URL, "https://shop.example/2"];
    let open = r#"click {"target":"e9"}"#;
    let mut browser = ScriptedBrowser::new().on(URL, open, [ScriptedReply::Show(PAGES[1])]);
    for (url, (title, content)) in PAGES.iter().zip(pages) {
        browser = browser.with_page(url, title, &format!("{content}\nlink \"More\" e9"));
    }
    let finish = call("finish", json!({ "answer": answer, "evidence": evidence }));
    let mut replies = vec![call("click", json!({ "target": "e9" })); pages.len() - 1];
    replies.push(finish);
    let agent = DecisionLoop::builder(browser, ScriptedModel::new(replies), InMemory::new());
    let task = task().returning_json(json!({}), |_| Ok(()));
    let report = agent.build().unwrap().run(task).await;
    report.into_result::<Value>().unwrap().unverified
}

#[tokio::test(start_paused = true)]
async fn what_stands_on_a_page_for_another_reason_proves_no_field() {
    let rows = "heading \"Events\" [level=1]
row
  cell \"Opera\"
  cell \"3 April 2027\"
  cell \"12.00\"
row
  cell \"Piano Talks\"
  cell \"May 7th, 2027\"
  cell \"19.90\"
\"This spring: Opera and Piano Talks at Harbour Hall\"";
    let events: [(&str, &str); 1] = [("Events", rows)];
    let mixed = json!([
        { "name": "Opera", "date": "2027-05-07", "price": 19.9, "venue": "Harbour Hall" },
        { "name": "Piano Talks", "date": "7 May 2027", "price": 19.9 },
    ]);
    let told = unproven(&events, "This spring", &mixed).await;
    assert_eq!(
        told,
        [
            "[0].date: \"2027-05-07\"",
            "[0].price: 19.9",
            "[0].venue: \"Harbour Hall\""
        ]
    );
    // Words of the end of a row and of the beginning of the next.
    let across = json!([{ "name": "Piano Talks", "price": 12 }]);
    let told = unproven(&events, "12.00 Piano Talks", &across).await;
    assert_eq!(told, ["[0].price: 12"]);
    let times = json!([{ "name": "Opera", "starts": "2027-04-03T23:59:00" }]);
    let told = unproven(&events, "This spring", &times).await;
    assert_eq!(told, ["[0].starts: \"2027-04-03T23:59:00\""]);

    let mug = "heading \"Blue mug\" [level=1]
\"Price 15.00\"
\"Shipping 4.90\"
\"45 reviews\"
heading \"Customers also bought\"
\"Red cup\"
\"23.50\"";
    let classic = "heading \"Classic mug\" [level=1]\n\"Price 18.00\"\n\"7 in stock\"";
    for (pages, answer, wrong) in [
        (
            vec![("Blue mug | Acme", mug)],
            json!([{ "name": "Blue mug", "price": 15 }]),
            None,
        ),
        (
            vec![("Blue mug | Acme", mug)],
            json!([{ "name": "Blue mug", "price": 4.9 }]),
            Some("[0].price: 4.9"),
        ),
        (
            vec![("Blue mug | Acme", mug)],
            json!([{ "name": "Blue mug", "price": 23.5 }]),
            Some("[0].price: 23.5"),
        ),
        (
            vec![
                (
                    "Mugs",
                    "row\n  cell \"Red mug\"\n  cell \"Acme\"\n  cell \"15.00\"",
                ),
                ("Classic mug | Acme", classic),
            ],
            json!([{ "name": "Red mug", "brand": "Acme", "price": 18 }]),
            Some("[0].price: 18"),
        ),
        (
            vec![(
                "Dates",
                "row\n  cell \"A1\"\n  cell \"03/04/2027\"\nrow\n  cell \"A2\"\n  cell \"03/25/2027\"",
            )],
            json!([{ "name": "A1", "due": "2027-04-03" }, { "name": "A2", "due": "2027-03-25" }]),
            Some("[0].due: \"2027-04-03\""),
        ),
    ] {
        let told = unproven(&pages, "More", &answer).await;
        assert_eq!(told, Vec::from_iter(wrong), "{answer}");
    }
}
