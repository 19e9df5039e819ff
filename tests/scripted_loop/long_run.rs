//! A run of 200 steps on a site of 300 pages: each message fits, none forgets the goal, the page or what cannot be undone, and the last
//! steps cost what the earlier ones did. In another run, the bounds of what a message tells of earlier steps. Takes a second.

use std::sync::{
    Mutex,
    atomic::{AtomicU32, Ordering},
};

use async_trait::async_trait;
use serde_json::json;
use webwise::{
    BrowserDriver, DecisionLoop, Result, Task,
    action::{BrowserAction, BrowserTool, ErrorClass, Outcome},
    agent::{Options, StepEnd},
    base::{TokenCount, tokens::estimate},
    browser::{
        BrowserCapabilities, ExecuteRequest, Execution, ObserveRequest, SceneRequest,
        ScreenshotRequest,
    },
    chat::{ChatRequest, LlmCapabilities},
    guard::ApprovalMode,
    page::{ElementRef, Node, Observation, Role, Scene, Tree},
    store::InMemory,
    testing::{ScriptedModel, call},
};

/// Number of pages of the site.
const PAGES: u32 = 300;
/// Number of steps of the run.
const STEPS: u32 = 200;
/// The model's context window. Unit: tokens. So small that not all fits.
const WINDOW: u64 = 4_100;
/// The steps in which a message is sent.
const SENDS: [u32; 2] = [3, 120];
/// The goal.
const GOAL: &str = "Find the kayak that was returned in March";

/// A shop of 300 items. Each page shows its item, thirty others, and links to the pages beside it.
#[derive(Debug)]
struct Shop {
    at: AtomicU32,
    sent: Mutex<u32>,
    /// Number of pages of an aisle, which is a kind of page of its own.
    aisle: u32,
    /// Each click to the next page whose number this divides fails, and the page stays.
    fails: u32,
    clicks: AtomicU32,
    lease: webwise::browser::Lease,
}

impl Shop {
    fn new(aisle: u32, fails: u32) -> Self {
        Self {
            at: AtomicU32::new(1),
            sent: Mutex::new(0),
            aisle,
            fails,
            clicks: AtomicU32::new(0),
            lease: webwise::browser::Lease::new(),
        }
    }

    fn page(&self) -> Tree {
        let at = self.at.load(Ordering::Relaxed);
        let mut page = Tree::builder();
        let mut number = 0;
        let mut leaf = |role: Role, name: String| {
            number += 1;
            let reference = ElementRef::parse(&format!("e{number}")).expect("a reference");
            page.leaf(Node::new(role, name).with_ref(reference));
        };
        leaf(Role::Link, "Next item".to_owned());
        leaf(Role::Button, "Send message".to_owned());
        leaf(Role::Heading, format!("Item {at} of {PAGES}"));
        for other in 0..30 {
            let other = (at * 7 + other * 11) % PAGES;
            leaf(
                Role::Link,
                format!(
                    "Item {other}, used, {} EUR, ships in {} days",
                    other * 3,
                    other % 9
                ),
            );
        }
        if *self.sent.lock().expect("no panic") > 0 {
            leaf(Role::Heading, "Your message was sent".to_owned());
        }
        page.finish()
    }
}

#[async_trait]
impl BrowserDriver for Shop {
    fn capabilities(&self) -> BrowserCapabilities {
        BrowserCapabilities::new("shop", [BrowserTool::Goto, BrowserTool::Click])
    }

    fn lease(&self) -> &webwise::browser::Lease {
        &self.lease
    }

    async fn observe(&self, _: &ObserveRequest) -> Result<Observation> {
        let at = self.at.load(Ordering::Relaxed);
        let aisle = match at / self.aisle {
            0 => String::new(),
            n => format!("/{}", "n".repeat(n as usize)),
        };
        let url = format!("https://shop.example{aisle}/item/{at}");
        Ok(Observation::new(url, "Shop", self.page()))
    }

    async fn execute(&self, request: &ExecuteRequest) -> Result<Execution> {
        match &request.action {
            BrowserAction::Click(click)
                if click.target.as_ref().is_some_and(|to| to.as_str() == "e2") =>
            {
                *self.sent.lock().expect("no panic") += 1;
            }
            BrowserAction::Goto(goto) => {
                let number = goto.url.rsplit('/').next().expect("a part");
                self.at
                    .store(number.parse().expect("a number"), Ordering::Relaxed);
            }
            BrowserAction::Click(_) => {
                let clicks = self.clicks.fetch_add(1, Ordering::Relaxed) + 1;
                if clicks.is_multiple_of(self.fails) {
                    return Ok(Outcome::failed(ErrorClass::Timeout, "it moves").into());
                }
                self.at.fetch_add(1, Ordering::Relaxed);
            }
            _ => {}
        }
        Ok(Outcome::Done.into())
    }

