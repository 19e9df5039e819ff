//! What dies in the middle: a call that is under way and every later one fail at once as a lost browser.

use std::time::Duration;

use tokio::time::timeout;
use webwise::{
    ErrorKind, GuardedBrowser, Task,
    action::{BrowserAction, Wait},
    browser::{BrowserDriver as _, Cdp, ObserveRequest, Relaunching, ScreenshotRequest},
    working::StopReason,
};

use crate::driver::{
    bed::{Bed, NEVER, button, folder, goto, options, site},
    processes::{family, naming, naming_with, signal},
    profile::pick,
};

/// The one process of a browser that started the others.
fn main_process(bed: &Bed) -> u32 {
    let mut folders = std::fs::read_dir(bed.base())
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let folder = folders.next().expect("the private folder");
    std::fs::read_to_string(folder.join("browser.pid"))
        .unwrap()
        .trim()
        .parse()
        .unwrap()
}

/// Every call must fail as one to a lost browser, and end.
async fn is_lost(bed: &Bed) {
    for _ in 0..2 {
        let calls = async {
            let seen = bed
                .driver
                .observe(&ObserveRequest::default())
                .await
                .unwrap_err();
            let acted = bed.try_act(button("Go")).await.unwrap_err();
            let opened = bed.try_act(goto(bed.url("/"))).await.unwrap_err();
            let taken = bed
                .driver
                .screenshot(&ScreenshotRequest::default())
                .await
                .unwrap_err();
            [seen, acted, opened, taken]
        };
        for error in timeout(NEVER, calls).await.expect("no call hangs") {
            assert_eq!(error.kind(), ErrorKind::BrowserLost, "{error:?}");
        }
    }
}

/// Kills something while a call is under way; the call must fail as one to a lost browser.
async fn kill_under(bed: &Bed, action: BrowserAction, victims: &[u32]) {
    assert!(!victims.is_empty(), "there is something to kill");
    let kill = async {
        tokio::time::sleep(Duration::from_millis(300)).await;
        for victim in victims {
            signal(*victim, "KILL");
        }
    };
    let name = format!("{action:?}");
    let (ended, ()) = timeout(NEVER, async { tokio::join!(bed.try_act(action), kill) })
        .await
        .expect("it ends");
    assert_eq!(
        ended.expect_err(&name).kind(),
        ErrorKind::BrowserLost,
        "{name}"
    );
}

const PAGES: [(&str, &str); 1] = [("/", "<button>Go</button><p>here")];

fn wait_for_a_text() -> BrowserAction {
    BrowserAction::Wait(Wait {
        text: Some("that never comes".into()),
        gone: None,
        seconds: None,
    })
}

