//! Embeds the loop in a program, with a custom event sink that prints events to the console.
//! `cargo run --features stand-in --example embed -- https://example.com "What is this domain for?"`
use webwise::browser::{BrowserDriver, Cdp, CdpOptions};
use webwise::{DecisionLoop, EventSink, Task, event::Event, stand_in::StandIn, store::InMemory};

#[derive(Debug)]
struct Console;

impl EventSink for Console {
    fn emit(&self, event: &Event) {
        println!("{:>3} {}", event.step, event.kind.name());
    }
}

#[tokio::main]
async fn main() -> webwise::Result<()> {
    let mut words = std::env::args().skip(1);
    let url = words
        .next()
        .unwrap_or_else(|| "https://example.com".to_owned());
    let task = Task::new(
        words
            .next()
            .unwrap_or_else(|| "What is this domain for?".to_owned()),
    )?
    .with_start_url(&url)?;
    let browser = Cdp::launch(&CdpOptions::from_env()?).await?;
    let agent = DecisionLoop::builder(browser, StandIn::new(), InMemory::new())
        .with_sink(Console)
        .build()?;
    let report = agent.run(task).await;
    agent.browser().close().await?;
    println!("{}: {:?}", report.summary.stop, report.answer);
    if !report.is_success() {
        eprintln!("{:?}", report.error);
        std::process::exit(1);
    }
    Ok(())
}
