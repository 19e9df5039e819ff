//! The exploration of an application by somebody who is logged in: what is found, and what is never asked of the server.

use webwise::{
    BrowserDriver, GuardedBrowser,
    agent::explore,
    explore::Limits,
    working::{LeftOut, SiteMap},
};

use crate::real_apps::apps::App;

/// Explores the application from this path, and returns the map and the requests that this took. `stored` asks for what must not change.
async fn explored<B: BrowserDriver>(
    app: &App,
    browser: B,
    path: &str,
    stored: &str,
) -> (SiteMap, Vec<String>) {
    let before = app.requests().len();
    let rows = app.rows(stored);
    let guarded = GuardedBrowser::builder(browser)
        .build_guarded()
        .expect("fine options");
    let mut told = 0;
    let map = explore(&guarded, &app.url(path), Limits::default(), |_| told += 1)
        .await
        .expect("it ends in order");
    assert_eq!(told, map.pages.len());
    assert!(map.left_out[&LeftOut::Excluded] > 0, "{:?}", map.left_out);
    assert_eq!(app.rows(stored), rows, "exploring stores nothing");
    let requests = app.requests().split_off(before);
    assert!(requests.contains(&format!("GET {path}")), "{requests:?}");
    (map, requests)
}

/// Whether the requests are as exploring promises: they only get, and nothing that logs out, deletes or acts.
fn are_harmless(requests: &[String]) {
    for request in requests {
        let path = request.strip_prefix("GET ");
        let path = path
            .unwrap_or_else(|| panic!("{request} is no GET"))
            .to_lowercase();
        // Files that a page brings along are named as it likes.
        if path.starts_with("/static/") || path.starts_with("/@@file/") {
            continue;
        }
        for word in [
            "logout", "login", "delete", "password", "@action", "register",
        ] {
            assert!(!path.contains(word), "{request}");
        }
    }
}

fn titles(map: &SiteMap) -> Vec<&str> {
    map.pages.iter().map(|page| &*page.title).collect()
}

pub(crate) async fn finds_the_parts_of_djangos_admin<B: BrowserDriver>(
    app: &App,
    browser: B,
) -> SiteMap {
    let (map, requests) = explored(
        app,
        browser,
        "/admin/",
        "select * from booking_booking order by id",
    )
    .await;
    are_harmless(&requests);
    let seen = titles(&map);
    for part in [
        "Site administration",
        "Select booking to change",
        "Add booking",
        "Select room to change",
    ] {
        assert!(
            seen.iter().any(|title| title.starts_with(part)),
            "{part}: {seen:?}"
        );
    }
    map
}

pub(crate) async fn finds_the_parts_of_roundup<B: BrowserDriver>(app: &App, browser: B) -> SiteMap {
    let (map, requests) = explored(
        app,
        browser,
        "/",
        "select id, _title, _status, _activity from _issue order by id",
    )
    .await;
    are_harmless(&requests);
    let seen = titles(&map);
    assert!(
        seen.iter().any(|title| title.contains("List of issues")),
        "{seen:?}"
    );
    map
}
