//! Stories in Django's admin.

use serde_json::json;
use webwise::{
    browser::BrowserDriver,
    page::{Node, Observation, Role},
};

use crate::real_apps::{
    apps::App,
    hand::{check, click, fill, open, see, select, text},
};

const BOOKINGS: &str = "select * from booking_booking order by id";

async fn try_to_log_in(app: &App, browser: &dyn BrowserDriver, password: &str) -> String {
    open(browser, app.url("/admin/")).await;
    fill(browser, r#"label="Username""#, App::USER).await;
    fill(browser, r#"label="Password""#, password).await;
    click(browser, r#"role=button[name="Log in"]"#).await;
    text(&see(browser).await)
}

pub(crate) async fn refuses_a_wrong_password(app: &App, browser: &dyn BrowserDriver) {
    let seen = try_to_log_in(app, browser, "no view").await;
    assert!(
        seen.contains("Please enter the correct username and password"),
        "{seen}"
    );
    assert!(!seen.contains("Site administration"), "{seen}");
}

pub(crate) async fn logs_in(app: &App, browser: &dyn BrowserDriver) {
    let seen = try_to_log_in(app, browser, App::PASSWORD).await;
    assert!(
        seen.contains("Site administration") && seen.contains("Bookings"),
        "{seen}"
    );
}

/// How many bookings a list shows: each has a box to choose it by.
fn bookings_on(page: &Observation) -> usize {
    let is_box =
        |node: &Node| node.role == Role::Checkbox && node.name.starts_with("Select this object");
    page.tree.nodes().iter().filter(|node| is_box(node)).count()
}

pub(crate) async fn finds_by_search_and_turns_the_page(app: &App, browser: &dyn BrowserDriver) {
    open(browser, app.url("/admin/booking/booking/")).await;
    let first = see(browser).await;
    assert_eq!(
        (bookings_on(&first), text(&first).contains("52 bookings")),
        (20, true)
    );
    click(browser, r#"css="a[href$='p=3']""#).await;
    assert_eq!(bookings_on(&see(browser).await), 12);

    fill(browser, r#"css="[name=q]""#, "Choir").await;
    click(browser, r#"css="form:has([name=q]) [type=submit]""#).await;
    let found = app
        .rows("select title from booking_booking where title like '%Choir%'")
        .len();
    let page = see(browser).await;
    let seen = text(&page);
    assert!(
        found > 1 && seen.contains(&format!("{found} results")),
        "{found}: {seen}"
    );
    assert_eq!(bookings_on(&page), found);
}

pub(crate) async fn adds_a_booking(app: &App, browser: &dyn BrowserDriver) {
    let mut expected = app.rows(BOOKINGS);
    let title = "Tango — <b>beginners</b> & \"friends\"";
    open(browser, app.url("/admin/booking/booking/add/")).await;
    fill(browser, r#"css="[name=title]""#, title).await;
    select(browser, r#"css="[name=room]""#, "Cedar").await;
    fill(browser, r#"css="[name=day]""#, "2024-07-04").await;
    fill(browser, r#"css="[name=starts]""#, "19:30").await;
    fill(browser, r#"css="[name=guests]""#, "24").await;
    check(browser, r#"role=radio[name="Confirmed"]"#).await;
    check(browser, r#"role=checkbox[name="Paid"]"#).await;
    click(browser, r#"role=group >> has-text="More" >> css="summary""#).await;
    fill(browser, r#"css="[name=note]""#, "First line\nsecond line").await;
    click(browser, r#"css="input[name=_save]""#).await;
    let seen = text(&see(browser).await);
    assert!(seen.contains("was added successfully"), "{seen}");
    let note = "First line\r\nsecond line";
    // In the order of the columns; Cedar is room 3.
    let row = json!([
        53,
        title,
        3,
        "2024-07-04",
        "19:30:00",
        24,
        "confirmed",
        1,
        "",
        note
    ]);
    expected.extend(row.as_array().cloned());
    assert_eq!(app.rows(BOOKINGS), expected);
}

pub(crate) async fn is_told_what_is_wrong_with_a_form(app: &App, browser: &dyn BrowserDriver) {
    let before = app.rows(BOOKINGS);
    open(browser, app.url("/admin/booking/booking/1/change/")).await;
    fill(browser, r#"css="[name=day]""#, "the day after").await;
    click(browser, r#"css="input[name=_save]""#).await;
    let seen = text(&see(browser).await);
    assert!(
        seen.contains("Please correct the error below.") && seen.contains("Enter a valid date."),
        "{seen}"
    );
    assert_eq!(app.rows(BOOKINGS), before);
}

pub(crate) async fn deletes_after_asking(app: &App, browser: &dyn BrowserDriver) {
    let before = app.rows(BOOKINGS);
    open(browser, app.url("/admin/booking/booking/2/change/")).await;
    click(browser, r#"css="a.deletelink""#).await;
    let asked = text(&see(browser).await);
    assert!(asked.contains("Are you sure you want to delete"), "{asked}");
    assert_eq!(app.rows(BOOKINGS), before);
    click(browser, r#"css="input[type=submit]""#).await;
    let seen = text(&see(browser).await);
    assert!(seen.contains("was deleted successfully"), "{seen}");
    let left: Vec<_> = before.into_iter().filter(|row| row[0] != 2).collect();
    assert_eq!((app.rows(BOOKINGS), left.len()), (left, 52));
}
