//! Pages that are never done: each action ends with an outcome that says how it went, and the browser is usable afterwards.

use std::time::Duration;

use tokio::time::timeout;
use webwise::{
    ErrorKind,
    action::{BrowserAction, ErrorClass, NoArguments, Wait},
    browser::{BrowserDriver as _, Cdp, CdpOptions, ExecuteRequest, ObserveRequest},
};

use crate::driver::{
    bed::{Bed, NEVER, button, goto, serve, site},
    profile::pick,
    shared::Shared,
    web::Answer,
};

/// A bed with little patience. In the quick profile the tests take it in turns.
async fn bed(pages: &[(&str, &str)]) -> Bed {
    static SHARED: Shared<Cdp> = Shared::new();
    let impatient = |options: CdpOptions| {
        options
            .with_settle(Duration::from_millis(500))
            .with_navigation_timeout(Duration::from_secs(5))
    };
    Bed::of(&SHARED, site(pages), impatient).await
}

/// Whatever happened on a page, the next one opens.
async fn goes_on(bed: Bed) {
    let opened = timeout(NEVER, bed.act(goto(bed.url("/calm"))))
        .await
        .expect("it does not hang");
    assert!(opened.outcome.is_done(), "{opened:?}");
    assert_eq!(bed.text().await, "calm");
    bed.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_changes_for_ever_is_acted_on_and_left() {
    let page = "<button onclick=\"document.title = 'pressed'\">Go</button><p></p><script>
        setInterval(() => document.querySelector('p').append(document.createElement('i')), 1);
        const turn = () => { document.body.dataset.now = performance.now(); requestAnimationFrame(turn); }; turn();
        const ask = () => fetch('/calm').then(ask, ask); ask();
        new Worker(URL.createObjectURL(new Blob(['setInterval(() => postMessage(1), 1)'])));
        </script>";
    let bed = bed(&[("/", page), ("/calm", "<p>calm")]).await;
    bed.open("/").await;
    for _ in 0..3 {
        bed.does(button("Go")).await;
        assert_eq!(bed.see().await.title, "pressed");
    }
    goes_on(bed).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_that_never_come_hold_nothing_up_for_long() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let silent = format!("http://{}", listener.local_addr().unwrap());
    let page = format!(
        "<title>Polls</title><button onclick=\"fetch('{silent}/poll'); document.title = 'pressed'\">Go</button>
         <img src='{silent}/image'><iframe src='{silent}/frame'></iframe>
         <script>fetch('{silent}/poll'); new EventSource('{silent}/events')</script>"
    );
    let bed = bed(&[("/", &page), ("/calm", "<p>calm")]).await;
    let opened = timeout(NEVER, bed.act(goto(bed.url("/"))))
        .await
        .expect("it does not hang");
    assert!(opened.outcome.is_done(), "{opened:?}");
    bed.does(button("Go")).await;
    assert_eq!(bed.see().await.title, "pressed");
    // An address that never answers at all.
    let given_up = timeout(NEVER, bed.act(goto(silent)))
        .await
        .expect("it does not hang");
    assert_eq!(
        given_up.outcome.class(),
        Some(ErrorClass::Timeout),
        "{given_up:?}"
    );
    goes_on(bed).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn endless_redirects_of_a_server_are_ended_by_the_browser() {
    let web = serve(|asked| match &*asked.path {
        "/calm" => Answer::page("<p>calm"),
        _ => Answer {
            status: 302,
            headers: vec!["Location: /sends".into()],
            body: String::new(),
        },
    });
    // The usual time limit: Chromium counts the redirects, and a busy machine needs more than a second for them.
    let bed = Bed::with(web, |options| options).await;
    bed.fails(goto(bed.url("/sends")), ErrorClass::NavigationFailed)
        .await;
    goes_on(bed).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn endless_redirects_of_a_page_end() {
    let turning = "<p>turning<script>location.replace('/turns?' + Math.random())</script>";
    let web = serve(move |asked| match &*asked.path {
        "/calm" => Answer::page("<p>calm"),
        path if path.starts_with("/turns") => Answer::page(turning),
        _ => Answer::page("<p>home<meta http-equiv=refresh content='0;url=/again'>"),
    });
    let bed = Bed::with(web, |options| {
        options.with_navigation_timeout(Duration::from_secs(pick(1, 3)))
    })
    .await;
    for path in ["/turns", "/again"] {
        let opened = timeout(NEVER, bed.act(goto(bed.url(path))))
            .await
            .expect("it does not hang");
        assert!(
            opened.outcome.is_done() || opened.outcome.class() == Some(ErrorClass::Timeout),
            "{opened:?}"
        );
        // Looking at it may meet two documents, and must not take for ever or break anything.
        let seen = timeout(NEVER, bed.driver.observe(&ObserveRequest::default()))
            .await
            .expect("it does not hang");
        assert!(
            seen.is_ok()
                || seen
                    .as_ref()
                    .is_err_and(|e| e.kind() != ErrorKind::BrowserLost),
            "{seen:?}"
        );
    }
    // What such a page asked for before it was left may still come after where it was left for.
    for _ in 0..pick(4, 10) {
        let opened = timeout(NEVER, bed.act(goto(bed.url("/calm"))))
            .await
            .expect("it does not hang");
        if opened.outcome.is_done() && bed.text().await == "calm" {
            break;
        }
    }
    goes_on(bed).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_script_that_never_ends_hangs_no_call() {
    let page = "<button onclick=\"for (;;);\">Go</button>";
    let pages = [
        ("/", page),
        ("/loads", "<p>loads<script>for (;;);</script>"),
        ("/calm", "<p>calm"),
    ];
    let bed = Bed::with(site(&pages), |options| {
        options.with_navigation_timeout(Duration::from_secs(pick(1, 3)))
    })
    .await;
    bed.open("/").await;
    let limit = Duration::from_secs(1);
    let request = ExecuteRequest::new(button("Go")).with_timeout(limit);
    let acted = timeout(NEVER, bed.driver.execute(&request))
        .await
        .expect("it does not hang")
        .unwrap();
    assert_eq!(
        acted.outcome.class(),
        Some(ErrorClass::Timeout),
        "{acted:?}"
    );
    let seen = timeout(
        NEVER,
        bed.driver
            .observe(&ObserveRequest::default().with_timeout(limit)),
    )
    .await;
    let seen = seen.expect("it does not hang").unwrap();
    assert!(seen.unresponsive, "{seen:?}");
    let opened = timeout(NEVER, bed.act(goto(bed.url("/calm"))))
        .await
        .expect("it does not hang");
    assert!(opened.outcome.is_done(), "{opened:?}");
    // One that begins while the page loads.
    let opened = timeout(NEVER, bed.act(goto(bed.url("/loads"))))
        .await
        .expect("it does not hang");
    println!("a page whose script never ends: {opened:?}");
    goes_on(bed).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn history_that_leads_nowhere_ends() {
    let page = "<p>here<script>history.pushState(1, '', '#1'); onpopstate = () => history.forward();</script>";
    let bed = bed(&[("/", page), ("/calm", "<p>calm")]).await;
    bed.open("/").await;
    let back = timeout(NEVER, bed.act(BrowserAction::GoBack(NoArguments {})))
        .await
        .expect("it does not hang");
    println!("back on a page that goes forward again: {back:?}");
    let wait = BrowserAction::Wait(Wait {
        text: Some("nothing".into()),
        gone: None,
        seconds: None,
    });
    let request = ExecuteRequest::new(wait).with_timeout(Duration::from_secs(1));
    let waited = bed.driver.execute(&request).await.unwrap();
    assert_eq!(
        waited.outcome.class(),
        Some(ErrorClass::WaitedInVain),
        "{waited:?}"
    );
    goes_on(bed).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn crowds_and_depths_are_cut_and_counted() {
    let many = pick(50_000, 100_000);
    let crowd = format!(
        "<script>document.write('<button>x</button>'.repeat({many}) + '<p id=last>the last')</script>"
    );
    let deep = "<script>let at = document.body ?? document.documentElement.appendChild(document.createElement('body'));
        for (let i = 0; i < 1000; i++) at = at.appendChild(document.createElement(i % 2 ? 'ul' : 'li'));
        at.innerHTML = '<button onclick=\"document.title = `reached`\">Deep</button>';</script>";
    // With usual patience: a page of so many buttons is slow to leave on a busy machine.
    let bed = Bed::start(&[("/crowd", &crowd), ("/deep", deep), ("/calm", "<p>calm")]).await;
    timeout(NEVER, bed.open("/crowd"))
        .await
        .expect("it does not hang");
    let seen = bed.see_all().await;
    let (nodes, omitted) = (seen.tree.len(), seen.tree.omitted());
    figure!("cdp: of {many} buttons {nodes} nodes are seen and {omitted} are counted as left out");
    assert_eq!(nodes, webwise::page::MAX_NODES);
    assert!(nodes + omitted as usize > many, "{omitted}");
    timeout(NEVER, bed.open("/deep"))
        .await
        .expect("it does not hang");
    let seen = bed.see_all().await;
    assert!(
        seen.tree.len() + seen.tree.omitted() as usize > 1,
        "{}",
        seen.tree.len()
    );
    timeout(
        NEVER,
        bed.does(crate::driver::bed::click(crate::driver::bed::target(
            "css=\"button\"",
        ))),
    )
    .await
    .expect("it does not hang");
    assert_eq!(bed.see().await.title, "reached");
    goes_on(bed).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_leads_on_at_once_is_arrived_at() {
    let pages = [
        ("/replaces", "<script>location.replace('/assigns')</script>"),
        ("/assigns", "<script>location = '/refreshes'</script>"),
        (
            "/refreshes",
            "<meta http-equiv=refresh content='0; url=/calm'>",
        ),
        ("/calm", "<p>calm"),
    ];
    // With usual patience: on a busy machine four documents take their time.
    let bed = Bed::start(&pages).await;
    for _ in 0..pick(3, 10) {
        bed.open("/replaces").await;
        bed.shows("calm").await;
    }
    bed.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_script_of_a_page_that_stays_goes_on() {
    let works = "<title>Works</title><button onclick=\"setTimeout(() => { const end = performance.now() + 2000;
        while (performance.now() < end); document.title = 'done'; }, 200)\">Go</button>";
    let web = crate::driver::bed::serve(move |asked| match &*asked.path {
        "/nothing" => Answer {
            status: 204,
            ..Answer::page("")
        },
        "/file" => Answer {
            headers: vec![
                "Content-Type: text/plain".into(),
                "Content-Disposition: attachment".into(),
            ],
            ..Answer::page("file")
        },
        _ => Answer::page(works),
    });
    let bed = Bed::with(web, |options| options).await;
    for path in ["/nothing", "/file"].into_iter().take(pick(1, 2)) {
        bed.open("/").await;
        bed.does(button("Go")).await;
        tokio::time::sleep(Duration::from_millis(400)).await;
        bed.fails(goto(bed.url(path)), ErrorClass::NavigationFailed)
            .await;
        let mut title = String::new();
        for _ in 0..200 {
            title = bed.see().await.title;
            if title == "done" {
                break;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        assert_eq!(
            title, "done",
            "{path} is no document, and the page was not left"
        );
    }
    bed.close().await;
}
