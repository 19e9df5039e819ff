//! The demo's task by both drivers: what a step costs with the model's time taken out.
//!
//! The model is the stand-in, so both drivers get the same decisions for the same pages. The driver's own time is measured at
//! the port. What the loop adds to it is reading the page, memory, prompts, and a second look at a page that an action left
//! as it was, which waits 300 ms.

use std::{
    collections::BTreeMap,
    fmt,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use async_trait::async_trait;
use webwise::{
    DecisionLoop, LlmClient,
    browser::{
        BrowserCapabilities, BrowserDriver, ExecuteRequest, Execution, ObserveRequest,
        SceneRequest, ScreenshotRequest,
    },
    chat::{ChatRequest, ChatResponse, LlmCapabilities},
    demo::{Shop, ShopOptions},
    page::{Observation, Scene},
    stand_in::StandIn,
    store::InMemory,
    working::StopReason,
};

use crate::{
    calls::Anything,
    drivers::{COLUMNS, both},
    task::{self, Yes},
};

/// Tasks for each driver. Source: chosen.
const TASKS: usize = 3;

/// The part of the actions that failed: the task has one that meets a cover and waits for as long as the options let it,
/// which says nothing of how fast a driver is.
const FAILED: &str = "failed";

/// Time spent, by what it was spent on.
#[derive(Debug, Clone, Default)]
struct Meter(Arc<Mutex<BTreeMap<&'static str, Vec<Duration>>>>);

impl Meter {
    async fn time<T>(&self, name: &'static str, work: impl Future<Output = T>) -> T {
        let begin = Instant::now();
        let done = work.await;
        self.add(name, begin.elapsed());
        done
    }

    fn add(&self, name: &'static str, time: Duration) {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .entry(name)
            .or_default()
            .push(time);
    }

    fn take(&self) -> BTreeMap<&'static str, Vec<Duration>> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// A driver with a meter before it.
struct Metered {
    driver: Box<dyn BrowserDriver>,
    meter: Meter,
}

impl fmt::Debug for Metered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.driver.fmt(f)
    }
}

#[async_trait]
impl BrowserDriver for Metered {
    fn capabilities(&self) -> BrowserCapabilities {
        self.driver.capabilities()
    }

    fn lease(&self) -> &webwise::browser::Lease {
        self.driver.lease()
    }

    async fn observe(&self, request: &ObserveRequest) -> webwise::Result<Observation> {
        self.meter
            .time("observe", self.driver.observe(request))
            .await
    }

    async fn execute(&self, request: &ExecuteRequest) -> webwise::Result<Execution> {
        let begin = Instant::now();
        let execution = self.driver.execute(request).await;
        let is_done = execution
            .as_ref()
            .is_ok_and(|execution| execution.outcome.is_done());
        self.meter.add(
            if is_done {
                request.action.tool().as_str()
            } else {
                FAILED
            },
            begin.elapsed(),
        );
        execution
    }

    async fn screenshot(&self, request: &ScreenshotRequest) -> webwise::Result<Vec<u8>> {
        self.meter
            .time("screenshot", self.driver.screenshot(request))
            .await
    }

    async fn scene(&self, request: &SceneRequest) -> webwise::Result<Scene> {
        self.meter
            .time("screenshot", self.driver.scene(request))
            .await
    }

    async fn close(&self) -> webwise::Result<()> {
        self.driver.close().await
    }
}

/// The stand-in with a meter before it.
#[derive(Debug)]
struct Model(Meter);

#[async_trait]
impl LlmClient for Model {
    fn capabilities(&self) -> LlmCapabilities {
        StandIn::new().capabilities()
    }

    async fn complete(&self, request: &ChatRequest) -> webwise::Result<ChatResponse> {
        self.0
            .time("model", async { Ok(StandIn::new().decide(request)) })
            .await
    }
}

/// What a task took. Unit: milliseconds a step.
struct ShoppingTask {
    steps: u32,
    whole: f64,
    driver: f64,
    /// Without what failed.
    done: f64,
    parts: BTreeMap<&'static str, Vec<Duration>>,
}

/// Prints the table.
pub(crate) async fn measure() -> Anything {
    println!(
        "\n{:<44}{:>12}{:>12}{:>8}",
        "the demo's task, median of", COLUMNS[0], COLUMNS[1], "ratio"
    );
    let mut tasks: [Vec<ShoppingTask>; 2] = Default::default();
    for _ in 0..TASKS {
        for (driver, tasks) in both().await?.into_iter().zip(&mut tasks) {
            tasks.push(run(driver).await?);
        }
    }
    let median = |tasks: &[ShoppingTask], of: &dyn Fn(&ShoppingTask) -> f64| {
        let mut values: Vec<f64> = tasks.iter().map(of).collect();
        values.sort_unstable_by(f64::total_cmp);
        values[values.len() / 2]
    };
    let row = |name: &str, of: &dyn Fn(&ShoppingTask) -> f64| {
        let [first, second] = [0, 1].map(|column: usize| median(&tasks[column], of));
        println!(
            "{name:<44}{first:>9.1} ms{second:>9.1} ms{:>6.1} x",
            first / second
        );
    };
    row("a step in the driver, where it succeeded", &|task| {
        task.done
    });
    row("a step in the driver", &|task| task.driver);
    row("a step in all, without the model", &|task| task.whole);
    for (name, tasks) in COLUMNS.into_iter().zip(&tasks) {
        let Some(last) = tasks.last() else { continue };
        print!("{name}: {} steps;", last.steps);
        for (part, times) in &last.parts {
            let mean = times.iter().sum::<Duration>().as_secs_f64() * 1000.0
                / f64::from(u32::try_from(times.len())?);
            print!(" {part} {} x {mean:.1} ms;", times.len());
        }
        println!();
    }
    Ok(())
}

async fn run(driver: Box<dyn BrowserDriver>) -> Result<ShoppingTask, Box<dyn std::error::Error>> {
    let shop = Shop::start(ShopOptions::default().with_seed(7)).await?;
    let (task, meter) = (task::task(&shop)?, Meter::default());
    let browser = Metered {
        driver,
        meter: meter.clone(),
    };
    let agent = DecisionLoop::builder(browser, Model(meter.clone()), InMemory::new())
        .with_approver(Yes)
        .build()?;
    let begin = Instant::now();
    let report = agent.run(task).await;
    let wall = begin.elapsed();
    agent.browser().close().await?;
    if report.summary.stop != StopReason::Finished || shop.orders().len() != 1 {
        return Err(format!("the task was not done: {report:?}").into());
    }
    let mut parts = meter.take();
    let model: Duration = parts.remove("model").unwrap_or_default().iter().sum();
    let steps = report.summary.steps;
    let a_step = |time: Duration| time.as_secs_f64() * 1000.0 / f64::from(steps);
    let all: Duration = parts.values().flatten().sum();
    let (driver, whole) = (a_step(all), a_step(wall.saturating_sub(model)));
    let failed = parts.get(FAILED).cloned().unwrap_or_default();
    let succeeded = f64::from(steps) - f64::from(u32::try_from(failed.len())?);
    let done = all.saturating_sub(failed.iter().sum()).as_secs_f64() * 1000.0 / succeeded;
    Ok(ShoppingTask {
        steps,
        whole,
        driver,
        done,
        parts,
    })
}
