//! Frames and shadow trees: what can be seen in them can be used.

use webwise::{page::Role, working::StopReason};

use crate::hostile_pages::{
    bed::Bed,
    browsers::Driver,
    played::{click, click_at, decides, finish, look, reference, says},
};

/// How often a page is looked at until its frame is there. Source: chosen.
const LOOKS: usize = 10;

// What the tree of a frame says is compared between the drivers in `tree_parity`.
in_turn! {
    what_is_in_a_frame_is_seen_and_pressed_by_its_reference,
    an_open_shadow_tree_is_seen_and_a_closed_one_by_the_native_driver,
}

async fn what_is_in_a_frame_is_seen_and_pressed_by_its_reference(by: Driver) {
    let bed = Bed::start(by).await;
    for (page, path) in [
        ("frame of the same origin", "frame"),
        ("frame of another origin", "frame-elsewhere"),
        ("frames in frames", "frames-in-frames"),
    ] {
        let mut is_pressed = false;
        let model = decides(move |call, message| {
            if is_pressed {
                return finish("inner=pressed");
            }
            // On a busy machine the frame may come after the page was seen.
            let button = reference(message, "button \"Inner button\"");
            is_pressed = button.is_some();
            assert!(is_pressed || call < LOOKS, "{message}");
            button.map_or_else(look, |button| click_at(&button))
        });
        let played = bed.play(page, path, model, StopReason::Finished).await;
        let course = played.course();
        assert_eq!(course[0], "goto done", "{played:?}");
        assert_eq!(
            course.last().map(String::as_str),
            Some("click done"),
            "{played:?}"
        );
        assert_eq!(
            played.report.final_url,
            Some(bed.site.url(path)),
            "the address is the top one's"
        );
        let last = played.seen().pop().expect("the page was seen");
        let frames = last
            .tree
            .nodes()
            .iter()
            .filter(|node| node.role == Role::Iframe)
            .count();
        assert_eq!(frames, if path == "frames-in-frames" { 2 } else { 1 });
    }
    bed.close().await;
}

async fn an_open_shadow_tree_is_seen_and_a_closed_one_by_the_native_driver(by: Driver) {
    let bed = Bed::start(by).await;
    let played = bed
        .play(
            "open shadow",
            "shadow",
            says([click("Shadow button"), finish("shadow=pressed")]),
            StopReason::Finished,
        )
        .await;
    assert_eq!(played.course(), ["goto done", "click done"], "{played:?}");

    let played = bed
        .play(
            "closed shadow",
            "closed-shadow",
            says([click("Hidden button"), finish("Closed")]),
            StopReason::Finished,
        )
        .await;
    // What listens in it gives it away to the browser's own protocol.
    let sees = matches!(by, Driver::Cdp);
    let pressed = if sees {
        "click done"
    } else {
        "click not_found"
    };
    assert_eq!(played.course(), ["goto done", pressed], "{played:?}");
    assert_eq!(played.messages[0].contains("Hidden button"), sees);
    bed.close().await;
}
