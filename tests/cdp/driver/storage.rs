//! Cookies and local storage, saved and loaded, also across drivers.

use std::path::Path;

use webwise::{
    action::{BrowserAction, ErrorClass, StateFile},
    browser::{
        BrowserDriver, Cdp, CdpOptions, ExecuteRequest, ObserveRequest, PlaywrightCli,
        PlaywrightCliOptions,
    },
};

use crate::driver::{
    bed::{Bed, folder, goto, options, see, serve, site, text_of},
    chromium::Running,
    profile::full,
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
                    "Set-Cookie: part=own; Path=/; Secure; SameSite=None; Partitioned".into(),
                ],
                ..Answer::page("<script>localStorage.setItem('k\"<', 'v\\u2028 Ü')</script><p>done")
            },
            "/forget" => Answer {
                headers: vec![
                    "Content-Type: text/html; charset=utf-8".into(),
                    "Set-Cookie: shown=; Path=/; Max-Age=0".into(),
                    "Set-Cookie: hidden=; Path=/; Max-Age=0".into(),
                    "Set-Cookie: part=; Path=/; Secure; SameSite=None; Partitioned; Max-Age=0"
                        .into(),
                ],
                ..Answer::page("<script>localStorage.clear()</script><p>done")
            },
            _ => Answer::page(show),
        }
    })
}

async fn act(driver: &dyn BrowserDriver, action: BrowserAction) {
    let name = format!("{action:?}");
    let execution = driver
        .execute(&ExecuteRequest::new(action))
        .await
        .unwrap_or_else(|error| panic!("{name}: {error:?}"));
    assert!(execution.outcome.is_done(), "{name}: {execution:?}");
}

fn save() -> BrowserAction {
    BrowserAction::StateSave(StateFile {
        name: "kept".into(),
    })
}

fn load() -> BrowserAction {
    BrowserAction::StateLoad(StateFile {
        name: "kept".into(),
    })
}

async fn shown(driver: &dyn BrowserDriver, web: &Web) -> String {
    act(driver, goto(web.url("127.0.0.1", "/"))).await;
    text_of(&driver.observe(&ObserveRequest::default()).await.unwrap())
}

const KEPT: &str = "kept shown=yes; part=own and v Ü";
const NOTHING: &str = "kept and null";

async fn native(base: &Path, states: &Path) -> Cdp {
    Cdp::launch(&options(base).with_state_folder(states))
        .await
        .unwrap()
}

async fn other(base: &Path, states: &Path) -> PlaywrightCli {
    let options = PlaywrightCliOptions::from_env()
        .expect("playwright-cli and Chromium are needed: run `cargo run --features full --example test_beds` first")
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
    act(to, goto(web.url("127.0.0.1", "/forget"))).await;
    assert_eq!(
        shown(to, web).await,
        NOTHING,
        "the cookie of this site's pages alone is one again"
    );
    assert!(web.asked().len() > 4);
}

#[tokio::test(flavor = "multi_thread")]
async fn both_drivers_read_each_others_states() {
    // The quick profile tries both ways in the same two browsers.
    if full() {
        tokio::join!(are_read(&[true]), are_read(&[false]));
    } else {
        are_read(&[true, false]).await;
    }
}

