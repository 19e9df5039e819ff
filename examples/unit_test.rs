//! A program that embeds the loop, and its unit test: a scripted browser, a mocked model, no network.
//!
//! `cargo test --example unit_test --features testing`

use webwise::{BrowserDriver, DecisionLoop, LlmClient, MemoryBackend, Result, Task};

/// The program's purpose: asks the agent for a shop's opening hours.
async fn opening_hours<B: BrowserDriver, L: LlmClient, M: MemoryBackend>(
    agent: &DecisionLoop<B, L, M>,
    shop: &str,
) -> Result<Option<String>> {
    let report = agent
        .run(Task::new("When does the shop open?")?.with_start_url(shop)?)
        .await;
    Ok(report.answer.filter(|_| report.summary.success))
}

fn main() {
    println!("run its test: cargo test --example unit_test --features testing");
    let _ = opening_hours::<Box<dyn BrowserDriver>, Box<dyn LlmClient>, Box<dyn MemoryBackend>>;
}

#[cfg(test)]
mod tests {
    use super::*;
    use webwise::{
        chat::LlmCapabilities,
        store::InMemory,
        testing::{MockLlmClient, ScriptedBrowser, call},
    };

    #[tokio::test]
    async fn the_hours_are_read_from_the_page() {
        let browser = ScriptedBrowser::new().with_page(
            "https://shop.example/",
            "Shop",
            "paragraph = Open from 9 to 17",
        );
        let mut model = MockLlmClient::new();
        model
            .expect_capabilities()
            .returning(|| LlmCapabilities::new("mock"));
        let finish = serde_json::json!({ "answer": "9 to 17", "evidence": "Open from 9 to 17" });
        model
            .expect_complete()
            .times(1)
            .returning(move |_| Ok(call("finish", finish.clone())));
        let agent = DecisionLoop::builder(browser, model, InMemory::new())
            .build()
            .unwrap();
        assert_eq!(
            opening_hours(&agent, "https://shop.example/")
                .await
                .unwrap()
                .as_deref(),
            Some("9 to 17")
        );
    }
}
