//! Navigations, windows, files and dialogs that an action led to.

use webwise::{
    action::{BrowserAction, NoArguments},
    page::{DialogKind, Notice},
};

use crate::settle::bed::{Bed, FOREVER, SHORT, click, goto};

/// Ways to another page: the server holds it back for longer than the time for settling, which is not what bounds them.
const WAYS: &[(&str, &str, &str)] = &[
    ("a link", "<a href=/held/link>go</a>", "/held/link"),
    (
        "a form by GET",
        "<form action=/held/get><input name=q value=1><button>go</button></form>",
        "/held/get",
    ),
    (
        "a form by POST",
        "<form action=/held/post method=post><input name=q><button>go</button></form>",
        "/held/post",
    ),
    (
        "location.assign",
        "<button onclick=\"location.assign('/held/assign')\">go</button>",
        "/held/assign",
    ),
    (
        "location.href after a timer",
        "<button onclick=\"setTimeout(() => { location.href = '/held/href' }, 10)\">go</button>",
        "/held/href",
    ),
    (
        "location.replace",
        "<button onclick=\"location.replace('/held/replace')\">go</button>",
        "/held/replace",
    ),
    (
        "form.submit",
        "<form action=/held/submit id=f></form><button onclick=\"f.submit()\">go</button>",
        "/held/submit",
    ),
    ("a redirect", "<a href=/away>go</a>", "/held/away"),
    (
        "an answer to a fetch",
        "<button onclick=\"fetch('/say').then(() => { location = '/held/fetch' })\">go</button>",
        "/held/fetch",
    ),
    (
        "a page that leads on",
        "<a href=/refresh>go</a>",
        "/held/refresh",
    ),
    (
        "a page that leads on by a script",
        "<a href=/onward>go</a>",
        "/held/onward",
    ),
    (
        "a link on a page that never is whole",
        "<img src=/held/image><a href=/held/beside>go</a>",
        "/held/beside",
    ),
];

#[tokio::test(flavor = "multi_thread")]
async fn a_navigation_is_waited_for_however_it_begins() {
    let bed = Bed::start(SHORT).await;
    bed.serve(
        "/refresh",
        "<meta http-equiv=refresh content='0; url=/held/refresh'>",
    );
    bed.serve(
        "/onward",
        "<script>onload = () => location.replace('/held/onward')</script>",
    );
    for (name, body, path) in WAYS {
        bed.open(body).await;
        let execution = bed.done_once_answered(click("go"), &[path]).await;
        let shown = bed.shown().await;
        assert!(
            shown.contains(&format!("this is {path}")),
            "{name}: {shown}"
        );
        let (url, title) = execution.page.expect("the page is named");
        assert!(
            url.contains(path) && title == *path,
            "{name}: {url} {title}"
        );
    }
    bed.close().await;
    figure!("settle: navigations waited for: {}", WAYS.len());
}

