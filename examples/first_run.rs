//! The shortest real program: a browser, a model, a task, and the answer.
//!
//! The model is the one that the environment names, or else a fixed set of rules, which knows goals such as
//! `report the opening hours`.
//!
//! `cargo run --features genai,stand-in --example first_run -- https://example.com "What is this domain for?"`

use webwise::{
    BrowserDriver, DecisionLoop, LlmClient, Result, RunReport, Task,
    browser::{Cdp, CdpOptions},
    event::Callback,
    llm::{GenAi, Retrying},
    stand_in::StandIn,
    store::InMemory,
};

/// Seed of the random part of the waits before a call of the model is repeated.
const SEED: u64 = 1;

async fn run<B: BrowserDriver>(
    browser: B,
    model: Box<dyn LlmClient>,
    url: &str,
    goal: &str,
) -> Result<RunReport> {
    let agent = DecisionLoop::builder(browser, model, InMemory::new())
        .with_sink(Callback::new(|event| {
            println!("{:>3} {}", event.step, event.kind.name());
        }))
        .build()?;
    let report = agent.run(Task::new(goal)?.with_start_url(url)?).await;
    agent.browser().close().await?;
    Ok(report)
}

#[tokio::main]
async fn main() -> Result<()> {
    let mut words = std::env::args().skip(1);
    let mut word = |default: &str| words.next().unwrap_or_else(|| default.to_owned());
    let (url, goal) = (
        word("https://example.com"),
        word("What is this domain for?"),
    );
    let model: Box<dyn LlmClient> = match GenAi::from_env()? {
        Some(model) => Box::new(Retrying::new(model, SEED)),
        None => Box::new(StandIn::new()),
    };
    let browser = Cdp::launch(&CdpOptions::from_env()?).await?;
    match run(browser, model, &url, &goal)
        .await?
        .into_result::<String>()
    {
        Ok(answer) => println!("{} (\"{}\")", answer.value, answer.evidence),
        Err(error) => {
            eprintln!("{error}");
            std::process::exit(1);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use webwise::testing::ScriptedBrowser;

    #[tokio::test(start_paused = true)]
    async fn it_answers_and_closes_the_browser() {
        const SHOP: &str = "https://shop.example/";
        let page = "heading \"Opening hours\" [level=2]\nparagraph = Open from 9 to 17";
        let browser = ScriptedBrowser::new().with_page(SHOP, "Shop", page);
        let model = Box::new(StandIn::new());
        let goal = "Report the opening hours.";
        let report = run(browser.clone(), model, SHOP, goal).await.unwrap();
        assert!(
            report.answer.unwrap_or_default().contains("9 to 17"),
            "{:?}",
            report.error
        );
        assert!(browser.is_closed());
    }
}