/// The state of one driver is read by the other, each way after the one before.
async fn are_read(from_cdp: &[bool]) {
    let (base, states, web) = (folder(), folder(), keeper());
    let (cdp, playwright) = tokio::join!(
        native(base.path(), states.path()),
        other(base.path(), states.path())
    );
    for from_cdp in from_cdp {
        if *from_cdp {
            passes(&web, &cdp, &playwright).await;
        } else {
            passes(&web, &playwright, &cdp).await;
        }
        act(&cdp, goto(web.url("127.0.0.1", "/forget"))).await;
    }
    cdp.close().await.unwrap();
    playwright.close().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_state_is_in_its_folder_under_a_plain_name_and_no_tab_of_it_is_seen() {
    let (base, states, web) = (folder(), folder(), keeper());
    let cdp = native(base.path(), states.path()).await;
    act(&cdp, goto(web.url("127.0.0.1", "/keep"))).await;
    act(&cdp, save()).await;
    let files: Vec<_> = std::fs::read_dir(states.path())
        .unwrap()
        .map(|e| e.unwrap().file_name())
        .collect();
    assert_eq!(files, ["state-kept.json"]);
    let before = web.asked().len();
    act(&cdp, load()).await;
    let seen = cdp.observe(&ObserveRequest::default()).await.unwrap();
    assert!(
        seen.tabs.is_empty() && seen.url.ends_with("/keep"),
        "{seen:?}"
    );
    assert_eq!(
        web.asked().len(),
        before,
        "loading asks no server for anything: {:?}",
        web.asked()
    );
    for (name, class) in [
        ("../x", ErrorClass::BadArguments),
        ("", ErrorClass::BadArguments),
        ("none", ErrorClass::FileRefused),
    ] {
        let action = BrowserAction::StateLoad(StateFile { name: name.into() });
        let execution = cdp.execute(&ExecuteRequest::new(action)).await.unwrap();
        assert_eq!(execution.outcome.class(), Some(class), "{name}");
    }
    std::fs::write(states.path().join("state-kept.json"), "{\"cookies\": 7}").unwrap();
    let execution = cdp.execute(&ExecuteRequest::new(load())).await.unwrap();
    assert_eq!(execution.outcome.class(), Some(ErrorClass::FileRefused));
    cdp.close().await.unwrap();
}

/// A page of one origin with a frame of another one, and a page that shows what is kept.
fn framed() -> Web {
    serve(
        |asked| match asked.path.split('?').next().unwrap_or_default() {
            "/framed" => Answer::page("<p>outer<iframe src='THERE/inner'></iframe>"),
            "/inner" => Answer::page("<p>inner"),
            _ => Answer::page("<p>plain"),
        },
    )
}

/// Loads a state, which must be refused; the words.
async fn is_refused(driver: &Cdp, states: &Path, state: &str) -> String {
    std::fs::write(states.join("state-kept.json"), state).unwrap();
    let execution = driver.execute(&ExecuteRequest::new(load())).await.unwrap();
    let webwise::action::Outcome::Failed(failure) = execution.outcome else {
        panic!("{state}: {execution:?}")
    };
    assert_eq!(failure.class, ErrorClass::FileRefused, "{failure:?}");
    failure.detail
}

#[tokio::test(flavor = "multi_thread")]
async fn a_state_that_cannot_be_loaded_leaves_the_cookies_as_they_were() {
    let (base, states, web) = (folder(), folder(), keeper());
    let cdp = native(base.path(), states.path()).await;
    act(&cdp, goto(web.url("127.0.0.1", "/keep"))).await;
    let ok = r#"{"name":"other","value":"new","domain":"127.0.0.1","path":"/"}"#;
    let long = "x".repeat(11 << 20);
    let origin = web.url("127.0.0.1", "").trim_end_matches('/').to_owned();
    for (state, word) in [
        (
            format!(
                r#"{{"cookies":[{ok},{{"name":"x","value":"a\nb","domain":"127.0.0.1","path":"/"}}]}}"#
            ),
            "cookie",
        ),
        (
            format!(r#"{{"cookies":[{ok},{{"name":"x","domain":"127.0.0.1","path":"/"}}]}}"#),
            "no such",
        ),
        (
            format!(
                r#"{{"cookies":[{ok},{{"name":"a","value":"","domain":"x","path":"/","sameSite":"Odd"}}]}}"#
            ),
            "no such",
        ),
        // More than an origin may keep.
        (
            format!(
                r#"{{"cookies":[{ok}],"origins":[{{"origin":"{origin}","localStorage":[{{"name":"a","value":"{long}"}}]}}]}}"#
            ),
            &origin,
        ),
    ] {
        let detail = is_refused(&cdp, states.path(), &state).await;
        assert!(detail.contains(word), "{detail}");
        assert_eq!(shown(&cdp, &web).await, KEPT, "{word}");
    }
    cdp.close().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn all_origins_that_were_visited_are_saved_with_halves_of_characters() {
    let states = folder();
    let bed = Bed::with(framed(), |options| {
        options.with_scripts(true).with_state_folder(states.path())
    })
    .await;
    // The frame's own storage under another page is not that of its origin.
    let there = bed.web.url("localhost", "/");
    bed.does(goto(&*there)).await;
    bed.eval("() => { localStorage.setItem('of', 'there'); document.cookie = 'c=1'; }")
        .await;
    bed.open("/framed").await;
    bed.eval("() => localStorage.setItem('half \\ud83d', '\\udc00 \\u2028')")
        .await;
    bed.does(save()).await;
    let file = states.path().join("state-kept.json");
    let saved = std::fs::read_to_string(&file).unwrap();
    assert!(
        saved.contains(r"half \ud83d") || saved.contains(r"half \uD83D"),
        "{saved}"
    );
    let there = there.trim_end_matches('/');
    assert!(
        saved.contains(&format!("\"{there}\"")) && saved.contains("\"there\""),
        "{saved}"
    );
    bed.eval("() => localStorage.clear()").await;
    bed.does(load()).await;
    let kept = "() => JSON.stringify([localStorage.length, localStorage.getItem('half \\ud83d') === '\\udc00 \\u2028'])";
    assert_eq!(bed.eval(kept).await.replace('\\', ""), "\"[1,true]\"");
    bed.does(goto(format!("{there}/"))).await;
    assert!(
        bed.eval("() => document.cookie + localStorage.getItem('of')")
            .await
            .contains("there")
    );
    bed.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn in_a_browser_of_others_only_the_sites_of_the_state_are_changed() {
    let (states, web) = (folder(), keeper());
    let browser = Running::start().await;
    let options = CdpOptions::new("/nonexistent").with_state_folder(states.path());
    let cdp = Cdp::attach(&browser.address(), &options).await.unwrap();
    let of = |host: &str, path: &str| goto(web.url(host, path));
    // The person is known to both sites; the state is that of somebody else on one of them.
    act(&cdp, of("127.0.0.1", "/keep")).await;
    act(&cdp, of("localhost", "/keep")).await;
    let state = r#"{"cookies":[{"name":"other","value":"new","domain":"127.0.0.1","path":"/"}]}"#;
    std::fs::write(states.path().join("state-kept.json"), state).unwrap();
    act(&cdp, load()).await;
    assert_eq!(shown(&cdp, &web).await, "kept other=new and v Ü");
    act(&cdp, of("localhost", "/")).await;
    let there = text_of(&cdp.observe(&ObserveRequest::default()).await.unwrap());
    assert_eq!(there, KEPT, "another site of the person's");
    cdp.close().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_profile_outlives_its_browser_and_nobody_else_reads_it() {
    use std::os::unix::fs::PermissionsExt as _;
    let web = site(&[(
        "/",
        "<p></p><script>document.querySelector('p').textContent = `${document.cookie} ${localStorage.who}`;
        document.cookie = 'who=ada; max-age=3600'; localStorage.who = 'ada';</script>",
    )]);
    let (base, kept) = (folder(), folder());
    let profile = kept.path().join("profile");
    let options = options(base.path()).with_profile(&profile);
    for wanted in ["undefined", "who=ada ada"] {
        let browser = Cdp::launch(&options).await.unwrap();
        // It is one user's, so no run gets a context without its cookies.
        assert!(!browser.capabilities().fresh);
        act(&browser, goto(web.url("localhost", "/"))).await;
        assert_eq!(text_of(&see(&browser).await).trim(), wanted);
        browser.close().await.unwrap();
    }
    let mode = std::fs::metadata(&profile).unwrap().permissions().mode();
    assert_eq!(mode & 0o077, 0);
}
