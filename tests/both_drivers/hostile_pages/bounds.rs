//! Pages that would eat a run: each step with one ends in its time as a failure of a class, and the page can be left.

use std::time::Duration;

use serde_json::json;
use webwise::{
    agent::Options,
    chat::ChatResponse,
    testing::{ScriptedModel, call},
    working::StopReason,
};

use crate::hostile_pages::{
    bed::{Bed, options},
    browsers::Driver,
    played::{Played, click, decides, finish, give_up, go, says, text_of},
    profile::{full, pick},
};

// Each page here takes a whole processor, so the quick profile plays three with one driver.
in_turn! {
    a_page_that_spins_when_it_is_clicked_is_told,
}

/// The native driver can leave all of these pages, and the other driver's tool can leave none. The quick profile plays two: one that
/// gives no answer, and one that is seen in part.
#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_does_one_thing_without_end_is_told_and_left() {
    a_page_that_spins_while_it_loads_is_told_and_left().await;
    a_page_that_grows_without_end_is_seen_in_part_and_left().await;
    if full() {
        a_page_that_pushes_states_without_end_is_told_and_left().await;
        a_page_that_opens_windows_without_end_keeps_the_number_of_tabs_bounded().await;
        a_page_of_thousands_of_elements_in_each_other_is_seen().await;
    }
}

/// What the model reads of a page that gives no answer.
const TOLD: &str = "note the page gives no answer";
/// The bound of a step here. Unit: time. Source: chosen; eight and sixteen times what these pages need otherwise. Such a page takes a whole
/// processor, so the quick profile bounds it sooner.
const BOUND: (Duration, Duration) = (Duration::from_secs(8), Duration::from_secs(16));

/// A page that takes long by itself is not what is bounded.
fn patient() -> Options {
    let mut options = options();
    options.command_timeout = Duration::from_mins(2);
    options
}

fn bounded() -> Options {
    let mut options = options();
    options.command_timeout = pick(BOUND.0, BOUND.1);
    options
}

/// A model that clicks, and gives up when it is told that the page gives no answer.
fn clicks_and_gives_up(label: &'static str) -> ScriptedModel {
    let mut first = Some(click(label));
    decides(move |_, message| match first.take() {
        Some(first) => first,
        None if message.contains(TOLD) => give_up(),
        None => finish("All is well"),
    })
}

/// A model that goes to the plain page until it is there.
fn leaves(bed: &Bed, mut first: Option<ChatResponse>) -> ScriptedModel {
    let plain = bed.site.url("plain");
    decides(move |_, message| match first.take() {
        Some(first) => first,
        None if message.contains("\"All is well\"") => finish("All is well"),
        None => go(&plain),
    })
}

/// Whether the page was left by a `goto` after these actions. On a busy machine a `goto` may run out of time after it has ended the page's
/// script; the next one then finds a page that answers.
fn was_left(played: &Played, after: &[&str]) {
    let course = played.course();
    assert!(
        course.len() > after.len() && course.len() <= after.len() + 3,
        "{played:?}"
    );
    let (first, left) = course.split_at(after.len());
    assert_eq!(first, after, "{played:?}");
    let (last, tried) = left.split_last().expect("at least one action");
    assert_eq!(last, "goto done", "{played:?}");
    assert!(
        tried.iter().all(|tried| tried == "goto timeout"),
        "{played:?}"
    );
}

/// Whether a page was shown as one that gives no answer, at the address that the browser shows, and with nothing of it.
fn was_told(played: &Played, url: &str) {
    let seen = played.seen();
    let silent: Vec<_> = seen.iter().filter(|seen| seen.unresponsive).collect();
    assert!(
        !silent.is_empty()
            && silent
                .iter()
                .all(|seen| seen.url.starts_with(url) && seen.tree.is_empty()),
        "{played:?}"
    );
}

async fn a_page_that_spins_when_it_is_clicked_is_told(by: Driver) {
    let bed = Bed::own(by).await;
    // The other driver's tool does not get away from such a page in the same process.
    let can_leave = by == Driver::Cdp;
    let (model, stop) = if can_leave {
        (leaves(&bed, Some(click("Spin"))), StopReason::Finished)
    } else {
        (clicks_and_gives_up("Spin"), StopReason::GaveUp)
    };
    let played = bed
        .play_with("spins", "spins", bed.driver(), model, bounded(), stop)
        .await;
    let course = ["goto done", "click unclear"];
    if can_leave {
        was_left(&played, &course);
    } else {
        assert_eq!(played.course(), course, "{played:?}");
    }
    was_told(&played, &bed.site.url("spins"));
    bed.close().await;
}

async fn a_page_that_spins_while_it_loads_is_told_and_left() {
    let bed = Bed::own(Driver::Cdp).await;
    let model = leaves(&bed, None);
    let played = bed
        .play_with(
            "spins while it loads",
            "spins-at-once",
            bed.driver(),
            model,
            bounded(),
            StopReason::Finished,
        )
        .await;
    was_left(&played, &["goto timeout"]);
    was_told(&played, &bed.site.url("spins-at-once"));
    bed.close().await;
}

async fn a_page_that_pushes_states_without_end_is_told_and_left() {
    let bed = Bed::own(Driver::Cdp).await;
    let model = leaves(&bed, None);
    let played = bed
        .play_with(
            "pushes states without end",
            "pushes",
            bed.driver(),
            model,
            bounded(),
            StopReason::Finished,
        )
        .await;
    was_left(&played, &["goto timeout"]);
    was_told(&played, &bed.site.url("pushes"));
    bed.close().await;
}

async fn a_page_that_opens_windows_without_end_keeps_the_number_of_tabs_bounded() {
    let bed = Bed::own(Driver::Cdp).await;
    let course = says([
        click("Press"),
        go(&bed.site.url("plain")),
        call("tab_list", json!({})),
        finish("All is well"),
    ]);
    let played = bed
        .play_with(
            "opens windows without end",
            "opens",
            bed.driver(),
            course,
            patient(),
            StopReason::Finished,
        )
        .await;
    assert!(
        played
            .course()
            .starts_with(&["goto done".to_owned(), "click done".to_owned()]),
        "{played:?}"
    );
    let told = played.notices().len();
    // The page opens ten each second for as long as it is shown.
    assert!((1..=30).contains(&told), "{told} windows");
    bed.close().await;
}

async fn a_page_of_thousands_of_elements_in_each_other_is_seen() {
    let bed = Bed::own(Driver::Cdp).await;
    let played = bed
        .play_with(
            "thousands of elements in each other",
            "nested",
            bed.driver(),
            says([click("Press"), finish("pressed=1")]),
            patient(),
            StopReason::Finished,
        )
        .await;
    assert_eq!(played.course(), ["goto done", "click done"], "{played:?}");
    assert!(
        text_of(&played.seen()[0]).contains("the innermost"),
        "{played:?}"
    );
    bed.close().await;
}

async fn a_page_that_grows_without_end_is_seen_in_part_and_left() {
    let bed = Bed::own(Driver::Cdp).await;
    let played = bed
        .play_with(
            "grows without end",
            "grows",
            bed.driver(),
            says([go(&bed.site.url("plain")), finish("All is well")]),
            bounded(),
            StopReason::Finished,
        )
        .await;
    assert_eq!(played.course().len(), 2, "{played:?}");
    assert!(
        ["goto done", "goto timeout"].contains(&&*played.course()[0]),
        "{played:?}"
    );
    assert_eq!(played.course()[1], "goto done", "{played:?}");
    bed.close().await;
}
