//! Tabs that pages open and close, and dialogs wherever they come from.

use tokio::time::timeout;
use webwise::{
    action::{BrowserAction, ErrorClass, NoArguments, Outcome, TabNew},
    browser::{BrowserDriver as _, ScreenshotRequest},
    page::{DialogKind, Notice},
};

use crate::driver::bed::{Bed, NEVER, accept, button, dismiss, goto, tab_close, tab_select};

const OPENS: &str = "<title>First</title><button onclick=\"window.open('/second')\">Open</button>
    <button onclick=\"window.open('/second', '', 'noopener,popup,width=300,height=200')\">Apart</button>
    <button onclick=\"window.open('THERE/alerts')\">Loud</button>
    <button onclick=\"window.open('/alerts')\">Near</button>
    <button onclick=\"window.open('/brief')\">Brief</button>";
const PAGES: [(&str, &str); 8] = [
    ("/", OPENS),
    (
        "/second",
        "<title>Second</title><button onclick=\"window.close()\">Close</button><p>second page",
    ),
    (
        "/alerts",
        "<title>Loud</title><script>alert('from the popup')</script><p>after it",
    ),
    (
        "/brief",
        "<title>Brief</title><script>setTimeout(close, 50)</script>",
    ),
    (
        "/guarded",
        "<title>Guarded</title><input><script>onbeforeunload = event => event.preventDefault()</script>",
    ),
    (
        "/framed",
        "<title>Framed</title><iframe src=THERE/asks></iframe>",
    ),
    (
        "/asks",
        "<button onclick=\"document.title = this.textContent = 'said ' + confirm('from a frame')\">Ask</button>",
    ),
    (
        "/loads",
        "<title>Loads</title><script>document.write('<p>said ' + prompt('while it loads', 'given'))</script><p>the end",
    ),
];

