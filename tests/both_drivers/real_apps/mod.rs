//! Applications that nobody here wrote, driven by a real browser: what they have stored afterwards is what was done.

use crate::{apps, browsers, profile};
mod archive;
#[path = "../../../examples/test_beds/beds.rs"]
mod beds;
mod django;
mod explored;
mod hand;
mod roundup;

use std::{net::TcpStream, sync::Arc, time::Duration};

use apps::App;
use browsers::{Driver, Wishes};
use profile::pick;
use serde_json::Value;

/// A driver that waits as long as a busy machine needs: nothing here is done in vain.
fn patient() -> Wishes {
    let long = Some(Duration::from_mins(2));
    Wishes {
        launch: long,
        action: long,
        navigation: long,
        ..Wishes::default()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_browser_does_in_djangos_admin_is_exactly_what_is_stored() {
    // In the quick profile each driver meets one of the applications.
    for by in Driver::EACH.into_iter().skip(pick(1, 0)) {
        let browser = by.launch(&patient()).await;
        let app = App::django().await;
        let first = stored(&app, &IN_DJANGO);
        django::refuses_a_wrong_password(&app, &*browser).await;
        django::logs_in(&app, &*browser).await;
        django::finds_by_search_and_turns_the_page(&app, &*browser).await;
        django::adds_a_booking(&app, &*browser).await;
        django::is_told_what_is_wrong_with_a_form(&app, &*browser).await;
        django::deletes_after_asking(&app, &*browser).await;
        let map = explored::finds_the_parts_of_djangos_admin(&app, Arc::clone(&browser)).await;
        figure!(
            "real_apps django by {}: {} pages explored, left out {:?}, 0 excluded addresses requested",
            by.name(),
            map.pages.len(),
            map.left_out
        );
        browser.close().await.expect("the browser ends");
        figure!("real_apps django by {}: 6 stories", by.name());
        starts_alike(&first, App::django().await, &IN_DJANGO, app).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_browser_does_in_roundup_is_exactly_what_is_stored() {
    for by in Driver::EACH.into_iter().take(pick(1, 2)) {
        let browser = by.launch(&patient()).await;
        let app = App::roundup().await;
        let first = stored(&app, &IN_ROUNDUP);
        roundup::refuses_a_wrong_password(&app, &*browser).await;
        roundup::logs_in(&app, &*browser).await;
        roundup::files_an_issue(&app, &*browser).await;
        roundup::finds_by_the_long_form(&app, &*browser).await;
        let map = explored::finds_the_parts_of_roundup(&app, Arc::clone(&browser)).await;
        figure!(
            "real_apps roundup by {}: {} pages explored, left out {:?}, 0 excluded addresses requested",
            by.name(),
            map.pages.len(),
            map.left_out
        );
        browser.close().await.expect("the browser ends");
        figure!("real_apps roundup by {}: 4 stories", by.name());
        starts_alike(&first, App::roundup().await, &IN_ROUNDUP, app).await;
    }
}

/// What Django's admin stores, as far as tests rely on it, and Roundup's rows of that kind; with the number of rows.
const IN_DJANGO: [(&str, usize); 3] = [
    ("select * from booking_room", 8),
    ("select * from booking_booking", 52),
    ("select id, username, date_joined from auth_user", 1),
];
const IN_ROUNDUP: [(&str, usize); 4] = [
    (
        "select id, _title, _creation, _activity, _status, _priority, _assignedto from _issue",
        60,
    ),
    (
        "select id, _summary, _author, _creation, _date from _msg",
        15,
    ),
    ("select * from issue_keyword order by nodeid, linkid", 30),
    ("select * from issue__journal", 60),
];

/// The rows of an application that has just started.
fn stored(app: &App, questions: &[(&str, usize)]) -> Vec<Vec<Vec<Value>>> {
    let rows = |(sql, count): &(&str, usize)| {
        let rows = app.rows(sql);
        assert_eq!(rows.len(), *count, "{sql}");
        rows
    };
    questions.iter().map(rows).collect()
}

/// Another start has the same rows as the first one; the one that loses its input ends as the one that is dropped does.
async fn starts_alike(
    first: &[Vec<Vec<Value>>],
    again: App,
    questions: &[(&str, usize)],
    app: App,
) {
    assert_eq!(stored(&again, questions), first);
    let answers = |port| TcpStream::connect(("127.0.0.1", port)).is_ok();
    let ports = [again.port(), app.port()];
    assert!(ports.into_iter().all(answers));
    assert!(again.ends_without_us().await, "it outlives who started it");
    drop(app);
    assert!(!ports.into_iter().any(answers), "something still answers");
}