#[tokio::test(flavor = "multi_thread")]
async fn the_drivers_own_ways_wait_too() {
    let bed = Bed::start(SHORT).await;
    bed.open("<p>first</p>").await;
    bed.done_once_answered(
        goto(&bed.web.url("127.0.0.1", "/held/goto")),
        &["/held/goto"],
    )
    .await;
    assert!(bed.shown().await.contains("this is /held/goto"));
    bed.done(BrowserAction::GoBack(NoArguments {})).await;
    assert!(bed.shown().await.contains("first"));
    bed.serve(
        "/late",
        "<output></output><script src=/held/late.js></script><p>after the script</p>",
    );
    bed.done_once_answered(goto(&bed.web.url("127.0.0.1", "/late")), &["/held/late.js"])
        .await;
    assert!(
        bed.shown().await.contains("after the script"),
        "a document is there when it is read to its end"
    );
    bed.done(BrowserAction::Reload(NoArguments {})).await;
    assert!(bed.shown().await.contains("the script ran"));
    bed.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_leads_to_no_other_document_is_over_at_once() {
    let bed = Bed::start(FOREVER).await;
    // Nobody listens at port 2. Unlike port 1, Chromium does not block it.
    let free = "127.0.0.1:2";
    let refused = format!("<a href=http://{free}/>go</a>");
    let cases = [
        ("<a href=#there>go</a><p id=there>there", "/page/0#there"),
        (
            "<button onclick=\"history.pushState({}, '', '/pushed')\">go</button>",
            "/pushed",
        ),
        (
            "<button onclick=\"history.replaceState({}, '', '/replaced')\">go</button>",
            "/replaced",
        ),
        (
            "<button onclick=\"location.hash = 'h'\">go</button>",
            "/page/3#h",
        ),
        ("<a href=/nothing>go</a>", "/page/4"),
        ("<a href=\"javascript:void 0\">go</a>", "/page/5"),
        ("<a href=/file>go</a>", "/page/6"),
        ("<a href=/say download>go</a>", "/page/7"),
        (
            "<form onsubmit=\"return false\"><button>go</button></form>",
            "/page/8",
        ),
        (
            "<iframe name=in></iframe><a href=/nothing target=in>go</a>",
            "/page/9",
        ),
        (
            "<iframe></iframe><iframe src=about:blank></iframe><button>go</button>",
            "/page/10",
        ),
        // The browser's own page about it stands there then.
        (&refused, ""),
    ];
    for (body, ends) in cases {
        bed.open(body).await;
        let execution = bed.done(click("go")).await;
        let (url, _) = execution.page.expect("the page is named");
        if ends.is_empty() {
            assert!(!bed.shown().await.contains("go"), "{body}");
        } else {
            assert!(url.ends_with(ends), "{body}: {url}");
            assert!(bed.shown().await.contains("go"), "{body}");
        }
    }
    bed.close().await;
    figure!("settle: over without another document: {}", cases.len());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_was_offered_is_told() {
    let bed = Bed::start(FOREVER).await;
    bed.open("<a href=/file>go</a><button>else</button>").await;
    let mut notices = bed.done(click("go")).await.notices;
    // It is told beside the action, or beside the next one.
    notices.extend(bed.done(click("else")).await.notices);
    let is_told = |notice: &Notice| matches!(notice, Notice::Download { suggested_name, .. } if suggested_name == "list.csv");
    assert!(notices.iter().any(is_told), "{notices:?}");
    bed.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_window_that_opens_is_there_with_its_address() {
    let ways = [
        (
            "<button onclick=\"window.open('/held/a')\">go</button>",
            "/held/a",
        ),
        ("<a href=/held/b target=_blank>go</a>", "/held/b"),
        ("<a href=/held/c target=_blank rel=opener>go</a>", "/held/c"),
    ];
    let bed = Bed::start(FOREVER).await;
    for (number, (body, path)) in ways.into_iter().enumerate() {
        bed.open(body).await;
        bed.done_once_answered(click("go"), &[path]).await;
        let tabs = bed.seen().await.tabs;
        assert_eq!(tabs.len(), number + 2, "{path}: {tabs:?}");
        assert!(
            tabs.iter().any(|tab| tab.url.ends_with(path)),
            "{path}: {tabs:?}"
        );
    }
    // One that the page writes itself has no address, and none is waited for.
    bed.open("<button onclick=\"window.open('').document.write('mine')\">go</button>")
        .await;
    bed.done(click("go")).await;
    assert_eq!(bed.seen().await.tabs.len(), ways.len() + 2);
    bed.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dialog_that_opens_a_little_later_is_told() {
    let bed = Bed::start(FOREVER).await;
    bed.open("<button onclick=\"setTimeout(() => alert('late'), 10)\">go</button>")
        .await;
    let dialog = bed.done(click("go")).await.dialog.expect("a dialog");
    assert_eq!((dialog.kind, &*dialog.message), (DialogKind::Alert, "late"));
    bed.done(BrowserAction::DialogDismiss(NoArguments {})).await;

    bed.open("<button onclick=\"fetch('/held/then').then(() => confirm('sure?'))\">go</button>")
        .await;
    let dialog = bed
        .done_once_answered(click("go"), &["/held/then"])
        .await
        .dialog
        .expect("a dialog");
    assert_eq!(
        (dialog.kind, &*dialog.message),
        (DialogKind::Confirm, "sure?")
    );
    bed.close().await;
}
