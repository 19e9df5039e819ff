//! The cases of MiniWoB++: an episode is a set of values.

use serde_json::{Value, json};

use crate::{
    Failed,
    browsers::{Driver, Wishes},
    episode,
    pages::Site,
};

/// The tasks: eight of more than three steps, most of which have a control that refuses the first way of using it, and two short ones.
/// The stand-in reaches their goals.
const TASKS: [&str; 10] = [
    "use-spinner",
    "use-autocomplete",
    "use-autocomplete-nodelay",
    "enter-date",
    "enter-time",
    "choose-date-easy",
    "login-user",
    "login-user-popup",
    "enter-text",
    "click-option",
];

/// Returns the cases, with an episode more than there are seeds: no run meets the episode of the run that filled its memory.
pub(crate) async fn cases(site: &Site, seeds: u32) -> Result<Value, Failed> {
    let scripts = Wishes {
        scripts: true,
        ..Wishes::default()
    };
    let browser = Driver::Cdp.launch(&scripts).await;
    let mut cases = Vec::new();
    for task in TASKS {
        let url = site.url(
            &format!("{task}.localhost"),
            &format!("miniwob/{task}.html"),
        );
        let mut values = Vec::new();
        for seed in 0..=seeds {
            let seed = format!("s{seed}");
            episode::open(&*browser, &url).await?;
            let goal = episode::begin(&*browser, &seed).await?;
            // An episode ends with its button, and some goals leave that unsaid.
            let is_said = ["submit", "press", "click"]
                .iter()
                .any(|word| goal.to_lowercase().contains(word));
            let goal = if is_said {
                goal
            } else {
                format!("{goal} Hit Submit.")
            };
            values.push(json!({ "goal": goal, "url": format!("{url}?episode={seed}") }));
        }
        let mut case = values.swap_remove(0);
        case["name"] = task.into();
        case["success"] = json!({ "javascript": "WOB_DONE_GLOBAL && WOB_RAW_REWARD_GLOBAL === 1" });
        case["variants"] = values.into();
        cases.push(case);
    }
    browser.close().await?;
    Ok(json!({ "version": 1, "cases": cases }))
}
