//! What a task's prompts cost, in a real browser on the demo shop: what the example `test_beds` installs must be there.
//!
//! Tokens are those of `o200k`, counted over all that a request holds: system instruction, tools as JSON, message.

#[macro_use]
#[path = "support/browsers.rs"]
mod browsers;
#[path = "support/errand.rs"]
mod errand;
#[macro_use]
#[path = "support/figure.rs"]
mod figure;

use webwise::{
    DecisionLoop, RunReport,
    agent::Options,
    browser::BrowserDriver as _,
    chat::ChatRequest,
    demo::{Shop, ShopOptions},
    page::DigestOptions,
    store::InMemory,
    working::StopReason,
};

use browsers::{Driver, Wishes};
use errand::{Watched, Yes};

/// What the requirement allows for the whole task. A loop that sends plain snapshots needs 31,000.
const MAX_TOKENS: usize = 15_000;

fn o200k(text: &str) -> usize {
    tiktoken_rs::o200k_base_singleton()
        .encode_ordinary(text)
        .len()
}

/// What a request costs.
fn cost(request: &ChatRequest) -> usize {
    let tools = request.tools.declared().iter().map(|tool| {
        serde_json::json!({ "name": tool.name, "description": tool.description, "parameters": tool.parameters })
            .to_string()
    });
    let texts = [request.system.clone(), request.message.clone()];
    texts
        .into_iter()
        .chain(tools)
        .map(|text| o200k(&text))
        .sum()
}

/// The demo's errand, and what all its requests cost.
async fn shopping(by: Driver, digest: DigestOptions) -> (RunReport, usize) {
    let shop = Shop::start(ShopOptions::default().with_seed(7))
        .await
        .unwrap();
    let mut options = Options::default();
    options.digest = digest;
    let model = Watched::default();
    let browser = by.launch(&Wishes::default()).await;
    let agent = DecisionLoop::builder(browser, model.clone(), InMemory::new())
        .with_options(options)
        .with_approver(Yes)
        .build()
        .unwrap();
    let report = agent.run(errand::task(&shop).unwrap()).await;
    agent.browser().close().await.unwrap();
    assert_eq!(report.summary.stop, StopReason::Finished, "{report:?}");
    let number = &shop.orders()[0].number;
    assert!(report.answer.as_ref().unwrap().contains(number));
    (report, model.requests().iter().map(cost).sum())
}

on_each_driver! {
    a_task_costs_few_tokens_and_takes_no_more_steps_than_with_the_whole_page,
}

async fn a_task_costs_few_tokens_and_takes_no_more_steps_than_with_the_whole_page(by: Driver) {
    let (lean, lean_cost) = shopping(by, DigestOptions::default()).await;
    let (whole, whole_cost) = shopping(by, DigestOptions::whole()).await;
    for (name, report, cost) in [
        ("lean", &lean, lean_cost),
        ("whole page", &whole, whole_cost),
    ] {
        let (driver, summary) = (by.name(), &report.summary);
        figure!(
            "{driver}: {name}: {cost} tokens by o200k, {} calls, {} steps",
            summary.calls,
            summary.steps
        );
    }
    assert!(lean_cost < MAX_TOKENS);
    assert!(lean_cost < whole_cost, "there is something to leave out");
    assert!(lean.summary.steps <= whole.summary.steps);
}
