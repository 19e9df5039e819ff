//! References: the same for the same element while it lives, and never one that means something else. And between two looks
//! only what changed is told.

use std::{
    io::{Read, Write as _},
    net::{Ipv4Addr, TcpListener, TcpStream},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    thread,
};

use webwise::{
    action::{BrowserAction, ErrorClass, TabNew, Target},
    browser::{BrowserDriver as _, Cdp, CdpOptions},
};

use crate::driver::{
    bed::{
        Bed, act, button, click, element, eval, folder, goto, options, reference, see, site,
        tab_select,
    },
    chromium::Running,
};

const PAGE: &str = "<title>Page</title><button onclick=\"this.textContent = 'Renamed'; this.setAttribute('role', 'link')\">First</button>
    <button onclick=\"const first = document.querySelector('button'); document.body.append(first)\">Move</button>
    <button onclick=\"const first = document.querySelectorAll('button')[0]; first.replaceWith(first.cloneNode(true))\">Replace</button>
    <iframe src=/inner></iframe>";

async fn bed() -> Bed {
    let pages = [
        ("/", PAGE),
        (
            "/inner",
            "<button onclick=\"location.reload()\">Inner</button>",
        ),
    ];
    Bed::start(&pages).await
}

/// The reference means nothing any more.
async fn is_void(bed: &Bed, target: &Target) {
    let outcome = bed.act(click(target.clone())).await.outcome;
    assert!(
        matches!(
            outcome.class(),
            Some(ErrorClass::RefNotFound | ErrorClass::Detached)
        ),
        "{target}: {outcome:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn an_element_keeps_its_reference_and_no_other_gets_it() {
    let bed = bed().await;
    bed.open("/").await;
    let first = bed.find("First").await;
    for _ in 0..2 {
        assert_eq!(bed.find("First").await, first);
    }
    bed.does(click(first.clone())).await;
    assert_eq!(
        bed.find("Renamed").await,
        first,
        "with another role and name"
    );
    bed.does(button("Move")).await;
    assert_eq!(bed.find("Renamed").await, first, "in another place");
    let other = bed.find("Move").await;
    bed.does(button("Replace")).await;
    // `Move` came first by now, and its copy is another element.
    assert_ne!(bed.find("Move").await, other, "a copy");
    is_void(&bed, &other).await;

    let mut void = vec![first.clone(), bed.find("Inner").await];
    bed.does(click(bed.find("Inner").await)).await;
    bed.shows("Inner").await;
    is_void(&bed, &void[1]).await;
    for leave in [
        goto(bed.url("/")),
        BrowserAction::Reload(webwise::action::NoArguments {}),
        goto(bed.web.url("localhost", "/")),
    ] {
        void.push(bed.find("Move").await);
        bed.does(leave).await;
        bed.shows("Inner").await;
        let now = bed.see().await;
        for old in &void {
            let Target::Ref(old) = old else {
                panic!("a reference")
            };
            assert_eq!(
                now.tree.by_ref(old.as_str()),
                None,
                "{old} of another document"
            );
        }
        for old in &void {
            is_void(&bed, old).await;
        }
    }
    bed.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reference_of_one_tab_means_nothing_in_another() {
    let bed = bed().await;
    bed.open("/").await;
    let (move_here, inner) = (bed.find("Move").await, bed.find("Inner").await);
    bed.does(BrowserAction::TabNew(TabNew {
        url: Some(bed.url("/")),
    }))
    .await;
    bed.shows("Inner").await;
    let seen = bed.see().await;
    assert_ne!(
        (reference(&seen, "Move"), reference(&seen, "Inner")),
        (move_here.clone(), inner.clone())
    );
    is_void(&bed, &move_here).await;
    is_void(&bed, &inner).await;
    bed.does(tab_select(0)).await;
    assert_eq!(
        (bed.find("Move").await, bed.find("Inner").await),
        (move_here.clone(), inner)
    );
    bed.does(click(move_here)).await;
    bed.close().await;
}

/// A way to a browser that counts what comes back.
struct Counted {
    port: u16,
    bytes: Arc<AtomicU64>,
}

impl Counted {
    fn start(to: String) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        let bytes = Arc::<AtomicU64>::default();
        let count = Arc::clone(&bytes);
        thread::spawn(move || {
            for near in listener.incoming().flatten() {
                let far = TcpStream::connect(&to).unwrap();
                let (near2, far2, count) = (
                    near.try_clone().unwrap(),
                    far.try_clone().unwrap(),
                    Arc::clone(&count),
                );
                thread::spawn(move || pass(near, far, &AtomicU64::default()));
                thread::spawn(move || pass(far2, near2, &count));
            }
        });
        Self { port, bytes }
    }

    fn take(&self) -> u64 {
        self.bytes.swap(0, Ordering::Relaxed)
    }
}

fn pass(mut from: TcpStream, mut to: TcpStream, count: &AtomicU64) {
    let mut buffer = vec![0; 64 << 10];
    while let Ok(read) = from.read(&mut buffer) {
        count.fetch_add(read as u64, Ordering::Relaxed);
        if read == 0 || to.write_all(&buffer[..read]).is_err() {
            break;
        }
    }
    let _ = to.shutdown(std::net::Shutdown::Both);
}

#[tokio::test(flavor = "multi_thread")]
async fn between_two_looks_only_what_changed_is_told() {
    let page = "<title>Many</title><script>for (let i = 0; i < 3000; i++) document.write(`<p><button>Button ${i}</button></p>`)</script>";
    let (browser, web, base) = (Running::start().await, site(&[("/", page)]), folder());
    let way = Counted::start(browser.address().trim_start_matches("http://").to_owned());
    let options: CdpOptions = options(base.path()).with_scripts(true);
    let driver = Cdp::attach(&format!("http://127.0.0.1:{}", way.port), &options)
        .await
        .unwrap();
    assert!(
        act(&driver, goto(web.url("127.0.0.1", "/")))
            .await
            .unwrap()
            .outcome
            .is_done()
    );
    way.take();
    let first = see(&driver).await;
    let all = way.take();
    let same = see(&driver).await;
    let nothing = way.take();
    assert_eq!(first.tree, same.tree);
    let change = "() => { document.querySelectorAll('button')[1500].textContent = 'Changed'; }";
    assert!(act(&driver, eval(change)).await.unwrap().outcome.is_done());
    way.take();
    let changed = see(&driver).await;
    let little = way.take();
    figure!(
        "cdp: a look at 3,000 buttons takes {all} bytes, {nothing} without a change, {little} with one"
    );
    assert_eq!(
        reference(&changed, "Changed"),
        reference(&first, "Button 1500"),
        "it is the same element"
    );
    assert_eq!(
        element(&changed, "Button 1499").reference,
        element(&first, "Button 1499").reference
    );
    assert_eq!(first.tree.len(), changed.tree.len());
    assert!(
        all > 100_000 && nothing < all / 50 && little < all / 50,
        "{all} {nothing} {little}"
    );
    driver.close().await.unwrap();
}
