//! Our own driver on pages of 10 to 10,000 buttons: a call alone, and as a step of the loop, which looks, decides, guards,
//! acts, and looks again.

use std::{
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use async_trait::async_trait;
use serde_json::{Value, json};
use webwise::{
    DecisionLoop, LlmClient, Result, Task,
    action::{RawCall, Target, TextValue},
    agent::StepEnd,
    base::Site,
    browser::{BrowserDriver, Cdp, CdpOptions, ObserveRequest},
    chat::{ChatRequest, ChatResponse, LlmCapabilities},
    guard::ApprovalMode,
    page::{Layout, PageHead, Role, ViewOptions, interpret},
    store::InMemory,
};

use crate::calls::{Anything, SOME, click, fill, open, see};

const SIZES: [usize; 4] = [10, 300, 3_000, 10_000];

/// A model that gives one call after the other.
#[derive(Debug)]
struct Calls(Mutex<Vec<ChatResponse>>);

#[async_trait]
impl LlmClient for Calls {
    fn capabilities(&self) -> LlmCapabilities {
        LlmCapabilities::new("calls")
    }

    async fn complete(&self, _: &ChatRequest) -> Result<ChatResponse> {
        Ok(self
            .0
            .lock()
            .ok()
            .and_then(|mut calls| calls.pop())
            .unwrap_or_default())
    }
}

/// Prints the table.
pub(crate) async fn measure(site: &str) -> Anything {
    println!("\n{:<44}{:>12}{:>12}", "median of", "cdp", "in the loop");
    let driver = Arc::new(Cdp::launch(&CdpOptions::from_env()?).await?);
    for size in SIZES {
        open(&*driver, site, &format!("buttons/{size}")).await?;
        let seen = driver.observe(&ObserveRequest::default()).await?;
        let references = |role: Role| {
            seen.tree
                .nodes()
                .iter()
                .filter(move |node| node.role == role)
                .filter_map(|node| node.reference.clone())
        };
        let field = references(Role::TextBox).next().ok_or("no field")?;
        let buttons: Vec<_> = references(Role::Button).take(SOME).collect();
        let view = interpret(
            &PageHead::new(seen.url.clone(), seen.title.clone()),
            &seen.tree,
            &ViewOptions::default(),
        );
        let layout = Layout::of(&seen.tree, &view.elements);
        let mut alone: [Vec<Duration>; 4] = Default::default();
        for sample in 0..SOME {
            let begin = Instant::now();
            let word = TextValue::Literal(format!("word {sample}"));
            fill(&*driver, Target::Ref(field.clone()), word).await?;
            alone[0].push(begin.elapsed());
            let begin = Instant::now();
            let button = buttons[sample % buttons.len()].clone();
            click(&*driver, Target::Ref(button)).await?;
            alone[1].push(begin.elapsed());
            let begin = Instant::now();
            see(&*driver).await?;
            alone[2].push(begin.elapsed());
            let begin = Instant::now();
            let wanted = format!("button {sample}");
            if layout.find(&view.elements, &wanted, 10).lines.is_empty() {
                return Err("nothing was found".into());
            }
            alone[3].push(begin.elapsed());
        }
        let field = field.to_string();
        let mut calls = vec![("find", json!({ "query": "note" }))];
        for sample in 0..SOME {
            calls.push((
                "fill",
                json!({ "target": field, "text": format!("text {sample}") }),
            ));
            let button = buttons[sample % buttons.len()].to_string();
            calls.push(("click", json!({ "target": button })));
            calls.push(("snapshot", json!({})));
            calls.push(("find", json!({ "query": format!("button {sample}") })));
        }
        let in_loop = steps(&driver, site, calls).await?;
        for ((name, alone), in_loop) in ["fill", "click", "look", "find"]
            .iter()
            .zip(alone)
            .zip(in_loop)
        {
            println!(
                "{:<44}{:>9.1} ms{:>9.1} ms",
                format!("{name}, {size} buttons"),
                median(alone),
                median(in_loop)
            );
        }
    }
    driver.close().await?;
    Ok(())
}

/// What each step of a run takes, by kind of call; the first step is not counted.
async fn steps(
    driver: &Arc<Cdp>,
    site: &str,
    calls: Vec<(&str, Value)>,
) -> std::result::Result<[Vec<Duration>; 4], Box<dyn std::error::Error>> {
    let count = calls.len();
    let replies = calls
        .into_iter()
        .rev()
        .map(|(tool, arguments)| ChatResponse::with_calls([RawCall::new(tool, arguments)]))
        .collect();
    let agent = DecisionLoop::builder(
        Arc::clone(driver),
        Calls(Mutex::new(replies)),
        InMemory::new(),
    )
    .with_approval(ApprovalMode::Auto)
    .with_max_steps(u32::try_from(count)? + 1)
    .build()?;
    // The run begins on the page as it stands, on loopback.
    let task = Task::new("Press the buttons")?.with_allowed(Site::of(&site.parse()?)?);
    let mut run = agent.start(task).await;
    let mut times: [Vec<Duration>; 4] = Default::default();
    for step in 0..count {
        let begin = Instant::now();
        if let StepEnd::Stopped(stop) = run.step().await {
            return Err(format!("the run ended in step {step}: {stop}").into());
        }
        if let Some(nth) = step.checked_sub(1) {
            times[nth % 4].push(begin.elapsed());
        }
    }
    let failed = run
        .steps()
        .iter()
        .filter(|step| !step.outcome.is_done())
        .count();
    if failed > 0 {
        return Err(format!("{failed} actions failed").into());
    }
    Ok(times)
}

/// Unit: milliseconds.
fn median(mut times: Vec<Duration>) -> f64 {
    times.sort_unstable();
    times[times.len() / 2].as_secs_f64() * 1000.0
}