fn wait_by_the_clock() -> BrowserAction {
    BrowserAction::Wait(Wait {
        text: None,
        gone: None,
        seconds: Some(30.into()),
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn a_killed_browser_is_lost_at_once_and_for_good() {
    let under = [goto("HOLD"), wait_for_a_text(), wait_by_the_clock()];
    for action in under.into_iter().take(pick(1, 3)) {
        let hold = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let bed = Bed::whole(&PAGES).await;
        bed.open("/").await;
        let action = match action {
            // Nobody ever answers there.
            BrowserAction::Goto(_) => goto(format!("http://{}/", hold.local_addr().unwrap())),
            other => other,
        };
        kill_under(&bed, action, &[main_process(&bed)]).await;
        is_lost(&bed).await;
        bed.close().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_killed_renderer_is_a_lost_page_and_never_a_blank_one() {
    let under = [wait_for_a_text(), wait_by_the_clock()];
    for action in under.into_iter().take(pick(1, 2)) {
        let bed = Bed::whole(&PAGES).await;
        bed.open("/").await;
        kill_under(&bed, action, &naming_with(bed.base(), "--type=renderer")).await;
        is_lost(&bed).await;
        bed.close().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_run_after_a_death_has_a_new_browser_and_nothing_is_left_of_the_old_one() {
    let (folder, web) = (folder(), site(&PAGES));
    let options = options(folder.path()).with_chromium(crate::whole::chromium());
    let driver = Relaunching::launch(move || {
        let options = options.clone();
        async move { Cdp::launch(&options).await }
    });
    let guarded = GuardedBrowser::builder(driver.await.unwrap());
    let guarded = guarded.build_guarded().unwrap();
    let folders = || std::fs::read_dir(folder.path()).unwrap().count();
    let url = web.url("127.0.0.1", "/");
    let start = || Task::new("Look").unwrap().with_start_url(&url);
    for only_the_page in [false, true] {
        let mut run = guarded.start(start().unwrap()).await;
        run.open_start_page().await.unwrap();
        let old = naming(folder.path());
        let victims = if only_the_page {
            naming_with(folder.path(), "--type=renderer")
        } else {
            old.clone()
        };
        assert!(!victims.is_empty(), "there is something to kill");
        for pid in victims {
            signal(pid, "KILL");
        }
        let ended = timeout(NEVER, run.carry_out(goto(&url))).await;
        assert_eq!(ended.unwrap().unwrap_err(), StopReason::BrowserLost);
        drop(run);
        let mut next = guarded.start(start().unwrap()).await;
        timeout(NEVER, next.open_start_page())
            .await
            .unwrap()
            .unwrap();
        let new = naming(folder.path());
        assert!(!new.is_empty() && old.iter().all(|pid| !new.contains(pid)));
        assert_eq!(folders(), 1);
    }
    guarded.browser().close().await.unwrap();
    assert_eq!((naming(folder.path()).len(), folders()), (0, 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_browser_that_stands_still_hangs_no_call_and_no_end() {
    let bed = Bed::whole(&PAGES).await;
    bed.open("/").await;
    let all = naming(bed.base());
    let known = family(bed.base(), 0);
    for pid in &all {
        signal(*pid, "STOP");
    }
    let limit = Duration::from_millis(500);
    let seen = timeout(
        NEVER,
        bed.driver
            .observe(&ObserveRequest::default().with_timeout(limit)),
    )
    .await;
    assert_eq!(
        seen.expect("it does not hang").unwrap_err().kind(),
        ErrorKind::Timeout
    );
    let request = webwise::browser::ExecuteRequest::new(button("Go")).with_timeout(limit);
    let acted = timeout(NEVER, bed.driver.execute(&request))
        .await
        .expect("it does not hang")
        .unwrap();
    assert_eq!(
        acted.outcome.class(),
        Some(webwise::action::ErrorClass::Timeout)
    );
    timeout(NEVER, bed.driver.close())
        .await
        .expect("it does not hang")
        .unwrap();
    // The children of a browser that was ended by force end when they run again.
    for pid in &all {
        let _ = std::process::Command::new("kill")
            .args(["-CONT", &pid.to_string()])
            .output();
    }
    assert_eq!(
        crate::driver::processes::gone(bed.base(), &known).1,
        [].into()
    );
}

/// A frame whose process works without end, in turns that leave it time to answer.
const BUSY: &str = "<button>Inner</button><script>setInterval(() => { const end = performance.now() + 40; while (performance.now() < end); }, 45);</script>";

/// By how much the process that works must be ahead of every other. Unit: ticks of the system's clock. Source: chosen; half a
/// second, and a page that does nothing takes a few hundredths in that time.
const AHEAD: u64 = 50;

/// How long a process has worked. Unit: ticks of the system's clock.
fn worked(pid: u32) -> u64 {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let rest: Vec<&str> = stat
        .rsplit(')')
        .next()
        .unwrap_or_default()
        .split_whitespace()
        .collect();
    rest.get(11).and_then(|time| time.parse().ok()).unwrap_or(0)
}

#[tokio::test(flavor = "multi_thread")]
async fn the_process_of_a_frame_may_die_without_the_page() {
    let page = "<title>Outer</title><button onclick=\"document.title = 'pressed'\">Go</button>\
                <iframe src='THERE/inner'></iframe>";
    let bed = Bed::whole(&[("/", page), ("/inner", BUSY)]).await;
    bed.open("/").await;
    bed.shows("Inner").await;
    let renderers = naming_with(bed.base(), "--type=renderer");
    let before: Vec<u64> = renderers.iter().map(|pid| worked(*pid)).collect();
    let busiest = loop {
        tokio::time::sleep(Duration::from_millis(100)).await;
        let since = renderers.iter().zip(&before);
        let mut since: Vec<_> = since
            .map(|(pid, before)| (worked(*pid).saturating_sub(*before), *pid))
            .collect();
        since.sort_unstable();
        let [.., (second, _), (first, pid)] = since[..] else {
            panic!("the frame has a process of its own: {since:?}");
        };
        if first > second + AHEAD {
            break pid;
        }
    };
    signal(busiest, "KILL");
    let gone = BrowserAction::Wait(Wait {
        text: None,
        gone: Some("Inner".into()),
        seconds: None,
    });
    bed.does(gone).await;
    bed.does(button("Go")).await;
    assert_eq!(bed.see().await.title, "pressed");
    bed.close().await;
}