#[tokio::test(flavor = "multi_thread")]
async fn windows_of_pages_are_told_and_close_by_themselves() {
    let bed = Bed::start(&PAGES).await;
    bed.open("/").await;
    for (place, name) in [(1, "Open"), (2, "Apart")] {
        let execution = bed.does(button(name)).await;
        let told = execution
            .notices
            .iter()
            .any(|n| matches!(n, Notice::TabOpened { url } if url.ends_with("/second")));
        assert!(told, "{name}: {execution:?}");
        let seen = bed.see().await;
        assert_eq!(
            (seen.title.as_str(), seen.tabs.len()),
            ("First", place + 1),
            "it does not take over"
        );
    }
    // A page that closes the current tab leaves another one as the current one.
    bed.does(tab_select(1)).await;
    assert_eq!(bed.see().await.title, "Second");
    let closed = timeout(NEVER, bed.try_act(button("Close")))
        .await
        .expect("it does not hang")
        .unwrap();
    assert!(!matches!(closed.outcome, Outcome::NoEffect), "{closed:?}");
    let seen = bed.see().await;
    assert_eq!(seen.tabs.len(), 2, "{:?}", seen.tabs);
    assert_eq!(seen.tabs.iter().filter(|tab| tab.current).count(), 1);
    bed.does(tab_select(0)).await;
    // One that is gone before anybody looks.
    bed.does(button("Brief")).await;
    for _ in 0..50 {
        if bed.see().await.tabs.len() == 2 {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    assert_eq!(bed.see().await.tabs.len(), 2);
    bed.fails(tab_select(7), ErrorClass::NoSuchTab).await;
    bed.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_guarded_tab_asks_when_it_is_left_and_closes_when_it_is_told_to() {
    let bed = Bed::start(&PAGES).await;
    bed.open("/").await;
    bed.does(BrowserAction::TabNew(TabNew {
        url: Some(bed.url("/guarded")),
    }))
    .await;
    bed.does(crate::driver::bed::fill(
        crate::driver::bed::target("css=\"input\""),
        "x",
    ))
    .await;
    bed.does(button_on_nothing()).await;
    let left = timeout(NEVER, bed.act(goto(bed.url("/second"))))
        .await
        .expect("it does not hang");
    assert_eq!(left.dialog.map(|d| d.kind), Some(DialogKind::BeforeUnload));
    bed.does(dismiss()).await;
    assert_eq!(bed.see().await.title, "Guarded");
    let closed = timeout(NEVER, bed.act(tab_close(1)))
        .await
        .expect("it does not hang");
    assert!(closed.outcome.is_done(), "{closed:?}");
    assert_eq!(
        (bed.see().await.title.as_str(), bed.see().await.tabs.len()),
        ("First", 0)
    );
    bed.close().await;
}

/// A real press of a key, without which no page may ask before it is left.
fn button_on_nothing() -> BrowserAction {
    BrowserAction::Press(webwise::action::Press {
        key: webwise::action::Key::parse("a").unwrap(),
        target: None,
        times: None,
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn dialogs_of_frames_popups_and_loading_pages_are_told_and_answered() {
    let bed = Bed::whole(&PAGES).await;
    // In a frame of another process.
    bed.open("/framed").await;
    for (answer, says) in [(accept(), "said true"), (dismiss(), "said false")] {
        bed.open("/framed").await;
        let asked = bed
            .does(crate::driver::bed::click(bed.find("Ask").await))
            .await;
        assert_eq!(
            asked.dialog.map(|d| (d.kind, d.message)),
            Some((DialogKind::Confirm, "from a frame".into()))
        );
        assert!(bed.see().await.dialog.is_some());
        bed.fails(goto(bed.url("/")), ErrorClass::DialogOpen).await;
        assert!(
            bed.driver
                .screenshot(&ScreenshotRequest::default())
                .await
                .is_err(),
            "there is no picture under it"
        );
        bed.does(answer).await;
        bed.shows(says).await;
    }
    // While a page loads.
    for (answer, says) in [(accept(), "said given"), (dismiss(), "said null")] {
        let opened = timeout(NEVER, bed.act(goto(bed.url("/loads"))))
            .await
            .expect("it does not hang");
        assert_eq!(
            opened.dialog.map(|d| d.kind),
            Some(DialogKind::Prompt),
            "{:?}",
            opened.outcome
        );
        bed.does(answer).await;
        bed.shows(says).await;
        bed.shows("the end").await;
    }
    // In a window that a page opened: it blocks its own tab alone.
    bed.open("/").await;
    let mut notices = bed.does(button("Loud")).await.notices;
    // It may open a moment after the window.
    for _ in 0..100 {
        if notices.contains(&Notice::DialogBehind { tab: 1 }) {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        notices.extend(
            bed.does(BrowserAction::TabList(NoArguments {}))
                .await
                .notices,
        );
    }
    assert_eq!(
        notices
            .iter()
            .filter(|notice| matches!(notice, Notice::DialogBehind { tab: 1 }))
            .count(),
        1
    );
    assert_eq!(
        bed.does(BrowserAction::TabList(NoArguments {}))
            .await
            .notices,
        [],
        "it is told once"
    );
    assert_eq!(
        (bed.see().await.title.as_str(), bed.see().await.dialog),
        ("First", None)
    );
    let selected = timeout(NEVER, bed.act(tab_select(1)))
        .await
        .expect("it does not hang");
    assert!(selected.outcome.is_done(), "{selected:?}");
    let dialog = bed.see().await.dialog.expect("the popup's");
    assert_eq!(
        (dialog.kind, dialog.message.as_str()),
        (DialogKind::Alert, "from the popup")
    );
    bed.does(accept()).await;
    bed.shows("after it").await;
    bed.fails(accept(), ErrorClass::NoDialog).await;
    bed.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dialog_of_another_tab_that_holds_the_page_up_is_told_and_answered() {
    let bed = Bed::start(&PAGES).await;
    bed.open("/").await;
    // A window of the same site is shown by the same process, and that waits as a whole.
    timeout(NEVER, bed.act(button("Near")))
        .await
        .expect("it does not hang");
    let seen = timeout(NEVER, bed.see()).await.expect("it does not hang");
    assert_eq!(seen.url, bed.url("/"));
    let dialog = seen.dialog.expect("the other tab's");
    assert_eq!(
        (dialog.kind, dialog.message.as_str()),
        (DialogKind::Alert, "from the popup")
    );
    bed.fails(button("Open"), ErrorClass::DialogOpen).await;
    bed.does(accept()).await;
    assert_eq!(bed.see().await.title, "First");
    bed.does(button("Open")).await;
    bed.close().await;
}
