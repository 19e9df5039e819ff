//! MiniWoB++: tasks on pages that nobody here wrote, each with its own judge.
//!
//! A policy for each task acts as the model of a [`DecisionLoop`]: it decides from the text of the prompt and answers with
//! tool calls, which each of our drivers carries out in a real Chromium. What counts is the reward that the page itself gives.
//!
//! # Decisions
//!
//! - MiniWoB++ is a pinned wheel, unpacked and never imported; its reward alone decides: the page is its own judge.

use crate::{browsers, profile};

mod controls;
pub(crate) mod episode;
mod forms;
mod one_step;
mod policy;
mod reading;
mod search;
pub(crate) mod site;

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};

use webwise::{
    DecisionLoop, RunReport, Site, Task,
    agent::{Context, Options},
    browser::BrowserDriver,
    guard::ApprovalMode,
    store::InMemory,
    testing::ScriptedModel,
};

use self::{
    browsers::{Driver, Wishes},
    episode::Reward,
    policy::Policy,
    profile::pick,
};

/// The same seed gives the same episode. The quick suite plays the first ones.
const SEEDS: [&str; 5] = ["s1", "s2", "s3", "s4", "s5"];
const QUICK: usize = 1;

fn seeds() -> &'static [&'static str] {
    &SEEDS[..pick(QUICK, SEEDS.len())]
}
/// The tasks, each under one of two host names, which are two sites to the loop. The long ones come first, so that no
/// browser is left with one at the end.
const TASKS: [(&str, &str, Policy); 24] = [
    ("b.localhost", "use-spinner", forms::use_spinner),
    (
        "b.localhost",
        "use-autocomplete-nodelay",
        forms::use_autocomplete,
    ),
    ("b.localhost", "login-user", forms::login_user),
    (
        "b.localhost",
        "drag-sort-numbers",
        search::drag_sort_numbers,
    ),
    ("b.localhost", "form-sequence-2", forms::form_sequence_2),
    ("b.localhost", "read-table", forms::read_table),
    ("b.localhost", "enter-date", forms::enter_date),
    (
        "b.localhost",
        "email-inbox-important",
        search::email_important,
    ),
    ("b.localhost", "terminal", search::terminal),
    ("b.localhost", "click-menu", search::click_menu),
    ("b.localhost", "enter-password", forms::enter_password),
    ("b.localhost", "click-checkboxes", forms::click_checkboxes),
    ("a.localhost", "enter-text", one_step::enter_text),
    ("a.localhost", "click-widget", one_step::click_widget),
    ("a.localhost", "navigate-tree", search::navigate_tree),
    ("a.localhost", "click-dialog", one_step::click_dialog),
    ("a.localhost", "click-dialog-2", one_step::click_dialog),
    ("a.localhost", "click-option", one_step::click_option),
    ("a.localhost", "click-tab", one_step::click_tab),
    ("a.localhost", "choose-list", one_step::choose_list),
    ("a.localhost", "click-link", one_step::click_link),
    ("a.localhost", "click-button", one_step::click_button),
    ("a.localhost", "click-test-2", one_step::click_test_2),
    ("a.localhost", "focus-text", one_step::focus_text),
];

/// What came of one episode.
struct Ended {
    reward: Reward,
    report: RunReport,
    /// The last message that the policy was shown.
    shown: String,
}

impl Ended {
    fn succeeded(&self) -> bool {
        self.reward.done && (self.reward.raw - 1.0).abs() < f64::EPSILON
    }
}

/// A loop on this browser. Nobody is there to approve, and a locator that the tree cannot resolve counts as the worst.
fn agent(
    driver: &Arc<dyn BrowserDriver>,
    model: &ScriptedModel,
) -> DecisionLoop<Arc<dyn BrowserDriver>, ScriptedModel, InMemory> {
    let mut options = Options::default();
    options.approval = ApprovalMode::Auto;
    // The task was begun in the browser before the run.
    options.context = Context::Shared;
    assert!(!options.scripts, "no policy may run scripts");
    DecisionLoop::builder(Arc::clone(driver), model.clone(), InMemory::default())
        .with_options(options)
        .build()
        .expect("the options make sense")
}