    async fn screenshot(&self, _: &ScreenshotRequest) -> Result<Vec<u8>> {
        Ok(Vec::new())
    }

    async fn scene(&self, _: &SceneRequest) -> Result<Scene> {
        Ok(Scene::default())
    }

    async fn close(&self) -> Result<()> {
        Ok(())
    }
}

/// A model that sends two messages, takes a note, and otherwise goes to the next page.
fn walks() -> ScriptedModel {
    let mut asked = 0_u32;
    let mut capabilities = LlmCapabilities::new("walks");
    capabilities.context_window = Some(TokenCount(WINDOW));
    let model = ScriptedModel::deciding(move |_| {
        asked += 1;
        Ok(match asked {
            n if SENDS.contains(&n) => call("click", json!({ "target": "e2" })),
            10 => call(
                "note",
                json!({ "text": "none of the first ten was returned" }),
            ),
            _ => call("click", json!({ "target": "e1" })),
        })
    });
    model.with_capabilities(capabilities)
}

fn mean(sizes: &[u64]) -> u64 {
    sizes.iter().sum::<u64>() / u64::try_from(sizes.len()).expect("a count")
}

/// The estimated size of everything in a request that differs between the steps.
fn size(request: &ChatRequest) -> u64 {
    estimate(&request.message).0
}

#[tokio::test(start_paused = true)]
async fn the_last_of_200_steps_costs_what_the_fiftieth_did_and_forgets_nothing() {
    let model = walks();
    let shop = Shop::new(u32::MAX, u32::MAX);
    let mut options = Options::default();
    options.approval = ApprovalMode::Auto;
    // One search is no action of the budget.
    options.budget.max_steps = STEPS - 1;
    let agent = DecisionLoop::builder(shop, model.clone(), InMemory::new())
        .with_options(options)
        .build()
        .unwrap();
    let mut run = agent.start(Task::new(GOAL).unwrap()).await;
    let mut states = Vec::new();
    while let StepEnd::Continue = run.step().await {
        states.push(serde_json::to_vec(&run.state().unwrap()).unwrap().len());
    }
    let report = run.finish().await;
    let requests = model.requests();
    assert_eq!(requests.len(), STEPS as usize, "{report:?}");
    assert_eq!(*agent.browser().sent.lock().unwrap(), 2);

    for (step, request) in requests.iter().enumerate() {
        let tools: u64 = request
            .tools
            .declared()
            .iter()
            .map(|tool| estimate(&tool.description).0 + estimate(&tool.parameters.to_string()).0)
            .sum();
        let whole = size(request) + estimate(&request.system).0 + tools;
        assert!(whole + request.max_output.0 <= WINDOW, "{step}: {whole}");
        assert!(request.system.contains(GOAL));
        assert!(request.message.contains(" of 300\""), "{}", request.message);
        assert!(request.message.contains("link \"Next item\""));
        for sent in SENDS {
            let is_told = request
                .message
                .lines()
                .any(|line| line.starts_with(&format!("{sent}. click button \"Send message\"")));
            assert_eq!(
                is_told,
                step >= sent as usize,
                "{step}: {}",
                request.message
            );
        }
    }
    let sizes: Vec<u64> = requests.iter().map(size).collect();
    let (early, late) = (mean(&sizes[60..80]), mean(&sizes[180..200]));
    figure!(
        "long_run: {STEPS} steps on {PAGES} pages: message of {} tokens in the mean, {} at most; steps 11 to 20 {}, 61 to 80 {early}, \
         181 to 200 {late}; state {} bytes after step 100, {} after step 200",
        mean(&sizes),
        sizes.iter().max().unwrap(),
        mean(&sizes[10..20]),
        states[99],
        states[199],
    );
    assert!(late <= early + early / 10, "{early}, then {late}");
    let cut = requests
        .iter()
        .filter(|request| request.message.contains(" earlier steps)"));
    assert!(cut.count() > 0, "nothing had to be cut");
    // A step is kept whole; nothing else grows with the run.
    assert!(states[199] < states[99] * 2 + 4_096, "{states:?}");
}

/// The lines of a section of a message.
fn section<'m>(message: &'m str, heading: &str) -> Vec<&'m str> {
    let found = message.split_once(&format!("## {heading}\n"));
    let lines = found.map_or("", |(_, rest)| rest).lines();
    let ends = |line: &&str| line.starts_with("## ") || line.ends_with(">>>");
    lines.take_while(|line| !ends(line)).collect()
}

