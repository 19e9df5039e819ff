//! Cookies and local storage, saved and loaded, also across drivers.

use std::path::Path;

use webwise::{
    action::{BrowserAction, ErrorClass, StateFile},
    browser::{BrowserDriver, Cdp, ExecuteRequest, ObserveRequest, PlaywrightCli, PlaywrightCliOptions},
};

use crate::{
    bed::{folder, goto, options, serve, text_of},
    web::{Answer, Web},
};

/// Pages that keep something, show what is kept, and forget it.
fn keeper() -> Web {
    serve(|asked| {
        let show = "<p></p><script>document.querySelector('p').textContent =
            'kept ' + document.cookie + ' and ' + localStorage.getItem('k\"<')</script>";
        match &*asked.path {
            "/keep" => Answer {
                headers: vec![
                    "Content-Type: text/html; charset=utf-8".into(),
                    "Set-Cookie: shown=yes; Path=/; Max-Age=9999".into(),
                    "Set-Cookie: hidden=deep; Path=/; HttpOnly; SameSite=Lax".into(),
                ],
                ..Answer::page("<script>localStorage.setItem('k\"<', 'v\\u2028 Ü')</script><p>done")
            },
            "/forget" => Answer {
                headers: vec![
                    "Content-Type: text/html; charset=utf-8".into(),
                    "Set-Cookie: shown=; Path=/; Max-Age=0".into(),
                    "Set-Cookie: hidden=; Path=/; Max-Age=0".into(),
                ],
                ..Answer::page("<script>localStorage.clear()</script><p>done")
            },
            _ => Answer::page(show),
        }
    })
}

async fn act(driver: &dyn BrowserDriver, action: BrowserAction) {
    let name = format!("{action:?}");
    let execution =
        driver.execute(&ExecuteRequest::new(action)).await.unwrap_or_else(|error| panic!("{name}: {error:?}"));
    assert!(execution.outcome.is_done(), "{name}: {execution:?}");
}

fn save() -> BrowserAction {
    BrowserAction::StateSave(StateFile { name: "kept".into() })
}

fn load() -> BrowserAction {
    BrowserAction::StateLoad(StateFile { name: "kept".into() })
}

async fn shown(driver: &dyn BrowserDriver, web: &Web) -> String {
    act(driver, goto(web.url("127.0.0.1", "/"))).await;
    text_of(&driver.observe(&ObserveRequest::default()).await.unwrap())
}

const KEPT: &str = "kept shown=yes and v Ü";
const NOTHING: &str = "kept and null";

async fn native(base: &Path, states: &Path) -> Cdp {
    Cdp::launch(&options(base).with_state_folder(states)).await.unwrap()
}

async fn other(base: &Path, states: &Path) -> PlaywrightCli {
    let options = PlaywrightCliOptions::from_env()
        .expect("playwright-cli and Chromium are needed: run `webwise setup --tests` first")
        .with_folder(base)
        .with_state_folder(states);
    PlaywrightCli::launch(&options).await.unwrap()
}

/// One browser saves, and another one that has nothing loads.
async fn passes(web: &Web, from: &dyn BrowserDriver, to: &dyn BrowserDriver) {
    act(from, goto(web.url("127.0.0.1", "/keep"))).await;
    act(from, save()).await;
    act(from, goto(web.url("127.0.0.1", "/forget"))).await;
    assert_eq!(shown(from, web).await, NOTHING);
    act(from, load()).await;
    assert_eq!(shown(from, web).await, KEPT, "{from:?} reads its own");
    assert_eq!(shown(to, web).await, NOTHING);
    act(to, load()).await;
    assert_eq!(shown(to, web).await, KEPT, "{to:?} reads that of {from:?}");
    assert!(web.asked().len() > 4);
}

#[tokio::test(flavor = "multi_thread")]
async fn both_drivers_read_each_others_states() {
    let (base, states, web) = (folder(), folder(), keeper());
    let cdp = native(base.path(), states.path()).await;
    let playwright = other(base.path(), states.path()).await;
    passes(&web, &cdp, &playwright).await;
    cdp.close().await.unwrap();
    playwright.close().await.unwrap();

    let states = folder();
    let cdp = native(base.path(), states.path()).await;
    let playwright = other(base.path(), states.path()).await;
    passes(&web, &playwright, &cdp).await;
    cdp.close().await.unwrap();
    playwright.close().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_state_is_in_its_folder_under_a_plain_name_and_no_tab_of_it_is_seen() {
    let (base, states, web) = (folder(), folder(), keeper());
    let cdp = native(base.path(), states.path()).await;
    act(&cdp, goto(web.url("127.0.0.1", "/keep"))).await;
    act(&cdp, save()).await;
    let files: Vec<_> = std::fs::read_dir(states.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(files, ["state-kept.json"]);
    let before = web.asked().len();
    act(&cdp, load()).await;
    let seen = cdp.observe(&ObserveRequest::default()).await.unwrap();
    assert!(seen.tabs.is_empty() && seen.url.ends_with("/keep"), "{seen:?}");
    assert_eq!(web.asked().len(), before, "loading asks no server for anything");
    for (name, class) in
        [("../x", ErrorClass::BadArguments), ("", ErrorClass::BadArguments), ("none", ErrorClass::FileRefused)]
    {
        let action = BrowserAction::StateLoad(StateFile { name: name.into() });
        let execution = cdp.execute(&ExecuteRequest::new(action)).await.unwrap();
        assert_eq!(execution.outcome.class(), Some(class), "{name}");
    }
    std::fs::write(states.path().join("state-kept.json"), "{\"cookies\": 7}").unwrap();
    let execution = cdp.execute(&ExecuteRequest::new(load())).await.unwrap();
    assert_eq!(execution.outcome.class(), Some(ErrorClass::FileRefused));
    cdp.close().await.unwrap();
}
