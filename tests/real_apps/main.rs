//! Applications that nobody here wrote, driven by a real browser: what they have stored afterwards is what was done.

#[path = "../support/apps.rs"]
mod apps;
mod archive;
#[path = "../../examples/test_beds/beds.rs"]
mod beds;
#[path = "../support/browsers.rs"]
mod browsers;
mod django;
mod explored;
#[macro_use]
#[path = "../support/figure.rs"]
mod figure;
mod hand;
#[path = "../support/profile.rs"]
mod profile;
mod roundup;

use std::{collections::BTreeSet, net::TcpStream, sync::Arc};

use apps::App;
use browsers::{Driver, Wishes};
use profile::pick;

#[tokio::test(flavor = "multi_thread")]
async fn what_a_browser_does_in_djangos_admin_is_exactly_what_is_stored() {
    // In the quick profile each driver meets one of the applications.
    for by in Driver::EACH.into_iter().skip(pick(1, 0)) {
        let browser = by.launch(&Wishes::default()).await;
        let app = App::django().await;
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
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_browser_does_in_roundup_is_exactly_what_is_stored() {
    for by in Driver::EACH.into_iter().take(pick(1, 2)) {
        let browser = by.launch(&Wishes::default()).await;
        let app = App::roundup().await;
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
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_application_has_the_same_rows_at_every_start_and_ends_with_whoever_started_it() {
    let questions = [
        "select * from booking_room",
        "select * from booking_booking",
        "select id, username, date_joined from auth_user",
        "select id, _title, _creation, _activity, _status, _priority, _assignedto from _issue",
        "select id, _summary, _author, _creation, _date from _msg",
        "select * from issue_keyword order by nodeid, linkid",
        "select * from issue__journal",
    ];
    let (in_django, in_roundup) = questions.split_at(3);
    let mut starts = BTreeSet::new();
    let mut ports = Vec::new();
    for _ in 0..2 {
        let (django, roundup) = tokio::join!(App::django(), App::roundup());
        let stored = |app: &App, questions: &[&str]| -> Vec<_> {
            questions.iter().map(|sql| app.rows(sql)).collect()
        };
        let all = [stored(&django, in_django), stored(&roundup, in_roundup)].concat();
        let counts: Vec<usize> = all.iter().map(Vec::len).collect();
        assert_eq!(counts, [8, 52, 1, 60, 15, 30, 60]);
        starts.insert(serde_json::to_string(&all).expect("rows are JSON"));
        assert!(
            [&django, &roundup]
                .iter()
                .all(|app| TcpStream::connect(("127.0.0.1", app.port())).is_ok())
        );
        ports.extend([django.port(), roundup.port()]);
        // The first two lose their input, the others are dropped.
        if ports.len() == 2 {
            let (django, roundup) =
                tokio::join!(django.ends_without_us(), roundup.ends_without_us());
            assert!(django && roundup, "they outlive who started them");
        }
    }
    assert_eq!(starts.len(), 1, "{starts:#?}");
    let alive: Vec<_> = ports
        .iter()
        .filter(|port| TcpStream::connect(("127.0.0.1", **port)).is_ok())
        .collect();
    assert!(alive.is_empty(), "{alive:?} still answer");
}