#[tokio::test(start_paused = true)]
async fn of_earlier_steps_twelve_groups_twenty_pages_and_twenty_that_last_are_told_and_all_are_counted()
 {
    // The model sends 25 messages, and else goes to the next page. Each tenth time that fails.
    let mut asked = 0_u32;
    let model = ScriptedModel::deciding(move |_| {
        asked += 1;
        let target = if asked.is_multiple_of(5) && asked <= 125 {
            "e2"
        } else {
            "e1"
        };
        Ok(call("click", json!({ "target": target })))
    });
    let mut options = Options::default();
    options.approval = ApprovalMode::Auto;
    options.budget.max_steps = STEPS;
    let agent = DecisionLoop::builder(Shop::new(10, 10), model.clone(), InMemory::new());
    let agent = agent.with_options(options).build().unwrap();
    let report = agent.run(Task::new(GOAL).unwrap()).await;
    let requests = model.requests();
    assert_eq!(requests.len(), STEPS as usize, "{report:?}");
    assert_eq!(*agent.browser().sent.lock().unwrap(), 25);

    let message = &requests.last().unwrap().message;
    let lasting = section(message, "Earlier steps that cannot be undone");
    let sends: Vec<String> = (6..=25)
        .map(|n| format!("{}. click button \"Send message\"", n * 5))
        .collect();
    assert_eq!(lasting.len(), 20, "{message}");
    assert!(
        lasting
            .iter()
            .zip(&sends)
            .all(|(line, send)| line.starts_with(send)),
        "{lasting:?}"
    );

    let groups = section(message, "Earlier steps");
    let (others, groups) = groups.split_last().unwrap();
    assert_eq!(groups.len(), 12, "{message}");
    assert!(others.ends_with(" others"), "{message}");
    let count = |line: &str| -> usize { line.split(' ').next().unwrap().parse().unwrap() };
    let told: usize = groups.iter().map(|line| count(line)).sum::<usize>() + count(others);
    let shown = section(message, "History").len();
    assert!((40..=50).contains(&shown), "{message}");
    // The message before the last step tells of all steps so far.
    assert_eq!(told + lasting.len() + shown, STEPS as usize - 1);

    let pages = section(message, "Earlier pages");
    assert_eq!(pages.len(), 20, "{message}");
}

#[tokio::test(start_paused = true)]
async fn an_earlier_page_tells_how_often_the_run_came_to_it() {
    let mut asked = 0_u32;
    let model = ScriptedModel::deciding(move |_| {
        asked += 1;
        let again = json!({ "url": "https://shop.example/item/3" });
        Ok(match asked {
            4 | 7 => call("goto", again),
            _ => call("click", json!({ "target": "e1" })),
        })
    });
    let mut options = Options::default();
    options.budget.max_steps = 60;
    let agent = DecisionLoop::builder(
        Shop::new(u32::MAX, u32::MAX),
        model.clone(),
        InMemory::new(),
    );
    let agent = agent.with_options(options).build().unwrap();
    agent.run(Task::new(GOAL).unwrap()).await;
    let message = model.requests().pop().unwrap().message;
    // From item 1 to 4, back to 3, to 5, back to 3, and on.
    let expected = [
        "\"https://shop.example/item/1\"",
        "\"https://shop.example/item/2\" \"Shop\"",
        "\"https://shop.example/item/3\" \"Shop\" (3 visits)",
        "\"https://shop.example/item/4\" \"Shop\" (3 visits)",
        "\"https://shop.example/item/5\" \"Shop\" (2 visits)",
        "\"https://shop.example/item/6\" \"Shop\"",
    ];
    assert_eq!(section(&message, "Earlier pages"), expected, "{message}");
}

#[tokio::test(start_paused = true)]
async fn failed_steps_are_a_group_of_their_own_that_tells_the_failure() {
    let model = ScriptedModel::deciding(|_| Ok(call("click", json!({ "target": "e1" }))));
    let mut options = Options::default();
    options.budget.max_steps = 81;
    let agent = DecisionLoop::builder(Shop::new(u32::MAX, 10), model.clone(), InMemory::new());
    let agent = agent.with_options(options).build().unwrap();
    agent.run(Task::new(GOAL).unwrap()).await;
    let message = model.requests().pop().unwrap().message;
    let groups = section(&message, "Earlier steps");
    let expected = [
        "27 click on \"/item/:n\"",
        "3 click on \"/item/:n\" -> failed timeout",
    ];
    assert_eq!(groups, expected, "{message}");
}
