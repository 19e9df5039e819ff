//! Pages that are too large, never finished or never still.

use std::time::Duration;

use serde_json::json;
use webwise::{page::Role, testing::call, working::StopReason};

use crate::hostile_pages::{
    bed::{Bed, options},
    browsers::Driver,
    played::{click, click_at, decides, finish, reference, says},
    profile::pick,
};

on_each_driver! {
    a_page_that_rewrites_itself_is_still_used,
}

in_turn! {
    on_a_page_of_thousands_of_buttons_the_last_one_is_found_and_pressed,
    a_feed_without_end_grows_and_the_message_does_not,
    a_page_that_never_settles_does_not_hold_the_run_up,
}

async fn on_a_page_of_thousands_of_buttons_the_last_one_is_found_and_pressed(by: Driver) {
    let bed = Bed::start(by).await;
    // A view keeps 10,000 elements. On a loaded machine the snapshot of 20,000 by playwright-cli took longer than an action may.
    let crowd = match by {
        Driver::Cdp => pick(12_000, 20_000),
        _ => 12_000,
    };
    let last = crowd - 1;
    let model = decides(move |calls, message| match calls {
        0 => call("find", json!({ "query": format!("Item number {last}") })),
        1 => click_at(
            &reference(message, &format!("button \"Item number {last}\""))
                .expect("the last button is found"),
        ),
        _ => finish(&format!("pressed={last}")),
    });
    let mut options = options();
    options.command_timeout = Duration::from_mins(2);
    let played = bed
        .play_with(
            "thousands of buttons",
            &format!("crowd?{crowd}"),
            bed.driver(),
            model,
            options,
            StopReason::Finished,
        )
        .await;
    assert_eq!(
        played.course(),
        ["goto done", "find done", "click done"],
        "{:?}",
        played.report
    );
    let first = &played.seen()[0];
    let buttons = first
        .tree
        .nodes()
        .iter()
        .filter(|node| node.role == Role::Button)
        .count();
    assert_eq!((buttons, first.tree.omitted()), (crowd, 0));
    for message in &played.messages {
        assert!(
            message.len() < 12_000,
            "a message of {} bytes",
            message.len()
        );
    }
    let note = format!("only the first 10000 of {crowd} elements were kept");
    assert_eq!(
        (
            played.views()[0].notes.contains(&note),
            played.messages[0].contains(&note)
        ),
        (crowd > 10_000, crowd > 10_000)
    );
    bed.close().await;
}

async fn a_feed_without_end_grows_and_the_message_does_not(by: Driver) {
    let bed = Bed::start(by).await;
    let down = || call("scroll", json!({ "direction": "down", "pixels": 3000 }));
    let course = says([down(), down(), down(), finish("Feed")]);
    let played = bed
        .play(
            "infinite scroll",
            "endless-scroll",
            course,
            StopReason::Finished,
        )
        .await;
    assert_eq!(
        played.course(),
        ["goto done", "scroll done", "scroll done", "scroll done"],
        "{played:?}"
    );
    let links: Vec<usize> = played
        .views()
        .iter()
        .map(|view| view.elements.len())
        .collect();
    assert!(
        links.is_sorted() && links.last() >= Some(&(links[0] + 20)),
        "{links:?}"
    );
    let sizes: Vec<usize> = played.messages.iter().map(String::len).collect();
    assert!(sizes.iter().all(|size| *size < 6_000), "{sizes:?}");
    bed.close().await;
}

async fn a_page_that_rewrites_itself_is_still_used(by: Driver) {
    let bed = Bed::start(by).await;
    let model = decides(|call, message| match call {
        // This reference is gone before the click, and the next look's may be as well.
        0 => {
            std::thread::sleep(Duration::from_millis(1700));
            click_at(&reference(message, "button \"Stable\"").expect("the button"))
        }
        // On a slow machine the page may rewrite itself under the pointer too.
        1..5 if !message.contains("pressed=1") => click("Stable"),
        _ => finish("pressed=1"),
    });
    let played = bed
        .play(
            "rewrites itself",
            "rewrites-itself",
            model,
            StopReason::Finished,
        )
        .await;
    let course = played.course();
    let is_lost = |end: &String| end == "click ref_not_found";
    assert_eq!(course.last().map(String::as_str), Some("click done"));
    assert!(!course.iter().any(is_lost), "{played:?}");
    bed.close().await;
}

async fn a_page_that_never_settles_does_not_hold_the_run_up(by: Driver) {
    let bed = Bed::start(by).await;
    let played = bed
        .play(
            "never settles",
            "never-settles",
            says([click("Press"), finish("pressed=1")]),
            StopReason::Finished,
        )
        .await;
    assert_eq!(played.course(), ["goto done", "click done"], "{played:?}");
    bed.close().await;
}