/// Runs one episode on the page that is open at this address.
async fn episode(
    driver: &Arc<dyn BrowserDriver>,
    url: &str,
    seed: &str,
    policy: Policy,
) -> Result<Ended, String> {
    let goal = episode::begin(driver, seed).await?;
    // The page stands on this machine, where a run may only be because a person named the site.
    let named = Site::of(&url.parse().expect("a page has an address")).expect("a page has a site");
    let task = Task::new(goal)
        .expect("a goal is not empty")
        .with_allowed(named);
    let model = policy::model(policy);
    let report = agent(driver, &model).run(task).await;
    let reward = episode::reward(driver).await?;
    let shown = model
        .requests()
        .last()
        .map(|request| request.message.clone())
        .unwrap_or_default();
    Ok(Ended {
        reward,
        report,
        shown,
    })
}

/// All episodes of one task.
async fn task(
    driver: &Arc<dyn BrowserDriver>,
    url: &str,
    policy: Policy,
) -> Vec<Result<Ended, String>> {
    if let Err(why) = episode::open(driver, url).await {
        return vec![Err(why)];
    }
    let mut ended = Vec::new();
    for seed in seeds() {
        ended.push(episode(driver, url, seed, policy).await);
    }
    ended
}

/// Runs all tasks in this many browsers at once.
async fn every_task_gives_its_full_reward(by: Driver, browsers: usize) {
    let name = by.name();
    let site = Arc::new(site::Site::miniwob().await);
    // In the quick suite the slower driver plays every fourth task.
    let step = if by == Driver::Cdp { 1 } else { pick(4, 1) };
    let tasks: Vec<_> = TASKS.into_iter().step_by(step).collect();
    let played = tasks.len();
    let waiting = Arc::new(Mutex::new(tasks.into_iter()));
    let results = Arc::new(Mutex::new(BTreeMap::new()));
    let workers: Vec<_> = (0..browsers)
        .map(|_| {
            let (site, waiting, results) = (
                Arc::clone(&site),
                Arc::clone(&waiting),
                Arc::clone(&results),
            );
            tokio::spawn(async move {
                // Scripts are for the episode helper; the loop's own option for them stays off.
                let driver = by
                    .launch(&Wishes {
                        scripts: true,
                        ..Wishes::default()
                    })
                    .await;
                let next = || waiting.lock().expect("no worker panics with it").next();
                while let Some((host, task_name, policy)) = next() {
                    let url = site.url(host, &format!("miniwob/{task_name}.html"));
                    let ended = task(&driver, &url, policy).await;
                    let fine = ended
                        .iter()
                        .flatten()
                        .filter(|ended| ended.succeeded())
                        .count();
                    figure!("miniwob: {name}: {task_name} {fine} of {}", seeds().len());
                    results
                        .lock()
                        .expect("no worker panics with it")
                        .insert(task_name, ended);
                }
                driver.close().await.expect("the browser ends");
            })
        })
        .collect();
    for worker in workers {
        worker.await.expect("a worker ends");
    }
    let results = results.lock().expect("all workers have ended");
    let (mut total, mut on_evidence) = (0, 0);
    for (task_name, episodes) in results.iter() {
        let fine: Vec<&Ended> = episodes
            .iter()
            .flatten()
            .filter(|ended| ended.succeeded())
            .collect();
        for (seed, ended) in seeds().iter().zip(episodes) {
            match ended {
                Ok(ended) if ended.succeeded() => {}
                Ok(Ended {
                    reward,
                    report,
                    shown,
                }) => println!("{task_name} {seed}: {reward:?} {report:?}\n{shown}"),
                Err(why) => println!("{task_name} {seed}: {why}"),
            }
        }
        total += fine.len();
        on_evidence += fine
            .iter()
            .filter(|ended| ended.report.is_success())
            .count();
    }
    figure!("miniwob: {name}: finished on evidence: {on_evidence}");
    let all = played * seeds().len();
    figure!("miniwob: {name}: {total} of {all}");
    assert_eq!(total, all);
}

#[tokio::test(flavor = "multi_thread")]
async fn every_task_gives_its_full_reward_for_what_the_loop_did_by_playwright_cli() {
    // Most of an episode is waiting for the tool.
    every_task_gives_its_full_reward(Driver::PlaywrightCli, pick(2, 4)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_task_gives_its_full_reward_for_what_the_loop_did_by_cdp() {
    every_task_gives_its_full_reward(Driver::Cdp, 1).await;
}
