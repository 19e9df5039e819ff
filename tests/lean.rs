//! What a task's prompts cost, in a real browser on the demo shop: what `setup` installs must be there.
//!
//! Tokens are those of `o200k`, counted over all that a request holds: system instruction, tools as JSON, message.

#[macro_use]
#[path = "support/figure.rs"]
mod figure;

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use webwise::{
    DecisionLoop, LlmClient, Origin, RunReport, Task,
    agent::{Approval, ApprovalRequest, Approver, Options},
    browser::{BrowserDriver as _, PlaywrightCli, PlaywrightCliOptions},
    chat::{ChatRequest, ChatResponse, LlmCapabilities},
    demo::{Shop, ShopOptions},
    llm::StandIn,
    page::DigestOptions,
    secret::{Secret, SecretName, Vault},
    store::InMemory,
    working::StopReason,
};

/// What the requirement allows for the whole task. A loop that sends plain snapshots needs 31,000.
const MAX_TOKENS: usize = 15_000;

/// The stand-in, with a meter before it.
#[derive(Debug, Clone, Default)]
struct Metered {
    tokens: Arc<Mutex<Vec<usize>>>,
}

impl Metered {
    fn total(&self) -> usize {
        self.tokens.lock().unwrap().iter().sum()
    }
}

#[async_trait]
impl LlmClient for Metered {
    fn capabilities(&self) -> LlmCapabilities {
        StandIn::new().capabilities()
    }

    async fn complete(&self, request: &ChatRequest) -> webwise::Result<ChatResponse> {
        let tools = request.tools.declared().iter().map(|tool| {
            serde_json::json!({ "name": tool.name, "description": tool.description, "parameters": tool.parameters })
                .to_string()
        });
        let texts = [request.system.clone(), request.message.clone()];
        let tokens = texts.into_iter().chain(tools).map(|text| o200k(&text)).sum();
        self.tokens.lock().unwrap().push(tokens);
        Ok(StandIn::new().decide(request))
    }
}

fn o200k(text: &str) -> usize {
    tiktoken_rs::o200k_base_singleton().encode_ordinary(text).len()
}

/// Approves all: the shop is ours, and nothing in it is sold.
#[derive(Debug)]
struct Yes;

#[async_trait]
impl Approver for Yes {
    async fn approve(&self, _: &ApprovalRequest) -> Approval {
        Approval::Yes
    }

    async fn answer(&self, _: &str) -> Option<String> {
        None
    }
}

/// The demo's errand.
async fn shopping(digest: DigestOptions) -> (RunReport, Metered) {
    let shop = Shop::start(ShopOptions::default().with_seed(7)).await.unwrap();
    let password = SecretName::parse("PASSWORD").unwrap();
    let goal = "Log in as \"demo\" with the password <secret:PASSWORD>. Search for \"Alpine Rain Jacket Light\", open \
                \"Alpine Rain Jacket Light\", choose size \"M\" and colour \"Sunflower\", add it to the cart. Check out: set the \
                full name to \"Ada Lovelace\", the street to \"Park Street 7\", the city to \"Cologne\", the postal code to \
                \"50667\", choose \"Express delivery\", accept the terms and place the order. Report the confirmation number.";
    let origin = Origin::parse(shop.url().as_str()).unwrap();
    let vault = Vault::new().with(password, Secret::new(shop.password()), vec![origin]).unwrap();
    let task = Task::new(goal).unwrap().with_start_url(shop.url().as_str()).unwrap().with_secrets(vault);
    let mut options = Options::default();
    options.digest = digest;
    let model = Metered::default();
    let browser = PlaywrightCli::launch(&PlaywrightCliOptions::from_env().unwrap()).await.unwrap();
    let agent = DecisionLoop::builder(browser, model.clone(), InMemory::new())
        .with_options(options)
        .with_approver(Yes)
        .build()
        .unwrap();
    let report = agent.run(task).await;
    agent.browser().close().await.unwrap();
    assert_eq!(report.summary.stop, StopReason::Finished, "{report:?}");
    let number = &shop.orders()[0].number;
    assert!(report.answer.as_ref().unwrap().contains(number));
    (report, model)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_task_costs_few_tokens_and_takes_no_more_steps_than_with_the_whole_page() {
    let (lean, lean_meter) = shopping(DigestOptions::default()).await;
    let (whole, whole_meter) = shopping(DigestOptions::whole()).await;
    for (name, report, meter) in [("lean", &lean, &lean_meter), ("whole page", &whole, &whole_meter)] {
        let summary = &report.summary;
        figure!("{name}: {} tokens by o200k, {} calls, {} steps", meter.total(), summary.calls, summary.steps);
    }
    assert!(lean_meter.total() < MAX_TOKENS);
    assert!(lean_meter.total() < whole_meter.total(), "there is something to leave out");
    assert!(lean.summary.steps <= whole.summary.steps);
}
