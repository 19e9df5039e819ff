//! One episode of a task: begun with a seed, its goal, and its reward at the end.
//!
//! Uses script, which the driver offers to its owner; the loop and the policies do not get it.

use serde::{Deserialize, de::DeserializeOwned};
use webwise::{
    action::{BrowserAction, Eval, Goto},
    browser::{BrowserDriver, ExecuteRequest},
};

/// How an episode stands.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
pub(crate) struct Reward {
    /// The task's own figure, without what it takes off for time: 1 is success.
    pub(crate) raw: f64,
    pub(crate) done: bool,
}

/// Opens the page of a task.
pub(crate) async fn open(driver: &dyn BrowserDriver, url: &str) -> Result<(), String> {
    act(
        driver,
        BrowserAction::Goto(Goto {
            url: url.to_owned(),
        }),
    )
    .await
    .map(drop)
}

/// Begins an episode on the open page, without an end by time, and gives its goal.
pub(crate) async fn begin(driver: &dyn BrowserDriver, seed: &str) -> Result<String, String> {
    let seed = serde_json::Value::from(seed);
    evaluate(
        driver,
        &format!(
            "() => {{ Math.seedrandom({seed}); core.EPISODE_MAX_TIME = 1e9; core.startEpisodeReal();
                const goal = core.getUtterance(); return typeof goal === 'string' ? goal : goal.utterance; }}"
        ),
    )
    .await
}

/// What the page gave for what was done; to be read before the next episode begins.
pub(crate) async fn reward(driver: &dyn BrowserDriver) -> Result<Reward, String> {
    evaluate(
        driver,
        "() => ({ raw: WOB_RAW_REWARD_GLOBAL, done: WOB_DONE_GLOBAL })",
    )
    .await
}

async fn evaluate<T: DeserializeOwned>(
    driver: &dyn BrowserDriver,
    function: &str,
) -> Result<T, String> {
    let text = act(
        driver,
        BrowserAction::Eval(Eval {
            function: function.to_owned(),
            target: None,
        }),
    )
    .await?;
    serde_json::from_str(&text).map_err(|error| format!("the page said {text:?}: {error}"))
}

async fn act(driver: &dyn BrowserDriver, action: BrowserAction) -> Result<String, String> {
    let name = action.tool().as_str();
    let execution = driver
        .execute(&ExecuteRequest::new(action))
        .await
        .map_err(|error| format!("{error:?}"))?;
    if execution.outcome.is_done() {
        Ok(execution.text.unwrap_or_default())
    } else {
        Err(format!("{name} gave {:?}", execution.outcome))
    }
}
