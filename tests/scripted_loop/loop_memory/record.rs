//! The record of a run answers questions about it: what failed and how often, who decided, which pages it saw, and what a tool returned.

use serde_json::json;
use webwise::{
    DecisionLoop, Task,
    action::{Action, Effect, Outcome, ToolSpec},
    agent::{Options, StepEnd},
    base::tokens::estimate,
    guard::ApprovalMode,
    store::InMemory,
    testing::{MockTool, ScriptedBrowser, ScriptedModel, ScriptedReply as Reply, call},
    working::By,
};

use super::own::section;

const SHOP: &str = "https://shop.example/";
const CART: &str = "https://shop.example/cart";

fn shop() -> ScriptedBrowser {
    ScriptedBrowser::new()
        .with_page(
            SHOP,
            "Shop",
            "heading \"Boats\"\nlink \"Cart\" e1\nbutton \"Buy\" e2",
        )
        .with_page(CART, "Cart", "heading \"Your cart\"\nlink \"Shop\" e1")
        .on(SHOP, r#"click {"target":"e1"}"#, [Reply::Show(CART)])
        .on(CART, r#"click {"target":"e1"}"#, [Reply::Show(SHOP)])
        .on(SHOP, r#"click {"target":"e2"}"#, [Reply::Nothing])
}

fn task() -> Task {
    let task = Task::new("Buy a boat").unwrap();
    task.with_start_url(SHOP).unwrap()
}

/// A tool of this name and effect whose call number `n` returns `result(n)`.
fn tool(name: &str, effect: Effect, result: fn(usize) -> String) -> MockTool {
    let mut tool = MockTool::new();
    let spec = ToolSpec {
        name: name.into(),
        description: "Do it.".into(),
        parameters: json!({ "type": "object" }),
    };
    tool.expect_spec().return_const(spec);
    tool.expect_effect().return_const(effect);
    tool.expect_is_evidence().return_const(false);
    tool.expect_content_type().return_const(None);
    let mut calls = 0;
    tool.expect_call().returning(move |_| {
        calls += 1;
        Ok(result(calls))
    });
    tool
}

#[tokio::test(start_paused = true)]
async fn steps_are_found_by_outcome_tool_page_and_who_decided_and_repeated_attempts_are_counted() {
    let click = |target: &str| call("click", json!({ "target": target }));
    let model = ScriptedModel::new([
        click("e2"),
        click("e2"),
        click("e1"),
        call("note", json!({ "text": "the cart is empty" })),
        click("e1"),
        click("e2"),
    ]);
    let agent = DecisionLoop::builder(shop(), model, InMemory::new());
    let mut options = Options::default();
    options.approval = ApprovalMode::Auto;
    let agent = agent.with_options(options).build().unwrap();
    let mut run = agent.start(task()).await;
    while let StepEnd::Continue = run.step().await {}

    let numbers = |test: &dyn Fn(&webwise::working::Step) -> bool| -> Vec<u32> {
        let found = run.steps().iter().filter(|step| test(step));
        found.map(|step| step.number).collect()
    };
    assert_eq!(numbers(&|step| step.by == By::Task), [1]);
    assert_eq!(
        numbers(&|step| step.outcome == Outcome::NoEffect),
        [2, 3, 7]
    );
    assert_eq!(numbers(&|step| step.action.tool_name() == "note"), [5]);
    assert_eq!(numbers(&|step| step.before.url() == CART), [5, 6]);
    // The attempts of one action: the same tool on the same element of the same kind of page.
    let bought = &run.steps()[1].signature;
    assert_eq!(numbers(&|step| step.signature == *bought), [2, 3, 7]);
    let failed = run.memory().failed_before(7);
    assert_eq!(failed.map(|step| step.number), Some(3));
}

#[tokio::test(start_paused = true)]
async fn visited_pages_have_a_title_a_summary_and_the_ways_between_them() {
    let click = || call("click", json!({ "target": "e1" }));
    let model = ScriptedModel::new([click(), click(), click()]);
    let agent = DecisionLoop::builder(shop(), model, InMemory::new());
    let agent = agent.build().unwrap();
    let mut run = agent.start(task()).await;
    while let StepEnd::Continue = run.step().await {}
    let pages = run.memory().pages();
    let visited = pages.visited();
    let told: Vec<_> = visited
        .iter()
        .map(|page| (page.url, page.title, page.visits))
        .collect();
    assert_eq!(told, [(SHOP, "Shop", 2), (CART, "Cart", 2)]);
    for (page, heading) in visited
        .iter()
        .zip(["headings \"Boats\"", "headings \"Your cart\""])
    {
        assert!(page.summary.contains(heading), "{}", page.summary);
    }
    assert_eq!(pages.path().collect::<Vec<_>>(), [SHOP, CART, SHOP, CART]);
    let ways: Vec<_> = pages.transitions().into_iter().collect();
    assert_eq!(ways, [((SHOP, CART), 2), ((CART, SHOP), 1)]);
}

#[tokio::test(start_paused = true)]
async fn a_result_is_shown_at_length_then_in_500_characters_and_the_record_keeps_all_of_it() {
    let result = |n: usize| {
        format!(
            "Result {n}: {}",
            "a boat lies in the harbour\n".repeat(1_000)
        )
    };
    let model = ScriptedModel::new((0..20).map(|n| call("look-up", json!({ "n": n }))));
    let agent = DecisionLoop::builder(shop(), model.clone(), InMemory::new());
    let agent = agent.with_tool(tool("look-up", Effect::Read, result));
    let agent = agent.build().unwrap();
    let mut run = agent.start(task()).await;
    while let StepEnd::Continue = run.step().await {}

    let requests = model.requests();
    let first = |at: usize, heading: &str| -> String {
        let lines = section(&requests[at].message, heading);
        let from = lines.iter().position(|line| line.contains("\"Result 1: "));
        let lines = from.map_or(&[][..], |from| &lines[from..]);
        let lines = lines.iter().take_while(|line| line.starts_with(' '));
        lines.copied().collect::<Vec<_>>().join("\n")
    };
    let recent = estimate(&first(1, "Results")).0;
    assert!((1_500..=2_600).contains(&recent), "{recent}");
    let session = first(2, "Results before").chars().count();
    assert!((400..=800).contains(&session), "{session}");
    assert_eq!(first(19, "Results before"), "");
    assert_eq!(run.steps()[1].gave.as_deref(), Some(&*result(1)));
}

#[tokio::test(start_paused = true)]
async fn a_call_of_a_tool_that_cannot_be_undone_stays_in_the_history_as_long_as_the_run() {
    let note = |n| call("note", json!({ "text": format!("note {n}") }));
    let sends = call("send-mail", json!({ "to": "the harbour" }));
    let model = ScriptedModel::new([sends].into_iter().chain((0..70).map(note)));
    let agent = DecisionLoop::builder(shop(), model.clone(), InMemory::new());
    let agent = agent.with_tool(tool("send-mail", Effect::Irreversible, |_| "sent".into()));
    let mut options = Options::default();
    (options.approval, options.budget.max_steps) = (ApprovalMode::Auto, 65);
    let agent = agent.with_options(options).build().unwrap();
    let mut run = agent.start(task()).await;
    while let StepEnd::Continue = run.step().await {}
    let is_call = |action: &Action| matches!(action, Action::Custom(_));
    assert!(is_call(&run.steps()[1].action));
    let last = model.requests().pop().unwrap().message;
    let lasting = section(&last, "Earlier steps that cannot be undone");
    assert_eq!(lasting, ["2. send-mail \"the harbour\""]);
    assert!(
        !section(&last, "History")
            .iter()
            .any(|line| line.contains("send-mail"))
    );
}

#[tokio::test(start_paused = true)]
async fn an_action_that_was_done_three_times_among_the_last_ten_is_warned_of() {
    let buy = || call("click", json!({ "target": "e2" }));
    let note = |text: &str| call("note", json!({ "text": text }));
    let other = || call("find", json!({ "query": "boats" }));
    let replies = [buy(), note("a"), buy(), other(), buy(), note("b")];
    let model = ScriptedModel::new(replies);
    let mut options = Options::default();
    options.approval = ApprovalMode::Auto;
    let agent = DecisionLoop::builder(shop(), model.clone(), InMemory::new());
    let agent = agent.with_options(options).build().unwrap();
    agent.run(task()).await;
    let warned = "Of the last 6 actions, 3 were the same and led to the same state of the page. Try another way.\n";
    let told = model.requests().into_iter();
    let told: Vec<bool> = told.map(|it| it.message.contains(warned)).collect();
    assert_eq!(told, [false, false, false, false, false, true, false]);
}
