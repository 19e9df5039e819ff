//! Stories in Roundup, whose fields have names but hardly a label.

use serde_json::json;
use webwise::{browser::BrowserDriver, page::Role};

use crate::real_apps::{
    apps::App,
    hand::{click, fill, open, see, select, text},
};

/// What a form is filled in by.
const CONTROLS: [Role; 6] = [
    Role::TextBox,
    Role::Checkbox,
    Role::Radio,
    Role::Button,
    Role::Combobox,
    Role::Option,
];
const ISSUES: &str = "select id, _title, _status, _priority, _creator from _issue order by id";

async fn try_to_log_in(app: &App, browser: &dyn BrowserDriver, password: &str) -> String {
    open(browser, app.url("/")).await;
    fill(browser, r#"css="input[name=__login_name]""#, App::USER).await;
    fill(browser, r#"css="input[name=__login_password]""#, password).await;
    click(browser, r#"role=button[name="Login"]"#).await;
    text(&see(browser).await)
}

pub(crate) async fn refuses_a_wrong_password(app: &App, browser: &dyn BrowserDriver) {
    let seen = try_to_log_in(app, browser, "no view").await;
    assert!(
        seen.contains("Invalid login") && !seen.contains("Logout"),
        "{seen}"
    );
}

pub(crate) async fn logs_in(app: &App, browser: &dyn BrowserDriver) {
    let seen = try_to_log_in(app, browser, App::PASSWORD).await;
    assert!(
        seen.contains("Hello, admin") && seen.contains("Logout"),
        "{seen}"
    );
}

pub(crate) async fn files_an_issue(app: &App, browser: &dyn BrowserDriver) {
    let mut expected = app.rows(ISSUES);
    let messages = app.rows("select id from _msg").len();
    open(browser, app.url("/issue?@template=item")).await;
    let title = "Das Menü — <i>klappt</i> & \"klemmt\"";
    fill(browser, r#"css="input[name=title]""#, title).await;
    select(browser, r#"css="select[name=priority]""#, "urgent").await;
    select(browser, r#"css="select[name=status]""#, "in-progress").await;
    fill(
        browser,
        r#"css="textarea[name$=note]""#,
        "Since this morning.",
    )
    .await;
    click(browser, r#"css="input[name=submit_button]""#).await;
    let seen = text(&see(browser).await);
    assert!(
        seen.contains("issue 61 created") && seen.contains("Since this morning."),
        "{seen}"
    );
    expected.extend(json!([61, title, 5, 2, 1]).as_array().cloned());
    assert_eq!(app.rows(ISSUES), expected);
    assert_eq!(app.rows("select id from _msg").len(), messages + 1);
}

pub(crate) async fn finds_by_the_long_form(app: &App, browser: &dyn BrowserDriver) {
    open(browser, app.url("/issue?@template=search")).await;
    let controls = see(browser)
        .await
        .tree
        .nodes()
        .iter()
        .filter(|node| CONTROLS.contains(&node.role))
        .count();
    assert!(
        controls > 60,
        "{controls} controls: this is not the form that it was"
    );
    fill(browser, r#"css="input[name=title]""#, "calendar").await;
    select(browser, r#"css="select[name=status]""#, "in-progress").await;
    click(browser, r#"role=row >> role=button[name="Search"]"#).await;
    let seen = text(&see(browser).await);
    let found =
        app.rows("select _title from _issue where _title like '%calendar%' and _status = 5");
    assert!(!found.is_empty());
    assert!(
        found
            .iter()
            .all(|row| seen.contains(row[0].as_str().expect("a title is text"))),
        "{found:?}: {seen}"
    );
    assert_eq!(seen.matches("The calendar").count(), found.len(), "{seen}");
}
