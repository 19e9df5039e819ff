//! A tool and a hook of your own: the model asks the program's own price list, and a policy limits what it may order.
//! The browser and the model are scripted, so that it needs no installation.
//!
//! `cargo run --features testing --example own_tool`

use std::sync::{Arc, Mutex, PoisonError};

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use webwise::{
    DecisionLoop, Error, ErrorKind, Result, RunId, RunReport, Task,
    action::Effect,
    agent::{Approval, ApprovalRequest, Hook, tool},
    async_trait::async_trait,
    guard::ApprovalMode,
    store::InMemory,
    testing::{ScriptedBrowser, ScriptedModel, ScriptedReply, call},
    working::Step,
};

const SHOP: &str = "https://shop.example/";
const DONE: &str = "https://shop.example/order/7";

#[derive(Deserialize, JsonSchema)]
struct Article {
    /// As the shop writes it.
    name: String,
}

/// Lets a run order once, and writes down every step.
#[derive(Debug, Clone, Default)]
struct OneOrder(Arc<Mutex<Vec<String>>>);

impl OneOrder {
    fn audit(&self) -> Vec<String> {
        let lines = self.0.lock();
        lines.unwrap_or_else(PoisonError::into_inner).clone()
    }
}

#[async_trait]
impl Hook for OneOrder {
    async fn before_action(&self, request: &ApprovalRequest) -> Approval {
        let ordered = |line: &String| line.contains("irreversible done");
        if request.effect == Effect::Irreversible && self.audit().iter().any(ordered) {
            // The model reads the reason, and the run goes on.
            let reason = "one order a run: report what you have".to_owned();
            return Approval::Deny { reason };
        }
        Approval::Yes
    }

    async fn after_step(&self, run: &RunId, step: &Step) {
        let line = format!(
            "{run} {} {:?} {:?}",
            step.action.line(),
            step.effect,
            step.outcome
        );
        let mut lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        lines.push(line.to_lowercase());
    }
}

async fn order(model: ScriptedModel, policy: OneOrder) -> Result<RunReport> {
    let price = tool(
        "our_price",
        "Returns the most that we pay for an article.",
        Effect::Read,
        async |article: Article| match &*article.name {
            "Blue mug" => Ok("12.50 EUR".to_owned()),
            // The model reads the kind and the details of an error, but not its source.
            other => Err(Error::new(ErrorKind::InvalidInput, "our_price").with("unknown", other)),
        },
    );
    let form = "heading \"Blue mug\" [level=1]\ntext \"9.50 EUR\"\nbutton \"Place order\" e1";
    let done = "heading \"Order 7 placed\" [level=1]\nbutton \"Place order\" e1";
    let browser = ScriptedBrowser::new()
        .with_page(SHOP, "Shop", form)
        .with_page(DONE, "Thank you", done)
        .on(
            SHOP,
            r#"click {"target":"e1"}"#,
            [ScriptedReply::Show(DONE)],
        );
    let agent = DecisionLoop::builder(browser, model, InMemory::new())
        .with_approval(ApprovalMode::Auto) // nobody is asked: the hook is the policy
        .with_tool(price)
        .with_hook(policy)
        .build()?;
    let goal = "Order a blue mug, unless it costs more than we pay.";
    Ok(agent.run(Task::new(goal)?.with_start_url(SHOP)?).await)
}

/// A model that asks for the price, orders, and wants to order again.
fn model() -> ScriptedModel {
    let finish = json!({ "answer": "Order 7", "evidence": "Order 7 placed" });
    ScriptedModel::new([
        call("our_price", json!({ "name": "Blue mug" })),
        call("click", json!({ "target": "e1" })),
        call("click", json!({ "target": "e1" })),
        call("finish", finish),
    ])
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    let policy = OneOrder::default();
    println!("{:?}", order(model(), policy.clone()).await?.answer);
    println!("{}", policy.audit().join("\n"));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn the_tool_answers_and_the_policy_holds_the_second_order() {
        let (model, policy) = (model(), OneOrder::default());
        let report = order(model.clone(), policy.clone()).await.unwrap();
        assert_eq!(report.answer.as_deref(), Some("Order 7"));
        let requests = model.requests();
        assert!(requests[1].message.contains("12.50 EUR"));
        assert!(requests[3].message.contains("one order a run"));
        let placed = |line: &&String| line.contains("irreversible done");
        assert_eq!(policy.audit().iter().filter(placed).count(), 1);
    }
}
